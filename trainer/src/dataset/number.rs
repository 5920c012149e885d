//! Number types of devices.

use super::Number;
use crate::linalg::Mat;

/// The narrowest number type that holds every value exactly, as a device would deliver it.
pub(crate) fn narrowest(rows: &Mat) -> Number {
    narrowest_of(rows.as_slice())
}

/// The same of values in any order; a zero among them changes nothing.
pub(super) fn narrowest_of(values: &[f64]) -> Number {
    // Cheaper than `fract`, which is a call on processors without a rounding instruction.
    if values.iter().any(|&v| f64::from(v as i32) != v) {
        return Number::F32;
    }
    let (low, high) = values.iter().fold((0.0_f64, 0.0_f64), |(low, high), &v| (low.min(v), high.max(v)));
    match (low, high) {
        (low, high) if low >= 0.0 && high <= 255.0 => Number::U8,
        (low, high) if low >= -128.0 && high <= 127.0 => Number::I8,
        (low, high) if low >= -32768.0 && high <= 32767.0 => Number::I16,
        _ => Number::F32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_types_are_as_narrow_as_the_values_allow() {
        let of = |values: &[f64]| narrowest(&Mat::from_row_slice(1, values.len(), values));
        assert_eq!(of(&[0.0, 255.0]), Number::U8);
        assert_eq!(of(&[-1.0, 100.0]), Number::I8);
        assert_eq!(of(&[-1.0, 300.0]), Number::I16);
        assert_eq!(of(&[0.5]), Number::F32);
        assert_eq!(of(&[1e6]), Number::F32);
    }
}
