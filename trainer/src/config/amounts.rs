//! Amounts as text: bytes, counts and sizes.

use crate::methods::ValueError;
use std::fmt::{self, Display};
use std::str::FromStr;

/// A number of bytes, like `16k`; k = 1024.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub usize);

impl FromStr for Bytes {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let error = || ValueError::new("bytes like 2048, 16k or 1.5k (k = 1024)", text);
        let lower = text.trim().to_lowercase();
        let (number, unit) = match lower.strip_suffix("kb").or(lower.strip_suffix("kib")).or(lower.strip_suffix('k')) {
            Some(number) => (number, 1024.0),
            None => (lower.strip_suffix('b').unwrap_or(&lower), 1.0),
        };
        let bytes = number.trim().parse::<f64>().map_err(|_| error())? * unit;
        // A file's length has 32 bits.
        if bytes.fract() == 0.0 && (1.0..=f64::from(u32::MAX)).contains(&bytes) {
            return Ok(Self(bytes as usize));
        }
        Err(error())
    }
}

impl Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_multiple_of(1024) { write!(f, "{}k", self.0 / 1024) } else { write!(f, "{}", self.0) }
    }
}

/// A number of instructions, like `20k`; k = 1000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Count(pub u64);

impl FromStr for Count {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let error = || ValueError::new("a count like 20000, 20k or 1.5M", text);
        let trimmed = text.trim();
        let (number, unit) = match trimmed.char_indices().last().ok_or_else(error)? {
            (at, 'k') => (&trimmed[..at], 1e3),
            (at, 'M') => (&trimmed[..at], 1e6),
            _ => (trimmed, 1.0),
        };
        let count = (number.parse::<f64>().map_err(|_| error())? * unit).round();
        if (1.0..=1e15).contains(&count) { Ok(Self(count as u64)) } else { Err(error()) }
    }
}

impl Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_multiple_of(1000) { write!(f, "{}k", self.0 / 1000) } else { write!(f, "{}", self.0) }
    }
}

/// Two sizes, written `AxB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size(pub usize, pub usize);

impl FromStr for Size {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let (a, b) = pair(text).ok_or_else(|| ValueError::new("two sizes like 28x28", text))?;
        Ok(Self(a, b))
    }
}

impl Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.0, self.1)
    }
}

/// `AxB`, both above zero.
pub(crate) fn pair(text: &str) -> Option<(usize, usize)> {
    let (a, b) = text.split_once(['x', 'X', '×'])?;
    let (a, b) = (a.trim().parse().ok()?, b.trim().parse().ok()?);
    (a > 0 && b > 0).then_some((a, b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_written_as_they_are_read() {
        assert_eq!("28x28".parse::<Size>().map(|size| size.to_string()).as_deref(), Ok("28x28"));
        for (text, bytes, written) in [("2048", 2048, "2k"), ("1.5k", 1536, "1536"), ("16 KiB", 16_384, "16k")] {
            let read = text.parse::<Bytes>();
            assert_eq!((read.clone(), read.map(|b| b.to_string()).as_deref()), (Ok(Bytes(bytes)), Ok(written)));
        }
        for (text, count) in [("20k", 20_000), ("1.5M", 1_500_000), ("7", 7)] {
            assert_eq!(text.parse::<Count>(), Ok(Count(count)));
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "k", "0", "-1k", "0.3", "5G", "x"] {
            assert!(text.parse::<Bytes>().is_err(), "{text}");
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
        for text in ["", "k", "0", "-1k", "5G"] {
            assert!(text.parse::<Count>().is_err(), "{text}");
        }
    }
}
