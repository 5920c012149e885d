//! Learned filters of 3 × 3 over a picture, in one layer or two, two rows of pixels at a time.
//!
//! A word holds two pixels of a column, one row below the other, as halves: a multiplication by a small weight gives
//! both products at once, on every core, and nine or more of them add up before the halves are taken apart. Of each column
//! and channel three such words are kept, for rows (0, 1), (1, 2) and (2, 3): columns lie one after the other, so that
//! a filter is one pass over the words of three columns, which start with the column of its output.
//!
//! When two more rows of a picture have come, every filter gives two rows of its output. They go to the same place for
//! the second layer, or become features.

use nearmark_format::{
    Layout, Meta, Num, Section,
    convolution::{Area, nibble_bytes},
    meta::code,
};

use super::{
    pairs::{bytes, nibbles},
    rescale::rescale,
};
use crate::{
    sample::{Element, Quantizer},
    slices::{cast, split, take},
};

/// Pairs of rows of one column and channel: the third is the newest.
type Column = [u32; 3];

/// Writes the features of a picture to the start of `room` as bytes, zeros behind the last one, with `flip` in their bits;
/// `scaled` makes a byte of a value of 16 bits.
pub(crate) fn features<T: Element>(
    layout: &Layout<'_>,
    quantizer: &Quantizer,
    scaled: impl Fn(i32) -> u32,
    flip: u8,
    x: &[T],
    room: &mut [u32],
) {
    let meta = layout.meta();
    // A sample has the type of the model's input, or is of floats.
    let input = if T::NUM == Num::F32 { meta.input() } else { T::NUM };
    let pixel = |value: T| {
        let value = value.integer(quantizer);
        match input {
            Num::U8 => value as u32,
            Num::I8 => value.wrapping_add(128) as u32,
            Num::I16 | Num::F32 => scaled(value),
        }
    };
    let (features, rest) = split(room, layout.kept().div_ceil(4));
    if let Some(last) = features.last_mut() {
        *last = 0;
    }
    let (picture, rest) = split(rest, meta.strip_words(true)[0] as usize);
    let (picture, between) = (picture.as_chunks_mut().0, rest.as_chunks_mut().0);
    let (first, second) = layers(layout);
    let grid = meta.grid();
    let (stats, area, out) = (meta.stats, grid.output, cast(features));
    let mut features = Features { stats, area, flip, out, row: 0, next: 0, left: 0 };
    let rows = grid.input.rows;
    let mut row = 0;
    while row < rows {
        load(meta, &pixel, x, row, picture);
        // Filters give output when there are two rows above the newest two.
        if row >= 2 {
            match &second {
                None => {
                    features.row = row - 2;
                    first.run(picture, &mut Target::Features(&mut features));
                }
                Some(second) => {
                    let columns = Columns { columns: &mut *between, channels: second.channels, next: 0 };
                    first.run(picture, &mut Target::Columns(columns));
                    if row >= 4 {
                        features.row = row - 4;
                        second.run(between, &mut Target::Features(&mut features));
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
            let mut at = c;
            while let Some(column) = columns.get_mut(at) {
                at = at.wrapping_add(channels);
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

impl Filters<'_> {
    /// Two rows of outputs of all filters.
    #[inline(never)] // one copy for both layers
    fn run(&self, columns: &[Column], target: &mut Target<'_, '_>) {
        let (taps, stride) = (self.channels.wrapping_mul(9), self.channels.wrapping_mul(3));
        let mut weights = self.weights;
        for (filter, (&mul, &bias)) in self.muls.iter().zip(self.biases).enumerate() {
            let weights = take(&mut weights, self.bytes);
            let scale = Scale { bias: bias as i32, mul, shift: self.shift };
            target.start(filter);
            let mut rest = columns.as_flattened();
            let mut left = self.cols;
            // Three columns for an output; those of the output beside it begin a column later.
            while left > 0
                && let Some(above) = rest.get(..taps)
                && let Some(beside) = rest.get(stride..)
            {
                let sums = if self.wide { bytes(weights, above, beside) } else { nibbles(weights, above, beside) };
                match target {
                    Target::Columns(columns) => columns.put(sums, &scale),
                    Target::Features(features) => features.put(sums, &scale),
                }
                rest = beside.get(stride..).unwrap_or_default();
                left = left.saturating_sub(2);
            }
        }
    }
}

/// Where outputs go.
enum Target<'t, 'a> {
    Columns(Columns<'t>),
    Features(&'t mut Features<'a>),
}

impl Target<'_, '_> {
    /// The next outputs are those of a filter, from its first column on.
    fn start(&mut self, filter: usize) {
        match self {
            Self::Columns(columns) => columns.next = filter,
            Self::Features(features) => features.start(filter as u32),
        }
    }
}

/// The input of a second layer.
struct Columns<'a> {
    columns: &'a mut [Column],
    channels: usize,
    /// Where the next outputs go.
    next: usize,
}

impl Columns<'_> {
    /// Takes 2 × 2 outputs: left above, left below, right above, right below.
    #[inline(always)]
    fn put(&mut self, [a, b, c, d]: [i32; 4], scale: &Scale) {
        self.push(scale.apply(a), scale.apply(b));
        self.push(scale.apply(c), scale.apply(d));
    }

    /// The newest pair of rows of a column.
    #[inline(always)]
    fn push(&mut self, above: u32, below: u32) {
        if let Some(column) = self.columns.get_mut(self.next) {
            *column = [column[2], column[2] >> 16 | above << 16, above | below << 16];
        }
        self.next = self.next.wrapping_add(self.channels);
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
    /// How 2 × 2 outputs become one.
    stats: u8,
    /// Features of one filter.
    area: Area,
    flip: u8,
    out: &'a mut [u8],
    /// The row of the outputs that come.
    row: u32,
    /// Where the next feature goes, and how many there are left in its row.
    next: u32,
    left: u32,
}

impl Features<'_> {
    /// The next outputs are those of a filter, from its first column on.
    fn start(&mut self, filter: u32) {
        let row = if self.stats == 0 { self.row } else { self.row / 2 };
        let above = filter.wrapping_mul(self.area.rows).wrapping_add(row);
        self.next = above.wrapping_mul(self.area.cols);
        // An odd last row has none beside it.
        self.left = if row < self.area.rows { self.area.cols } else { 0 };
    }

    /// Takes 2 × 2 outputs: left above, left below, right above, right below.
    #[inline(always)]
    fn put(&mut self, [a, b, c, d]: [i32; 4], scale: &Scale) {
        if self.stats == code::PICK_MAX {
            // Rescaling keeps the order: the largest sum gives the largest byte.
            self.set(scale.apply(a.max(b).max(c.max(d))));
            return;
        }
        let [a, b, c, d] = [a, b, c, d].map(|sum| scale.apply(sum));
        if self.stats == code::PICK_MEAN {
            self.set((a + b + c + d + 2) >> 2);
            return;
        }
        for (above, below) in [(a, b), (c, d)] {
            if self.row + 1 < self.area.rows && self.left != 0 {
                self.write(self.next.wrapping_add(self.area.cols), below);
            }
            self.set(above);
        }
    }

    /// The next feature; an odd last column has none beside it.
    #[inline(always)]
    fn set(&mut self, byte: u32) {
        if let Some(left) = self.left.checked_sub(1) {
            self.write(self.next, byte);
            (self.next, self.left) = (self.next.wrapping_add(1), left);
        }
    }

    #[inline(always)]
    fn write(&mut self, at: u32, byte: u32) {
        if let Some(slot) = self.out.get_mut(at as usize) {
            *slot = byte as u8 ^ self.flip;
        }
    }
}

#[cfg(test)]
mod tests;
