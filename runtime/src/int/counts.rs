//! Counts and statistics of a series in integers: features leave as bytes.

use core::{cell::Cell, hint::black_box};

use nearmark_format::{
    Layout,
    series::{self, MEAN, Word},
};

use super::{rescale::half, window::Units};
use crate::{
    sample::{Element, Quantizer},
    series::{Numbers, describe, gather},
    slices::{cast, split},
};

/// Writes the features of `x` to the start of `room`, packed; `flip` is what the next stage wants flipped in each byte.
pub(crate) fn features<T: Element>(layout: &Layout<'_>, quantizer: &Quantizer, x: &[T], room: &mut [u32], flip: u8) {
    let steps = layout.meta().cols as usize;
    let (features, room) = split(room, layout.pooled().div_ceil(4));
    let (sums, room) = split(room, steps);
    let (values, _) = split(room, steps);
    if let Some(last) = features.last_mut() {
        *last = 0;
    }
    let units = Units::of(layout.meta().input());
    let mut integers =
        Integers { out: cast(features).iter_mut(), flip, units, reciprocal: Reciprocal { outputs: 0, value: 0 } };
    describe(layout, &mut integers, cast(values), cast(sums), |values, first, stride| {
        gather(x, first, stride, values, |v| v.integer(quantizer));
    });
}

/// Where features go, and what they are counted in.
struct Integers<'a> {
    out: core::slice::IterMut<'a, u8>,
    flip: u8,
    units: Units,
    reciprocal: Reciprocal,
}

/// The last reciprocal: neighbors mostly have as many outputs, and a Cortex-M0 divides in software.
struct Reciprocal {
    outputs: u32,
    value: u32,
}

impl Integers<'_> {
    fn push(&mut self, byte: u8) {
        if let Some(slot) = self.out.next() {
            *slot = byte ^ self.flip;
        }
    }
}

impl Numbers for Integers<'_> {
    /// 32 bits for a value too: they are loaded in fewer instructions, most of all on a Cortex-M0.
    type Number = i32;

    const WORDS: usize = 1;

    #[inline(always)]
    fn kernel([a, b, c]: [i32; 3], sum: i32) -> i32 {
        (a.wrapping_add(b).wrapping_add(c).wrapping_mul(3)).wrapping_sub(sum)
    }

    #[inline(always)]
    fn difference(later: i32, earlier: i32, absolute: bool) -> i32 {
        let difference = later.wrapping_sub(earlier);
        if absolute { difference.wrapping_abs() } else { difference }
    }

    /// Each from the one that is a dilation before it; with less than nine values before it, of those that there are.
    fn sums(values: &[i32], dilation: usize, sums: &mut [i32]) {
        let sums = Cell::from_mut(sums).as_slice_of_cells();
        let later = sums.get(dilation..).unwrap_or_default();
        let entering = values.get(dilation..).unwrap_or_default();
        for (sum, &value) in sums.iter().zip(values).take(dilation) {
            // Not seen through: a plain copy would become a call of `memcpy`, 700 bytes of flash.
            sum.set(black_box(value));
        }
        let partial = dilation.wrapping_mul(8);
        for ((sum, before), &enters) in later.iter().zip(sums).zip(entering).take(partial) {
            sum.set(before.get().wrapping_add(enters));
        }
        let later = later.get(partial..).unwrap_or_default().iter().zip(entering.get(partial..).unwrap_or_default());
        let before = sums.get(partial..).unwrap_or_default();
        for (((sum, &enters), before), &leaves) in later.zip(before).zip(values) {
            sum.set(before.get().wrapping_add(enters).wrapping_sub(leaves));
        }
    }

    fn threshold(entry: &[u32]) -> i32 {
        series::threshold(Word(entry.first().map_or(0, |word| *word)).value())
    }

    /// By the sign: both are far below 2³⁰.
    #[inline(always)]
    fn exceeds(output: i32, threshold: i32) -> u32 {
        (threshold.wrapping_sub(output) as u32) >> 31
    }

    fn count(&mut self, count: u32, outputs: u32) {
        if self.reciprocal.outputs != outputs {
            self.reciprocal = Reciprocal { outputs, value: series::reciprocal(outputs) };
        }
        let byte = count.wrapping_mul(self.reciprocal.value).wrapping_add(0x8000) >> 16;
        self.push(byte.min(255) as u8);
    }

    fn statistics(&mut self, entries: &[u32], values: &[i32]) {
        let wanted = entries.iter().fold(0, |wanted, &entry| {
            let statistic = Word(entry).operator().wrapping_sub(MEAN);
            wanted | 1u8.wrapping_shl(statistic.into())
        });
        let mut found = [0i16; 5];
        self.units.describe(values.iter().copied(), values.len() as u32, wanted, &mut found.iter_mut());
        for (&entry, &v) in entries.iter().zip(&found) {
            let (word, shift) = (Word(entry), Word(entry).shift() + 2);
            let above = i32::from(v) - i32::from(word.value() as i16);
            let scaled = (above * word.quarters()).wrapping_add(half(shift)).wrapping_shr(shift.into());
            self.push(scaled.clamp(0, 255) as u8);
        }
    }
}

#[cfg(test)]
mod tests {
    use nearmark_format::{
        AlignedBuf, IntParams, Level, ModelBuf, Num, Readout, Series, SeriesEntry, Shape, Tensor,
        series::{DEVIATION, DIFFERENCE, DISTANCE, MAX, MEAN_STEP, MIN, SUM, VALUE},
    };
    use std::vec::Vec;

    use super::*;

    fn count(channel: u16, operator: u8, part: u8, dilation: u8, threshold: i32) -> SeriesEntry {
        SeriesEntry { channel, operator, part, dilation, level: Level::Threshold(threshold) }
    }

    fn statistic(operator: u8, part: u8, zero: i16, mantissa: u8, shift: u8) -> SeriesEntry {
        SeriesEntry { channel: 0, operator, part, dilation: 0, level: Level::Scale { zero, mantissa, shift } }
    }

    /// The bytes of these features.
    fn bytes<T: Element>(input: Num, channels: u32, interleaved: bool, entries: &[SeriesEntry], x: &[T]) -> Vec<u8> {
        let features = entries.len();
        let model = ModelBuf {
            input,
            shape: Some(Shape { channels, rows: 1, cols: x.len() as u32 / channels }),
            series: Some(Series { interleaved, entries: entries.to_vec() }),
            readout: Some(Readout { weights: Tensor::I8(vec![1; features]), int_mul: vec![1], ..Readout::default() }),
            int: Some(IntParams { f32_mul: 1.0, z_max: 1, z_one: 1, z_unit: 1.0, ..IntParams::default() }),
            ..ModelBuf::new(x.len(), 1, 1)
        };
        let file = AlignedBuf::from(model.encode().unwrap().as_slice());
        let layout = Layout::from_bytes(&file).unwrap();
        let mut room = vec![u32::MAX; layout.header().scratch as usize];
        super::features(&layout, &Quantizer::new(layout.meta()), x, &mut room, 0x80);
        let bytes: &[u8] = bytemuck::cast_slice(&room);
        assert!(bytes[features..features.next_multiple_of(4)].iter().all(|&byte| byte == 0), "padding");
        bytes[..features].iter().map(|byte| byte ^ 0x80).collect()
    }

    /// 0, 1, 4, 9 … : sixteen squares.
    fn squares() -> Vec<i16> {
        (0..16).map(|v| v * v).collect()
    }

    #[test]
    fn values_and_differences_above_a_threshold_are_counted() {
        let of = |entry| bytes(Num::I16, 1, false, &[entry], &squares());
        // Eight of sixteen squares are above 50: 127.5 of 255, rounded as 16 fraction bits have it.
        assert_eq!(of(count(0, VALUE, 0, 0, 50)), [128]);
        assert_eq!(of(count(0, VALUE, 0, 0, 225)), [0], "not above the largest");
        assert_eq!(of(count(0, VALUE, 0, 0, -1)), [255]);
        // All eight of the second half; its last quarter; none of the first half.
        assert_eq!(of(count(0, VALUE, 2, 0, 50)), [255]);
        assert_eq!(of(count(0, VALUE, 1, 0, 50)), [0]);
        // Differences 1, 3 … 29: nine of fifteen are above 12.
        assert_eq!(of(count(0, DIFFERENCE, 0, 0, 12)), [153]);
        let falling: Vec<i16> = squares().into_iter().rev().collect();
        assert_eq!(bytes(Num::I16, 1, false, &[count(0, DIFFERENCE, 0, 0, 12)], &falling), [0]);
        assert_eq!(bytes(Num::I16, 1, false, &[count(0, DISTANCE, 0, 0, 12)], &falling), [153]);
    }

    #[test]
    fn sums_and_kernels_span_nine_steps() {
        // Sums of nine squares from t: 204 + 72 t + 9 t²; t = 0 … 7.
        let of = |entry| bytes(Num::I16, 1, false, &[entry], &squares());
        assert_eq!(of(count(0, SUM, 0, 0, 204)), [223], "seven of eight");
        assert_eq!(of(count(0, SUM, 0, 0, 1148)), [32], "one of eight");
        assert_eq!(of(count(0, SUM, 0, 0, 1149)), [0]);
        // Taps 6, 7, 8: 3 (149 + 42 t + 3 t²) − sum = 243 + 54 t.
        assert_eq!(of(count(0, 83, 0, 0, 243)), [223]);
        assert_eq!(of(count(0, 83, 0, 0, 620)), [32]);
        assert_eq!(of(count(0, 83, 0, 0, 621)), [0]);
    }

    #[test]
    fn neighbors_that_share_work_have_the_features_of_each_alone() {
        let x: Vec<i16> = (0i32..77).map(|t| (t * 7919 % 401 - 200) as i16).collect();
        let mut entries = Vec::new();
        for operator in [0, 17, 83, VALUE, SUM, DIFFERENCE, DISTANCE] {
            for dilation in 0..if operator == VALUE { 1 } else { 4 } {
                for part in [0, 2, 3, 6] {
                    entries.extend([-260, 0, 100].map(|threshold| count(0, operator, part, dilation, threshold)));
                }
            }
        }
        entries.sort_by_key(SeriesEntry::order);
        for part in [0, 1, 5] {
            entries.extend([DEVIATION, MIN, MAX, MEAN_STEP].map(|operator| statistic(operator, part, -200, 1, 1)));
        }
        let all = bytes(Num::I16, 1, false, &entries, &x);
        for (entry, byte) in entries.iter().zip(all) {
            assert_eq!(bytes(Num::I16, 1, false, &[*entry], &x), [byte], "{entry:?}");
        }
    }

    #[test]
    fn statistics_are_scaled_to_bytes() {
        let of = |entry, x: &[i16]| bytes(Num::I16, 1, false, &[entry], x);
        let x = [1, 3, 2, 6];
        // The numbers of the test of window statistics: 3, 2, 1, 6, 2.
        assert_eq!(of(statistic(MEAN, 0, 0, 0, 0), &x), [3]);
        assert_eq!(of(statistic(DEVIATION, 0, 0, 2, 0), &x), [3], "2 · 6 / 4");
        assert_eq!(of(statistic(MAX, 0, 1, 3, 1), &x), [4], "5 · 7 / 8 = 4.375");
        assert_eq!(of(statistic(MIN, 0, 2, 0, 0), &x), [0], "below zero");
        assert_eq!(of(statistic(MAX, 1, 0, 0, 0), &x), [3], "of the first half");
        assert_eq!(of(statistic(MAX, 0, -300, 0, 0), &x), [255]);
        assert_eq!(
            bytes(Num::U8, 1, false, &[statistic(MEAN, 0, 0, 0, 0)], &[1u8, 3, 2, 6]),
            [192],
            "in units of 1/64"
        );
    }

    #[test]
    fn channels_are_found_in_either_order() {
        let entries = [count(0, VALUE, 0, 0, 2), count(2, VALUE, 0, 0, 2), count(2, DIFFERENCE, 0, 0, 0)];
        let major = [1i8, 2, 3, 4, 9, 9, 9, 9, 5, 1, 4, 2];
        assert_eq!(bytes(Num::I8, 3, false, &entries, &major), [128, 128, 85]);
        let interleaved = [1i8, 9, 5, 2, 9, 1, 3, 9, 4, 4, 9, 2];
        assert_eq!(bytes(Num::I8, 3, true, &entries, &interleaved), [128, 128, 85]);
        let floats: Vec<f32> = interleaved.map(f32::from).to_vec();
        assert_eq!(bytes(Num::I8, 3, true, &entries, &floats), [128, 128, 85]);
        assert_eq!(bytes(Num::F32, 3, true, &entries, &floats), [128, 128, 85]);
    }
}
