//! One feature of a counts stage as a model file stores it: rounded to that form before anything is trained on it.

use super::operators::{DEVIATION, MEAN, ROUGHNESS, SUM, VALUE, is_statistic};
use super::samples::Samples;

/// Bits of the shift of an integer threshold; the others are its mantissa.
const SHIFT_BITS: u32 = 3;
/// The least and the largest mantissa: 13 bits with a sign.
const MANTISSA: (i32, i32) = (-4096, 4095);
/// Bytes of a feature.
pub(crate) const BYTES: f64 = 255.0;
/// Bits of the shift of a statistic's scale.
const SCALE_SHIFT: u8 = 15;

/// A feature: how often an operator's outputs exceed a threshold, or a statistic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Entry {
    pub(crate) channel: u16,
    /// A kernel, or one of the named operators of [`operators`](super::operators).
    pub(crate) operator: u8,
    /// Which of the window's dilations; zero where the operator has none.
    pub(crate) dilation: u8,
    /// 0 is the whole, 1 and 2 are halves, 3 to 6 quarters.
    pub(crate) part: u8,
    pub(crate) level: Level,
}

/// What outputs are compared with, or how a statistic becomes a feature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Level {
    /// A threshold of the integer form, as it is stored.
    Threshold(i16),
    /// `(v − zero) · (4 + mantissa) / 2^(2 + shift)` is the byte of a statistic.
    Scale {
        zero: i16,
        mantissa: u8,
        shift: u8,
    },
    /// In floats: a threshold, or the value that becomes zero and the factor of a statistic.
    Real {
        value: f32,
        factor: f32,
    },
}

/// The stored threshold next to `value`, not above it.
pub(crate) fn threshold(value: i32) -> i16 {
    let fits = |shift: &u32| (MANTISSA.0..=MANTISSA.1).contains(&(value >> shift));
    let shift = (0..1 << SHIFT_BITS).find(fits).unwrap_or((1 << SHIFT_BITS) - 1);
    let mantissa = (value >> shift).clamp(MANTISSA.0, MANTISSA.1);
    (mantissa << SHIFT_BITS | shift as i32) as i16
}

/// What a stored threshold stands for.
pub(crate) fn threshold_value(stored: i16) -> i32 {
    let (mantissa, shift) = (i32::from(stored) >> SHIFT_BITS, i32::from(stored) & ((1 << SHIFT_BITS) - 1));
    mantissa << shift
}

/// The scale by which statistics from `low` to `high` fill a byte, their middle in its middle.
pub(crate) fn scale(low: f64, high: f64) -> Level {
    let slope = |mantissa: u8, shift: u8| f64::from(4 + mantissa) / 4.0 / f64::exp2(shift.into());
    let all = (0..=SCALE_SHIFT).flat_map(|shift| (0..4).rev().map(move |mantissa| (mantissa, shift)));
    let mut finest_first = all.skip_while(|&(mantissa, shift)| slope(mantissa, shift) * (high - low) > BYTES);
    let (mantissa, shift) = finest_first.next().unwrap_or((0, SCALE_SHIFT));
    nearest_scale(f64::midpoint(low, high) - BYTES / 2.0 / slope(mantissa, shift), slope(mantissa, shift))
}

/// The stored scale next to a slope in bytes per unit.
fn nearest_scale(zero: f64, slope: f64) -> Level {
    let all = (0..=SCALE_SHIFT).flat_map(|shift| (0..4).map(move |mantissa| (mantissa, shift)));
    let gap = |&(mantissa, shift): &(u8, u8)| (factor(mantissa, shift) - slope).abs();
    let (mantissa, shift) = all.min_by(|a, b| gap(a).total_cmp(&gap(b))).unwrap_or((0, 0));
    Level::Scale { zero: zero.round().clamp(-32768.0, 32767.0) as i16, mantissa, shift }
}

/// Bytes per unit of a statistic.
fn factor(mantissa: u8, shift: u8) -> f64 {
    f64::from(4 + mantissa) / 4.0 / f64::exp2(shift.into())
}

/// How many samples an operator's outputs add up to, where their zero matters: of kernels and steps it cancels.
fn weight(operator: u8) -> f64 {
    match operator {
        SUM => 9.0,
        VALUE => 1.0,
        DEVIATION | ROUGHNESS => 0.0,
        MEAN.. => 1.0,
        _ => 0.0,
    }
}

/// The upper half of a float's bits, rounded to nearest: what is stored of a factor.
pub(crate) fn half_precision(value: f64) -> f32 {
    let bits = (value as f32).to_bits();
    f32::from_bits(bits.wrapping_add(0x8000) & 0xFFFF_0000)
}

impl Entry {
    /// The order in which entries are stored: those of one operator follow each other.
    pub(crate) fn place(&self) -> (u16, u8, u8, u8, i32) {
        let value = match self.level {
            Level::Threshold(stored) => threshold_value(stored),
            // Floats in their own order, as integers.
            Level::Real { value, .. } => {
                let bits = value.to_bits() as i32;
                bits ^ ((bits >> 31) as u32 >> 1) as i32
            }
            Level::Scale { zero, .. } => zero.into(),
        };
        (self.channel, self.dilation, self.operator, self.part, value)
    }

    /// The same feature over floats instead of these integers.
    pub(crate) fn in_floats(self, samples: Samples) -> Self {
        let (unit, add) = (samples.unit(), samples.add());
        let level = match self.level {
            Level::Threshold(stored) => {
                let value = (f64::from(threshold_value(stored)) - weight(self.operator) * add) * unit;
                Level::Real { value: value as f32, factor: 1.0 }
            }
            Level::Scale { zero, mantissa, shift } => {
                let (bits, origin) = (samples.statistic_bits(), weight(self.operator) * add);
                let value = (f64::from(zero) / f64::exp2(bits) - origin) * unit;
                let factor = half_precision(factor(mantissa, shift) * f64::exp2(bits) / unit / BYTES);
                Level::Real { value: value as f32, factor }
            }
            real @ Level::Real { .. } => real,
        };
        Self { level, ..self }
    }

    /// The same feature over integers instead of floats.
    pub(crate) fn in_integers(self, samples: Samples) -> Self {
        let Level::Real { value, factor } = self.level else { return self };
        let raw = f64::from(value) / samples.unit() + weight(self.operator) * samples.add();
        let level = if is_statistic(self.operator) {
            let bits = f64::exp2(samples.statistic_bits());
            nearest_scale(raw * bits, f64::from(factor) * BYTES * samples.unit() / bits)
        } else {
            Level::Threshold(threshold(raw.round() as i32))
        };
        Self { level, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearmark_format::Num;

    #[test]
    fn thresholds_are_rounded_to_thirteen_bits() {
        for value in [0, 1, -1, 4095, -4096, 4096, -4097, 100_001, -100_001, 524_159] {
            let stored = threshold_value(threshold(value));
            assert!(stored <= value && value - stored <= value.abs() / 2048, "{value} {stored}");
            assert_eq!(threshold(stored), threshold(value), "a stored value stays");
        }
    }

    #[test]
    fn a_statistic_fills_its_byte() {
        for (low, high) in [(0.0, 254.0), (-3000.0, 9000.0), (5.0, 5.0), (-32768.0, 32767.0)] {
            let Level::Scale { zero, mantissa, shift } = scale(low, high) else { panic!("no scale") };
            let byte = |v: f64| (v - f64::from(zero)) * factor(mantissa, shift);
            assert!(byte(low) > -1.5 && byte(high) < 256.5, "{low} {high}: {} {}", byte(low), byte(high));
            assert!((byte(f64::midpoint(low, high)) - 127.5).abs() < 2.0 || high - low > 60_000.0);
        }
    }

    #[test]
    fn integers_and_floats_are_the_same_feature() {
        let samples = Samples::Integers { number: Num::F32, mul: 37.5, add: -120.0 };
        let entry = |operator, level| Entry { channel: 0, operator, dilation: 0, part: 0, level };
        for operator in [3, VALUE, SUM, 86, 87] {
            for value in [-70_000, -5, 0, 12_345] {
                let own = entry(operator, Level::Threshold(threshold(value)));
                assert_eq!(own.in_floats(samples).in_integers(samples), own);
            }
        }
        for operator in MEAN..=ROUGHNESS {
            let own = entry(operator, Level::Scale { zero: -300, mantissa: 3, shift: 6 });
            assert_eq!(own.in_floats(samples).in_integers(samples), own);
        }
    }
}
