//! Learned filters of 3 × 3 over a picture, in one layer or two, two rows of pixels at a time.
//!
//! Of each channel the last four rows are kept, channel by channel. Whenever two more have come, every filter gives two
//! rows of its output: to the same place for the second layer, or as features.

use nearmark_format::{Layout, Meta, Section, meta::code};

use crate::{
    sample::Element,
    slices::{split, take},
};

/// Rows kept of each channel.
const ROWS: usize = 4;

/// Writes the features of a picture to the start of `room`.
pub(crate) fn features<T: Element>(layout: &Layout<'_>, x: &[T], room: &mut [f32]) {
    let meta = layout.meta();
    let grid = meta.grid();
    let (features, rest) = split(room, layout.kept());
    let (picture, between) = split(rest, meta.strip_words(false)[0] as usize);
    let mut filters = layout.floats(Section::Filters);
    let first = Layer::new(&mut filters, meta.filters, meta.channels, grid.input.cols);
    let second = Layer::new(&mut filters, meta.filters2, meta.filters.into(), grid.first.cols);
    let mut row = 0;
    while row < grid.input.rows {
        load(meta, x, row, picture);
        // Filters give output when there are two rows above the newest two.
        if row >= 2 {
            if meta.filters2 == 0 {
                first.run(picture, |filter, at, sums| put(meta, features, filter, row - 2, at, sums));
            } else {
                advance(between, second.cols);
                first.run(picture, |filter, at, [[above, beside], [below, diagonal]]| {
                    let start = filter.wrapping_mul(ROWS).wrapping_add(2).wrapping_mul(second.cols).wrapping_add(at);
                    let next = start.wrapping_add(second.cols);
                    // An odd last column has none beside it.
                    let pairs = [(start, above, beside), (next, below, diagonal)];
                    for (start, value, beside) in pairs {
                        set(between, start, value);
                        if at + 1 < second.cols {
                            set(between, start.wrapping_add(1), beside);
                        }
                    }
                });
                if row >= 4 {
                    second.run(between, |filter, at, sums| put(meta, features, filter, row - 4, at, sums));
                }
            }
        }
        row = row.wrapping_add(2);
    }
}

/// Makes room for two more rows of every channel.
fn advance(rows: &mut [f32], cols: usize) {
    for channel in rows.chunks_exact_mut(cols.wrapping_mul(ROWS).max(1)) {
        let (old, new) = split(channel, cols.wrapping_mul(2));
        for (old, new) in old.iter_mut().zip(new) {
            *old = *new;
        }
    }
}

fn set(values: &mut [f32], at: usize, value: f32) {
    if let Some(slot) = values.get_mut(at) {
        *slot = value;
    }
}

/// Two more rows of the picture, `row` and the one below, as means of blocks.
fn load<T: Element>(meta: &Meta, x: &[T], row: u32, rows: &mut [f32]) {
    let area = meta.grid().input;
    let (channels, width, cols) = (meta.channels as usize, meta.cols as usize, area.cols as usize);
    let plane = width.wrapping_mul(meta.rows as usize);
    // From a column to the next, from a row to the next, from a channel to the next.
    let (step, line, channel) =
        if meta.interleaved == 0 { (1, width, plane) } else { (channels, width.wrapping_mul(channels), 1) };
    let (high, wide) = (usize::from(meta.pool_rows), usize::from(meta.pool_cols));
    let scale = 1.0 / high.wrapping_mul(wide) as f32;
    advance(rows, cols);
    for (c, kept) in rows.chunks_exact_mut(cols.wrapping_mul(ROWS).max(1)).enumerate() {
        let (_, new) = split(kept, cols.wrapping_mul(2));
        for (y, out) in new.chunks_exact_mut(cols.max(1)).enumerate() {
            let y = (row as usize).wrapping_add(y);
            // An odd last row has none below it: what it would give is dropped.
            if y >= area.rows as usize {
                return;
            }
            let top = c.wrapping_mul(channel).wrapping_add(y.wrapping_mul(high).wrapping_mul(line));
            for (col, out) in out.iter_mut().enumerate() {
                let left = top.wrapping_add(col.wrapping_mul(wide).wrapping_mul(step));
                let mut sum = 0.0;
                for across in 0..high {
                    for along in 0..wide {
                        let at = left.wrapping_add(across.wrapping_mul(line)).wrapping_add(along.wrapping_mul(step));
                        sum += x.get(at).map_or(0.0, |&value| value.into());
                    }
                }
                *out = sum * scale;
            }
        }
    }
}

/// The filters of a layer.
struct Layer<'a> {
    weights: &'a [f32],
    biases: &'a [f32],
    channels: usize,
    /// Columns of its input.
    cols: usize,
}

impl<'a> Layer<'a> {
    /// Takes the layer's filters from the start of what is left.
    fn new(left: &mut &'a [f32], filters: u8, channels: u32, cols: u32) -> Self {
        let (filters, channels) = (usize::from(filters), channels as usize);
        let weights = take(left, filters.wrapping_mul(channels).wrapping_mul(9));
        Self { weights, biases: take(left, filters), channels, cols: cols as usize }
    }

    /// Two rows of outputs of all filters, two columns at a time: `out` takes filter, column and both rows.
    fn run(&self, rows: &[f32], mut out: impl FnMut(usize, usize, [[f32; 2]; 2])) {
        let filters = self.weights.chunks_exact(self.channels.wrapping_mul(9).max(1));
        for (filter, (weights, bias)) in filters.zip(self.biases).enumerate() {
            let mut col = 0usize;
            while col.wrapping_add(2) < self.cols {
                out(filter, col, sums(weights, *bias, rows, self.cols, col));
                col = col.wrapping_add(2);
            }
        }
    }
}

/// Two rows by two columns of a filter's output, channel by channel and row by row; 0 where there is no pixel.
#[inline(never)] // one copy in flash
fn sums(weights: &[f32], bias: f32, rows: &[f32], cols: usize, col: usize) -> [[f32; 2]; 2] {
    let mut sums = [[0.0; 2]; 2];
    let channels = rows.chunks_exact(cols.wrapping_mul(ROWS).max(1));
    for (weights, pixels) in weights.as_chunks::<9>().0.iter().zip(channels) {
        for (y, sums) in sums.iter_mut().enumerate() {
            for (tap, &weight) in weights.iter().enumerate() {
                let at = y.wrapping_add(tap / 3).wrapping_mul(cols).wrapping_add(col).wrapping_add(tap % 3);
                for (at, sum) in (at..).zip(sums.iter_mut()) {
                    *sum += weight * pixels.get(at).copied().unwrap_or_default();
                }
            }
        }
    }
    sums.map(|row| row.map(|sum| clip(sum + bias)))
}

/// Cut to 0..1. What is not finite becomes NaN, and refuses the sample later on.
fn clip(z: f32) -> f32 {
    let cut = if z > 1.0 { 1.0 } else { z };
    let cut = if cut < 0.0 { 0.0 } else { cut };
    cut + z * 0.0
}

/// Features from 2 × 2 outputs of a filter.
fn put(meta: &Meta, features: &mut [f32], filter: usize, row: u32, col: usize, [[a, b], [c, d]]: [[f32; 2]; 2]) {
    let area = meta.grid().output;
    let (rows, cols) = (area.rows as usize, area.cols as usize);
    let first = filter.wrapping_mul(rows).wrapping_mul(cols);
    let mut put = |row: usize, col: usize, value: f32| {
        // An odd last row or column has no neighbor: its outputs are not there.
        if row < rows && col < cols {
            set(features, first.wrapping_add(row.wrapping_mul(cols)).wrapping_add(col), value);
        }
    };
    let row = row as usize;
    match meta.stats {
        0 => {
            put(row, col, a);
            put(row, col | 1, b);
            put(row | 1, col, c);
            put(row | 1, col | 1, d);
        }
        code::PICK_MAX => put(row / 2, col / 2, larger(larger(a, b), larger(c, d))),
        _ => put(row / 2, col / 2, ((a + b) + (c + d)) * 0.25),
    }
}

/// The larger of two numbers; NaN if one of them is.
fn larger(a: f32, b: f32) -> f32 {
    let more = if a > b { a } else { b };
    if a.is_nan() { a } else { more }
}
