//! A raw sensor window becomes a few numbers per channel and segment.
//!
//! Samples are channels × time, channel by channel, or time step by time step as a driver
//! delivers them. The first `time mod segments` segments are one step longer than the others.

use nearmark_format::Meta;

use crate::sample::Element;

/// Writes mean, mean absolute deviation, minimum, maximum and mean absolute step, as far as the
/// model uses them, per channel and segment.
pub(crate) fn statistics<T: Element>(meta: &Meta, x: &[T], out: &mut [f32]) {
    let segments = usize::from(meta.segments).max(1);
    let (time, channels) = (meta.cols as usize, meta.channels as usize);
    let (shortest, longer) = (time / segments, time % segments);
    let stride = if meta.interleaved == 0 { 1 } else { channels };
    let mut out = out.iter_mut();
    for channel in 0..channels {
        let mut first = if meta.interleaved == 0 { channel.wrapping_mul(time) } else { channel };
        for segment in 0..segments {
            let len = shortest + usize::from(segment < longer);
            let value = |t: usize| x.get(first.wrapping_add(t.wrapping_mul(stride))).map_or(0.0, |&v| v.into());
            describe(value, len, meta.stats, &mut out);
            first = first.wrapping_add(len.wrapping_mul(stride));
        }
    }
}

/// Describes `len` values, as far as `stats` has its bit.
pub(crate) fn describe<'a>(
    value: impl Fn(usize) -> f32,
    len: usize,
    stats: u8,
    out: &mut impl Iterator<Item = &'a mut f32>,
) {
    let mut last = value(0);
    let (mut sum, mut min, mut max, mut step) = (last, last, last, 0.0);
    for t in 1..len {
        let v = value(t);
        sum += v;
        min = if v < min { v } else { min };
        max = if v > max { v } else { max };
        step += (v - last).abs();
        last = v;
    }
    let count = len as f32;
    let mean = sum / count;
    let mut deviation = 0.0;
    for t in 0..len {
        deviation += (value(t) - mean).abs();
    }
    // A segment of one value has no step: 0 / 1.
    let steps = len.saturating_sub(1).max(1) as f32;
    // In the order of the bits of `stats`.
    for (bit, value) in [mean, deviation / count, min, max, step / steps].into_iter().enumerate() {
        if stats >> bit & 1 == 1
            && let Some(slot) = out.next()
        {
            *slot = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use nearmark_format::meta::code;

    use super::*;

    fn meta(channels: u32, time: u32, segments: u8, stats: u8, interleaved: u8) -> Meta {
        Meta {
            shape: code::SHAPE_WINDOW,
            channels,
            rows: 1,
            cols: time,
            segments,
            stats,
            interleaved,
            ..Meta::default()
        }
    }

    #[test]
    fn five_numbers_of_a_short_window() {
        let mut out = [0.0; 5];
        statistics(&meta(1, 4, 1, code::STAT_ALL, 0), &[1i16, 3, 2, 6], &mut out);
        assert_eq!(out, [3.0, 1.5, 1.0, 6.0, 7.0 / 3.0]);
    }

    #[test]
    fn interleaved_and_channel_major_windows_agree() {
        let (mut a, mut b) = ([0.0; 20], [0.0; 20]);
        let major = [1.0, 5.0, 2.0, 8.0, 3.0, -1.0, 0.0, 4.0, 4.0, 9.0];
        let interleaved = [1.0, -1.0, 5.0, 0.0, 2.0, 4.0, 8.0, 4.0, 3.0, 9.0];
        statistics(&meta(2, 5, 2, code::STAT_ALL, 0), &major, &mut a);
        statistics(&meta(2, 5, 2, code::STAT_ALL, 1), &interleaved, &mut b);
        assert_eq!(a, b);
        assert_eq!(a[2..4], [1.0, 5.0], "the first of two segments has three of five steps");
    }

    #[test]
    fn only_the_statistics_asked_for_are_written() {
        let mut out = [0.0; 2];
        statistics(&meta(1, 3, 1, code::STAT_MIN | code::STAT_STEP, 0), &[4u8, 1, 3], &mut out);
        assert_eq!(out, [1.0, 2.5]);
    }

    #[test]
    fn one_value_has_no_step() {
        let mut out = [9.0; 1];
        statistics(&meta(1, 1, 1, code::STAT_STEP, 0), &[4u8], &mut out);
        assert_eq!(out, [0.0]);
    }
}
