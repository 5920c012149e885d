//! Counts and statistics of a series in floats.

use nearmark_format::{
    Layout,
    series::{MEAN, TAPS, Word},
};

use super::window;
use crate::{
    sample::Element,
    series::{Numbers, describe, gather},
    slices::split,
};

/// Writes the features of `x` to the start of `room`.
pub(crate) fn features<T: Element>(layout: &Layout<'_>, x: &[T], room: &mut [f32]) {
    let steps = layout.meta().cols as usize;
    let (features, room) = split(room, layout.pooled());
    if !x.iter().all(|v| v.is_finite()) {
        // A comparison has no answer that is not a number, but a distance has: the sample is refused.
        features.fill(f32::NAN);
        return;
    }
    let (sums, room) = split(room, steps);
    let (values, _) = split(room, steps);
    let mut floats = Floats { out: features.iter_mut() };
    describe(layout, &mut floats, values, sums, |values, first, stride| gather(x, first, stride, values, Into::into));
}

/// Where features go.
struct Floats<'a> {
    out: core::slice::IterMut<'a, f32>,
}

impl Floats<'_> {
    fn push(&mut self, feature: f32) {
        if let Some(slot) = self.out.next() {
            *slot = feature;
        }
    }
}

/// The second word of an entry: a threshold or zero.
fn level(entry: &[u32]) -> f32 {
    f32::from_bits(entry.get(1).map_or(0, |word| *word))
}

impl Numbers for Floats<'_> {
    type Number = f32;

    const WORDS: usize = 2;

    #[inline(always)]
    fn kernel([a, b, c]: [f32; 3], sum: f32) -> f32 {
        (a + b + c) * 3.0 - sum
    }

    #[inline(always)]
    fn difference(later: f32, earlier: f32, absolute: bool) -> f32 {
        let difference = later - earlier;
        if absolute { difference.abs() } else { difference }
    }

    /// Each on its own, in the order of its taps: a sliding sum would round differently.
    fn sums(values: &[f32], dilation: usize, sums: &mut [f32]) {
        let last = dilation.wrapping_mul(TAPS as usize - 1);
        for (first, sum) in sums.iter_mut().skip(last).enumerate() {
            let (mut at, mut total) = (first, 0.0);
            for _ in 0..TAPS {
                total += values.get(at).map_or(0.0, |v| *v);
                at = at.wrapping_add(dilation);
            }
            *sum = total;
        }
    }

    fn threshold(entry: &[u32]) -> f32 {
        level(entry)
    }

    #[inline(always)]
    fn exceeds(output: f32, threshold: f32) -> u32 {
        (output > threshold).into()
    }

    fn count(&mut self, count: u32, outputs: u32) {
        self.push(count as f32 / outputs as f32);
    }

    fn statistics(&mut self, entries: &[u32], values: &[f32]) {
        let words = |entry: &[u32]| Word(entry.first().map_or(0, |word| *word));
        let wanted = entries.chunks(Self::WORDS).fold(0, |wanted, entry| {
            let statistic = words(entry).operator().wrapping_sub(MEAN);
            wanted | 1u8.wrapping_shl(statistic.into())
        });
        let mut found = [0.0; 5];
        let value = |t: usize| values.get(t).map_or(0.0, |&v| v);
        window::describe(value, values.len(), wanted, &mut found.iter_mut());
        for (entry, &v) in entries.chunks(Self::WORDS).zip(&found) {
            self.push((v - level(entry)) * words(entry).multiplier());
        }
    }
}

#[cfg(test)]
mod tests {
    use nearmark_format::{
        AlignedBuf, Level, ModelBuf, Readout, Series, SeriesEntry, Shape, Tensor,
        series::{DIFFERENCE, DISTANCE, MAX, SUM, VALUE},
    };
    use std::vec::Vec;

    use super::*;

    fn entry(operator: u8, part: u8, dilation: u8, level: Level) -> SeriesEntry {
        SeriesEntry { channel: 1, operator, part, dilation, level }
    }

    /// The features of the second of two channels.
    fn features<T: Element>(interleaved: bool, entries: &[SeriesEntry], x: &[T]) -> Vec<f32> {
        let model = ModelBuf {
            shape: Some(Shape { channels: 2, rows: 1, cols: x.len() as u32 / 2 }),
            series: Some(Series { interleaved, entries: entries.to_vec() }),
            readout: Some(Readout { weights: Tensor::F32(vec![1.0; entries.len()]), ..Readout::default() }),
            ..ModelBuf::new(x.len(), 1, 1)
        };
        let file = AlignedBuf::from(model.encode().unwrap().as_slice());
        let layout = Layout::from_bytes(&file).unwrap();
        let mut room = vec![9.0; layout.header().scratch as usize];
        super::features(&layout, x, &mut room);
        room.truncate(entries.len());
        room
    }

    #[test]
    fn shares_of_outputs_above_a_threshold() {
        let count = |operator, part, threshold| entry(operator, part, 0, Level::RealThreshold(threshold));
        // 0, 0.5, 2 … : sixteen halves of squares, behind a channel of ones.
        let x: Vec<f32> = [1.0; 16].into_iter().chain((0..16).map(|v| (v * v) as f32 / 2.0)).collect();
        let entries = [
            count(VALUE, 0, 25.0),
            count(VALUE, 2, 25.0),
            count(DIFFERENCE, 0, 6.0),
            count(DISTANCE, 0, 6.0),
            count(SUM, 0, 102.0),
            count(SUM, 0, 573.5),
            count(83, 0, 121.5),
            count(83, 0, 310.0),
        ];
        assert_eq!(features(false, &entries, &x), [0.5, 1.0, 0.6, 0.6, 0.875, 0.125, 0.875, 0.125]);
    }

    #[test]
    fn statistics_are_scaled_and_channels_interleaved() {
        let scale = Level::RealScale { zero: 1.0, multiplier: 0.25 };
        let entries = [entry(MEAN, 0, 0, scale), entry(MAX, 0, 0, scale), entry(MAX, 1, 0, scale)];
        assert_eq!(features(true, &entries, &[0u8, 1, 0, 3, 0, 2, 0, 6]), [0.5, 1.25, 0.5]);
    }

    #[test]
    fn values_that_are_not_finite_leave_no_feature() {
        let entries = [entry(VALUE, 0, 0, Level::RealThreshold(0.0))];
        assert!(features(true, &entries, &[0.0, 1.0, f32::INFINITY, 1.0])[0].is_nan());
    }
}
