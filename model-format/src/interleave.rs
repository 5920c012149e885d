//! Row-major arrays into the order in which the device reads them, and back.

use alloc::{vec, vec::Vec};

/// `[⌈rows⌉₄/4][width][4]`: four rows side by side, so that one pass over flash feeds four sums.
pub(crate) fn interleave_rows<T: Copy + Default>(values: &[T], width: usize) -> Vec<T> {
    let rows = values.len().checked_div(width).unwrap_or(0);
    let mut out = vec![T::default(); rows.next_multiple_of(4) * width];
    for (at, index) in row_order(rows, width) {
        out[index] = values[at];
    }
    out
}

/// Undoes [`interleave_rows`] for `rows` rows.
pub(crate) fn deinterleave_rows<T: Copy>(values: &[T], rows: usize, width: usize) -> Vec<T> {
    row_order(rows, width).map(|(_, index)| values[index]).collect()
}

/// Row-major position and interleaved position of every value, row by row.
fn row_order(rows: usize, width: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..rows * width).map(move |at| {
        let (row, col) = (at / width, at % width);
        (at, (row / 4 * width + col) * 4 + row % 4)
    })
}

/// `[⌈rows⌉₄/4][⌈width⌉₄/4][4 rows][4 inputs]`: a word holds four inputs of one row.
pub(crate) fn interleave_blocks<T: Copy + Default>(values: &[T], width: usize) -> Vec<T> {
    let rows = values.len().checked_div(width).unwrap_or(0);
    let mut out = vec![T::default(); rows.next_multiple_of(4) * width.next_multiple_of(4)];
    for (at, index) in block_order(rows, width) {
        out[index] = values[at];
    }
    out
}

/// Undoes [`interleave_blocks`] for `rows` rows.
pub(crate) fn deinterleave_blocks<T: Copy>(values: &[T], rows: usize, width: usize) -> Vec<T> {
    block_order(rows, width).map(|(_, index)| values[index]).collect()
}

fn block_order(rows: usize, width: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..rows * width).map(move |at| {
        let (row, col) = (at / width, at % width);
        (at, ((row / 4 * width.div_ceil(4) + col / 4) * 4 + row % 4) * 4 + col % 4)
    })
}

/// The byte and the bits in it where a nibble of a group of eight lies: the first four in the lower halves of four bytes,
/// the others in their upper halves.
fn nibble(at: usize) -> (usize, usize) {
    (at % 4, at % 8 / 4 * 4)
}

/// `[⌈rows⌉₄/4][⌈width⌉₈/8][4 rows][4 bytes]`: a word holds eight inputs of one row, of each the upper half. `None` where
/// a lower half is not zero.
pub(crate) fn interleave_nibbles(values: &[u8], width: usize) -> Option<Vec<u8>> {
    let rows = values.len().checked_div(width).unwrap_or(0);
    let mut out = vec![0; rows.next_multiple_of(4) * width.div_ceil(8) * 4];
    pack(values, &mut out, nibble_order(rows, width))
}

/// Undoes [`interleave_nibbles`] for `rows` rows.
pub(crate) fn deinterleave_nibbles(stored: &[u8], rows: usize, width: usize) -> Vec<u8> {
    nibble_order(rows, width).map(|(byte, shift)| stored[byte] >> shift << 4).collect()
}

fn nibble_order(rows: usize, width: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..rows * width).map(move |at| {
        let (row, col) = (at / width, at % width);
        let (byte, shift) = nibble(col);
        (((row / 4 * width.div_ceil(8) + col / 8) * 4 + row % 4) * 4 + byte, shift)
    })
}

/// `[⌈rows⌉₈/8][width][4 bytes]`: a word holds eight rows of one column, of each the upper half. `None` where a lower half
/// is not zero.
pub(crate) fn interleave_nibble_rows(values: &[u8], width: usize) -> Option<Vec<u8>> {
    let rows = values.len().checked_div(width).unwrap_or(0);
    let mut out = vec![0; rows.div_ceil(8) * width * 4];
    pack(values, &mut out, nibble_row_order(rows, width))
}

/// Undoes [`interleave_nibble_rows`] for `rows` rows.
pub(crate) fn deinterleave_nibble_rows(stored: &[u8], rows: usize, width: usize) -> Vec<u8> {
    nibble_row_order(rows, width).map(|(byte, shift)| stored[byte] >> shift << 4).collect()
}

fn nibble_row_order(rows: usize, width: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..rows * width).map(move |at| {
        let (row, col) = (at / width, at % width);
        let (byte, shift) = nibble(row);
        ((row / 8 * width + col) * 4 + byte, shift)
    })
}

/// Puts the upper half of every value where it belongs.
fn pack(values: &[u8], out: &mut [u8], order: impl Iterator<Item = (usize, usize)>) -> Option<Vec<u8>> {
    for (value, (byte, shift)) in values.iter().zip(order) {
        if value % 16 != 0 {
            return None;
        }
        out[byte] |= value >> 4 << shift;
    }
    Some(out.to_vec())
}

/// A sparse matrix as stored: values per row, inputs skipped before each value, values.
pub(crate) struct SparseRows<T> {
    pub(crate) counts: Vec<u16>,
    pub(crate) gaps: Vec<u8>,
    pub(crate) values: Vec<T>,
}

/// Stores what is not zero; a gap of more than 255 is bridged by explicit zeros.
pub(crate) fn to_sparse<T: Copy + Default + PartialEq>(values: &[T], width: usize) -> Option<SparseRows<T>> {
    let mut out = SparseRows { counts: Vec::new(), gaps: Vec::new(), values: Vec::new() };
    for row in values.chunks_exact(width.max(1)) {
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

/// Undoes [`to_sparse`].
pub(crate) fn to_dense<T: Copy + Default>(counts: &[u16], gaps: &[u8], values: &[T], width: usize) -> Vec<T> {
    let mut out = vec![T::default(); counts.len() * width];
    let mut entries = gaps.iter().zip(values);
    for (&count, row) in counts.iter().zip(out.chunks_exact_mut(width.max(1))) {
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
        let stored = interleave_rows(&values, 2);
        assert_eq!(stored[..8], [0.0, 2.0, 4.0, 6.0, 1.0, 3.0, 5.0, 7.0]);
        assert_eq!(stored[8..], [8.0, 0.0, 0.0, 0.0, 9.0, 0.0, 0.0, 0.0]);
        assert_eq!(deinterleave_rows(&stored, 5, 2), values);
    }

    #[test]
    fn blocks_pad_both_ways() {
        let values: Vec<i8> = (1..=10).collect();
        let stored = interleave_blocks(&values, 5);
        assert_eq!(stored[..8], [1, 2, 3, 4, 6, 7, 8, 9]);
        assert_eq!(stored[16..24], [5, 0, 0, 0, 10, 0, 0, 0]);
        assert_eq!(deinterleave_blocks(&stored, 2, 5), values);
    }

    #[test]
    fn upper_halves_lie_eight_to_a_word() {
        let values: Vec<u8> = (0..18).map(|i| (i % 16) << 4).collect();
        // Two rows of nine inputs.
        let stored = interleave_nibbles(&values, 9).unwrap();
        assert_eq!(stored[..8], [0x40, 0x51, 0x62, 0x73, 0xD9, 0xEA, 0xFB, 0x0C]);
        assert_eq!(stored[16..24], [0x08, 0, 0, 0, 0x01, 0, 0, 0]);
        assert_eq!((stored.len(), deinterleave_nibbles(&stored, 2, 9)), (32, values.clone()));
        // Nine rows of two columns.
        let stored = interleave_nibble_rows(&values, 2).unwrap();
        assert_eq!(stored[..8], [0x80, 0xA2, 0xC4, 0xE6, 0x91, 0xB3, 0xD5, 0xF7]);
        assert_eq!(stored[8..], [0, 0, 0, 0, 1, 0, 0, 0]);
        assert_eq!(deinterleave_nibble_rows(&stored, 9, 2), values);
        assert!(interleave_nibbles(&[16, 8], 2).is_none() && interleave_nibble_rows(&[1], 1).is_none());
    }

    #[test]
    fn sparse_rows_bridge_long_gaps() {
        let mut values = vec![0i8; 2 * 700];
        values[3] = 5;
        values[699] = -2;
        let stored = to_sparse(&values, 700).unwrap();
        assert_eq!(stored.counts, [4, 0]);
        assert_eq!(stored.gaps, [3, 255, 255, 183]);
        assert_eq!(stored.values, [5, 0, 0, -2]);
        assert_eq!(to_dense(&stored.counts, &stored.gaps, &stored.values, 700), values);
    }
}
