//! Sums over rows of bytes, four rows at once: the inner loops behind projections, kernels and readouts.
//!
//! A block holds four inputs of four rows, a word per row; `x` holds four inputs a word. With the feature `dsp` two
//! multiplications go into one instruction, and a call computes several tiles of four rows. Wrapping sums have the same
//! bits in any order.

use crate::slices::take;

/// Four rows, four inputs of each in a word.
pub(crate) type Block = [u32; 4];

/// Tiles of four rows that a call computes, at most.
///
/// The instructions of `dsp` need inputs taken apart, once for all rows of a call: with eight tiles instead of six a model
/// of 100 centers takes 1.5 % fewer instructions and more than 1024 bytes of stack. RISC-V gains 0.6 % by four. On the
/// others calls cost little, and a loop less saves 470 bytes of flash and 200 of stack.
pub(crate) const TILES: usize = if cfg!(feature = "dsp") {
    6
} else if cfg!(target_arch = "riscv32") {
    4
} else {
    1
};

/// Room for the sums of a call. (Filled with ones: zeros would link `memset`.)
#[inline(always)]
pub(crate) fn room<const B: usize>() -> [[i32; B]; 4 * TILES] {
    [[1; B]; 4 * TILES]
}

/// Rows of a matrix, four after four.
#[derive(Copy, Clone)]
pub(crate) struct Rows<'a> {
    pub(crate) blocks: &'a [Block],
    /// Weights of 4 bits: blocks of four rows by eight inputs. Of each byte the lower half belongs to the first four.
    pub(crate) nibbles: bool,
}

/// The upper halves of bytes.
pub(crate) const UPPER: u32 = 0xF0F0_F0F0;

impl<'a> Rows<'a> {
    pub(crate) fn new(words: &'a [u32], nibbles: bool) -> Self {
        Self { blocks: words.as_chunks().0, nibbles: nibbles && cfg!(feature = "nibbles") }
    }

    /// The next rows, four for each of `tiles`, where a row has as many inputs as so many words.
    #[inline(always)]
    pub(crate) fn take(&mut self, tiles: usize, words: usize) -> Self {
        let each = if self.nibbles { words.div_ceil(2) } else { words };
        Self { blocks: take(&mut self.blocks, each.wrapping_mul(tiles)), ..*self }
    }
}

/// Sums of one sample as words.
pub(crate) fn words(sums: &mut [[[i32; 1]; 4]]) -> &mut [[u32; 4]] {
    bytemuck::try_cast_slice_mut(sums).unwrap_or_default()
}

#[cfg(feature = "dsp")]
pub(crate) use dsp::{add_i4, products_i8, squared_distances};
#[cfg(feature = "dsp")]
pub(crate) use nearmark_dsp::{add_i8, add_i16, l1_distances, widen};

#[cfg(not(feature = "dsp"))]
pub(crate) use self::portable::{add_i4, add_i8, add_i16, l1_distances, products_i8, squared_distances, widen};

/// The functions of the instructions, by how rows are stored.
#[cfg(feature = "dsp")]
mod dsp {
    use super::Rows;

    #[inline(always)]
    pub(crate) fn products_i8(rows: Rows<'_>, x: &[u32], all: &mut [[u32; 4]]) {
        if rows.nibbles {
            nearmark_dsp::products_i4(rows.blocks, x, all);
        } else {
            nearmark_dsp::products_i8(rows.blocks, x, all);
        }
    }

    #[inline(always)]
    pub(crate) fn squared_distances(rows: Rows<'_>, x: &[u32], all: &mut [[u32; 4]]) {
        if rows.nibbles {
            nearmark_dsp::squared_distances_u4(rows.blocks, x, all);
        } else {
            nearmark_dsp::squared_distances(rows.blocks, x, all);
        }
    }

    /// Values never start in the middle of a word: all calls but the last take an even number of tiles.
    #[inline(always)]
    pub(crate) fn add_i4(values: &[[u32; 2]], weights: &[u32], _odd: bool, z: &mut [i32]) {
        nearmark_dsp::add_i4(values, weights, z);
    }
}

#[cfg(not(feature = "dsp"))]
mod portable {
    use super::{Block, Rows};
    use crate::slices::take;

    /// Whether the core takes bytes and halves out of a word for nothing: Arm with the Thumb-2 instructions does. Others
    /// load each of them. (Only stable properties of a target can be asked for; cores with Thumb-1 have no atomics.)
    const SPLITS_WORDS: bool = cfg!(all(target_arch = "arm", target_has_atomic = "32"));

    /// Byte `j` of a word.
    #[inline(always)]
    fn byte(word: &u32, j: usize) -> u8 {
        if SPLITS_WORDS { (word >> (8 * j)) as u8 } else { bytemuck::cast_ref::<u32, [u8; 4]>(word)[j] }
    }

    /// `Σⱼ term(xⱼ, rowⱼ)` for four rows a sum.
    ///
    /// Written out: at `opt-level = "s"` loops of four would stay loops, with sums in memory.
    #[inline(always)]
    fn sums(mut rows: &[Block], x: &[u32], all: &mut [[u32; 4]], term: impl Fn(u8, u8) -> u32) {
        for all in all {
            let [mut s0, mut s1, mut s2, mut s3] = [0u32; 4];
            for ([r0, r1, r2, r3], x) in take(&mut rows, x.len()).iter().zip(x) {
                let mut add = |j: usize| {
                    let x = byte(x, j);
                    s0 = s0.wrapping_add(term(x, byte(r0, j)));
                    s1 = s1.wrapping_add(term(x, byte(r1, j)));
                    s2 = s2.wrapping_add(term(x, byte(r2, j)));
                    s3 = s3.wrapping_add(term(x, byte(r3, j)));
                };
                add(0);
                add(1);
                add(2);
                add(3);
            }
            *all = [s0, s1, s2, s3];
        }
    }

    /// The same for weights of 4 bits: `term` takes the byte of a row that holds the weight, in the half that the loop is
    /// for. Two loops, since the registers do not suffice for one.
    #[inline(always)]
    fn nibble_sums(
        mut rows: &[Block],
        x: &[u32],
        all: &mut [[u32; 4]],
        lower: impl Fn(u8, u8) -> u32,
        upper: impl Fn(u8, u8) -> u32,
    ) {
        for all in all {
            let tile = take(&mut rows, x.len().div_ceil(2));
            *all = [0; 4];
            half_sums(tile, x.iter().step_by(2), all, &lower);
            // Where their number is odd, the last inputs have no other half.
            half_sums(tile, x.iter().skip(1).step_by(2), all, &upper);
        }
    }

    #[inline(always)]
    fn half_sums<'x>(
        rows: &[Block],
        x: impl Iterator<Item = &'x u32>,
        [s0, s1, s2, s3]: &mut [u32; 4],
        term: impl Fn(u8, u8) -> u32,
    ) {
        let [mut t0, mut t1, mut t2, mut t3] = [*s0, *s1, *s2, *s3];
        for ([r0, r1, r2, r3], x) in rows.iter().zip(x) {
            let mut add = |j: usize| {
                let x = byte(x, j);
                t0 = t0.wrapping_add(term(x, byte(r0, j)));
                t1 = t1.wrapping_add(term(x, byte(r1, j)));
                t2 = t2.wrapping_add(term(x, byte(r2, j)));
                t3 = t3.wrapping_add(term(x, byte(r3, j)));
            };
            add(0);
            add(1);
            add(2);
            add(3);
        }
        (*s0, *s1, *s2, *s3) = (t0, t1, t2, t3);
    }

    /// Inner products of signed bytes, four rows a sum.
    #[inline(always)]
    pub(crate) fn products_i8(rows: Rows<'_>, x: &[u32], all: &mut [[u32; 4]]) {
        if rows.nibbles { products_of_nibbles(rows.blocks, x, all) } else { products(rows.blocks, x, all) }
    }

    #[inline(never)] // keeps the registers of its caller out of the loop
    fn products(rows: &[Block], x: &[u32], all: &mut [[u32; 4]]) {
        sums(rows, x, all, product);
    }

    #[inline(never)]
    fn products_of_nibbles(rows: &[Block], x: &[u32], all: &mut [[u32; 4]]) {
        // A sixteenth of the products, since signed numbers of 4 bits are had as easily.
        nibble_sums(
            rows,
            x,
            all,
            |x, pair| (i32::from(x as i8) * (i32::from(pair) << 28 >> 28)) as u32,
            |x, pair| (i32::from(x as i8) * (i32::from(pair as i8) >> 4)) as u32,
        );
        for sum in all.as_flattened_mut() {
            *sum <<= 4;
        }
    }

    #[inline(always)]
    fn product(x: u8, w: u8) -> u32 {
        (i32::from(x as i8) * i32::from(w as i8)) as u32
    }

    /// Squared distances of unsigned bytes, four rows a sum.
    #[inline(always)]
    pub(crate) fn squared_distances(rows: Rows<'_>, x: &[u32], all: &mut [[u32; 4]]) {
        if rows.nibbles { distances_to_nibbles(rows.blocks, x, all) } else { distances(rows.blocks, x, all) }
    }

    #[inline(never)]
    fn distances(rows: &[Block], x: &[u32], all: &mut [[u32; 4]]) {
        sums(rows, x, all, square);
    }

    #[inline(never)]
    fn distances_to_nibbles(rows: &[Block], x: &[u32], all: &mut [[u32; 4]]) {
        nibble_sums(rows, x, all, |x, pair| square(x, pair << 4), |x, pair| square(x, pair & 0xF0));
    }

    #[inline(always)]
    fn square(x: u8, c: u8) -> u32 {
        let gap = i32::from(x) - i32::from(c);
        (gap * gap) as u32
    }

    /// L1 distances of unsigned bytes, four rows a sum.
    #[inline(never)]
    pub(crate) fn l1_distances(rows: &[Block], x: &[u32], all: &mut [[u32; 4]]) {
        sums(rows, x, all, |x, c| x.abs_diff(c).into());
    }

    /// `z += Σ kᵢ aᵢ` for values and weights of 16 bits, four values after the other.
    #[inline(always)]
    pub(crate) fn add_i16(values: &[[u32; 2]], mut weights: &[[u32; 2]], z: &mut [i32]) {
        for values in values {
            let [k0, k1, k2, k3] = halves(values);
            let weights = take(&mut weights, z.len());
            for (z, weights) in z.iter_mut().zip(weights) {
                let [a0, a1, a2, a3] = halves(weights);
                let near = (k0 * a0).wrapping_add(k1 * a1);
                let far = (k2 * a2).wrapping_add(k3 * a3);
                *z = z.wrapping_add(near.wrapping_add(far));
            }
        }
    }

    /// Four numbers of 16 bits.
    #[inline(always)]
    fn halves(words: &[u32; 2]) -> [i32; 4] {
        if cfg!(target_arch = "riscv32") {
            // One load each.
            let &[a0, a1, a2, a3]: &[i16; 4] = bytemuck::cast_ref(words);
            [a0.into(), a1.into(), a2.into(), a3.into()]
        } else {
            // A Cortex-M0 loads no signed half at an offset, and others multiply by either half of a word.
            let &[low, high] = words;
            [low as i16 as i32, low as i32 >> 16, high as i16 as i32, high as i32 >> 16]
        }
    }

    /// Four signed bytes as numbers of 16 bits, in order.
    #[inline(always)]
    pub(crate) fn widen(word: u32) -> [u32; 2] {
        let half = |j| u32::from(i16::from(byte(&word, j) as i8) as u16);
        [half(0) | half(1) << 16, half(2) | half(3) << 16]
    }

    /// As [`add_i16`] with weights of 8 bits.
    #[inline(always)]
    pub(crate) fn add_i8(values: &[[u32; 2]], mut weights: &[u32], z: &mut [i32]) {
        for values in values {
            let [k0, k1, k2, k3] = halves(values);
            let weights = take(&mut weights, z.len());
            for (z, weights) in z.iter_mut().zip(weights) {
                let a = |j| i32::from(byte(weights, j) as i8);
                *z = z.wrapping_add(k0 * a(0) + k1 * a(1) + (k2 * a(2) + k3 * a(3)));
            }
        }
    }

    /// As [`add_i16`] with weights of 4 bits, eight values a word; the first four here are the other half of a word
    /// where `odd`.
    #[inline(always)]
    pub(crate) fn add_i4(values: &[[u32; 2]], mut weights: &[u32], odd: bool, z: &mut [i32]) {
        let mut lower = !odd;
        for values in values {
            let ([k0, k1, k2, k3], shift) = (halves(values), if lower { 0 } else { 4 });
            for (z, weights) in z.iter_mut().zip(weights) {
                let weights = weights >> shift;
                let a = |j| (weights << (28 - 8 * j)) as i32 >> 28;
                *z = z.wrapping_add((k0 * a(0) + k1 * a(1) + (k2 * a(2) + k3 * a(3))) << 4);
            }
            if !lower {
                take(&mut weights, z.len());
            }
            lower = !lower;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_one_block_can_be_checked_by_hand() {
        let x = [u32::from_le_bytes([1, 2, 3, 255])];
        let rows = [[1, 0, 0, 0], [0, 1, 1, 0], [255, 0, 0, 255], [1, 2, 3, 255]].map(u32::from_le_bytes);
        let rows = [rows, rows.map(|row| row & 0xFF)];
        let rows = Rows { blocks: &rows, nibbles: false };
        let mut sums = [[9; 4]; 2];
        products_i8(rows, &x, &mut sums);
        assert_eq!(sums.map(|sums| sums.map(u32::cast_signed)), [[1, 5, -1 + 1, 15], [1, 0, -1, 1]]);
        squared_distances(rows, &x, &mut sums);
        let far = 4 + 9 + 255 * 255;
        assert_eq!(sums[0], [far, 1 + 1 + 4 + 255 * 255, 254 * 254 + 4 + 9, 0]);
        assert_eq!(sums[1], [far, 1 + far, 254 * 254 + far, far]);
        l1_distances(rows.blocks, &x, &mut sums);
        assert_eq!(sums[0], [2 + 3 + 255, 1 + 1 + 2 + 255, 254 + 2 + 3, 0]);
    }

    #[test]
    fn nibbles_are_the_upper_halves_of_bytes() {
        // Inputs 0 to 3 with the lower halves, 4 to 7 with the upper ones; an odd word has no upper halves.
        let x = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 0, 0, 0]].map(u32::from_le_bytes);
        let row = u32::from_le_bytes([0x21, 0, 0, 0xF0]);
        let blocks = [[row, 0, 0, 0], [0x0F, 0, 0, 0]];
        let rows = Rows { blocks: &blocks, nibbles: true };
        let mut sums = [[9; 4]];
        products_i8(rows, &x, &mut sums);
        assert_eq!(sums[0].map(u32::cast_signed), [16 * (1 + 2 * 5 - 8 - 9), 0, 0, 0]);
        squared_distances(rows, &x, &mut sums);
        let near = 15 * 15 + 2 * 2 + 3 * 3 + 4 * 4;
        let far = 27 * 27 + 6 * 6 + 7 * 7 + 232 * 232;
        assert_eq!(sums[0][0], near + far + 231 * 231);
        let values = [[1, 0], [0x0002_0000, 0x0003_0000]];
        let mut z = [0, 1];
        add_i4(&values, &[0x1000_2F07, 0x0000_0001], false, &mut z);
        assert_eq!(z, [16 * (7 + 2 * 2 + 3), 1 + 16]);
        let mut z = [0];
        add_i4(&values[1..], &[0x1000_2F07], true, &mut z);
        assert_eq!(z, [16 * (2 * 2 + 3)]);
    }

    #[test]
    fn four_weights_are_added_to_each_coordinate() {
        let values = [widen(u32::from_le_bytes([1, 254, 3, 252])), [0x7FFF, 0]];
        let mut z = [100, -100];
        add_i16(&values, &[[0x0002_0001, 0x0004_0003], [0xFFFF_0000, 0], [1, 9], [0x8000, 9]], &mut z);
        assert_eq!(z, [100 + 1 - 4 + 9 - 16 + 32767, -100 + 2 - 32767 * 32768]);
        add_i8(&values, &[[1, 2, 3, 255], [0; 4], [255, 9, 9, 9], [0; 4]].map(u32::from_le_bytes), &mut z);
        assert_eq!(z[0], 32857 + 1 - 4 + 9 + 4 - 32767);
    }
}
