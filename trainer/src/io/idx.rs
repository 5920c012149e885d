//! IDX files, the format of MNIST: a type, up to four axes, big-endian values.

use super::arrays::BEST_RATIO;
use super::error::ReadError;
use super::npy::{Header, Values};
use super::value::Kind;
use super::{Options, Raw, Shape, Want, labels, table};
use crate::run::Run;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Reads the header of a file of at most `available` bytes after decompression.
fn header(input: &mut impl Read, available: u64) -> Result<Header, ReadError> {
    let mut magic = [0; 4];
    let no_idx = || ReadError::damaged("not an IDX file", "it does not begin with two zeros, a type and a count");
    input.read_exact(&mut magic)?;
    let [0, 0, code, count @ 1..=4] = magic else { return Err(no_idx()) };
    let kind = match code {
        0x08 => Kind::Unsigned(1),
        0x09 => Kind::Signed(1),
        0x0B => Kind::Signed(2),
        0x0C => Kind::Signed(4),
        0x0D => Kind::Float(4),
        0x0E => Kind::Float(8),
        _ => return Err(no_idx()),
    };
    let mut shape = Vec::new();
    for _ in 0..count {
        let mut axis = [0; 4];
        input.read_exact(&mut axis)?;
        shape.push(u32::from_be_bytes(axis) as usize);
    }
    let header = Header { dtype: "IDX".into(), values: Values::Numbers(kind), big: true, fortran: false, shape };
    if header.bytes().is_none_or(|bytes| bytes as u64 > available) {
        let why = format!("{:?} values are more than there are bytes", header.shape);
        return Err(ReadError::damaged("truncated", why));
    }
    Ok(header)
}

fn open(path: &Path) -> Result<(Header, Box<dyn Read + Send>), ReadError> {
    let length = path.metadata()?.len();
    let packed = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
    let (input, _) = table::open_text(path)?;
    let mut input: Box<dyn Read + Send> = Box::new(std::io::BufReader::with_capacity(1 << 17, input));
    let header = header(&mut input, if packed { length.saturating_mul(BEST_RATIO) } else { length })?;
    Ok((header, input))
}

/// Images (three axes) or rows (two), with the labels beside them or those named in the options.
pub(super) fn read(path: &Path, options: &Options, want: Want, run: &Run<'_>) -> Result<Raw, ReadError> {
    let (header, mut input) = open(path)?;
    let shape = match *header.shape {
        [_, _] => Shape::Flat,
        [_, rows, cols] => Shape::Image { rows, cols },
        _ => return Err(axes(&header, "2 or 3")),
    };
    let rows = header.matrix("images", &mut input, run)?;
    let beside = || candidates(path).into_iter().find(|path| path.exists());
    let labels = match options.labels.clone().or_else(beside) {
        _ if want == Want::Unlabelled => None,
        Some(file) => Some(labels::read(&file)?),
        None if want == Want::Labelled => return Err(ReadError::no_labels(&missing(path))),
        None => None,
    };
    Ok(Raw::plain(rows, labels, shape))
}

/// The labels of an IDX file of one axis.
pub(super) fn read_labels(path: &Path) -> Result<Vec<String>, ReadError> {
    let (header, mut input) = open(path)?;
    if header.shape.len() != 1 {
        return Err(axes(&header, "1 for labels"));
    }
    header.labels("labels", &mut input)
}

fn axes(header: &Header, expected: &str) -> ReadError {
    ReadError::damaged("IDX axes", format!("{} of them, expected {expected}", header.shape.len()))
}

/// Names under which the labels of `train-images-idx3-ubyte.gz` may lie beside it.
fn candidates(path: &Path) -> Vec<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = name.strip_suffix(".gz").unwrap_or(&name);
    let labels = stem.replace("images", "labels").replace("idx3", "idx1").replace("idx2", "idx1");
    let names = [labels.clone(), format!("{labels}.gz")];
    let others = names.into_iter().filter(|labels| *labels != stem && *labels != name);
    others.map(|name| path.with_file_name(name)).collect()
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
        let refusal = |bytes: &[u8]| header(&mut &*bytes, 16).map_err(|e| e.to_string()).err().unwrap_or_default();
        let huge = refusal(&[[0, 0, 8, 3], [0xFF; 4], [0xFF; 4], [0xFF; 4]].concat());
        assert!(huge.starts_with("truncated: "), "{huge}");
        let text = refusal(b"label,a,b");
        assert!(text.starts_with("not an IDX file"), "{text}");
    }
}
