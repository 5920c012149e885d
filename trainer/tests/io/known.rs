//! The built-in sets against independent copies, where `NEARMARK_DATA` names a folder that has them.

use super::write::{Checked, plainly};
use nearmark_train::Dataset;
use std::path::{Path, PathBuf};

/// The set of this name, if there is one.
fn folder(name: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("NEARMARK_DATA")?).join(name);
    folder.is_dir().then_some(folder)
}

fn part(folder: &Path, part: &str) -> Result<Dataset, String> {
    Ok(plainly(Path::new(&format!("{}:{part}", folder.display())))?.data)
}

#[test]
fn optdigits_are_those_of_the_arrays() -> Checked {
    let Some(folder) = folder("optdigits") else { return Ok(()) };
    for name in ["train", "test"] {
        assert_eq!(plainly(Path::new(&format!("builtin:optdigits:{name}")))?.data, part(&folder, name)?);
    }
    Ok(())
}

#[test]
fn gestures_are_those_of_the_arrays() -> Checked {
    const NAMES: [&str; 4] = ["Running", "Walking", "Standing", "Badminton"];
    let Some(folder) = folder("ts_basicmotions") else { return Ok(()) };
    for name in ["train", "test"] {
        let ours = plainly(Path::new(&format!("builtin:gestures:{name}")))?.data;
        let theirs = part(&folder, name)?;
        let named: Vec<&str> = theirs.labels().iter().map(|&label| NAMES[label]).collect();
        assert_eq!(ours, Dataset::new(theirs.rows().clone(), &named)?);
    }
    Ok(())
}
