//! Statistics of a part of a window, with the arithmetic of the device.

use super::samples::Samples;
use nearmark_format::series::{DEVIATION, MEAN, MEAN_STEP, MIN};

/// `sum / count`, rounded; sums are not negative.
fn average(sum: i64, count: i64) -> i64 {
    (sum + count / 2) / count
}

/// A statistic of integers, in units of 2⁻⁶ for bytes, cut to 16 bits.
pub(super) fn of_integers(operator: u8, x: &[i32], samples: Samples) -> i32 {
    let (len, bits, least) = (x.len().max(1) as i64, samples.statistic_bits() as u32, samples.least());
    let mean = || average(x.iter().map(|&v| i64::from(v) - least).sum::<i64>() << bits, len) + (least << bits);
    let extreme = |v: Option<&i32>| i64::from(v.copied().unwrap_or(0)) << bits;
    let value = match operator {
        MEAN => mean(),
        DEVIATION => {
            let mean = mean();
            average(x.iter().map(|&v| ((i64::from(v) << bits) - mean).abs()).sum(), len)
        }
        MEAN_STEP => {
            let steps: i64 = x.windows(2).map(|pair| i64::from(pair[1].abs_diff(pair[0]))).sum();
            average(steps << bits, (len - 1).max(1))
        }
        MIN => extreme(x.iter().min()),
        _ => extreme(x.iter().max()),
    };
    value.clamp(-32768, 32767) as i32
}

/// The byte of such a statistic.
pub(super) fn byte(value: i32, zero: i16, mantissa: u8, shift: u8) -> u8 {
    let (scaled, shift) = (i64::from(value - i32::from(zero)) * i64::from(4 + mantissa), shift + 2);
    ((scaled + (1 << (shift - 1))) >> shift).clamp(0, 255) as u8
}

/// A statistic in single precision, sums in the order of time.
pub(super) fn of_floats(operator: u8, x: &[f32]) -> f32 {
    let first = x.first().copied().unwrap_or(0.0);
    let sum = |terms: &mut dyn Iterator<Item = f32>, start: f32| terms.fold(start, |sum, v| sum + v);
    let count = x.len().max(1) as f32;
    let mean = || sum(&mut x.iter().skip(1).copied(), first) / count;
    match operator {
        MEAN => mean(),
        DEVIATION => {
            let mean = mean();
            sum(&mut x.iter().map(|v| (v - mean).abs()), 0.0) / count
        }
        MEAN_STEP => {
            let steps = x.len().saturating_sub(1).max(1) as f32;
            sum(&mut x.windows(2).map(|pair| (pair[1] - pair[0]).abs()), 0.0) / steps
        }
        MIN => x.iter().copied().fold(first, f32::min),
        _ => x.iter().copied().fold(first, f32::max),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearmark_format::Num;

    #[test]
    fn statistics_of_a_short_window_done_by_hand() {
        let all = |number, x: &[i32]| {
            let samples = Samples::Integers { number, mul: 1.0, add: 0.0 };
            [88, 89, 90, 91, 92].map(|operator| of_integers(operator, x, samples))
        };
        // The numbers of the runtime's window statistics.
        assert_eq!(all(Num::I16, &[1, 3, 2, 6]), [3, 2, 1, 6, 2]);
        assert_eq!(all(Num::U8, &[1, 3, 2, 6]), [192, 96, 64, 384, 149]);
        assert_eq!(all(Num::I8, &[-1, -2]), [-96, 32, -128, -64, 64]);
        let floats = [88, 89, 90, 91, 92].map(|operator| of_floats(operator, &[1.0, 3.0, 2.0, 6.0]));
        assert_eq!(floats, [3.0, 1.5, 1.0, 6.0, 7.0 / 3.0]);
    }

    #[test]
    fn bytes_round_to_nearest_and_stay_in_range() {
        assert_eq!([9, 10, 12, 13, 2000].map(|v| byte(v, 10, 2, 0)), [0, 0, 3, 5, 255]);
        assert_eq!([10, 13, 14, 2058].map(|v| byte(v, 10, 0, 3)), [0, 0, 1, 255]);
    }
}
