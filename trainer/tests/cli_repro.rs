//! `nearmark repro` and the figures of other commands, from outside.
#![allow(missing_docs)]

#[path = "cli/sandbox.rs"]
#[allow(dead_code, reason = "shared with the other tests of the binary")]
mod sandbox;

use npyz::WriterBuilder;
use sandbox::{Outcome, Ran, Sandbox, clouds};
use std::fs::File;
use std::path::Path;

/// Writes an array of bytes.
fn array(path: &Path, shape: &[u64], values: impl Iterator<Item = u8>) -> Outcome {
    let options = npyz::WriteOptions::<u8>::new().default_dtype().shape(shape);
    let mut writer = options.writer(File::create(path)?).begin_nd()?;
    writer.extend(values)?;
    Ok(writer.finish()?)
}

/// A folder with faces of four people, eight each, of six pixels: not ORL, but read and split like it.
fn faces(sandbox: &Sandbox) -> Outcome {
    let folder = sandbox.path("data/orl");
    std::fs::create_dir_all(&folder)?;
    let pixel = |i: usize| (i / 6 / 8 * 40 * (1 + i % 2) + i * 7919 % 29) as u8;
    array(&folder.join("X_28x23.npy"), &[32, 6], (0..32 * 6).map(pixel))?;
    array(&folder.join("y.npy"), &[32], (0..32).map(|row| row / 8))
}

fn with_data(sandbox: &Sandbox, folder: Option<&str>, line: &str) -> Outcome<Ran> {
    let mut command = sandbox.command();
    command.env_remove("NEARMARK_DATA").args(line.split(' '));
    if let Some(folder) = folder {
        command.env("NEARMARK_DATA", sandbox.path(folder));
    }
    Ran::of(command.output()?)
}

#[test]
fn missing_files_are_named_with_their_origin() -> Outcome {
    let sandbox = Sandbox::new()?;
    for (folder, why) in [(None, "NEARMARK_DATA is not set"), (Some("nowhere"), "NEARMARK_DATA lacks files")] {
        let ran = with_data(&sandbox, folder, "repro mnist100 --quick")?;
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{}", ran.stderr);
        assert!(ran.stderr.starts_with("nearmark: repro mnist100: "), "{}", ran.stderr);
        for part in [why, "mnist/mnist.npz", "LeCun", "http"] {
            assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
        }
    }
    let ran = with_data(&sandbox, None, "repro orl-nsse --json")?;
    assert_eq!(ran.code, 1);
    let json = ran.json()?;
    assert_eq!(json["rows"].as_array().map(Vec::len), Some(0));
    let paths: Vec<&str> =
        json["missing"].as_array().into_iter().flatten().filter_map(|file| file["path"].as_str()).collect();
    assert_eq!(paths, ["orl/X_28x23.npy", "orl/y.npy"]);
    sandbox.fails("repro cifar", 2, &["there is no experiment \"cifar\"", "mnist100", "orl-dple"])?;
    Ok(())
}

#[test]
fn an_experiment_prints_rows_and_writes_its_figures() -> Outcome {
    let sandbox = Sandbox::new()?;
    faces(&sandbox)?;
    let json = with_data(&sandbox, Some("data"), "repro orl-nsse --quick --json -o out")?.json()?;
    let rows = json["rows"].as_array().ok_or("rows are a list")?;
    let nsse = rows.iter().find(|row| row["what"] == "NSSE, 2 per class: error %").ok_or("it is in the table")?;
    assert_eq!((&nsse["paper"], &nsse["n"]), (&14.11.into(), &3.into()));
    assert!(nsse["ours"].is_f64() && nsse["se"].is_f64(), "{nsse}");
    assert_eq!(json["missing"], serde_json::json!([]));
    assert_eq!(json["figures"][0], "trace");
    for file in ["trace.csv", "trace.svg", "README.md"] {
        assert!(sandbox.path("out").join(file).is_file(), "{file}");
    }
    let ran = with_data(&sandbox, Some("data"), "repro orl-dple --quick -o page.md")?;
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("5-fold cross-validation"), "the protocol comes first: {}", ran.stderr);
    assert!(ran.stdout.contains("paper") && ran.stdout.lines().any(|line| line.starts_with("LDA")), "{}", ran.stdout);
    // Six pixels have no 23 axes: what fails is told, and the rest goes on.
    assert!(ran.stderr.contains("DPLE failed: "), "{}", ran.stderr);
    let page = std::fs::read_to_string(sandbox.path("page.md"))?;
    assert!(
        page.contains("(page/accuracy-by-dimension.svg)") && page.contains("| LDE: accuracy % | 98.50 |"),
        "{page}"
    );
    assert!(sandbox.path("page/accuracy-by-dimension.csv").is_file());
    Ok(())
}

#[test]
fn files_that_are_no_arrays_are_reported_by_name() -> Outcome {
    let sandbox = Sandbox::new()?;
    std::fs::create_dir_all(sandbox.path("data/orl"))?;
    for file in ["X_28x23.npy", "y.npy"] {
        sandbox.write(&format!("data/orl/{file}"), "no array")?;
    }
    let ran = with_data(&sandbox, Some("data"), "repro orl-dple --json")?;
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert!(ran.stderr.contains("reading") && ran.stderr.contains("X_28x23.npy"), "{}", ran.stderr);
    Ok(())
}

#[test]
fn curves_are_written_for_every_length() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.write("clouds.csv", clouds(12))?;
    let line = "compare clouds.csv --cv 3 --methods pca,cmvda,knn --dims 1-2 -o c.csv -o c.svg -o c.md --json";
    let json = sandbox.ok(line)?.json()?;
    let pca = &json["curves"][0];
    assert_eq!((&pca["method"], pca["points"].as_array().map(Vec::len)), (&"pca".into(), Some(2)));
    assert!(pca["points"][0]["se"].is_f64() && pca["points"][0]["rayleigh"].is_f64(), "{pca}");
    let csv = std::fs::read_to_string(sandbox.path("c.csv"))?;
    assert_eq!(csv.lines().count(), 1 + 2 + 2 + 1, "{csv}");
    let svg = std::fs::read_to_string(sandbox.path("c.svg"))?;
    assert!(svg.starts_with("<svg") && svg.contains("dimensions") && svg.contains("cmvda"), "{svg}");
    let ran = sandbox.ok("compare clouds.csv --cv 3 --methods pca,lda --dims 1-2 --curve rayleigh")?;
    assert!(ran.stdout.lines().any(|line| line.starts_with("lda")), "{}", ran.stdout);
    let wrong = sandbox.run(&["compare", "clouds.csv", "--dims", "0-4"])?;
    assert!(wrong.code == 2 && wrong.stderr.contains("expected dimensions like 1-40"), "{}", wrong.stderr);
    sandbox.fails("compare clouds.csv --dims 1-4 -o c.html", 2, &["curves are written as .csv, .svg or .md"])?;
    Ok(())
}

#[test]
fn fits_and_embeddings_have_figures() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.write("clouds.csv", clouds(12))?;
    sandbox.ok("fit clouds.csv -o n.nmk --method nsse --trace t.csv")?;
    let trace = std::fs::read_to_string(sandbox.path("t.csv"))?;
    assert!(trace.starts_with("start,round,objective,sigma,validation_error\n0.15x,0,,"), "{trace}");
    assert!(trace.contains("\n4x,1,"), "{trace}");
    sandbox.ok("embed n.nmk clouds.csv --test clouds.csv -o z.svg")?;
    let svg = std::fs::read_to_string(sandbox.path("z.svg"))?;
    // 24 rows twice; in the legend two kinds and two classes.
    assert_eq!(svg.matches("<circle").count(), 48 + 4);
    sandbox.fails("embed n.nmk clouds.csv --test clouds.csv -o z.npy", 2, &["-o FILE.svg"])?;
    sandbox.fails("fit clouds.csv -o l.nmk --method lda --trace t.svg", 2, &["only nsse alternates"])?;
    sandbox.fails("fit clouds.csv -o l.nmk --method lda --basis b.png", 2, &["written as .csv or .svg"])?;
    sandbox.ok("fit builtin:digits:train -o e.nmk --method ebek --set exemplars=7 --basis b.svg")?;
    let svg = std::fs::read_to_string(sandbox.path("b.svg"))?;
    assert_eq!(svg.matches("<g transform").count(), 7);
    Ok(())
}
