//! Features rounded to the form in which a model file stores them, before anything is trained on them; and the same feature
//! over integers and over floats.

use super::samples::Samples;
use nearmark_format::series::{DEVIATION, MEAN_STEP, SUM, VALUE, is_counted, stored_threshold, threshold};
use nearmark_format::{Level, SeriesEntry};

/// The largest byte: a feature of 1.
pub(crate) const BYTES: f64 = 255.0;
/// From a threshold of integers to that of what they were rounded from.
const HALF: f64 = 0.5;
/// Shifts of a statistic's scale are below this number, and mantissas below the next.
const SHIFTS: u8 = 16;
const MANTISSAS: u8 = 4;

/// The stored threshold next to a value.
pub(crate) fn rounded(value: i32) -> Level {
    Level::Threshold(threshold(stored_threshold(value)))
}

/// The finest scale by which statistics from `low` to `high` fit a byte, their middle in its middle.
pub(crate) fn scale(low: f64, high: f64) -> Level {
    let slope = slopes().map(|(mantissa, shift)| slope(mantissa, shift));
    let fits = slope.filter(|slope| slope * (high - low) <= BYTES).fold(0.0, f64::max);
    let slope = if fits > 0.0 { fits } else { f64::exp2(-f64::from(SHIFTS - 1)) };
    nearest_scale(f64::midpoint(low, high) - BYTES / 2.0 / slope, slope)
}

/// Every mantissa and shift.
fn slopes() -> impl Iterator<Item = (u8, u8)> {
    (0..SHIFTS).flat_map(|shift| (0..MANTISSAS).map(move |mantissa| (mantissa, shift)))
}

/// Bytes per unit of a statistic.
fn slope(mantissa: u8, shift: u8) -> f64 {
    f64::from(4 + mantissa) / 4.0 / f64::exp2(shift.into())
}

/// The stored scale next to a slope.
fn nearest_scale(zero: f64, wanted: f64) -> Level {
    let gap = |&(mantissa, shift): &(u8, u8)| (slope(mantissa, shift) - wanted).abs();
    let (mantissa, shift) = slopes().min_by(|a, b| gap(a).total_cmp(&gap(b))).unwrap_or((0, 0));
    Level::Scale { zero: zero.round().clamp(-32768.0, 32767.0) as i16, mantissa, shift }
}

/// How many samples an operator's outputs add up to, as far as their zero matters: in kernels and gaps it cancels.
fn weight(operator: u8) -> f64 {
    match operator {
        SUM => 9.0,
        DEVIATION | MEAN_STEP => 0.0,
        VALUE => 1.0,
        operator if !is_counted(operator) => 1.0,
        _ => 0.0,
    }
}

/// The same feature over floats instead of these integers.
pub(crate) fn in_floats(entry: SeriesEntry, samples: Samples) -> SeriesEntry {
    let (unit, origin) = (samples.unit(), weight(entry.operator) * samples.origin());
    let level = match entry.level {
        // Halfway to the next integer, which is the first that exceeds it.
        Level::Threshold(value) => Level::RealThreshold(((f64::from(value) + HALF - origin) * unit) as f32),
        Level::Scale { zero, mantissa, shift } => {
            let fraction = f64::exp2(samples.statistic_bits());
            let multiplier = slope(mantissa, shift) * fraction / unit / BYTES;
            Level::RealScale {
                zero: ((f64::from(zero) / fraction - origin) * unit) as f32,
                multiplier: SeriesEntry::stored_multiplier(multiplier as f32),
            }
        }
        real => real,
    };
    SeriesEntry { level, ..entry }
}

/// The same feature over these integers instead of floats.
pub(crate) fn in_integers(entry: SeriesEntry, samples: Samples) -> SeriesEntry {
    let raw = |value: f32| f64::from(value) / samples.unit() + weight(entry.operator) * samples.origin();
    let level = match entry.level {
        Level::RealThreshold(value) => rounded((raw(value) - HALF).round() as i32),
        Level::RealScale { zero, multiplier } => {
            let fraction = f64::exp2(samples.statistic_bits());
            nearest_scale(raw(zero) * fraction, f64::from(multiplier) * BYTES * samples.unit() / fraction)
        }
        integer => integer,
    };
    SeriesEntry { level, ..entry }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearmark_format::Num;
    use nearmark_format::series::MEAN;

    #[test]
    fn a_statistic_fills_its_byte() {
        for (low, high) in [(0.0, 254.0), (-3000.0, 9000.0), (5.0, 5.0), (-32768.0, 32767.0)] {
            let Level::Scale { zero, mantissa, shift } = scale(low, high) else { panic!("no scale") };
            let byte = |v: f64| (v - f64::from(zero)) * slope(mantissa, shift);
            assert!(byte(low) > -1.5 && byte(high) < 256.5, "{low} {high}: {} {}", byte(low), byte(high));
            assert!((byte(f64::midpoint(low, high)) - 127.5).abs() < 2.0 || high - low > 60_000.0);
        }
    }

    #[test]
    fn integers_and_floats_are_the_same_feature() {
        let samples = Samples::Integers { number: Num::F32, mul: 37.5, add: -120.0 };
        let entry = |operator, level| SeriesEntry { channel: 0, operator, dilation: 0, part: 0, level };
        for operator in [3, VALUE, SUM, 86, 87] {
            for value in [-70_000, -5, 0, 12_345] {
                let own = entry(operator, rounded(value));
                assert_eq!(in_integers(in_floats(own, samples), samples), own);
            }
        }
        for operator in MEAN..=MEAN_STEP {
            let own = entry(operator, Level::Scale { zero: -300, mantissa: 3, shift: 6 });
            assert_eq!(in_integers(in_floats(own, samples), samples), own);
        }
    }
}
