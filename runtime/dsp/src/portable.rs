//! The same functions in plain Rust: what the instructions are compared with.

use crate::Block;

fn sums<T: Copy>(rows: &[Block], x: &[u32], all: &mut [[u32; 4]], bytes: fn(u32) -> [T; 4], term: fn(T, T) -> i32) {
    all.fill([0; 4]);
    for (all, tile) in all.iter_mut().zip(rows.chunks_exact(x.len().max(1))) {
        for (block, &x) in tile.iter().zip(x) {
            for (sum, &row) in all.iter_mut().zip(block) {
                for (x, c) in bytes(x).into_iter().zip(bytes(row)) {
                    *sum = sum.wrapping_add(term(x, c) as u32);
                }
            }
        }
    }
}

fn signed(word: u32) -> [i8; 4] {
    word.to_le_bytes().map(|byte| byte as i8)
}

fn halves([low, high]: [u32; 2]) -> [i16; 4] {
    [low as i16, (low >> 16) as i16, high as i16, (high >> 16) as i16]
}

/// Inner products of `x` with four rows a sum, signed bytes.
pub fn products_i8(rows: &[Block], x: &[u32], all: &mut [[u32; 4]]) {
    sums(rows, x, all, signed, |x, c| i32::from(x) * i32::from(c));
}

/// Squared distances of `x` to four rows a sum, unsigned bytes.
pub fn squared_distances(rows: &[Block], x: &[u32], all: &mut [[u32; 4]]) {
    sums(rows, x, all, u32::to_le_bytes, |x, c| (i32::from(x) - i32::from(c)) * (i32::from(x) - i32::from(c)));
}

/// L1 distances of `x` to four rows a sum, unsigned bytes.
pub fn l1_distances(rows: &[Block], x: &[u32], all: &mut [[u32; 4]]) {
    sums(rows, x, all, u32::to_le_bytes, |x, c| (i32::from(x) - i32::from(c)).abs());
}

/// A row of 4-bit weights as two rows of bytes.
fn halves_of_bytes(word: u32) -> [u32; 2] {
    [word << 4 & 0xF0F0_F0F0, word & 0xF0F0_F0F0]
}

fn nibble_sums<T: Copy>(
    rows: &[Block],
    x: &[u32],
    all: &mut [[u32; 4]],
    bytes: fn(u32) -> [T; 4],
    term: fn(T, T) -> i32,
) {
    all.fill([0; 4]);
    for (all, tile) in all.iter_mut().zip(rows.chunks_exact(x.len().div_ceil(2).max(1))) {
        for (block, x) in tile.iter().zip(x.chunks(2)) {
            for (sum, &row) in all.iter_mut().zip(block) {
                // Beyond the last word there are zeros.
                for (&x, row) in x.iter().chain([&0]).zip(halves_of_bytes(row)) {
                    for (x, c) in bytes(x).into_iter().zip(bytes(row)) {
                        *sum = sum.wrapping_add(term(x, c) as u32);
                    }
                }
            }
        }
    }
}

/// As [`products_i8`] with weights of 4 bits.
pub fn products_i4(rows: &[Block], x: &[u32], all: &mut [[u32; 4]]) {
    nibble_sums(rows, x, all, signed, |x, c| i32::from(x) * i32::from(c));
}

/// As [`squared_distances`] with rows of 4 bits.
pub fn squared_distances_u4(rows: &[Block], x: &[u32], all: &mut [[u32; 4]]) {
    nibble_sums(rows, x, all, u32::to_le_bytes, |x, c| (i32::from(x) - i32::from(c)) * (i32::from(x) - i32::from(c)));
}

/// `z += Σ kᵢ aᵢ` for values of 16 bits, four in two words; a coordinate's four weights of 16 bits in two words.
pub fn add_i16(values: &[[u32; 2]], weights: &[[u32; 2]], z: &mut [i32]) {
    for (&values, weights) in values.iter().zip(weights.chunks(z.len().max(1))) {
        for (z, &weights) in z.iter_mut().zip(weights) {
            for (value, weight) in halves(values).into_iter().zip(halves(weights)) {
                *z = z.wrapping_add(i32::from(value) * i32::from(weight));
            }
        }
    }
}

/// The same with weights of 8 bits, in one word.
pub fn add_i8(values: &[[u32; 2]], weights: &[u32], z: &mut [i32]) {
    for (&values, weights) in values.iter().zip(weights.chunks(z.len().max(1))) {
        for (z, &word) in z.iter_mut().zip(weights) {
            for (value, weight) in halves(values).into_iter().zip(signed(word)) {
                *z = z.wrapping_add(i32::from(value) * i32::from(weight));
            }
        }
    }
}

/// The same with weights of 4 bits: a coordinate's eight weights for two groups of four values in a word.
pub fn add_i4(values: &[[u32; 2]], weights: &[u32], z: &mut [i32]) {
    for (values, weights) in values.chunks(2).zip(weights.chunks(z.len().max(1))) {
        for (z, &word) in z.iter_mut().zip(weights) {
            for (&values, bytes) in values.iter().zip(halves_of_bytes(word)) {
                for (value, weight) in halves(values).into_iter().zip(signed(bytes)) {
                    *z = z.wrapping_add(i32::from(value) * i32::from(weight));
                }
            }
        }
    }
}

/// Four signed bytes as numbers of 16 bits, in order.
#[must_use]
pub fn widen(word: u32) -> [u32; 2] {
    let [v0, v1, v2, v3] = signed(word).map(|v| u32::from(i16::from(v) as u16));
    [v0 | v1 << 16, v2 | v3 << 16]
}

/// Sums of one filter whose weights have 4 bits, the low nibble of a byte first, over words that hold two pixels of 8 bits as
/// halves: of the `left` words the lower and the upper halves, then of the `right` ones.
#[must_use]
pub fn pair_sums(weights: &[u8], left: &[u32], right: &[u32]) -> [i32; 4] {
    let mut sums = [0i32; 4];
    for (at, (&left, &right)) in left.iter().zip(right).enumerate() {
        let byte = weights.get(at / 2).map_or(0, |byte| *byte);
        let weight = i32::from((byte << (4 - at % 2 * 4)) as i8 >> 4);
        for (sum, pixel) in sums.iter_mut().zip([left & 0xFFFF, left >> 16, right & 0xFFFF, right >> 16]) {
            *sum = sum.wrapping_add(weight.wrapping_mul(pixel as i32));
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_one_block_can_be_checked_by_hand() {
        let x = [u32::from_le_bytes([1, 2, 3, 255])];
        let rows = [[1, 0, 0, 0], [0, 1, 1, 0], [255, 0, 0, 255], [1, 2, 3, 255]].map(u32::from_le_bytes);
        let mut sums = [[9; 4]; 2];
        products_i8(&[rows, [0; 4]], &x, &mut sums);
        assert_eq!(sums.map(|sums| sums.map(u32::cast_signed)), [[1, 5, -1 + 1, 15], [0; 4]]);
        squared_distances(&[rows], &x, &mut sums);
        assert_eq!(sums[0][3], 0);
        products_i4(&[rows], &[x[0], x[0]], &mut sums[..1]);
        // Lower halves of 1, 2, 3, 255 are 16, 32, 48 and −16; upper halves 0, 0, 0 and −16.
        assert_eq!(sums[0][3].cast_signed(), 16 + 2 * 32 + 3 * 48 + 16 + 16);
        squared_distances_u4(&[rows], &x, &mut sums[..1]);
        assert_eq!(sums[0][0], 15 * 15 + 4 + 9 + 255 * 255);
        l1_distances(&[rows], &x, &mut sums);
        assert_eq!(sums[0], [2 + 3 + 255, 1 + 1 + 2 + 255, 254 + 2 + 3, 0]);
    }

    #[test]
    fn four_weights_are_added_to_each_coordinate() {
        let values = [[0xFFFE_0001, 0xFFFC_0003], [0x7FFF, 0]];
        let mut z = [100, -100];
        add_i16(&values, &[[0x0002_0001, 0x0004_0003], [0xFFFF_0000, 0], [1, 9], [0; 2]], &mut z);
        assert_eq!(z, [100 + 1 - 4 + 9 - 16 + 32767, -100 + 2]);
        add_i8(&values, &[u32::from_le_bytes([1, 2, 3, 255]), 0, 255, 0], &mut z);
        assert_eq!(z[0], 32857 + 1 - 4 + 9 + 4 - 32767);
        add_i4(&values, &[0x0000_0021, 0], &mut z);
        assert_eq!(z[0], 100 + 16 + 32 * 32767);
    }
}
