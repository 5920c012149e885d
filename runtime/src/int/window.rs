//! Window statistics in integers: 2⁻⁶ of a step for bytes, whole steps for 16 bits.

use nearmark_format::{Meta, Num, meta::code};

use crate::sample::{Element, Quantizer};

/// Writes mean, mean absolute deviation, minimum, maximum and mean absolute step, as far as the
/// model uses them, per channel and segment.
pub(crate) fn statistics<T: Element>(meta: &Meta, quantizer: &Quantizer, x: &[T], out: &mut [i16]) {
    let segments = usize::from(meta.segments).max(1);
    let (time, channels) = (meta.cols as usize, meta.channels as usize);
    let (shortest, longer) = (time / segments, time % segments);
    let stride = if meta.interleaved == 0 { 1 } else { channels };
    let units = Units::of(meta.input());
    let mut out = out.iter_mut();
    for channel in 0..channels {
        let mut first = if meta.interleaved == 0 { channel.wrapping_mul(time) } else { channel };
        for segment in 0..segments {
            let len = shortest + usize::from(segment < longer);
            let value = |t: usize| {
                let at = first.wrapping_add(t.wrapping_mul(stride));
                x.get(at).map_or(0, |&v| v.integer(quantizer))
            };
            units.describe((0..len).map(value), len as u32, meta.stats, &mut out);
            first = first.wrapping_add(len.wrapping_mul(stride));
        }
    }
}

/// What the statistics of one type count in.
pub(crate) struct Units {
    /// Fractional bits.
    bits: u32,
    /// The least value: above it sums are unsigned, and divisions round one way.
    least: i32,
}

impl Units {
    pub(crate) fn of(input: Num) -> Self {
        match input {
            Num::U8 => Self { bits: 6, least: 0 },
            Num::I8 => Self { bits: 6, least: -128 },
            Num::I16 | Num::F32 => Self { bits: 0, least: -32_768 },
        }
    }

    /// Describes `len` values, as far as `stats` has its bit.
    #[inline(always)]
    pub(crate) fn describe<'a>(
        &self,
        values: impl Iterator<Item = i32> + Clone,
        len: u32,
        stats: u8,
        out: &mut impl Iterator<Item = &'a mut i16>,
    ) {
        let mut last = values.clone().next().unwrap_or(0);
        let (mut sum, mut min, mut max, mut step) = (0u32, last, last, 0u32);
        for v in values.clone() {
            sum = sum.wrapping_add(v.wrapping_sub(self.least) as u32);
            min = v.min(min);
            max = v.max(max);
            step = step.wrapping_add(v.abs_diff(last));
            last = v;
        }
        let base = self.least << self.bits;
        let mean = (average(sum << self.bits, len) as i32).wrapping_add(base);
        let mut deviation = 0u32;
        if stats & code::STAT_DEVIATION != 0 {
            for v in values {
                deviation = deviation.wrapping_add((v << self.bits).abs_diff(mean));
            }
        }
        let deviation = average(deviation, len) as i32;
        // A segment of one value has no step: 0 / 1.
        let step = average(step << self.bits, len.saturating_sub(1).max(1)) as i32;
        // In the order of the bits of `stats`.
        let all = [mean, deviation, min << self.bits, max << self.bits, step];
        for (bit, value) in all.into_iter().enumerate() {
            if stats >> bit & 1 == 1
                && let Some(slot) = out.next()
            {
                *slot = value.clamp(-32_768, 32_767) as i16;
            }
        }
    }
}

/// `sum / count`, rounded.
fn average(sum: u32, count: u32) -> u32 {
    sum.wrapping_add(count / 2).checked_div(count).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meta(input: Num, channels: u32, time: u32, segments: u8) -> Meta {
        let stats = code::STAT_ALL;
        Meta {
            input: input as u8,
            shape: code::SHAPE_WINDOW,
            channels,
            rows: 1,
            cols: time,
            segments,
            stats,
            ..Meta::default()
        }
    }

    fn described<T: Element>(meta: &Meta, x: &[T]) -> std::vec::Vec<i16> {
        let mut out = vec![0; 5 * meta.channels as usize * usize::from(meta.segments)];
        statistics(meta, &Quantizer::new(meta), x, &mut out);
        out
    }

    #[test]
    fn five_numbers_of_a_short_window_round_to_the_nearest() {
        assert_eq!(described(&meta(Num::I16, 1, 4, 1), &[1i16, 3, 2, 6]), [3, 2, 1, 6, 2]);
        assert_eq!(described(&meta(Num::U8, 1, 4, 1), &[1u8, 3, 2, 6]), [192, 96, 64, 384, 149]);
        assert_eq!(described(&meta(Num::I8, 1, 2, 1), &[-1i8, -2]), [-96, 32, -128, -64, 64]);
    }

    #[test]
    fn extremes_are_clamped_to_16_bits() {
        let x = [i16::MIN, i16::MAX, i16::MIN, i16::MAX];
        assert_eq!(described(&meta(Num::I16, 1, 4, 1), &x), [0, 32_767, -32_768, 32_767, 32_767]);
    }

    #[test]
    fn one_value_has_no_step() {
        assert_eq!(described(&meta(Num::U8, 1, 1, 1), &[4u8]), [256, 0, 256, 256, 0]);
    }

    #[test]
    fn interleaved_and_channel_major_windows_agree() {
        let major = described(&meta(Num::I16, 2, 5, 2), &[1i16, 5, 2, 8, 3, -1, 0, 4, 4, 9]);
        let interleaved = Meta { interleaved: 1, ..meta(Num::I16, 2, 5, 2) };
        assert_eq!(described(&interleaved, &[1i16, -1, 5, 0, 2, 4, 8, 4, 3, 9]), major);
    }
}
