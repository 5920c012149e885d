//! Writes golden files for cases that have none: `cargo run --release -p nearmark-tests --example goldens`.
//!
//! Files that the manifest lists bind and are left alone; one that would come out otherwise is named,
//! and the program fails.

use std::{error::Error, fs, io::Write as _};

use nearmark::Model;
use nearmark_format::AlignedBuf;
use nearmark_tests::{cases, golden};

fn main() -> Result<(), Box<dyn Error>> {
    let listed = golden::manifest()?;
    let mut changed = 0;
    for case in cases::all() {
        let bytes = AlignedBuf::from(case.model.encode().map_err(|e| format!("{}: {e}", case.name))?.as_slice());
        let answers = golden::answers(&Model::from_bytes(&bytes)?, &case.rows);
        let entry = golden::Entry::new(case.name, &bytes, &golden::encode(&case.rows, &answers));
        match listed.iter().find(|listed| listed.name == case.name) {
            Some(listed) if *listed == entry => {}
            Some(_) => {
                changed += 1;
                println!("{} would change", case.name);
            }
            None => {
                let path = golden::folder().join(case.name);
                fs::write(path.with_extension("nmk"), &*bytes)?;
                fs::write(path.with_extension("expect"), golden::encode(&case.rows, &answers))?;
                fs::OpenOptions::new()
                    .append(true)
                    .open(golden::manifest_path())?
                    .write_all(entry.line().as_bytes())?;
                println!("{} is new", case.name);
            }
        }
    }
    if changed != 0 {
        return Err(format!(
            "{changed} goldens of format version 1 would change: they bind, see tests/golden/README.md"
        )
        .into());
    }
    Ok(())
}
