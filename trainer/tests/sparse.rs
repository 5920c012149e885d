//! Fits on sparse rows: the same models as from dense rows, refusals by name, and what they cost when large.
#![allow(missing_docs)]

use nearmark_train::config::{Config, Parameters};
use nearmark_train::evaluate::compare::curves::{Dims, curves};
use nearmark_train::evaluate::compare::{Entry, Protocol};
use nearmark_train::linalg::Csr;
use nearmark_train::{Dataset, Run, evaluate, train};
use std::error::Error;
use std::fmt::Write;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// A generator that is good enough to place values.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit
    }
}

/// Rows like word counts: half of a row's words are those of its class, the others anyone's.
fn words(rows: usize, columns: usize, each: usize, classes: usize) -> Outcome<(Csr, Vec<String>)> {
    let mut random = Random(7);
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    let own = columns / classes;
    for row in 0..rows {
        let class = row % classes;
        let mut chosen: Vec<u32> = (0..each)
            .map(|i| if i % 2 == 0 { class * own + random.below(own) } else { random.below(columns) } as u32)
            .collect();
        chosen.sort_unstable();
        chosen.dedup();
        values.extend(chosen.iter().map(|_| (1 + random.below(3)) as f64));
        indices.extend(chosen);
        starts.push(indices.len());
    }
    let labels = (0..rows).map(|row| (row % classes).to_string()).collect();
    Ok((Csr::new(columns, starts, indices, values)?, labels))
}

fn config(settings: &[(&str, &str)]) -> Outcome<Config> {
    let mut parameters = Parameters::default();
    for (name, value) in settings {
        parameters.assign(name, value)?;
    }
    Ok(Config::try_from(parameters)?)
}

const FITS: [&[(&str, &str)]; 8] = [
    &[("method", "ebek"), ("kernel", "linear")],
    &[("method", "ebek"), ("kernel", "linear"), ("extension", "full")],
    &[("method", "pca"), ("dim", "10")],
    &[("method", "lda")],
    &[("method", "cmvda"), ("features", "random:40"), ("scale", "unit")],
    &[("method", "kda"), ("features", "signs:40")],
    &[("method", "kpca"), ("features", "random:40")],
    &[("method", "cmvda"), ("pca", "8")],
];

#[test]
fn sparse_rows_give_the_models_of_their_dense_form() -> Outcome {
    let (plain, labels) = words(120, 60, 9, 3)?;
    // Columns without a value, one that is constant, and one in another unit: each may count for one form and not the other.
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in 0..plain.nrows() {
        let (own, entries) = plain.row(row);
        indices.extend(own.iter().copied().chain([90, 91]));
        values.extend(entries.iter().copied().chain([3.0, 500.0 * (1 + row % 7) as f64]));
        starts.push(values.len());
    }
    let padded = Csr::new(95, starts, indices, values)?;
    for (rows, settings) in [&plain, &padded].into_iter().flat_map(|rows| FITS.map(|settings| (rows, settings))) {
        let sparse = Dataset::from_sparse(rows.clone(), &labels)?;
        let dense = Dataset::new(sparse.dense_rows(&(0..120).collect::<Vec<_>>()), &labels)?;
        // Dense rows would be scaled by themselves.
        let scaled = settings.iter().any(|(name, _)| *name == "scale");
        let settings = [settings, if scaled { &[] } else { &[("scale", "none")] }].concat();
        let config = config(&settings)?;
        let (of_sparse, of_dense) =
            (train(&config, &sparse, &Run::default())?, train(&config, &dense, &Run::default())?);
        let (a, b) = (of_sparse.fitted.embedding().abs(), of_dense.fitted.embedding().abs());
        assert!((&a - &b).amax() < 1e-5 * b.amax(), "{settings:?}: {}", (a - &b).amax() / b.amax());
        let of_both = [&sparse, &dense].map(|data| evaluate::evaluate(&of_sparse.model, data));
        let [of_sparse_rows, of_dense_rows] = of_both;
        assert_eq!(of_sparse_rows?, of_dense_rows?, "{settings:?}");
        assert_eq!(train(&config, &sparse, &Run::default().threads(1))?.model, of_sparse.model, "{settings:?}");
    }
    Ok(())
}

#[test]
fn settings_are_tuned_as_on_dense_rows() -> Outcome {
    let (rows, labels) = words(120, 60, 9, 3)?;
    let sparse = Dataset::from_sparse(rows, &labels)?;
    let dense = Dataset::new(sparse.dense_rows(&(0..120).collect::<Vec<_>>()), &labels)?;
    let settings = [("method", "cmvda"), ("features", "random:40"), ("scale", "unit"), ("tune_params", "true")];
    let config = config(&settings)?;
    let [of_sparse, of_dense] = [&sparse, &dense].map(|data| train(&config, data, &Run::default()));
    let (of_sparse, of_dense) = (of_sparse?, of_dense?);
    assert!(!of_sparse.tuning.is_empty());
    assert_eq!(of_sparse.tuning, of_dense.tuning);
    Ok(())
}

#[test]
fn curves_over_dimensions_are_those_of_dense_rows() -> Outcome {
    let (rows, labels) = words(120, 60, 9, 3)?;
    let sparse = Dataset::from_sparse(rows, &labels)?;
    let dense = Dataset::new(sparse.dense_rows(&(0..120).collect::<Vec<_>>()), &labels)?;
    let entries = [Entry { name: "pca".into(), config: config(&[("method", "pca"), ("scale", "none")])? }];
    let dims: Dims = "1-10".parse()?;
    let measured =
        |data: &Dataset| curves(&entries, data, &Protocol::Folds { k: 3, repeats: 1 }, &dims, 0, &Run::default());
    let (of_sparse, of_dense) = (measured(&sparse)?, measured(&dense)?);
    assert_eq!(of_sparse.curves[0].points.len(), 10);
    for (a, b) in of_sparse.curves[0].points.iter().zip(&of_dense.curves[0].points) {
        assert_eq!((a.dim, &a.accuracy), (b.dim, &b.accuracy));
    }
    Ok(())
}

#[test]
fn what_would_fill_in_zeros_is_refused_by_name() -> Outcome {
    let (rows, labels) = words(60, 40, 5, 3)?;
    let data = Dataset::from_sparse(rows, &labels)?;
    for (settings, part) in [
        (
            &[("method", "nsse")][..],
            "nsse with these settings would fill in the zeros of 60 sparse rows of 40 values; pca",
        ),
        (&[("method", "cmvda")], "cmvda with these settings would fill in"),
        (&[("method", "ebek")], "ebek with these settings would fill in"),
        (&[("method", "lda"), ("scale", "standard")], "scale standard would fill in the zeros"),
        (&[("method", "lda"), ("numeric", "i8")], "sparse rows of this size need f32"),
        (&[("method", "auto")], "need a method by name"),
        (&[("flash", "4k")], "a budget search would fill in the zeros"),
    ] {
        let message = train(&config(settings)?, &data, &Run::default()).err().map(|error| error.to_string());
        assert!(message.as_ref().is_some_and(|message| message.contains(part)), "{settings:?}: {message:?}");
    }
    Ok(())
}

/// Seconds that a process has computed so far, on all cores.
#[cfg(target_os = "linux")]
fn cpu_seconds(process: u32) -> Option<f64> {
    let state = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // Behind the name, which ends with the last parenthesis: ticks of a hundredth of a second.
    let fields: Vec<&str> = state.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / 100.0)
}

/// `cargo test --release --test sparse -- --ignored --nocapture`: ten thousand rows of thirty thousand values, 0.5 % of them
/// not zero, through the tool. As a table they would take 2.4 GB. Seconds are those of all cores together, which do not depend
/// on what else the machine does.
#[test]
#[cfg(target_os = "linux")]
#[ignore = "a measurement of about a minute"]
fn large_sparse_rows_take_ten_seconds_and_a_gigabyte() -> Outcome {
    let folder = tempfile::tempdir()?;
    let (rows, labels) = words(10_000, 30_000, 150, 10)?;
    let mut text = String::new();
    for (i, label) in labels.iter().enumerate() {
        text.push_str(label);
        let (indices, values) = rows.row(i);
        for (index, value) in indices.iter().zip(values) {
            write!(text, " {}:{value}", index + 1)?;
        }
        text.push('\n');
    }
    std::fs::write(folder.path().join("x.svm"), text)?;
    for line in [
        "--method ebek --kernel linear",
        "--method pca",
        "--method lda",
        "--method cmvda --features random:1000",
        "--method kpca --features signs:500",
        "--method cmvda --pca 10 --features nystrom:500",
    ] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_nearmark"));
        command.current_dir(folder.path()).args(["fit", "x.svm", "-o", "m.nmk"]).args(line.split(' '));
        let start = std::time::Instant::now();
        let mut child = command.stderr(std::process::Stdio::null()).spawn()?;
        let (mut peak, mut cpu) = (0, 0.0);
        let status = loop {
            // The peak so far; the last look before the end counts.
            let state = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
            let now =
                state.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
            peak = now.unwrap_or(peak).max(peak);
            cpu = cpu_seconds(child.id()).unwrap_or(cpu);
            if let Some(status) = child.try_wait()? {
                break status;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        };
        let (seconds, megabytes) = (start.elapsed().as_secs_f64(), peak / 1000);
        eprintln!("{line}: {cpu:.1} s of all cores, {seconds:.1} s on the clock, {megabytes} MB");
        assert!(status.success() && cpu < 10.0 && megabytes < 1000, "{line}: {cpu:.1} s, {megabytes} MB");
    }
    Ok(())
}
