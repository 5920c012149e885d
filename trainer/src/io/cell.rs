//! What the values of a Parquet column mean: the same integers may be counts, scaled decimals or times.

use super::scalar::{Half, LabelProblem, Scalar, float_label, not_empty};
use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::schema::types::ColumnDescriptor;
use std::fmt;

/// One value of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cell<'a> {
    /// An integer or boolean.
    Integer(i64),
    /// An unsigned integer beyond the signed range.
    Unsigned(u64),
    /// Any other number.
    Real(f64),
    /// Text.
    Text(&'a [u8]),
}

impl Cell<'_> {
    /// As the trainer computes with it; text was refused with its column.
    pub(super) fn number(self) -> f64 {
        match self {
            Self::Integer(value) => value as f64,
            Self::Unsigned(value) => value as f64,
            Self::Real(value) => value,
            Self::Text(_) => f64::NAN,
        }
    }

    /// As a class name.
    pub(super) fn label(self) -> Result<String, LabelProblem> {
        match self {
            Self::Integer(value) => Ok(value.to_string()),
            Self::Unsigned(value) => Ok(value.to_string()),
            Self::Real(value) => float_label(value),
            Self::Text(text) => not_empty(std::str::from_utf8(text).map_err(|_| LabelProblem::NotText)?.to_owned()),
        }
    }
}

/// How a column's stored values are interpreted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// As they are stored.
    Plain,
    /// Without a sign.
    Unsigned,
    /// With so many decimals.
    Decimal(i32),
    /// Floats of 16 bits.
    Half,
    /// Text.
    Text,
    /// A type that is neither number nor text.
    Other(&'static str),
}

impl fmt::Display for Meaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plain | Self::Unsigned | Self::Decimal(_) | Self::Half => "number",
            Self::Text => "text",
            Self::Other(what) => what,
        })
    }
}

impl Meaning {
    /// Reads the column's types: the physical one, and the logical or the older converted one.
    pub(super) fn of(column: &ColumnDescriptor) -> Self {
        if column.max_rep_level() > 0 {
            return Self::Other("a list");
        }
        let stored = column.physical_type();
        let is_integer = matches!(stored, Type::INT32 | Type::INT64);
        let scaled = |scale: i32| match stored {
            _ if !(0..=38).contains(&scale) => Self::Other("a decimal of unknown scale"),
            Type::INT32 | Type::INT64 | Type::FIXED_LEN_BYTE_ARRAY | Type::BYTE_ARRAY => Self::Decimal(scale),
            _ => Self::Plain,
        };
        match (column.logical_type_ref(), column.converted_type()) {
            (Some(LogicalType::Decimal(decimal)), _) => scaled(decimal.scale),
            (None, ConvertedType::DECIMAL) => scaled(column.type_scale()),
            (Some(LogicalType::Float16), _) if stored == Type::FIXED_LEN_BYTE_ARRAY && column.type_length() == 2 => {
                Self::Half
            }
            (Some(LogicalType::Date | LogicalType::Time(_) | LogicalType::Timestamp(_)), _) if is_integer => {
                Self::Other("a time")
            }
            (
                None,
                ConvertedType::DATE
                | ConvertedType::TIME_MILLIS
                | ConvertedType::TIME_MICROS
                | ConvertedType::TIMESTAMP_MILLIS
                | ConvertedType::TIMESTAMP_MICROS,
            ) if is_integer => Self::Other("a time"),
            (Some(LogicalType::Integer(integer)), _) if is_integer && !integer.is_signed => Self::Unsigned,
            (
                None,
                ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64,
            ) if is_integer => Self::Unsigned,
            _ => match stored {
                Type::BOOLEAN | Type::INT32 | Type::INT64 | Type::FLOAT | Type::DOUBLE => Self::Plain,
                Type::BYTE_ARRAY => Self::Text,
                Type::INT96 => Self::Other("a time"),
                Type::FIXED_LEN_BYTE_ARRAY => Self::Other("bytes"),
            },
        }
    }

    /// Whether the values are numbers.
    pub(super) fn is_number(self) -> bool {
        !matches!(self, Self::Text | Self::Other(_))
    }

    pub(super) fn int32(self, value: i32) -> Cell<'static> {
        match self {
            Self::Unsigned => Cell::Integer(i64::from(value.cast_unsigned())),
            other => other.int64(i64::from(value)),
        }
    }

    pub(super) fn int64(self, value: i64) -> Cell<'static> {
        match self {
            Self::Unsigned => Cell::Unsigned(value.cast_unsigned()),
            Self::Decimal(scale) if scale > 0 => Cell::Real(value as f64 / 10_f64.powi(scale)),
            _ => Cell::Integer(value),
        }
    }

    pub(super) fn bytes(self, bytes: &[u8]) -> Cell<'_> {
        match (self, bytes) {
            (Self::Half, &[low, high]) => Cell::Real(Half::read([low, high]).number()),
            (Self::Decimal(scale), _) => Cell::Real(integer(bytes) / 10_f64.powi(scale)),
            _ => Cell::Text(bytes),
        }
    }
}

/// A big-endian integer of any length, to the nearest f64 of its leading bytes.
fn integer(bytes: &[u8]) -> f64 {
    let sign = match bytes.first() {
        Some(128..) => -1_i128,
        _ => 0,
    };
    if bytes.len() > 16 {
        return f64::NAN;
    }
    bytes.iter().fold(sign, |value, byte| value << 8 | i128::from(*byte)) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_integer_may_be_unsigned_or_scaled() {
        assert_eq!(Meaning::Plain.int32(-1), Cell::Integer(-1));
        assert_eq!(Meaning::Unsigned.int32(-1), Cell::Integer(4_294_967_295));
        assert_eq!(Meaning::Unsigned.int64(-1), Cell::Unsigned(u64::MAX));
        assert_eq!(Meaning::Decimal(2).int64(125), Cell::Real(1.25));
        assert_eq!(Meaning::Decimal(1).bytes(&[0xFF, 0xF1]), Cell::Real(-1.5));
        assert_eq!(Meaning::Half.bytes(&[0x00, 0x3C]), Cell::Real(1.0));
    }

    #[test]
    fn labels_are_text_or_whole_numbers() {
        assert_eq!(Cell::Text(b"cat").label(), Ok("cat".into()));
        assert_eq!(Cell::Text(b"").label(), Err(LabelProblem::Empty));
        assert_eq!(Cell::Integer(3).label(), Ok("3".into()));
        assert_eq!(Cell::Real(3.0).label(), Ok("3".into()));
        assert_eq!(Cell::Real(3.5).label(), Err(LabelProblem::Fraction(3.5)));
    }
}
