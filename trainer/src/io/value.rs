//! Numbers and labels from the values of arrays and tables: every real type of `NumPy`, IDX and Parquet files.

use super::error::CellProblem;

/// A value as it is stored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value<'a> {
    Integer(i64),
    Unsigned(u64),
    Real(f64),
    Text(&'a [u8]),
}

impl Value<'_> {
    /// As the trainer computes with it; text was refused with its column.
    pub(super) fn number(self) -> f64 {
        match self {
            Self::Integer(value) => value as f64,
            Self::Unsigned(value) => value as f64,
            Self::Real(value) => value,
            Self::Text(_) => f64::NAN,
        }
    }

    /// Whether it is not a number, or a word that says so.
    pub(super) fn is_missing(self) -> bool {
        match self {
            Self::Real(value) => value.is_nan(),
            Self::Text(text) => text.trim_ascii().is_empty(),
            Self::Integer(_) | Self::Unsigned(_) => false,
        }
    }

    /// As a class name. A float names a class if it is an integer; beyond 2⁵³ it is not known which. Spaces around text do
    /// not count, as in a text table.
    pub(super) fn label(self) -> Result<String, CellProblem> {
        match self {
            Self::Integer(value) => Ok(value.to_string()),
            Self::Unsigned(value) => Ok(value.to_string()),
            Self::Real(value) if value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0 => {
                Ok((value as i64).to_string())
            }
            Self::Real(value) => Err(CellProblem::Fraction(value)),
            Self::Text(text) => match std::str::from_utf8(text).map_err(|_| CellProblem::NotUtf8)?.trim() {
                "" => Err(CellProblem::EmptyLabel),
                label => Ok(label.to_owned()),
            },
        }
    }
}

/// The type of an array's numbers, with the bytes of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Unsigned(usize),
    Signed(usize),
    Float(usize),
}

impl Kind {
    /// The type of numpy's letter and size in bytes.
    pub(super) fn of(letter: char, size: usize) -> Option<Self> {
        match (letter, size) {
            ('b' | '?', 1) => Some(Self::Bool),
            ('u', 1 | 2 | 4 | 8) => Some(Self::Unsigned(size)),
            ('i', 1 | 2 | 4 | 8) => Some(Self::Signed(size)),
            ('f', 2 | 4 | 8) => Some(Self::Float(size)),
            _ => None,
        }
    }

    pub(super) fn size(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::Unsigned(size) | Self::Signed(size) | Self::Float(size) => size,
        }
    }

    /// The value of these bytes, the most significant one first if `big`.
    pub(super) fn read(self, bytes: &[u8], big: bool) -> Value<'static> {
        let append = |word: u64, byte: &u8| word << 8 | u64::from(*byte);
        let word = if big { bytes.iter().fold(0, append) } else { bytes.iter().rev().fold(0, append) };
        match self {
            Self::Bool => Value::Integer(i64::from(word != 0)),
            Self::Unsigned(_) => Value::Unsigned(word),
            Self::Signed(size) => {
                let unused = 64 - 8 * size;
                Value::Integer((word << unused).cast_signed() >> unused)
            }
            Self::Float(2) => Value::Real(half(word as u16)),
            Self::Float(4) => Value::Real(f64::from(f32::from_bits(word as u32))),
            Self::Float(_) => Value::Real(f64::from_bits(word)),
        }
    }
}

/// A float of 16 bits.
pub(super) fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let size = match exponent {
        0 => fraction * (-24_f64).exp2(),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * f64::from(exponent - 25).exp2(),
    };
    if bits >> 15 == 0 { size } else { -size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_read_as_the_standard_defines_them() {
        assert_eq!(half(0x3C00), 1.0);
        assert_eq!(half(0xC000), -2.0);
        assert_eq!(half(0x7BFF), 65504.0);
        assert_eq!(half(0x0001), (-24_f64).exp2());
        assert_eq!(half(0x3555), 0.333_251_953_125);
        assert_eq!(half(0x7C00), f64::INFINITY);
        assert!(half(0x7E00).is_nan());
        assert_eq!(half(0x8000).to_bits(), (-0.0_f64).to_bits());
    }

    #[test]
    fn labels_are_text_or_whole_numbers() {
        assert_eq!(Value::Text(b" cat").label(), Ok("cat".into()));
        assert_eq!(Value::Text(b"").label(), Err(CellProblem::EmptyLabel));
        assert_eq!(Value::Integer(3).label(), Ok("3".into()));
        assert_eq!(Value::Real(-3.0).label(), Ok("-3".into()));
        assert_eq!(Value::Real(3.5).label(), Err(CellProblem::Fraction(3.5)));
        assert!(Value::Real(f64::NAN).label().is_err());
        assert!(Value::Real(1e300).label().is_err());
        assert_eq!(Value::Unsigned(u64::MAX).label(), Ok("18446744073709551615".into()));
    }
}
