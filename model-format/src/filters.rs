//! The filters of a convolution before they are encoded, and both ways between them and their words.
//!
//! In the INT profile the weights of a filter are stored in the order in which columns of an image lie in RAM: column by
//! column, then channel by channel, then row by row. A filter then goes once through one stretch of RAM.

use alloc::{vec, vec::Vec};

use crate::{EncodeError, Meta, Pool, Shape, Tensor, convolution::nibble_bytes, meta::code};

/// Learned filters of 3 × 3 over a picture, in one layer or two.
#[derive(Clone, Debug, PartialEq)]
pub struct Convolution {
    /// The mean of such blocks comes first; 1 × 1 where there is none.
    pub block: Pool,
    /// Whether the channels of a pixel lie side by side.
    pub interleaved: bool,
    /// The first layer.
    pub first: Filters,
    /// The second layer, over the outputs of the first.
    pub second: Option<Filters>,
    /// What follows the last layer.
    pub pooling: Pooling,
}

/// What becomes of every 2 × 2 outputs of the last layer.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Pooling {
    /// Each is a feature.
    #[default]
    None,
    /// Their largest.
    Max,
    /// Their mean.
    Mean,
}

impl Pooling {
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Max => code::PICK_MAX,
            Self::Mean => code::PICK_MEAN,
        }
    }

    pub(crate) const fn from_code(code: u8) -> Self {
        match code {
            code::PICK_MAX => Self::Max,
            code::PICK_MEAN => Self::Mean,
            _ => Self::None,
        }
    }
}

/// The filters of a layer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filters {
    /// How many: 1 to 255.
    pub outputs: usize,
    /// `outputs × channels × 3 × 3`. In the INT profile i8: of the second layer −8 to 7.
    pub values: Tensor,
    /// One float per output (F32 profile).
    pub bias: Vec<f32>,
    /// One integer per output (INT profile).
    pub int_bias: Vec<i32>,
    /// Multipliers per output (INT profile).
    pub mul: Vec<u16>,
    /// Shift of all outputs (INT profile): at most 15.
    pub shift: u8,
}

impl Filters {
    /// Whether the arrays have the lengths and types of `outputs` filters over so many channels.
    pub(crate) fn check(&self, channels: usize, int: bool, wide: bool) -> Result<(), EncodeError> {
        let expect = |what, needed, got| {
            if needed == got { Ok(()) } else { Err(EncodeError::Length { what, needed, got }) }
        };
        let (ints, floats) = if int { (self.outputs, 0) } else { (0, self.outputs) };
        expect("filters", 9 * channels * self.outputs, self.values.len())?;
        expect("filter biases", floats, self.bias.len())?;
        expect("integer filter biases", ints, self.int_bias.len())?;
        expect("filter multipliers", ints, self.mul.len())?;
        if !(1..=255).contains(&self.outputs) || self.shift > 15 {
            return Err(EncodeError::TooLarge("a number (1 to 255) or shift (at most 15) of filters"));
        }
        match (&self.values, int) {
            (Tensor::F32(_), false) => Ok(()),
            (Tensor::I8(values), true) => self.check_integers(values, 9 * channels, wide),
            _ => Err(EncodeError::Type("filters")),
        }
    }

    /// Whether weights fit their bits, and no sum overflows.
    fn check_integers(&self, values: &[i8], width: usize, wide: bool) -> Result<(), EncodeError> {
        if !wide && !values.iter().all(|value| (-8..=7).contains(value)) {
            return Err(EncodeError::TooLarge("a weight of the second layer of filters (−8 to 7)"));
        }
        for (filter, bias) in values.chunks_exact(width.max(1)).zip(&self.int_bias) {
            let most: u64 = filter.iter().map(|value| 255 * u64::from(value.unsigned_abs())).sum();
            if most + u64::from(bias.unsigned_abs()) > i32::MAX as u64 {
                return Err(EncodeError::TooLarge("a bias of a filter, beside its weights"));
            }
        }
        Ok(())
    }

    /// The layer as words: weights, multipliers of integers, biases.
    pub(crate) fn to_words(&self, channels: usize, wide: bool) -> Vec<u32> {
        match &self.values {
            Tensor::I8(values) => {
                let mut words: Vec<u32> = pack(values, channels, wide)
                    .chunks(4)
                    .map(|bytes| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte)))
                    .collect();
                words.extend(self.mul.chunks(2).map(|pair| {
                    let half = |at: usize| u32::from(pair.get(at).copied().unwrap_or_default());
                    half(0) | half(1) << 16
                }));
                words.extend(self.int_bias.iter().map(|&bias| bias as u32));
                words
            }
            Tensor::F32(values) => values.iter().chain(&self.bias).map(|value| value.to_bits()).collect(),
            _ => Vec::new(),
        }
    }

    /// Undoes [`to_words`](Self::to_words).
    fn from_words(words: &[u32], outputs: usize, channels: usize, int: bool, wide: bool, shift: u8) -> Self {
        let (front, biases) = words.split_at(words.len() - outputs);
        if !int {
            let floats = |words: &[u32]| words.iter().map(|&word| f32::from_bits(word)).collect();
            return Self { outputs, values: Tensor::F32(floats(front)), bias: floats(biases), ..Self::default() };
        }
        let (weights, muls) = front.split_at(front.len() - outputs.div_ceil(2));
        let muls: &[u16] = bytemuck::cast_slice(muls);
        Self {
            outputs,
            values: Tensor::I8(unpack(bytemuck::cast_slice(weights), outputs, channels, wide)),
            bias: Vec::new(),
            int_bias: bytemuck::cast_slice(biases).to_vec(),
            mul: muls[..outputs].to_vec(),
            shift,
        }
    }
}

impl Meta {
    /// The fields that the sizes of a convolution follow from.
    pub(crate) fn of_convolution(shape: Shape, convolution: &Convolution) -> Self {
        let Convolution { block, first, second, .. } = convolution;
        let most = |outputs: usize| u8::try_from(outputs).unwrap_or(u8::MAX);
        Self {
            shape: code::SHAPE_CONVOLUTION,
            channels: shape.channels,
            rows: shape.rows,
            cols: shape.cols,
            pool_rows: block.rows,
            pool_cols: block.cols,
            filters: most(first.outputs),
            filters2: second.as_ref().map_or(0, |second| most(second.outputs)),
            stats: convolution.pooling.code(),
            ..Self::default()
        }
    }
}

impl Convolution {
    /// Fields of the metadata beside the sizes: the order of channels, and the shifts of both layers.
    pub(crate) fn bytes(&self) -> (u8, u8) {
        let second = self.second.as_ref().map_or(0, |second| second.shift);
        (self.interleaved.into(), (self.first.shift & 15) | second << 4)
    }

    /// Whether the arrays of both layers have the right lengths and types.
    pub(crate) fn check(&self, channels: usize, int: bool) -> Result<(), EncodeError> {
        self.first.check(channels, int, true)?;
        self.second.as_ref().map_or(Ok(()), |second| second.check(self.first.outputs, int, false))
    }

    /// The words of both layers.
    pub(crate) fn to_words(&self, channels: usize) -> Vec<u32> {
        let mut words = self.first.to_words(channels, true);
        if let Some(second) = &self.second {
            words.extend(second.to_words(self.first.outputs, false));
        }
        words
    }

    /// The convolution that a checked model has, from the words of its filters.
    pub(crate) fn from_words(meta: &Meta, words: &[u32], int: bool) -> Self {
        let (filters, filters2) = (usize::from(meta.filters), usize::from(meta.filters2));
        let (first, second) = words.split_at(Meta { filters2: 0, ..*meta }.filter_words(int) as usize);
        let layer = |words, outputs, channels, wide, shift| {
            Filters::from_words(words, outputs, channels, int, wide, if int { shift } else { 0 })
        };
        Self {
            block: Pool { rows: meta.pool_rows, cols: meta.pool_cols },
            interleaved: meta.interleaved != 0,
            first: layer(first, filters, meta.channels as usize, true, meta.filter_shift(0)),
            second: (filters2 != 0).then(|| layer(second, filters2, filters, false, meta.filter_shift(1))),
            pooling: Pooling::from_code(meta.stats),
        }
    }
}

/// Where weight `at` of a filter, channel by channel and row by row, lies among its stored weights.
///
/// Columns come first, then channels, then rows: three columns of an image are one stretch of RAM.
fn place(at: usize, channels: usize) -> usize {
    let (channel, row, col) = (at / 9, at % 9 / 3, at % 3);
    (col * channels + channel) * 3 + row
}

/// The weights of all filters in stored order: bytes, or nibbles of which the low one of a byte comes first.
fn pack(values: &[i8], channels: usize, wide: bool) -> Vec<u8> {
    let width = 9 * channels.max(1);
    let mut out = Vec::new();
    for filter in values.chunks_exact(width) {
        let mut row = vec![0; width];
        for (at, &value) in filter.iter().enumerate() {
            row[place(at, channels)] = value as u8;
        }
        if wide {
            out.extend(row);
        } else {
            out.extend(row.chunks(2).map(|pair| pair[0] & 15 | pair.get(1).copied().unwrap_or_default() << 4));
        }
    }
    out
}

/// Undoes [`pack`] for so many filters.
fn unpack(bytes: &[u8], filters: usize, channels: usize, wide: bool) -> Vec<i8> {
    let width = 9 * channels;
    let stored = if wide { width } else { nibble_bytes(width as u32) as usize };
    let weight = |row: &[u8], at: usize| {
        let place = place(at, channels);
        if wide { row[place] as i8 } else { (row[place / 2] << (4 - place % 2 * 4)) as i8 >> 4 }
    };
    let rows = bytes.chunks_exact(stored).take(filters);
    rows.flat_map(|row| (0..width).map(move |at| weight(row, at))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_weights_come_back() {
        let wide: Vec<i8> = (0..54).map(|at| (at * 37 % 256 - 128) as i8).collect();
        assert_eq!(unpack(&pack(&wide, 3, true), 2, 3, true), wide);
        let narrow: Vec<i8> = (0..54).map(|at| (at * 7 % 16 - 8) as i8).collect();
        assert_eq!(unpack(&pack(&narrow, 3, false), 2, 3, false), narrow);
    }

    #[test]
    fn filters_whose_numbers_do_not_fit_are_refused() {
        let filters = |value: i8, bias: i32| Filters {
            outputs: 1,
            values: Tensor::I8(vec![value; 9]),
            int_bias: vec![bias],
            mul: vec![1],
            ..Filters::default()
        };
        assert!(filters(127, 0).check(1, true, true).is_ok() && filters(-128, 0).check(1, true, true).is_ok());
        assert!(filters(-8, 0).check(1, true, false).is_ok() && filters(8, 0).check(1, true, false).is_err());
        let most = i32::MAX - 255 * 9;
        assert!(
            filters(-1, -most).check(1, true, false).is_ok() && filters(1, most + 1).check(1, true, false).is_err()
        );
        assert!(filters(1, 0).check(1, false, false).is_err() && filters(1, 0).check(2, true, false).is_err());
    }

    #[test]
    fn weights_go_down_the_columns() {
        assert_eq!(pack(&[1, 2, 3, 4, 5, 6, 7, -8, -1], 1, false), [0x41, 0x27, 0x85, 0x63, 0x0F]);
    }
}
