use super::*;
use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

type Outcome = Result<(), Box<dyn Error>>;

/// Golden models that run: their name and bytes.
fn goldens() -> Result<Vec<(String, Vec<u8>)>, Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden");
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "nmk"));
    paths.sort();
    let mut goldens = Vec::new();
    for path in paths {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        goldens.push((stem, fs::read(&path)?));
    }
    assert!(goldens.len() > 10, "there are golden models to export");
    Ok(goldens)
}

#[test]
fn sensitivities() -> Outcome {
    for (name, bytes) in goldens()? {
        let start = std::time::Instant::now();
        match Facts::of(&bytes, &name) {
            Ok(facts) => {
                println!("{name}: {} of {} in {:?}", facts.vector.noticed, facts.vector.tried, start.elapsed());
            }
            Err(why) => println!("{name}: {why}"),
        }
    }
    Ok(())
}
