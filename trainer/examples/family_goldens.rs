//! Writes a golden model of every method family: `cargo run --release -p nearmark-train --example family_goldens`.
//!
//! The models are fitted on seeded toy rows of bytes and join the goldens that hosts and boards replay to the
//! bit. Like those, they are committed and never fitted again by a test: another machine's last bits may differ.
//! Files whose bytes would not change are left alone; every other one is named.

use nearmark_tests::{cases::Rows, golden};
use nearmark_train::dataset::{split, synthetic};
use nearmark_train::methods::cmvda::{self, Cmvda};
use nearmark_train::methods::dple::Dple;
use nearmark_train::methods::ebek::{self, Ebek};
use nearmark_train::methods::features::FeatureChoice;
use nearmark_train::methods::nsse::Nsse;
use nearmark_train::preprocess::Components;
use nearmark_train::{Dataset, HeadChoice, Pipeline, Run, compile, evaluate};
use std::{error::Error, fs, path::Path};

/// The largest model file.
const LIMIT: usize = 12 * 1024;

fn main() -> Result<(), Box<dyn Error>> {
    let (train, test) = bytes_of_four_shapes()?;
    let random = Cmvda::new(cmvda::Params { features: FeatureChoice::Random(48), ..cmvda::Params::default() })?;
    let exemplars = Ebek::new(ebek::Params { exemplars: 12, ..ebek::Params::default() })?;
    let (cmvda, nsse, dple, kdple) = (Cmvda::default(), Nsse::default(), Dple::default(), Dple::kdple());
    let families = [
        ("family-cmvda", Pipeline::new(&cmvda)),
        ("family-cmvda-random", Pipeline::new(&random)),
        ("family-nsse", Pipeline::new(&nsse)),
        ("family-ebek", Pipeline { head: Some(HeadChoice::Neighbors(3)), ..Pipeline::new(&exemplars) }),
        ("family-dple", Pipeline { head: Some(HeadChoice::Prototypes(2)), ..Pipeline::new(&dple) }),
        ("family-kdple", Pipeline { pca: Some(Components::Count(6)), ..Pipeline::new(&kdple) }),
    ];
    for (name, pipeline) in families {
        write_family(name, &pipeline, &train, &test).map_err(|e| format!("{name}: {e}"))?;
    }
    Ok(())
}

/// Four classes of 16 bytes a row, with names: 100 rows to train on, 40 to ask for.
fn bytes_of_four_shapes() -> Result<(Dataset, Dataset), Box<dyn Error>> {
    let blobs = synthetic::blobs(4, 35, 16, 0.9, 5);
    let rows = blobs.rows().map(|v| (v * 100.0 + 128.0).round().clamp(0.0, 255.0));
    let names: Vec<&str> = blobs.labels().iter().map(|&label| ["bar", "dot", "hook", "ring"][label]).collect();
    let data = Dataset::new(rows, &names)?;
    Ok(split::per_class(&data, 25, 0)?.apply(&data))
}

fn write_family(name: &str, pipeline: &Pipeline<'_>, train: &Dataset, test: &Dataset) -> Result<(), Box<dyn Error>> {
    let fitted = pipeline.fit_with(train, &Run::default().threads(1))?;
    let info = nearmark_train::model::provenance::info(pipeline, train, &fitted);
    let exported = compile::Export { info: Some(info), ..compile::Export::default() }.model(&fitted)?;
    let file = exported.encode()?;
    let bytes = file.bytes();
    if bytes.len() > LIMIT {
        return Err(format!("{} bytes, at most {LIMIT} are wanted", bytes.len()).into());
    }
    // A golden that is wrong in the first place would be kept wrong for ever.
    let cost = exported.narrowing(&fitted, test.rows())?;
    if !cost.moved.is_empty() {
        return Err(format!("rows {:?} move to another class in single precision", cost.moved).into());
    }
    println!("{name}: {} bytes, accuracy {:.3}", bytes.len(), evaluate::evaluate(&file, test)?.accuracy());
    let rows = Rows::U8(test.rows().row_iter().map(|row| row.iter().map(|&v| v as u8).collect()).collect());
    let answers = golden::answers(&file.model(), &rows);
    let path = golden::folder().join(name);
    write(&path.with_extension("nmk"), bytes)?;
    write(&path.with_extension("expect"), &golden::encode(&rows, &answers))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    println!("{} {} bytes", path.display(), bytes.len());
    Ok(fs::write(path, bytes)?)
}
