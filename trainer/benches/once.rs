//! One fit on real rows, with its CPU time and peak memory as JSON; `against_sklearn.py` runs it beside scikit-learn.
//!
//! `cargo bench -p nearmark-train --bench once -- CASE`, with `NEARMARK_DATA` set.

#[path = "../tests/support/mod.rs"]
mod support;

use nearmark_train::dataset::synthetic::blobs;
use nearmark_train::kernel::{KernelChoice, Sigma};
use nearmark_train::methods::features::FeatureChoice;
use nearmark_train::methods::{Dim, Method, cmvca, cmvda, nsse};
use nearmark_train::{Dataset, Pipeline, Run};
use support::{Outcome, data_folder, first_of_each_class, npz};

fn main() -> Outcome {
    let Some(case) = std::env::args().skip(1).find(|a| !a.starts_with("--")) else {
        eprintln!("cases: cmvda-2000 kpca-2000 nsse-840 cmvda-10000 nystrom-60000 random-60000");
        return Ok(());
    };
    let with = |features| cmvda::Cmvda::new(cmvda::Params { features, ..cmvda::Params::default() });
    let (data, method): (Dataset, Box<dyn Method>) = match case.as_str() {
        "cmvda-2000" => (mnist(200)?, Box::new(with(FeatureChoice::Exact)?)),
        "cmvda-10000" => (mnist(1000)?, Box::new(with(FeatureChoice::Exact)?)),
        "nystrom-60000" => (mnist(usize::MAX)?, Box::new(with(FeatureChoice::Nystrom(1000))?)),
        "random-60000" => (mnist(usize::MAX)?, Box::new(with(FeatureChoice::Random(1000))?)),
        "kpca-2000" => {
            let kernel = KernelChoice::Gaussian(Sigma::Mean);
            let score = cmvca::Score::Variance;
            let params = cmvca::Params { score, kernel, dim: Dim::Count(20), ..cmvca::Params::default() };
            (mnist(200)?, Box::new(cmvca::Cmvca::new(params)?))
        }
        "nsse-840" => (blobs(40, 21, 625, 1.0, 0), Box::new(nsse::Nsse::default())),
        other => return Err(format!("no case {other}").into()),
    };
    forget_peak()?;
    let held = megabytes("VmRSS")?;
    let before = cpu_seconds()?;
    let fitted = Pipeline::new(&*method).fit_with(&data, &Run::default().threads(1))?;
    let seconds = cpu_seconds()? - before;
    let taken = megabytes("VmHWM")? - held;
    let (rows, dim, rounds) = (data.len(), fitted.dim(), fitted.trace().len());
    println!(
        "{{\"case\": \"{case}\", \"cpu_s\": {seconds:.3}, \"fit_mb\": {taken:.0}, \"rows\": {rows}, \"width\": {}, \
         \"dim\": {dim}, \"rounds\": {rounds}}}",
        data.width()
    );
    Ok(())
}

/// The first rows of every digit, in file order.
fn mnist(per_class: usize) -> Outcome<Dataset> {
    let folder = data_folder("once").ok_or("NEARMARK_DATA is not set")?;
    let all = npz(&folder, "mnist/mnist.npz", "X_train", "y_train")?;
    if per_class == usize::MAX {
        return Ok(all);
    }
    Ok(all.select(&first_of_each_class(&all, per_class).train))
}

/// Time this thread, the only one at work, has spent on a processor.
fn cpu_seconds() -> Outcome<f64> {
    let text = std::fs::read_to_string("/proc/self/schedstat")?;
    let nanoseconds: f64 = text.split_whitespace().next().ok_or("no schedstat")?.parse()?;
    Ok(nanoseconds * 1e-9)
}

/// Starts the measurement of the most memory held anew: reading the rows took more than they do.
fn forget_peak() -> Outcome {
    Ok(std::fs::write("/proc/self/clear_refs", "5")?)
}

/// Memory that the process holds (`VmRSS`), or the most that it has held (`VmHWM`).
fn megabytes(field: &str) -> Outcome<f64> {
    let text = std::fs::read_to_string("/proc/self/status")?;
    let line = text.lines().find(|l| l.starts_with(field)).ok_or("no such field")?;
    let kilobytes: f64 = line.split_whitespace().nth(1).ok_or("no number")?.parse()?;
    Ok(kilobytes / 1024.0)
}
