//! Converts raw bytes to numbers and labels, for every real type of numpy and IDX files.

use super::error::ReadError;
use super::gather::Gather;
use super::position::{CellProblem, ColumnPosition, RowPosition};

/// A real number type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    U8,
    U16,
    U32,
    U64,
    I8,
    I16,
    I32,
    I64,
    F16,
    F32,
    F64,
}

impl Kind {
    /// The type of numpy's letter and size in bytes.
    pub(super) fn of(letter: char, size: usize) -> Option<Self> {
        Some(match (letter, size) {
            ('b' | '?', 1) => Self::Bool,
            ('u', 1) => Self::U8,
            ('u', 2) => Self::U16,
            ('u', 4) => Self::U32,
            ('u', 8) => Self::U64,
            ('i', 1) => Self::I8,
            ('i', 2) => Self::I16,
            ('i', 4) => Self::I32,
            ('i', 8) => Self::I64,
            ('f', 2) => Self::F16,
            ('f', 4) => Self::F32,
            ('f', 8) => Self::F64,
            _ => return None,
        })
    }

    /// Bytes of one value.
    pub(super) fn size(self) -> usize {
        match self {
            Self::Bool | Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 | Self::F16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }
}

/// Calls a function that is generic over [`Scalar`] with the type that a [`Kind`] means.
macro_rules! with_kind {
    ($kind:expr, $module:ident :: $function:ident ( $($argument:expr),* )) => {
        match $kind {
            Kind::Bool => $module::$function::<1, scalar::Truth>($($argument),*),
            Kind::U8 => $module::$function::<1, u8>($($argument),*),
            Kind::U16 => $module::$function::<2, u16>($($argument),*),
            Kind::U32 => $module::$function::<4, u32>($($argument),*),
            Kind::U64 => $module::$function::<8, u64>($($argument),*),
            Kind::I8 => $module::$function::<1, i8>($($argument),*),
            Kind::I16 => $module::$function::<2, i16>($($argument),*),
            Kind::I32 => $module::$function::<4, i32>($($argument),*),
            Kind::I64 => $module::$function::<8, i64>($($argument),*),
            Kind::F16 => $module::$function::<2, scalar::Half>($($argument),*),
            Kind::F32 => $module::$function::<4, f32>($($argument),*),
            Kind::F64 => $module::$function::<8, f64>($($argument),*),
        }
    };
}
pub(super) use with_kind;

/// A number type of `N` bytes.
pub(super) trait Scalar<const N: usize>: Copy {
    /// From little-endian bytes.
    fn read(bytes: [u8; N]) -> Self;
    /// As the trainer computes with it.
    fn number(self) -> f64;
    /// As a class name.
    fn label(self) -> Result<String, LabelProblem>;
}

macro_rules! integers {
    ($($type:ty, $size:literal);*) => {$(
        impl Scalar<$size> for $type {
            fn read(bytes: [u8; $size]) -> Self {
                Self::from_le_bytes(bytes)
            }
            fn number(self) -> f64 {
                self as f64
            }
            fn label(self) -> Result<String, LabelProblem> {
                Ok(self.to_string())
            }
        }
    )*};
}
integers!(u8, 1; u16, 2; u32, 4; u64, 8; i8, 1; i16, 2; i32, 4; i64, 8);

macro_rules! floats {
    ($($type:ty, $size:literal);*) => {$(
        impl Scalar<$size> for $type {
            fn read(bytes: [u8; $size]) -> Self {
                Self::from_le_bytes(bytes)
            }
            fn number(self) -> f64 {
                f64::from(self)
            }
            fn label(self) -> Result<String, LabelProblem> {
                float_label(f64::from(self))
            }
        }
    )*};
}
floats!(f32, 4; f64, 8);

/// A boolean: zero is false.
#[derive(Clone, Copy)]
pub(super) struct Truth(u8);

impl Scalar<1> for Truth {
    fn read([byte]: [u8; 1]) -> Self {
        Self(u8::from(byte != 0))
    }
    fn number(self) -> f64 {
        f64::from(self.0)
    }
    fn label(self) -> Result<String, LabelProblem> {
        self.0.label()
    }
}

/// A float of 16 bits.
#[derive(Clone, Copy)]
pub(super) struct Half(u16);

impl Scalar<2> for Half {
    fn read(bytes: [u8; 2]) -> Self {
        Self(u16::from_le_bytes(bytes))
    }
    fn number(self) -> f64 {
        let (exponent, fraction) = (i32::from(self.0 >> 10 & 31), f64::from(self.0 & 1023));
        let size = match exponent {
            0 => fraction * (-24_f64).exp2(),
            31 if fraction == 0.0 => f64::INFINITY,
            31 => f64::NAN,
            _ => (1024.0 + fraction) * f64::from(exponent - 25).exp2(),
        };
        if self.0 >> 15 == 0 { size } else { -size }
    }
    fn label(self) -> Result<String, LabelProblem> {
        float_label(self.number())
    }
}

/// Why a value names no class.
#[derive(Debug, PartialEq)]
pub(super) enum LabelProblem {
    Fraction(f64),
    Empty,
    NotText,
}

impl LabelProblem {
    fn problem(self) -> CellProblem {
        match self {
            Self::Fraction(value) => CellProblem::Fraction(value.to_string()),
            Self::Empty => CellProblem::EmptyLabel,
            Self::NotText => CellProblem::NotUtf8,
        }
    }

    /// In an array of labels.
    pub(super) fn at_row(self, name: &str, row: usize) -> ReadError {
        ReadError::damaged(format!("`{name}`, row {row}"), self.problem())
    }

    /// In a table.
    pub(super) fn at(self, at: RowPosition, column: ColumnPosition) -> ReadError {
        ReadError::Cell { at, column, problem: self.problem() }
    }
}

/// A float names a class if it is an integer; beyond 2⁵³ it is not known which.
pub(super) fn float_label(value: f64) -> Result<String, LabelProblem> {
    if value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0 {
        Ok((value as i64).to_string())
    } else {
        Err(LabelProblem::Fraction(value))
    }
}

/// Text names a class unless there is none; spaces around it do not count, as in a text table.
pub(super) fn not_empty(text: String) -> Result<String, LabelProblem> {
    match text.trim() {
        "" => Err(LabelProblem::Empty),
        trimmed if trimmed.len() == text.len() => Ok(text),
        trimmed => Ok(trimmed.to_owned()),
    }
}

fn read<const N: usize, T: Scalar<N>>(mut bytes: [u8; N], big: bool) -> T {
    if big {
        bytes.reverse();
    }
    T::read(bytes)
}

/// Whole rows into a matrix.
pub(super) fn rows<const N: usize, T: Scalar<N>>(bytes: &[u8], big: bool, to: &mut Gather) {
    to.push(bytes.as_chunks::<N>().0, |value| read::<N, T>(value, big).number());
}

/// One column.
pub(super) fn numbers<const N: usize, T: Scalar<N>>(bytes: &[u8], big: bool, to: &mut [f64]) {
    for (to, &from) in to.iter_mut().zip(bytes.as_chunks::<N>().0) {
        *to = read::<N, T>(from, big).number();
    }
}

/// One label.
pub(super) fn label<const N: usize, T: Scalar<N>>(bytes: &[u8], big: bool) -> Result<String, LabelProblem> {
    match bytes.first_chunk::<N>() {
        Some(bytes) => read::<N, T>(*bytes, big).label(),
        None => Err(LabelProblem::Empty),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_read_as_the_standard_defines_them() {
        let half = |bits: u16| Half(bits).number();
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
    fn floats_name_a_class_only_if_they_are_integers() {
        assert_eq!(float_label(-3.0), Ok("-3".into()));
        assert_eq!(float_label(0.5), Err(LabelProblem::Fraction(0.5)));
        assert!(float_label(f64::NAN).is_err());
        assert!(float_label(1e300).is_err());
        assert_eq!(u64::MAX.label(), Ok("18446744073709551615".into()));
    }
}
