//! The same functions in plain Rust: what the instructions are compared with.

use crate::Block;

fn sums<T: Copy>(blocks: &[Block], x: &[u32], bytes: fn(u32) -> [T; 4], term: fn(T, T) -> i32) -> [u32; 4] {
    let mut sums = [0u32; 4];
    for (block, &x) in blocks.iter().zip(x) {
        for (sum, &row) in sums.iter_mut().zip(block) {
            for (x, c) in bytes(x).into_iter().zip(bytes(row)) {
                *sum = sum.wrapping_add(term(x, c) as u32);
            }
        }
    }
    sums
}

fn signed(word: u32) -> [i8; 4] {
    word.to_le_bytes().map(|byte| byte as i8)
}

/// Inner products of `x` with four rows, signed bytes.
#[must_use]
pub fn products_i8(blocks: &[Block], x: &[u32]) -> [i32; 4] {
    sums(blocks, x, signed, |x, c| i32::from(x) * i32::from(c)).map(|sum| sum as i32)
}

/// Squared distances of `x` to four rows, unsigned bytes.
#[must_use]
pub fn squared_distances(blocks: &[Block], x: &[u32]) -> [u32; 4] {
    sums(blocks, x, u32::to_le_bytes, |x, c| (i32::from(x) - i32::from(c)) * (i32::from(x) - i32::from(c)))
}

/// L1 distances of `x` to four rows, unsigned bytes.
#[must_use]
pub fn l1_distances(blocks: &[Block], x: &[u32]) -> [u32; 4] {
    sums(blocks, x, u32::to_le_bytes, |x, c| (i32::from(x) - i32::from(c)).abs())
}

/// `z += Σ kᵢ aᵢ` for four values of 16 bits; a coordinate's four weights of 16 bits in two words.
pub fn add_i16(values: [i32; 4], weights: &[[u32; 2]], z: &mut [i32]) {
    for (z, &[low, high]) in z.iter_mut().zip(weights) {
        let weights = [low as i16, (low >> 16) as i16, high as i16, (high >> 16) as i16];
        for (value, weight) in values.into_iter().zip(weights) {
            *z = z.wrapping_add(i32::from(value as i16) * i32::from(weight));
        }
    }
}

/// The same with weights of 8 bits, in one word.
pub fn add_i8(values: [i32; 4], weights: &[u32], z: &mut [i32]) {
    for (z, &word) in z.iter_mut().zip(weights) {
        for (value, weight) in values.into_iter().zip(signed(word)) {
            *z = z.wrapping_add(i32::from(value as i16) * i32::from(weight));
        }
    }
}

/// `z += A x` for packed signed bytes `x`; weights lie as for [`add_i16`], one word of `x` after the other.
pub fn map_i16(x: &[u32], weights: &[[u32; 2]], z: &mut [i32]) {
    for (at, &x) in x.iter().enumerate() {
        let weights = weights.get(at * z.len()..).unwrap_or_default();
        add_i16(signed(x).map(i32::from), weights, z);
    }
}

/// The same with weights of 8 bits.
pub fn map_i8(x: &[u32], weights: &[u32], z: &mut [i32]) {
    for (at, &x) in x.iter().enumerate() {
        let weights = weights.get(at * z.len()..).unwrap_or_default();
        add_i8(signed(x).map(i32::from), weights, z);
    }
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
        assert_eq!(products_i8(&[rows], &x), [1, 5, -1 + 1, 15]);
        assert_eq!(squared_distances(&[rows], &x)[3], 0);
        assert_eq!(l1_distances(&[rows], &x), [2 + 3 + 255, 1 + 1 + 2 + 255, 254 + 2 + 3, 0]);
    }

    #[test]
    fn four_weights_are_added_to_each_coordinate() {
        let mut z = [100, -100];
        add_i16([1, -2, 3, -4], &[[0x0002_0001, 0x0004_0003], [0xFFFF_0000, 0]], &mut z);
        assert_eq!(z, [100 + 1 - 4 + 9 - 16, -100 + 2]);
        add_i8([1, -2, 3, -4], &[u32::from_le_bytes([1, 2, 3, 255])], &mut z);
        assert_eq!(z[0], 90 + 1 - 4 + 9 + 4);
    }
}
