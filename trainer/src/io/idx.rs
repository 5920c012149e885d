//! IDX files, the format of MNIST: a type, up to four axes, big-endian values.

use super::error::ReadError;
use super::gather::{BLOCK, Gather};
use super::scalar::{self, Kind, with_kind};
use super::{Options, Raw, Shape, Want, labels, table};
use crate::error::DataError;
use crate::run::Run;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The header of an IDX file.
#[derive(Debug, PartialEq, Eq)]
struct Header {
    kind: Kind,
    axes: Vec<usize>,
}

impl Header {
    /// Reads the header of a file of at most `available` bytes after decompression.
    fn read(input: &mut impl Read, available: u64) -> Result<Self, ReadError> {
        let mut magic = [0; 4];
        let no_idx = || ReadError::damaged("not an IDX file", "it does not begin with two zeros, a type and a count");
        input.read_exact(&mut magic)?;
        let [0, 0, code, count @ 1..=4] = magic else { return Err(no_idx()) };
        let kind = match code {
            0x08 => Kind::U8,
            0x09 => Kind::I8,
            0x0B => Kind::I16,
            0x0C => Kind::I32,
            0x0D => Kind::F32,
            0x0E => Kind::F64,
            _ => return Err(no_idx()),
        };
        let mut axes = Vec::new();
        for _ in 0..count {
            let mut axis = [0; 4];
            input.read_exact(&mut axis)?;
            axes.push(u32::from_be_bytes(axis) as usize);
        }
        let bytes = axes.iter().try_fold(kind.size(), |product, axis| product.checked_mul(*axis));
        match bytes {
            Some(bytes) if bytes as u64 <= available => Ok(Self { kind, axes }),
            _ => Err(ReadError::damaged("truncated", format!("{axes:?} values are more than there are bytes"))),
        }
    }
}

/// Opens an IDX file and reads its header; a gzipped one holds at most 1032 times its size.
fn open(path: &Path) -> Result<(Header, Box<dyn Read + Send>), ReadError> {
    let length = path.metadata()?.len();
    let packed = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
    let (input, _) = table::open_text(path)?;
    let mut input: Box<dyn Read + Send> = Box::new(std::io::BufReader::with_capacity(1 << 17, input));
    let header = Header::read(&mut input, if packed { length.saturating_mul(1032) } else { length })?;
    Ok((header, input))
}

/// Images (three axes) or rows (two), with the labels beside them or those named in the options.
pub(super) fn read(path: &Path, options: &Options, want: Want, run: &Run<'_>) -> Result<Raw, ReadError> {
    let (header, mut input) = open(path)?;
    let (rows, columns, shape) = match *header.axes {
        [count, columns] => (count, columns, Shape::Flat),
        [count, rows, cols] => (count, rows.saturating_mul(cols), Shape::Image { rows, cols }),
        _ => return Err(ReadError::damaged("IDX axes", format!("{} of them, expected 2 or 3", header.axes.len()))),
    };
    if rows == 0 {
        return Err(DataError::NoRows.into());
    } else if columns == 0 {
        return Err(DataError::NoColumns.into());
    }
    let mut gather = Gather::new(rows, columns)?;
    let mut bytes = vec![0; BLOCK.min(rows) * columns * header.kind.size()];
    for start in (0..rows).step_by(BLOCK) {
        let bytes = &mut bytes[..BLOCK.min(rows - start) * columns * header.kind.size()];
        input.read_exact(bytes)?;
        with_kind!(header.kind, scalar::rows(bytes, true, &mut gather));
        run.step("reading", start, rows)?;
    }
    let labels = match options.labels.clone().or_else(|| labels_beside(path)) {
        Some(file) => Some(labels::read(&file)?),
        None if want == Want::Labelled => return Err(ReadError::NoLabels { hint: missing(path) }),
        None => None,
    };
    Ok(Raw::plain(gather.finish(), labels, shape))
}

/// The labels of an IDX file of one axis.
pub(super) fn read_labels(path: &Path) -> Result<Vec<String>, ReadError> {
    let (header, mut input) = open(path)?;
    let [count] = *header.axes else {
        let why = format!("{} of them, expected 1 for labels", header.axes.len());
        return Err(ReadError::damaged("IDX axes", why));
    };
    let mut labels = Vec::new();
    let mut bytes = vec![0; header.kind.size()];
    for row in 0..count {
        input.read_exact(&mut bytes)?;
        let label = with_kind!(header.kind, scalar::label(&bytes, true));
        labels.push(label.map_err(|problem| problem.at_row("labels", row))?);
    }
    Ok(labels)
}

/// Names under which the labels of `train-images-idx3-ubyte.gz` may lie beside it.
fn candidates(path: &Path) -> Vec<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = name.strip_suffix(".gz").unwrap_or(&name);
    let labels = stem.replace("images", "labels").replace("idx3", "idx1").replace("idx2", "idx1");
    let names = [labels.clone(), format!("{labels}.gz")];
    names
        .into_iter()
        .filter(|labels| *labels != stem && *labels != name)
        .map(|name| path.with_file_name(name))
        .collect()
}

fn labels_beside(path: &Path) -> Option<PathBuf> {
    candidates(path).into_iter().find(|path| path.exists())
}

fn missing(path: &Path) -> String {
    let names = candidates(path);
    match names.first().and_then(|path| path.file_name()) {
        Some(name) => format!("no {} beside it, name their file with option `labels`", name.to_string_lossy()),
        None => "name their file with option `labels`".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn images_find_their_labels_beside_them() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let images = folder.path().join("t10k-images-idx3-ubyte");
        fs::write(&images, [0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4])?;
        let read = |want| read(&images, &Options::default(), want, &Run::default());
        let message = read(Want::Labelled).map_err(|e| e.to_string()).err();
        let expected = "no labels: no t10k-labels-idx1-ubyte beside it, name their file with option `labels`";
        assert_eq!(message.as_deref(), Some(expected));
        assert_eq!(read(Want::Inputs(2))?.labels, None);
        fs::write(folder.path().join("t10k-labels-idx1-ubyte"), [0, 0, 8, 1, 0, 0, 0, 2, 7, 9])?;
        let raw = read(Want::Labelled)?;
        assert_eq!(raw.labels, Some(vec!["7".into(), "9".into()]));
        assert_eq!(raw.shape, Shape::Image { rows: 1, cols: 2 });
        assert_eq!(raw.rows, crate::linalg::Mat::from_row_slice(2, 2, &[1.0, 2.0, 3.0, 4.0]));
        Ok(())
    }

    #[test]
    fn axes_beyond_the_file_are_refused() {
        let huge = [0, 0, 8, 3, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF];
        let message = Header::read(&mut &huge[..], 16).map_err(|e| e.to_string()).err().unwrap_or_default();
        assert!(message.starts_with("truncated: "), "{message}");
        let text = Header::read(&mut &b"label,a,b"[..], 9).map_err(|e| e.to_string()).err().unwrap_or_default();
        assert!(text.starts_with("not an IDX file"), "{text}");
    }
}
