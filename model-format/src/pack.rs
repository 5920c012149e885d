//! Row-major arrays into the order in which the device reads them, and back.

use alloc::{vec, vec::Vec};

/// `[⌈rows⌉₄/4][width][4]`: four rows side by side, so that one pass over flash feeds four sums.
pub(crate) fn quads<T: Copy + Default>(values: &[T], width: usize) -> Vec<T> {
    let rows = values.len() / width;
    let mut out = vec![T::default(); rows.next_multiple_of(4) * width];
    for (at, index) in quad_order(rows, width) {
        out[index] = values[at];
    }
    out
}

/// Undoes [`quads`] for `rows` rows.
pub(crate) fn unquads<T: Copy>(values: &[T], rows: usize, width: usize) -> Vec<T> {
    quad_order(rows, width).map(|(_, index)| values[index]).collect()
}

/// Row-major position and interleaved position of every value, row by row.
fn quad_order(rows: usize, width: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..rows * width).map(move |at| {
        let (row, col) = (at / width, at % width);
        (at, (row / 4 * width + col) * 4 + row % 4)
    })
}

/// `[⌈rows⌉₄/4][⌈width⌉₄/4][4 rows][4 inputs]`: a word holds four inputs of one row.
pub(crate) fn tiles<T: Copy + Default>(values: &[T], width: usize) -> Vec<T> {
    let rows = values.len() / width;
    let mut out = vec![T::default(); rows.next_multiple_of(4) * width.next_multiple_of(4)];
    for (at, index) in tile_order(rows, width) {
        out[index] = values[at];
    }
    out
}

/// Undoes [`tiles`] for `rows` rows.
pub(crate) fn untiles<T: Copy>(values: &[T], rows: usize, width: usize) -> Vec<T> {
    tile_order(rows, width).map(|(_, index)| values[index]).collect()
}

fn tile_order(rows: usize, width: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..rows * width).map(move |at| {
        let (row, col) = (at / width, at % width);
        (at, ((row / 4 * width.div_ceil(4) + col / 4) * 4 + row % 4) * 4 + col % 4)
    })
}

/// A sparse matrix as stored: values per row, inputs skipped before each value, values.
pub(crate) struct SparseRows<T> {
    pub(crate) counts: Vec<u16>,
    pub(crate) gaps: Vec<u8>,
    pub(crate) values: Vec<T>,
}

/// Stores what is not zero; a gap of more than 255 is bridged by explicit zeros.
pub(crate) fn sparse<T: Copy + Default + PartialEq>(values: &[T], width: usize) -> Option<SparseRows<T>> {
    let mut out = SparseRows { counts: Vec::new(), gaps: Vec::new(), values: Vec::new() };
    for row in values.chunks_exact(width) {
        let start = out.values.len();
        let mut next = 0;
        for (col, &value) in row.iter().enumerate().filter(|(_, v)| **v != T::default()) {
            while col - next > 255 {
                out.gaps.push(255);
                out.values.push(T::default());
                next += 256;
            }
            out.gaps.push((col - next) as u8);
            out.values.push(value);
            next = col + 1;
        }
        out.counts.push(u16::try_from(out.values.len() - start).ok()?);
    }
    Some(out)
}

/// Undoes [`sparse`].
pub(crate) fn unsparse<T: Copy + Default>(counts: &[u16], gaps: &[u8], values: &[T], width: usize) -> Vec<T> {
    let mut out = vec![T::default(); counts.len() * width];
    let mut entries = gaps.iter().zip(values);
    for (&count, row) in counts.iter().zip(out.chunks_exact_mut(width)) {
        let mut next = 0;
        for (&gap, &value) in entries.by_ref().take(usize::from(count)) {
            row[next + usize::from(gap)] = value;
            next += usize::from(gap) + 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_rows_of_two_interleave_by_four() {
        let values: Vec<f32> = (0..10u8).map(f32::from).collect();
        let packed = quads(&values, 2);
        assert_eq!(packed[..8], [0.0, 2.0, 4.0, 6.0, 1.0, 3.0, 5.0, 7.0]);
        assert_eq!(packed[8..], [8.0, 0.0, 0.0, 0.0, 9.0, 0.0, 0.0, 0.0]);
        assert_eq!(unquads(&packed, 5, 2), values);
    }

    #[test]
    fn tiles_pad_both_ways() {
        let values: Vec<i8> = (1..=10).collect();
        let packed = tiles(&values, 5);
        assert_eq!(packed[..8], [1, 2, 3, 4, 6, 7, 8, 9]);
        assert_eq!(packed[16..24], [5, 0, 0, 0, 10, 0, 0, 0]);
        assert_eq!(untiles(&packed, 2, 5), values);
    }

    #[test]
    fn sparse_rows_bridge_long_gaps() {
        let mut values = vec![0i8; 2 * 700];
        values[3] = 5;
        values[699] = -2;
        let packed = sparse(&values, 700).unwrap();
        assert_eq!(packed.counts, [4, 0]);
        assert_eq!(packed.gaps, [3, 255, 255, 183]);
        assert_eq!(packed.values, [5, 0, 0, -2]);
        assert_eq!(unsparse(&packed.counts, &packed.gaps, &packed.values, 700), values);
    }
}
