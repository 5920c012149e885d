//! Damaged files of every binary form: rows or an error, never a panic, never memory beyond reason.

use super::write::{Checked, ROWS, gzip, idx, images, npz, parquet, text, x_npy, y_npy};
use nearmark_train::Run;
use nearmark_train::io::{self, Options};
use std::fs;
use std::path::Path;

/// Reads `name` in `folder` after each of many small damages to `file`, then mends it.
fn damage(folder: &Path, name: &str, file: &str) -> Checked {
    let path = folder.join(file);
    let whole = fs::read(&path)?;
    let name = folder.join(name).to_string_lossy().into_owned();
    let read = |bytes: &[u8]| -> Checked {
        // A file that is overwritten in place may be flushed to the disk each time; a new one is not.
        fs::remove_file(&path)?;
        fs::write(&path, bytes)?;
        drop(io::load(&name, &Options::default(), &Run::default()));
        Ok(())
    };
    read(&whole)?;
    let ends = (0..whole.len()).step_by(1 + whole.len() / 200);
    for end in ends {
        read(&whole[..end])?;
    }
    let mut state = 1_u64;
    for at in (0..whole.len()).step_by(1 + whole.len() / 1500) {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        for byte in [!whole[at], 0, 0x7F, whole[at] ^ (1 << (state >> 40 & 7))] {
            let mut bytes = whole.clone();
            bytes[at] = byte;
            read(&bytes)?;
        }
    }
    read(&whole)
}

#[test]
fn archives_of_arrays() -> Checked {
    let folder = tempfile::tempdir()?;
    for packed in [false, true] {
        npz(&folder.path().join("x.npz"), &[("X", x_npy()), ("y", y_npy())], packed)?;
        damage(folder.path(), "x.npz", "x.npz")?;
    }
    Ok(())
}

#[test]
fn folders_of_arrays() -> Checked {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("X.npy"), x_npy())?;
    fs::write(folder.path().join("y.npy"), y_npy())?;
    damage(folder.path(), "", "X.npy")?;
    damage(folder.path(), "", "y.npy")
}

#[test]
fn idx_files() -> Checked {
    let folder = tempfile::tempdir()?;
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a-images-idx3-ubyte"), idx(&[4, 2, 3], ROWS.as_flattened()))?;
    fs::write(at("a-labels-idx1-ubyte"), idx(&[4], &[1, 1, 2, 3]))?;
    fs::write(at("b-images-idx3-ubyte.gz"), gzip(&idx(&[4, 2, 3], ROWS.as_flattened()))?)?;
    fs::write(at("b-labels-idx1-ubyte.gz"), gzip(&idx(&[4], &[1, 1, 2, 3]))?)?;
    damage(folder.path(), "a-images-idx3-ubyte", "a-images-idx3-ubyte")?;
    damage(folder.path(), "a-images-idx3-ubyte", "a-labels-idx1-ubyte")?;
    damage(folder.path(), "b-images-idx3-ubyte.gz", "b-images-idx3-ubyte.gz")
}

#[test]
fn parquet_files() -> Checked {
    let folder = tempfile::tempdir()?;
    for label in ["binary", "int64"] {
        parquet(&folder.path().join("x.parquet"), label, false)?;
        damage(folder.path(), "x.parquet", "x.parquet")?;
    }
    Ok(())
}

#[test]
fn images_of_either_kind() -> Checked {
    for ending in ["png", "pgm", "jpg"] {
        let folder = tempfile::tempdir()?;
        images(folder.path(), ending)?;
        damage(folder.path(), "", &format!("1/0.{ending}"))?;
    }
    Ok(())
}

#[test]
fn text_tables() -> Checked {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("x.csv"), text(',', true))?;
    fs::write(folder.path().join("y.csv.gz"), gzip(text(';', false).as_bytes())?)?;
    damage(folder.path(), "x.csv", "x.csv")?;
    damage(folder.path(), "y.csv.gz", "y.csv.gz")
}
