//! One numpy array: its header, its values as a matrix, its values as labels.
//!
//! Read here rather than by a crate, since a header may come from anywhere: nothing is allocated before the shape it
//! declares has been compared with the bytes that follow, and nesting cannot overflow the stack.

use super::error::{CellProblem, ReadError};
use super::gather::{BLOCK, Gather};
use super::value::{Kind, Value};
use crate::error::DataError;
use crate::linalg::Mat;
use crate::run::Run;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

/// What the values of an array are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Values {
    Numbers(Kind),
    /// Text of so many code points of four bytes, padded by zeros.
    Unicode(usize),
    /// Text of so many bytes, padded by zeros.
    Bytes(usize),
}

/// The type and shape of an array.
#[derive(Debug)]
pub(super) struct Header {
    /// The type in numpy's words, such as `<f8`.
    pub(super) dtype: String,
    pub(super) values: Values,
    /// Most significant byte first.
    pub(super) big: bool,
    /// First axis fastest.
    pub(super) fortran: bool,
    pub(super) shape: Vec<usize>,
}

/// Values that are read at once from an array with one axis.
const NUMBERS: usize = 1 << 16;
/// Header texts longer than numpy itself would read.
const LONGEST_HEADER: usize = 10_000;

impl Header {
    /// Reads the header of an array that takes at most `available` bytes, header included.
    pub(super) fn read(input: &mut impl Read, available: u64) -> Result<Self, ReadError> {
        let mut start = [0; 8];
        let no_array = || ReadError::damaged("not a NumPy array", "it does not begin with \\x93NUMPY");
        input.read_exact(&mut start).map_err(|_| no_array())?;
        let long = match start {
            [0x93, b'N', b'U', b'M', b'P', b'Y', 1, _] => false,
            [0x93, b'N', b'U', b'M', b'P', b'Y', 2 | 3, _] => true,
            [0x93, b'N', b'U', b'M', b'P', b'Y', version, _] => {
                return Err(ReadError::damaged("NumPy header", format!("version {version}, expected 1, 2 or 3")));
            }
            _ => return Err(no_array()),
        };
        let mut length = [0; 4];
        input.read_exact(&mut length[..if long { 4 } else { 2 }])?;
        let length = u32::from_le_bytes(length) as usize;
        if length > LONGEST_HEADER {
            return Err(ReadError::damaged("NumPy header", format!("{length} bytes long")));
        }
        let mut text = vec![0; length];
        input.read_exact(&mut text)?;
        let header = Self::parse(&String::from_utf8_lossy(&text))?;
        let available = available.saturating_sub((8 + if long { 4 } else { 2 } + length) as u64);
        if header.bytes().is_none_or(|bytes| bytes as u64 > available) {
            let why = format!("shape {} needs more bytes than there are", header.shape_text());
            return Err(ReadError::damaged("truncated", why));
        }
        Ok(header)
    }

    /// Opens an NPY file behind its header.
    pub(super) fn open(path: &Path) -> Result<(Self, BufReader<File>), ReadError> {
        let available = path.metadata()?.len();
        let mut input = BufReader::with_capacity(1 << 17, File::open(path)?);
        Ok((Self::read(&mut input, available)?, input))
    }

    /// Reads `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`.
    fn parse(text: &str) -> Result<Self, ReadError> {
        let wrong = |what: &str| ReadError::damaged("NumPy header", format!("{what} cannot be read"));
        let after = |key: &str| {
            let (_, rest) = text.split_once(&format!("'{key}'"))?;
            Some(rest.trim_start().strip_prefix(':')?.trim_start())
        };
        let dtype = after("descr").ok_or_else(|| wrong("the type"))?;
        let Some(dtype) = dtype.strip_prefix('\'').and_then(|rest| rest.split_once('\'')).map(|(dtype, _)| dtype)
        else {
            return Err(ReadError::damaged("NumPy array", "a table of records, expected plain numbers"));
        };
        let order = after("fortran_order").ok_or_else(|| wrong("the order"))?;
        let fortran = order.starts_with("True");
        if !fortran && !order.starts_with("False") {
            return Err(wrong("the order"));
        }
        let shape = after("shape").and_then(|rest| rest.strip_prefix('(')?.split_once(')'));
        let (shape, _) = shape.ok_or_else(|| wrong("the shape"))?;
        let axes = shape.split(',').map(str::trim).filter(|axis| !axis.is_empty());
        let shape = axes.map(|axis| axis.trim_end_matches('L').parse().ok()).collect::<Option<Vec<usize>>>();
        let (values, big) = type_of(dtype)?;
        Ok(Self { dtype: dtype.to_owned(), values, big, fortran, shape: shape.ok_or_else(|| wrong("the shape"))? })
    }

    /// Bytes of one value.
    fn size(&self) -> usize {
        match self.values {
            Values::Numbers(kind) => kind.size(),
            Values::Unicode(length) => 4 * length,
            Values::Bytes(length) => length,
        }
    }

    /// Bytes of all values.
    pub(super) fn bytes(&self) -> Option<usize> {
        self.shape.iter().try_fold(self.size(), |product, axis| product.checked_mul(*axis))
    }

    /// The shape as numpy writes it.
    fn shape_text(&self) -> String {
        match self.shape.as_slice() {
            [one] => format!("({one},)"),
            axes => format!("({})", axes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
        }
    }

    fn wrong_shape(&self, name: &str, expected: &str) -> ReadError {
        ReadError::Invalid(format!("`{name}` has shape {}, expected {expected}", self.shape_text()))
    }

    /// The rows of a table, or of a set of series with their channels one after the other.
    pub(super) fn matrix(&self, name: &str, input: &mut dyn Read, run: &Run<'_>) -> Result<Mat, ReadError> {
        let Values::Numbers(kind) = self.values else {
            return Err(ReadError::wrong_type(format!("`{name}`"), format!("text ({})", self.dtype), "numbers"));
        };
        let (rows, channels, steps) = match *self.shape {
            [rows, columns] => (rows, 1, columns),
            [rows, channels, steps] => (rows, channels, steps),
            _ => return Err(self.wrong_shape(name, "(rows, features) or (rows, channels, time)")),
        };
        // A zero axis has hidden the others from the comparison with the file's size.
        let columns = channels.saturating_mul(steps);
        if rows == 0 {
            return Err(DataError::NoRows.into());
        } else if columns == 0 {
            return Err(DataError::NoColumns.into());
        }
        let mut gather = Gather::new(rows, columns)?;
        let number = |bytes: &[u8]| kind.read(bytes, self.big).number();
        if self.fortran {
            let mut bytes = vec![0; rows * kind.size()];
            for at in 0..columns {
                input.read_exact(&mut bytes)?;
                // The channel runs faster than the time step.
                let column = gather.column_mut((at % channels) * steps + at / channels);
                column.iter_mut().zip(bytes.chunks_exact(kind.size())).for_each(|(to, from)| *to = number(from));
                run.step("reading", at, columns)?;
            }
            at_end(input)?;
            return Ok(gather.finish());
        }
        let mut bytes = vec![0; BLOCK.min(rows) * columns * kind.size()];
        for start in (0..rows).step_by(BLOCK) {
            let bytes = &mut bytes[..BLOCK.min(rows - start) * columns * kind.size()];
            input.read_exact(bytes)?;
            if kind == Kind::Unsigned(1) {
                // Images are large and nearly always bytes.
                gather.push(bytes, f64::from);
            } else {
                let values: Vec<f64> = bytes.chunks_exact(kind.size()).map(number).collect();
                gather.push(&values, |value| value);
            }
            run.step("reading", start, rows)?;
        }
        at_end(input)?;
        Ok(gather.finish())
    }

    /// The values of an array with one axis.
    pub(super) fn numbers(&self, name: &str, input: &mut dyn Read) -> Result<Vec<f64>, ReadError> {
        let Values::Numbers(kind) = self.values else {
            return Err(ReadError::wrong_type(format!("`{name}`"), format!("text ({})", self.dtype), "numbers"));
        };
        let [count] = *self.shape else { return Err(self.wrong_shape(name, "one axis")) };
        // Grows as the bytes arrive: what a header declares may be more than there is memory for.
        let mut values = Vec::new();
        let mut bytes = vec![0; NUMBERS.min(count) * kind.size()];
        for start in (0..count).step_by(NUMBERS) {
            let bytes = &mut bytes[..NUMBERS.min(count - start) * kind.size()];
            input.read_exact(bytes)?;
            values.extend(bytes.chunks_exact(kind.size()).map(|bytes| kind.read(bytes, self.big).number()));
        }
        at_end(input)?;
        Ok(values)
    }

    /// The text of an array without axes, or with one of length 1.
    pub(super) fn text(&self, name: &str, input: &mut dyn Read) -> Result<String, ReadError> {
        if !self.shape.iter().all(|axis| *axis == 1) {
            return Err(self.wrong_shape(name, "a single text"));
        }
        let mut bytes = vec![0; self.size()];
        input.read_exact(&mut bytes)?;
        let text = match self.values {
            Values::Numbers(_) => return Err(ReadError::wrong_type(format!("`{name}`"), &self.dtype, "text")),
            Values::Unicode(_) => unicode(&bytes, self.big),
            Values::Bytes(_) => Value::Text(bytes.split(|&byte| byte == 0).next().unwrap_or_default()).label(),
        };
        text.map_err(|problem| ReadError::damaged(format!("`{name}`"), problem))
    }

    /// One label per value: integers, booleans, floats without a fraction, or text.
    pub(super) fn labels(&self, name: &str, input: &mut dyn Read) -> Result<Vec<String>, ReadError> {
        let ([count] | [count, 1] | [1, count]) = *self.shape else {
            return Err(self.wrong_shape(name, "one label per row"));
        };
        let mut input = BufReader::new(input);
        let mut labels = Vec::new();
        let mut bytes = vec![0; self.size()];
        for row in 0..count {
            input.read_exact(&mut bytes)?;
            let label = match self.values {
                Values::Numbers(kind) => kind.read(&bytes, self.big).label(),
                Values::Unicode(_) => unicode(&bytes, self.big),
                Values::Bytes(_) => Value::Text(bytes.split(|&byte| byte == 0).next().unwrap_or_default()).label(),
            };
            labels.push(label.map_err(|problem| ReadError::damaged(format!("`{name}`, row {row}"), problem))?);
        }
        at_end(&mut input)?;
        Ok(labels)
    }
}

/// Refuses bytes behind the values: a second array, or a shape that was damaged, would go unnoticed.
fn at_end(input: &mut dyn Read) -> Result<(), ReadError> {
    if input.take(1).read_to_end(&mut Vec::new())? == 0 {
        return Ok(());
    }
    Err(ReadError::damaged("more bytes than values", "the file goes on behind the values that its shape declares"))
}

fn type_of(dtype: &str) -> Result<(Values, bool), ReadError> {
    let unknown = |expected| ReadError::wrong_type("the array", dtype, expected);
    let mut letters = dtype.chars();
    let big = match letters.next() {
        Some('>') => true,
        Some('<' | '|' | '=') => false,
        _ => return Err(unknown("a NumPy type such as <f8")),
    };
    let letter = letters.next();
    let size: Option<usize> = letters.as_str().parse().ok();
    let values = match (letter, size) {
        (Some('O'), _) => return Err(unknown("numbers or text, not Python objects: save it with .astype(str)")),
        (Some('U'), Some(length)) if length <= 1 << 16 => Values::Unicode(length),
        (Some('S' | 'a'), Some(length)) if length <= 1 << 16 => Values::Bytes(length),
        (Some(letter), Some(size)) => {
            Kind::of(letter, size).map(Values::Numbers).ok_or_else(|| unknown("real numbers or text"))?
        }
        _ => return Err(unknown("real numbers or text")),
    };
    Ok((values, big))
}

fn unicode(bytes: &[u8], big: bool) -> Result<String, CellProblem> {
    let points = bytes.as_chunks::<4>().0.iter();
    let points = points.map(|&point| if big { u32::from_be_bytes(point) } else { u32::from_le_bytes(point) });
    let text: Option<String> = points.take_while(|&point| point != 0).map(char::from_u32).collect();
    Value::Text(text.ok_or(CellProblem::NotUtf8)?.as_bytes()).label()
}

#[cfg(test)]
mod tests;
