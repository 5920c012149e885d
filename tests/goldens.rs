//! Writes the golden files: `cargo run --release -p nearmark-tests --example goldens`.
//!
//! Run it only when the format or the arithmetic changes on purpose, and say so in CHANGELOG.md.
//! Files whose bytes would not change are left alone; every other one is named.

use std::{error::Error, fs, path::Path};

use nearmark::Model;
use nearmark_format::AlignedBuf;
use nearmark_tests::{cases, golden};

fn main() -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(golden::folder())?;
    for case in cases::all() {
        let bytes = AlignedBuf::from(case.model.encode().map_err(|e| format!("{}: {e}", case.name))?.as_slice());
        let answers = golden::answers(&Model::from_bytes(&bytes)?, &case.rows);
        let path = golden::folder().join(case.name);
        write(&path.with_extension("nmk"), &bytes)?;
        write(&path.with_extension("expect"), &golden::encode(&case.rows, &answers))?;
    }
    // Models that the trainer made stay as they are; their answers follow the arithmetic.
    for (name, model, expect) in golden::load_all()?.into_iter().filter(|(name, ..)| name.starts_with("family-")) {
        let (rows, _) = golden::decode(&expect);
        let answers = golden::answers(&Model::from_bytes(&AlignedBuf::from(model.as_slice()))?, &rows);
        let path = golden::folder().join(name).with_extension("expect");
        write(&path, &golden::encode(&rows, &answers))?;
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    println!("{} {} bytes", path.display(), bytes.len());
    Ok(fs::write(path, bytes)?)
}
