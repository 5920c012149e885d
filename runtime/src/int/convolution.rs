//! Learned filters of 3 × 3 over a picture, in one layer or two, two rows of pixels at a time.
//!
//! A word holds two pixels of a column, one row below the other, as halves: a multiplication by a small weight gives
//! both products at once, on every core, and nine or more of them add up before the halves are taken apart. Of each column
//! and channel three such words are kept, for rows (0, 1), (1, 2) and (2, 3): columns lie one after the other, so that
//! a filter is one pass over the words of three columns, which start with the column of its output.
//!
//! When two more rows of a picture have come, every filter gives two rows of its output. They go to the same place for
//! the second layer, or become features.

use nearmark_format::{Layout, Meta, Section, convolution::nibble_bytes, meta::code};

use super::rescale::rescale;
use crate::{
    sample::Element,
    slices::{cast, split, take},
};

/// Pairs of rows of one column and channel: the third is the newest.
type Column = [u32; 3];

/// Writes the features of a picture to the start of `room` as bytes, zeros behind the last one, with `flip` in their bits;
/// `pixel` makes a byte of a value.
pub(crate) fn features<T: Element>(layout: &Layout<'_>, pixel: impl Fn(T) -> u32, flip: u8, x: &[T], room: &mut [u32]) {
    let meta = layout.meta();
    let (features, rest) = split(room, layout.kept().div_ceil(4));
    if let Some(last) = features.last_mut() {
        *last = 0;
    }
    let (picture, rest) = split(rest, meta.strip_words(true)[0] as usize);
    let (picture, between) = (picture.as_chunks_mut().0, rest.as_chunks_mut().0);
    let (first, second) = layers(layout);
    let mut features = Features { meta, flip, out: cast(features) };
    let rows = meta.grid().input.rows;
    let mut row = 0;
    while row < rows {
        load(meta, &pixel, x, row, picture);
        // Filters give output when there are two rows above the newest two.
        if row >= 2 {
            match &second {
                None => first.run(picture, &mut Target::Features(&mut features, row - 2)),
                Some(second) => {
                    first.run(picture, &mut Target::Columns(between, first.muls.len()));
                    if row >= 4 {
                        second.run(between, &mut Target::Features(&mut features, row - 4));
                    }
                }
            }
        }
        row = row.wrapping_add(2);
    }
}

/// Two more rows of the picture, `row` and the one below, as means of blocks.
#[inline(always)] // one caller for each type of sample
fn load<T: Element>(meta: &Meta, pixel: impl Fn(T) -> u32, x: &[T], row: u32, columns: &mut [Column]) {
    let (channels, width) = ((meta.channels as usize).max(1), meta.cols as usize);
    let plane = width.wrapping_mul(meta.rows as usize);
    // From a column to the next, from a row to the next, from a channel to the next.
    let (step, line, channel) =
        if meta.interleaved == 0 { (1, width, plane) } else { (channels, width.wrapping_mul(channels), 1) };
    for column in &mut *columns {
        *column = [column[2], column[2] >> 16, 0];
    }
    let lines = u32::from(meta.pool_rows);
    let start = row.wrapping_mul(lines);
    for at in 0..lines.wrapping_mul(2) {
        let (y, shift) = (start.wrapping_add(at), if at < lines { 0 } else { 16 });
        // An odd last row has none below it: what it would give is dropped.
        if y >= meta.rows {
            break;
        }
        for c in 0..channels {
            let mut next = (y as usize).wrapping_mul(line).wrapping_add(c.wrapping_mul(channel));
            for column in columns.iter_mut().skip(c).step_by(channels) {
                let mut sum = 0u32;
                for _ in 0..meta.pool_cols {
                    sum = x.get(next).map_or(sum, |&value| pixel(value).wrapping_add(sum));
                    next = next.wrapping_add(step);
                }
                column[2] = column[2].wrapping_add(sum << shift);
            }
        }
    }
    let pixels = lines.wrapping_mul(meta.pool_cols.into());
    let reciprocal = (65_536 + pixels / 2).checked_div(pixels).unwrap_or(0);
    let mean = |sum: u32| (sum.wrapping_mul(reciprocal).wrapping_add(0x8000) >> 16).min(255);
    for column in columns {
        let (above, below) = (mean(column[2] & 0xFFFF), mean(column[2] >> 16));
        *column = [column[0], column[1] | above << 16, above | below << 16];
    }
}

/// The filters of a layer.
struct Filters<'a> {
    weights: &'a [u8],
    /// Bytes of one filter.
    bytes: usize,
    /// Whether a weight is a byte; else a nibble.
    wide: bool,
    muls: &'a [u16],
    biases: &'a [u32],
    shift: u8,
    /// Channels of its input.
    channels: usize,
    /// Columns of its output.
    cols: u32,
}

/// The first layer, and the second if there is one.
fn layers<'a>(layout: &Layout<'a>) -> (Filters<'a>, Option<Filters<'a>>) {
    let meta = layout.meta();
    let grid = meta.grid();
    let mut words = layout.words(Section::Filters);
    let mut layer = |at, filters: u8, channels: u32, cols| {
        let (wide, filters) = (at == 0, usize::from(filters));
        let weights = 9 * channels;
        let bytes = if wide { weights } else { nibble_bytes(weights) } as usize;
        let weights = take(&mut words, filters.wrapping_mul(bytes).div_ceil(4));
        let muls: &[u16] = bytemuck::try_cast_slice(take(&mut words, filters.div_ceil(2))).unwrap_or_default();
        Filters {
            weights: bytemuck::try_cast_slice(weights).unwrap_or_default(),
            bytes,
            wide,
            muls: muls.get(..filters).unwrap_or_default(),
            biases: take(&mut words, filters),
            shift: meta.filter_shift(at),
            channels: channels as usize,
            cols,
        }
    };
    let first = layer(0, meta.filters, meta.channels, grid.first.cols);
    let second = (meta.filters2 != 0).then(|| layer(1, meta.filters2, meta.filters.into(), grid.last.cols));
    (first, second)
}

/// Where outputs go.
enum Target<'t, 'a> {
    /// To the newest rows of a layer's input with so many channels.
    Columns(&'t mut [Column], usize),
    /// To the features; with the row of the first output.
    Features(&'t mut Features<'a>, u32),
}

impl Filters<'_> {
    /// Two rows of outputs of all filters.
    #[inline(never)] // one copy for both layers
    fn run(&self, columns: &[Column], target: &mut Target<'_, '_>) {
        let width = self.channels.wrapping_mul(3);
        let mut weights = self.weights;
        for (filter, (&mul, &bias)) in self.muls.iter().zip(self.biases).enumerate() {
            let weights = take(&mut weights, self.bytes);
            let scale = Scale { bias: bias as i32, mul, shift: self.shift };
            let mut rest = columns;
            let mut col = 0;
            while col < self.cols {
                // Three columns for the left output, and three for the right one.
                let left = rest.get(..width).unwrap_or_default();
                rest = rest.get(self.channels..).unwrap_or_default();
                let right = rest.get(..width).unwrap_or_default();
                rest = rest.get(self.channels..).unwrap_or_default();
                let (left, right) = (left.as_flattened(), right.as_flattened());
                let sums = if self.wide { bytes(weights, left, right) } else { nibbles(weights, left, right) };
                match target {
                    Target::Columns(columns, channels) => {
                        let [a, b, c, d] = sums.map(|sum| scale.apply(sum));
                        let at = (col as usize).wrapping_mul(*channels).wrapping_add(filter);
                        push(columns.get_mut(at), a | b << 16);
                        push(columns.get_mut(at.wrapping_add(*channels)), c | d << 16);
                    }
                    Target::Features(features, row) => features.put(filter as u32, *row, col, sums, &scale),
                }
                col = col.wrapping_add(2);
            }
        }
    }
}

/// The newest pair of rows of a column.
#[inline(always)]
fn push(column: Option<&mut Column>, pair: u32) {
    if let Some(column) = column {
        *column = [column[2], column[2] >> 16 | pair << 16, pair];
    }
}

/// From the sum of a filter to a byte: 0 to 255 stand for 0 to 1.
struct Scale {
    bias: i32,
    mul: u16,
    shift: u8,
}

impl Scale {
    #[inline(always)]
    fn apply(&self, sum: i32) -> u32 {
        rescale(sum.wrapping_add(self.bias), self.mul, self.shift).max(0).min(255) as u32
    }
}

/// Features being written, plane by plane.
struct Features<'a> {
    meta: &'a Meta,
    flip: u8,
    out: &'a mut [u8],
}

impl Features<'_> {
    /// Takes the 2 × 2 outputs of a filter at a row and a column: left above, left below, right above, right below.
    #[inline(always)]
    fn put(&mut self, filter: u32, row: u32, col: u32, sums: [i32; 4], scale: &Scale) {
        let area = self.meta.grid().output;
        let first = filter.wrapping_mul(area.rows).wrapping_mul(area.cols);
        let mut set = |row: u32, col: u32, byte: u32| {
            // An odd last row or column has no neighbor: its outputs are not there.
            if row < area.rows && col < area.cols {
                let at = first.wrapping_add(row.wrapping_mul(area.cols)).wrapping_add(col);
                if let Some(slot) = self.out.get_mut(at as usize) {
                    *slot = byte as u8 ^ self.flip;
                }
            }
        };
        if self.meta.stats == code::PICK_MAX {
            // Rescaling keeps the order: the largest sum gives the largest byte.
            let [a, b, c, d] = sums;
            set(row / 2, col / 2, scale.apply(a.max(b).max(c.max(d))));
            return;
        }
        let [a, b, c, d] = sums.map(|sum| scale.apply(sum));
        if self.meta.stats == code::PICK_MEAN {
            set(row / 2, col / 2, (a + b + c + d + 2) >> 2);
        } else {
            set(row, col, a);
            set(row | 1, col, b);
            set(row, col | 1, c);
            set(row | 1, col | 1, d);
        }
    }
}

/// What keeps the lower half of a sum of pairs positive: sums of up to 16 products of a byte and a signed nibble
/// lie within ± 2¹⁵.
const MIDDLE: u32 = 0x8000;

/// Sums of one filter with weights of 4 bits: left above, left below, right above, right below.
#[inline(never)] // keeps the registers of its caller out of the loop
fn nibbles(weights: &[u8], left: &[u32], right: &[u32]) -> [i32; 4] {
    let [mut s0, mut s1, mut s2, mut s3] = [0u32; 4];
    let mut add = |left: u32, right: u32| {
        s0 = s0.wrapping_add(left & 0xFFFF).wrapping_sub(MIDDLE);
        s1 = s1.wrapping_add((left as i32 >> 16) as u32);
        s2 = s2.wrapping_add(right & 0xFFFF).wrapping_sub(MIDDLE);
        s3 = s3.wrapping_add((right as i32 >> 16) as u32);
    };
    let (words, _) = weights.as_chunks::<4>();
    let ((lefts, last_left), (rights, last_right)) = (left.as_chunks::<8>(), right.as_chunks::<8>());
    for ((word, left), right) in words.iter().zip(lefts).zip(rights) {
        let word = u32::from_le_bytes(*word);
        let (mut l, mut r) = (MIDDLE, MIDDLE);
        let mut step = |at: usize| {
            let weight = ((word << (28 - 4 * at)) as i32 >> 28) as u32;
            l = l.wrapping_add(left[at].wrapping_mul(weight));
            r = r.wrapping_add(right[at].wrapping_mul(weight));
        };
        // Written out: at `opt-level = "s"` it would stay a loop.
        step(0);
        step(1);
        step(2);
        step(3);
        step(4);
        step(5);
        step(6);
        step(7);
        add(l, r);
    }
    let rest = weights.get(4 * lefts.len()..).unwrap_or_default();
    let (mut l, mut r) = (MIDDLE, MIDDLE);
    for (at, (&left, &right)) in last_left.iter().zip(last_right).enumerate() {
        let byte = rest.get(at / 2).map_or(0, |&byte| u32::from(byte));
        let weight = ((byte << if at % 2 == 0 { 28 } else { 24 }) as i32 >> 28) as u32;
        l = l.wrapping_add(left.wrapping_mul(weight));
        r = r.wrapping_add(right.wrapping_mul(weight));
    }
    add(l, r);
    [s0 as i32, s1 as i32, s2 as i32, s3 as i32]
}

/// The same with weights of 8 bits, as 16 times a signed nibble and an unsigned one: sums of nine products with the latter
/// fit 16 bits without a sign.
#[inline(never)]
fn bytes(weights: &[u8], left: &[u32], right: &[u32]) -> [i32; 4] {
    let [mut s0, mut s1, mut s2, mut s3] = [0u32; 4];
    let weights = weights.as_chunks::<9>().0.iter();
    for ((weights, left), right) in weights.zip(left.as_chunks::<9>().0).zip(right.as_chunks::<9>().0) {
        let (mut high_l, mut high_r, mut low_l, mut low_r) = (MIDDLE, MIDDLE, 0u32, 0u32);
        for ((&weight, &left), &right) in weights.iter().zip(left).zip(right) {
            let (high, low) = ((weight as i8 >> 4) as u32, u32::from(weight & 15));
            high_l = high_l.wrapping_add(left.wrapping_mul(high));
            low_l = low_l.wrapping_add(left.wrapping_mul(low));
            high_r = high_r.wrapping_add(right.wrapping_mul(high));
            low_r = low_r.wrapping_add(right.wrapping_mul(low));
        }
        let above =
            |high: u32, low: u32| (high & 0xFFFF).wrapping_sub(MIDDLE).wrapping_mul(16).wrapping_add(low & 0xFFFF);
        let below = |high: u32, low: u32| ((high as i32 >> 16) as u32).wrapping_mul(16).wrapping_add(low >> 16);
        s0 = s0.wrapping_add(above(high_l, low_l));
        s1 = s1.wrapping_add(below(high_l, low_l));
        s2 = s2.wrapping_add(above(high_r, low_r));
        s3 = s3.wrapping_add(below(high_r, low_r));
    }
    [s0 as i32, s1 as i32, s2 as i32, s3 as i32]
}

#[cfg(test)]
mod tests;
