//! Sizes of a convolution: images between its steps, bytes of its filters, words of its rows in RAM.

use crate::Meta;

/// The most rows or columns of a block whose mean is taken: a mean of 256 bytes still rounds within one half.
pub(crate) const LARGEST_BLOCK: u8 = 16;

/// Rows and columns of an image.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Area {
    /// Rows.
    pub rows: u32,
    /// Columns.
    pub cols: u32,
}

impl Area {
    /// Behind filters of 3 × 3 that lie inside the image.
    const fn filtered(self) -> Self {
        Self { rows: self.rows.saturating_sub(2), cols: self.cols.saturating_sub(2) }
    }

    const fn pixels(self) -> u32 {
        self.rows.saturating_mul(self.cols)
    }
}

/// What a convolution makes of an image, step by step; empty images where the geometry makes no sense.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// After the mean of blocks: what the first layer takes.
    pub input: Area,
    /// After the first layer.
    pub first: Area,
    /// After the last layer, which is the first one where there is no second.
    pub last: Area,
    /// After pooling: what every filter of the last layer contributes to the features.
    pub output: Area,
}

/// The sizes that follow from the metadata, where there is a convolution.
impl Meta {
    /// The images between the steps.
    #[must_use]
    pub fn grid(&self) -> Grid {
        let blocks = |pixels: u32, block: u8| pixels.checked_div(block.into()).unwrap_or(0);
        let input = Area { rows: blocks(self.rows, self.pool_rows), cols: blocks(self.cols, self.pool_cols) };
        let first = input.filtered();
        let last = if self.filters2 == 0 { first } else { first.filtered() };
        let output = if self.stats == 0 { last } else { Area { rows: last.rows / 2, cols: last.cols / 2 } };
        Grid { input, first, last, output }
    }

    /// Filters of the last layer.
    #[must_use]
    #[inline]
    pub const fn last_filters(&self) -> u8 {
        if self.filters2 == 0 { self.filters } else { self.filters2 }
    }

    /// Shift of a layer's outputs, 0 or 1; INT only.
    #[must_use]
    #[inline]
    pub const fn filter_shift(&self, layer: u8) -> u8 {
        self.segments >> (4 * (layer & 1)) & 15
    }

    /// Features that a convolution gives; zero where the geometry makes no sense.
    pub(crate) fn convolved(&self) -> u32 {
        let grid = self.grid();
        let whole = grid.input.rows.wrapping_mul(self.pool_rows.into()) == self.rows
            && grid.input.cols.wrapping_mul(self.pool_cols.into()) == self.cols
            && self.pool_rows.max(self.pool_cols) <= LARGEST_BLOCK;
        // Beyond 255 channels sizes of filters could overflow.
        if !whole || self.channels > 255 {
            return 0;
        }
        // Means of blocks are not more than 32 bits count; a product beyond saturates, and then is refused as too large.
        grid.output.pixels().saturating_mul(self.last_filters().into())
    }

    /// Words of the filters of both layers.
    pub(crate) fn filter_words(&self, int: bool) -> u32 {
        let layer = |filters: u8, weights: u32, bytes: u32| {
            let filters = u32::from(filters);
            // A bias per filter, and in integers a multiplier of 16 bits.
            if int { (filters * bytes).div_ceil(4) + filters.div_ceil(2) + filters } else { filters * (weights + 1) }
        };
        let (first, second) = (9 * self.channels.min(255), 9 * u32::from(self.filters));
        layer(self.filters, first, first) + layer(self.filters2, second, nibble_bytes(second))
    }

    /// Words of the rows of both layers that a reader keeps: in integers three pairs of rows side by side, filled up to
    /// an even number of columns, in floats four rows.
    #[must_use]
    pub fn strip_words(&self, int: bool) -> [u32; 2] {
        let grid = self.grid();
        let words = |channels: u32, cols: u32| {
            let each = if int { cols.saturating_add(1) / 2 * 2 } else { cols };
            each.saturating_mul(if int { 3 } else { 4 }).saturating_mul(channels)
        };
        let second = if self.filters2 == 0 { 0 } else { words(self.filters.into(), grid.first.cols) };
        [words(self.channels, grid.input.cols), second]
    }
}

/// Bytes that hold so many weights of 4 bits.
#[must_use]
#[inline]
pub const fn nibble_bytes(weights: u32) -> u32 {
    weights.div_ceil(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meta::code;

    fn digits() -> Meta {
        Meta {
            shape: code::SHAPE_CONVOLUTION,
            rows: 28,
            cols: 28,
            channels: 1,
            pool_rows: 2,
            pool_cols: 2,
            filters: 8,
            filters2: 8,
            stats: code::PICK_MAX,
            ..Meta::default()
        }
    }

    #[test]
    fn images_shrink_by_two_a_layer() {
        let area = |rows, cols| Area { rows, cols };
        let grid = digits().grid();
        assert_eq!(grid, Grid { input: area(14, 14), first: area(12, 12), last: area(10, 10), output: area(5, 5) });
        assert_eq!(digits().convolved(), 200);
        assert_eq!(Meta { filters2: 0, ..digits() }.convolved(), 8 * 36);
        assert_eq!(Meta { stats: 0, ..digits() }.convolved(), 800);
    }

    #[test]
    fn images_too_small_for_their_filters_give_nothing() {
        assert_eq!(Meta { rows: 2, cols: 2, pool_rows: 1, pool_cols: 1, ..digits() }.convolved(), 0);
        assert_eq!(Meta { pool_rows: 3, ..digits() }.convolved(), 0);
        assert_eq!(Meta { pool_rows: 0, ..digits() }.convolved(), 0);
        assert_eq!(Meta { rows: 280, pool_rows: 28, ..digits() }.convolved(), 0);
        assert_eq!(Meta { channels: 256, ..digits() }.convolved(), 0);
    }

    #[test]
    fn filters_and_rows_of_digits_are_counted() {
        // Weights of 9 and 36 bytes a filter; eight multipliers in four words and eight biases a layer.
        assert_eq!(digits().filter_words(true), 8 * 9 / 4 + 12 + 8 * 36 / 4 + 12);
        assert_eq!(digits().filter_words(false), 8 * 10 + 8 * 73);
        assert_eq!(digits().strip_words(true), [3 * 14, 3 * 8 * 12]);
        assert_eq!(digits().strip_words(false), [4 * 14, 4 * 8 * 12]);
    }
}
