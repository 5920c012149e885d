//! Measures models under QEMU and fits the instruction costs of the runtime's loops: `cargo xtask cost-model`.
//!
//! `fit` in place of `measure` takes the measurements as they lie in `data/cost`; `add` measures the later kinds that they
//! lack. Some models have no part in the fit: on them the largest error of each board is printed.

mod fit;
mod models;
mod series;

use models::Case;
use nearmark_train::Run;
use nearmark_train::emulator::board::Board;
use nearmark_train::emulator::{HarnessBuild, Workload};
use nearmark_train::model::cost::{MEASURED, Shape};
use std::{env, error::Error, fs, path::PathBuf};

pub(crate) type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// A measured model: whether it is kept from the fit, its kind, its shape, instructions in the order of [`MEASURED`].
pub(crate) type Measured = (bool, String, Shape, [Option<u64>; MEASURED.len()]);

fn main() -> Outcome {
    let measurements = match env::args().nth(1).as_deref() {
        Some("measure") => measure(Vec::new(), &models::all()?)?,
        Some("add") => {
            let known = read()?;
            let lacks = |kind: &str, int| !known.iter().any(|(_, name, shape, _)| name == kind && shape.int == int);
            let cases = models::later(lacks)?;
            measure(known, &cases)?
        }
        Some("fit") => read()?,
        _ => return Err("usage: cost_model measure|add|fit".into()),
    };
    let table = fit::table(&measurements)?;
    fs::write(folder().join("src/model/cost/table.rs"), fit::source(&table))?;
    println!("{:12} {:>6} {:>10} {:>10}", "board", "models", "mean error", "largest");
    for (at, (name, dsp)) in MEASURED.into_iter().enumerate() {
        for int in [false, true] {
            let errors = table.errors(&measurements, at, int);
            let Some(worst) = errors.iter().max_by(|a, b| a.0.abs().total_cmp(&b.0.abs())) else { continue };
            let mean = errors.iter().map(|(error, _)| error.abs()).sum::<f64>() / errors.len() as f64;
            let name = format!("{name}{} {}", if dsp { " dsp" } else { "" }, if int { "int" } else { "f32" });
            println!("{name:12} {:>6} {:>9.1}% {:>+9.1}% {}", errors.len(), 100.0 * mean, 100.0 * worst.0, worst.1);
        }
    }
    Ok(())
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn file() -> PathBuf {
    folder().join("data/cost/measured.csv")
}

/// Runs every model on every board, and writes what was found after what is known.
fn measure(mut measurements: Vec<Measured>, cases: &[Case]) -> Outcome<Vec<Measured>> {
    for (done, case) in cases.iter().enumerate() {
        let shape = Shape::of(&case.model);
        let mut counts = [None; MEASURED.len()];
        for (count, (name, dsp)) in counts.iter_mut().zip(MEASURED) {
            if dsp && !shape.int {
                continue;
            }
            let board: Board = name.parse()?;
            let workload = Workload::new(&case.model, &case.rows, board)?;
            let harness =
                HarnessBuild { dsp, ..HarnessBuild::for_workload(&workload) }.build(&Run::default(), || ())?;
            let found = harness.run(&workload, &Run::default())?;
            if found.differences(&workload).rows > 0 {
                return Err(format!("{}: {name} answers differently", case.kind).into());
            }
            *count = Some(found.instructions_median());
        }
        println!("{}/{} {} {counts:?}", done + 1, cases.len(), case.kind);
        measurements.push((case.check, case.kind.to_owned(), shape, counts));
        write(&measurements)?;
    }
    Ok(measurements)
}

fn write(measurements: &[Measured]) -> Outcome {
    let mut csv = csv::WriterBuilder::new().has_headers(false).from_path(file())?;
    let shape = serde_json::to_value(Shape::default())?;
    let fields = shape.as_object().ok_or("a shape has fields")?.keys().cloned();
    let boards = MEASURED.map(|(name, dsp)| format!("{name}{}", if dsp { "_dsp" } else { "" }));
    csv.write_record(["check".to_owned(), "kind".to_owned()].into_iter().chain(fields).chain(boards))?;
    for measured in measurements {
        csv.serialize(measured)?;
    }
    Ok(csv.flush()?)
}

fn read() -> Outcome<Vec<Measured>> {
    let mut csv = csv::Reader::from_path(file())?;
    let measurements: Result<_, csv::Error> = csv.records().map(|record| record?.deserialize(None)).collect();
    Ok(measurements?)
}
