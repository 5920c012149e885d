//! Features of a series before they are encoded, and both ways between them and their words.

use alloc::vec::Vec;

use crate::{
    EncodeError,
    series::{self, Word, bits},
};

/// Counts and statistics over the channels of a series.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Whether samples come time step by time step, as a sensor driver delivers them.
    pub interleaved: bool,
    /// The features in their order, channel after channel. A device computes an operator once for all neighbors that
    /// share channel, operator, dilation and part: [`SeriesEntry::order`] sorts them so.
    pub entries: Vec<SeriesEntry>,
}

/// One feature of a series.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct SeriesEntry {
    /// Sensor channel.
    pub channel: u16,
    /// The operator by its number, see [`series`].
    pub operator: u8,
    /// The part of its outputs: 0 the whole, 1 and 2 halves, 3 to 6 quarters.
    pub part: u8,
    /// Index of the dilation, see [`series::dilation`]; 0 for operators without one.
    pub dilation: u8,
    /// The threshold of a count, or the scale of a statistic.
    pub level: Level,
}

/// What turns outputs into a feature, in the numbers of the model's profile.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Level {
    /// INT: outputs above this threshold are counted; it has the form of [`series::stored_threshold`].
    Threshold(i32),
    /// F32: outputs above this threshold are counted.
    RealThreshold(f32),
    /// INT: a statistic v becomes the byte `(v − zero) · (4 + mantissa) / 2^(2 + shift)`.
    Scale {
        /// Which value becomes 0.
        zero: i16,
        /// 0 to 3.
        mantissa: u8,
        /// 0 to 15.
        shift: u8,
    },
    /// F32: a statistic v becomes `(v − zero) · multiplier`.
    RealScale {
        /// Which value becomes 0.
        zero: f32,
        /// Stored as the upper half of its bits, see [`SeriesEntry::stored_multiplier`].
        multiplier: f32,
    },
}

impl SeriesEntry {
    /// Sorted by this, neighbors share as much work as they can: of a channel first the counts by dilation, operator and
    /// part, then the statistics by part and operator. Thresholds need no order.
    #[must_use]
    pub fn order(&self) -> (u16, bool, u8, u8, u8) {
        if series::is_counted(self.operator) {
            (self.channel, false, self.dilation, self.operator, self.part)
        } else {
            (self.channel, true, self.part, self.operator, 0)
        }
    }

    /// The multiplier of an F32 statistic that can be stored, nearest to `multiplier`.
    #[must_use]
    pub fn stored_multiplier(multiplier: f32) -> f32 {
        let rounded = f32::from_bits(multiplier.to_bits().saturating_add(0x8000) & 0xFFFF_0000);
        if rounded.is_finite() { rounded } else { f32::from_bits(multiplier.to_bits() & 0xFFFF_0000) }
    }

    /// The first word, and the second one of F32.
    pub(crate) fn to_words(self, steps: u32, int: bool) -> Result<(u32, u32), EncodeError> {
        const WRONG: EncodeError = EncodeError::Type("an entry of the series");
        const LARGE: EncodeError = EncodeError::TooLarge("a threshold, scale or dilation of the series");
        let counted = series::is_counted(self.operator);
        let (low, high, float) = match (self.level, int, counted) {
            (Level::Threshold(value), true, true) => {
                let stored = series::stored_threshold(value);
                if series::threshold(stored) != value {
                    return Err(LARGE);
                }
                (u32::from(self.dilation) << bits::DILATION, stored.into(), 0)
            }
            (Level::RealThreshold(value), false, true) => {
                (u32::from(self.dilation) << bits::DILATION, 1f32.to_bits() >> 16, value.to_bits())
            }
            (Level::Scale { zero, mantissa, shift }, true, false) => {
                if mantissa > 3 || shift > 15 {
                    return Err(LARGE);
                }
                let scale = u32::from(mantissa) << bits::DILATION | u32::from(shift) << bits::SHIFT;
                (scale, u32::from(zero as u16), 0)
            }
            (Level::RealScale { zero, multiplier }, false, false) => {
                if multiplier.to_bits() & 0xFFFF != 0 {
                    return Err(LARGE);
                }
                (0, multiplier.to_bits() >> 16, zero.to_bits())
            }
            _ => return Err(WRONG),
        };
        let last = if series::is_dilated(self.operator) { self.dilation } else { 0 };
        if self.operator > series::LAST
            || self.part > series::LAST_PART
            || self.dilation != last
            || self.dilation > 15
            || series::dilation(steps, last) == 0
        {
            return Err(LARGE);
        }
        Ok((u32::from(self.operator) | u32::from(self.part) << bits::PART | low | high << 16, float))
    }

    /// The entry of a checked file.
    pub(crate) fn from_words(channel: u16, words: &[u32], int: bool) -> Self {
        let word = Word(words[0]);
        let operator = word.operator();
        let level = match (int, series::is_counted(operator)) {
            (true, true) => Level::Threshold(series::threshold(word.value())),
            (true, false) => {
                Level::Scale { zero: word.value() as i16, mantissa: word.quarters() as u8 - 4, shift: word.shift() }
            }
            (false, true) => Level::RealThreshold(f32::from_bits(words[1])),
            (false, false) => Level::RealScale { zero: f32::from_bits(words[1]), multiplier: word.multiplier() },
        };
        let dilation = if series::is_dilated(operator) { word.dilation() } else { 0 };
        Self { channel, operator, part: word.part(), dilation, level }
    }
}

impl Series {
    /// Entries per channel, and the words of all entries.
    pub(crate) fn to_words(&self, channels: usize, steps: u32, int: bool) -> Result<(Vec<u16>, Vec<u32>), EncodeError> {
        let mut counts = alloc::vec![0u16; channels];
        let mut words = Vec::new();
        let mut last = 0;
        for entry in &self.entries {
            let beyond = EncodeError::Length {
                what: "a series whose entries lie channel after channel",
                needed: channels,
                got: usize::from(entry.channel) + 1,
            };
            let count = counts.get_mut(usize::from(entry.channel)).filter(|_| entry.channel >= last).ok_or(beyond)?;
            *count = count.checked_add(1).ok_or(EncodeError::TooLarge("a number of features of a channel"))?;
            last = entry.channel;
            let (word, float) = entry.to_words(steps, int)?;
            words.push(word);
            if !int {
                words.push(float);
            }
        }
        Ok((counts, words))
    }

    /// The series of a checked file.
    pub(crate) fn from_words(counts: &[u16], words: &[u32], int: bool, interleaved: bool) -> Self {
        let channels = counts.iter().zip(0..).flat_map(|(&count, channel)| (0..count).map(move |_| channel));
        let words = words.chunks(if int { 1 } else { 2 });
        let entries =
            channels.zip(words).map(|(channel, words)| SeriesEntry::from_words(channel, words, int)).collect();
        Self { interleaved, entries }
    }
}

#[cfg(all(test, feature = "counts", feature = "f32", feature = "int"))]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::{AlignedBuf, Head, IntParams, Layout, ModelBuf, Readout, Section, Shape, Tensor, series::MEAN};

    fn entry(channel: u16, operator: u8, part: u8, dilation: u8, level: Level) -> SeriesEntry {
        SeriesEntry { channel, operator, part, dilation, level }
    }

    /// Three channels, of which the second has no features.
    fn model(int: bool) -> ModelBuf {
        let entries = if int {
            vec![
                entry(0, 83, 0, 1, Level::Threshold(-4096 << 7)),
                entry(0, MEAN, 6, 0, Level::Scale { zero: -7, mantissa: 3, shift: 15 }),
                entry(2, series::VALUE, 2, 0, Level::Threshold(12)),
            ]
        } else {
            vec![
                entry(0, 83, 0, 1, Level::RealThreshold(-1.5)),
                entry(0, MEAN, 6, 0, Level::RealScale { zero: 3.25, multiplier: 0.125 }),
                entry(2, series::VALUE, 2, 0, Level::RealThreshold(0.1)),
            ]
        };
        let weights = if int { Tensor::I8(vec![1; 6]) } else { Tensor::F32(vec![1.0; 6]) };
        ModelBuf {
            shape: Some(Shape { channels: 3, rows: 1, cols: 20 }),
            series: Some(Series { interleaved: true, entries }),
            readout: Some(Readout { weights, int_mul: vec![1; if int { 2 } else { 0 }], ..Readout::default() }),
            head: Head::Unit,
            int: int.then(|| IntParams { z_max: 100, z_one: 100, z_unit: 1.0, ..IntParams::default() }),
            ..ModelBuf::new(60, 2, 2)
        }
    }

    #[test]
    fn entries_of_both_profiles_come_back() {
        for int in [false, true] {
            let model = model(int);
            let bytes = AlignedBuf::from(model.encode().unwrap().as_slice());
            assert_eq!(ModelBuf::decode(&bytes).unwrap(), model);
            let layout = Layout::from_bytes(&bytes).unwrap();
            let (counts, words) = layout.series();
            assert_eq!((counts, words.len()), (&[2, 0, 1][..], if int { 3 } else { 6 }));
            assert_eq!((layout.pooled(), layout.spec().section_bytes(Section::Series)), (3, if int { 20 } else { 32 }));
            // A channel and its sums, features, the embedding.
            assert_eq!(layout.header().scratch, 20 + 20 + if int { 1 } else { 3 } + 2);
        }
    }

    #[test]
    fn what_the_format_cannot_express_is_not_written() {
        let refused = |change: fn(&mut Vec<SeriesEntry>)| {
            let mut model = model(true);
            change(&mut model.series.as_mut().unwrap().entries);
            model.encode().unwrap_err()
        };
        assert!(matches!(refused(|entries| entries.swap(0, 2)), EncodeError::Length { needed: 3, got: 1, .. }));
        assert!(matches!(refused(|entries| entries[2].channel = 3), EncodeError::Length { needed: 3, got: 4, .. }));
        assert!(matches!(refused(|e| e[0].level = Level::Threshold(4097)), EncodeError::TooLarge(_)));
        assert!(matches!(refused(|e| e[0].level = Level::RealThreshold(1.0)), EncodeError::Type(_)));
        assert!(matches!(refused(|e| e[0].dilation = 2), EncodeError::TooLarge(_)), "there are dilations of 1 and 2");
        assert!(matches!(refused(|e| e[2].dilation = 1), EncodeError::TooLarge(_)), "a value has none");
        assert!(matches!(refused(|e| (e[0].part, e[0].dilation) = (7, 1)), EncodeError::TooLarge(_)));
    }

    #[test]
    fn multipliers_round_to_the_nearest_that_is_stored() {
        assert_eq!([1.0, 1.004, -1.003].map(SeriesEntry::stored_multiplier), [1.0, 1.007_812_5, -1.0]);
        assert!(SeriesEntry::stored_multiplier(f32::MAX).is_finite());
    }
}
