//! Samples as a counts stage sees them: the integers of the device, or floats.

use nearmark_format::Num;

/// How much wider than the training rows the range of float samples is, as in the quantization of other stages.
const HEADROOM: f64 = 1.25;
/// Integers within that range: steps between two values then still have 16 bits.
const LEVELS: f64 = 32767.0;

/// What samples are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Samples {
    /// Integers of this type; floats become i16 by a factor and an offset.
    Integers { number: Num, mul: f32, add: f32 },
    /// Single precision.
    Floats,
}

impl Samples {
    /// Integers for samples of this type from `low` to `high`; none if single precision cannot express the factor.
    pub(crate) fn integers(number: Num, low: f64, high: f64) -> Option<Self> {
        if number != Num::F32 {
            return Some(Self::Integers { number, mul: 1.0, add: 0.0 });
        }
        let width = (high - low) * HEADROOM;
        let mul = if width > 0.0 { LEVELS / width } else { 1.0 };
        let (mul, add) = (mul as f32, (-mul * f64::midpoint(low, high)) as f32);
        (mul > 0.0 && mul.is_finite() && add.is_finite()).then_some(Self::Integers { number, mul, add })
    }

    /// The integer of a sample, with the device's rounding.
    pub(crate) fn integer(&self, x: f64) -> i32 {
        let Self::Integers { number, mul, add } = *self else { return 0 };
        let (low, high) = match number {
            Num::U8 => (0.0, 255.0),
            Num::I8 => (-128.0, 127.0),
            Num::I16 | Num::F32 => (-32768.0, 32767.0),
        };
        let scaled = if number == Num::F32 { x as f32 * mul + add } else { x as f32 };
        scaled.clamp(low, high).round_ties_even() as i32
    }

    /// What a step of the integers is in units of the samples.
    pub(crate) fn unit(&self) -> f64 {
        if let Self::Integers { mul, .. } = self { 1.0 / f64::from(*mul) } else { 1.0 }
    }

    /// The integer of a sample of zero.
    pub(crate) fn origin(&self) -> f64 {
        if let Self::Integers { add, .. } = self { f64::from(*add) } else { 0.0 }
    }

    /// Bits behind the point in statistics of these integers.
    pub(crate) fn statistic_bits(&self) -> f64 {
        if matches!(self, Self::Integers { number: Num::U8 | Num::I8, .. }) { 6.0 } else { 0.0 }
    }

    /// The least integer: above it sums are positive, and divisions round one way.
    pub(crate) fn least(&self) -> i64 {
        match self {
            Self::Integers { number: Num::U8, .. } | Self::Floats => 0,
            Self::Integers { number: Num::I8, .. } => -128,
            Self::Integers { .. } => -32768,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_fill_half_of_sixteen_bits() {
        let Some(samples) = Samples::integers(Num::F32, -1.0, 3.0) else { panic!("no scale") };
        assert_eq!([-1.0, 1.0, 3.0, 1e9].map(|x| samples.integer(x)), [-13107, 0, 13107, 32767]);
        assert!((samples.unit() * 13107.0 - 2.0).abs() < 1e-3);
        assert_eq!(Samples::integers(Num::F32, 0.0, 1e300), None);
    }

    #[test]
    fn integers_stay_what_they_are() {
        let samples = Samples::Integers { number: Num::U8, mul: 1.0, add: 0.0 };
        assert_eq!([0.0, 7.0, 255.0, 300.0].map(|x| samples.integer(x)), [0, 7, 255, 255]);
    }
}
