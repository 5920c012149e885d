//! What the values of a Parquet column mean: the same integers may be counts, scaled decimals or times.

use super::value::{Value, half};
use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::schema::types::ColumnDescriptor;
use std::fmt;

/// How a column's stored values are interpreted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Plain,
    Unsigned,
    /// With so many decimals.
    Decimal(i32),
    /// A float of 16 bits.
    Half,
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
            (Some(LogicalType::Date | LogicalType::Time(_) | LogicalType::Timestamp(_)), _)
            | (
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

    pub(super) fn is_number(self) -> bool {
        !matches!(self, Self::Text | Self::Other(_))
    }

    pub(super) fn int32(self, value: i32) -> Value<'static> {
        match self {
            Self::Unsigned => Value::Integer(i64::from(value.cast_unsigned())),
            other => other.int64(i64::from(value)),
        }
    }

    pub(super) fn int64(self, value: i64) -> Value<'static> {
        match self {
            Self::Unsigned => Value::Unsigned(value.cast_unsigned()),
            Self::Decimal(scale) if scale > 0 => Value::Real(value as f64 / 10_f64.powi(scale)),
            _ => Value::Integer(value),
        }
    }

    pub(super) fn bytes(self, bytes: &[u8]) -> Value<'_> {
        match (self, bytes) {
            (Self::Half, &[low, high]) => Value::Real(half(u16::from_le_bytes([low, high]))),
            (Self::Decimal(scale), _) => Value::Real(integer(bytes) / 10_f64.powi(scale)),
            _ => Value::Text(bytes),
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
        assert_eq!(Meaning::Plain.int32(-1), Value::Integer(-1));
        assert_eq!(Meaning::Unsigned.int32(-1), Value::Integer(4_294_967_295));
        assert_eq!(Meaning::Unsigned.int64(-1), Value::Unsigned(u64::MAX));
        assert_eq!(Meaning::Decimal(2).int64(125), Value::Real(1.25));
        assert_eq!(Meaning::Decimal(1).bytes(&[0xFF, 0xF1]), Value::Real(-1.5));
        assert_eq!(Meaning::Half.bytes(&[0x00, 0x3C]), Value::Real(1.0));
    }
}
