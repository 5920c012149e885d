//! Labels in a file of their own: an NPY array, an IDX file, or text with one label per line.

use super::error::{CellProblem, ReadError};
use super::npy::Header;
use super::{idx, table};
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Reads the labels. Errors name the file, since the rows come from another one.
pub(super) fn read(path: &Path) -> Result<Vec<String>, ReadError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let labels = if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npy")) {
        read_npy(path, &path.file_stem().unwrap_or_default().to_string_lossy())
    } else if name.contains("-ubyte") || name.contains("idx1") {
        idx::read_labels(path)
    } else {
        read_text(path)
    };
    labels.map_err(|error| error.within(path.display().to_string()))
}

/// One label per value of an array.
pub(super) fn read_npy(path: &Path, name: &str) -> Result<Vec<String>, ReadError> {
    let (header, mut input) = Header::open(path)?;
    header.labels(name, &mut input)
}

/// One label per line; empty lines at the end do not count.
fn read_text(path: &Path) -> Result<Vec<String>, ReadError> {
    let (input, _) = table::open_text(path)?;
    let mut labels = Vec::new();
    let mut empty = None;
    for (line, text) in (1..).zip(BufReader::new(input).lines()) {
        let fault = |line: usize, problem| ReadError::cell(format!("line {line}"), 0, &problem);
        let text = text.map_err(|error| match error.kind() {
            std::io::ErrorKind::InvalidData => fault(line, CellProblem::NotUtf8),
            _ => error.into(),
        })?;
        let label = text.strip_prefix('\u{FEFF}').unwrap_or(&text).trim();
        let label = label.strip_prefix('"').and_then(|label| label.strip_suffix('"')).unwrap_or(label);
        match (label, empty) {
            ("", _) => empty = empty.or(Some(line)),
            (_, Some(line)) => return Err(fault(line, CellProblem::EmptyLabel)),
            (label, None) => labels.push(label.to_owned()),
        }
    }
    Ok(labels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_text_file_has_one_label_per_line() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("y.txt");
        fs::write(&path, "\u{FEFF}cat\r\n\"big dog\"\r\n 7 \n\n")?;
        assert_eq!(read(&path)?, ["cat", "big dog", "7"]);
        fs::write(&path, "cat\n\ndog\n")?;
        let message = read(&path).map_err(|e| e.to_string()).err().unwrap_or_default();
        assert!(message.ends_with("y.txt: line 2, column 0: the label is empty"), "{message}");
        Ok(())
    }

    #[test]
    fn a_missing_file_is_named() {
        let message = read(Path::new("nowhere.npy")).map_err(|e| e.to_string());
        assert_eq!(message, Err("nowhere.npy: no such file".into()));
    }
}
