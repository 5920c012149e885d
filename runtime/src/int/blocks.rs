//! Sums over rows of bytes, four rows at once: the inner loops behind projections, kernels and readouts.
//!
//! A block holds four inputs of four rows, a word per row; `x` holds four inputs a word. With the feature `dsp` two
//! multiplications go into one instruction, and a call computes several tiles of four rows. Wrapping sums have the same
//! bits in any order.

/// Four rows, four inputs of each in a word.
pub(crate) type Block = [u32; 4];

/// Tiles of four rows that a call computes, at most.
///
/// The instructions of `dsp` need inputs taken apart, once for all rows of a call. Without them calls cost little, and
/// a loop less saves 470 bytes of flash and 200 of stack.
pub(crate) const TILES: usize = if cfg!(feature = "dsp") { 8 } else { 1 };

/// Room for the sums of a call. (Filled with ones: zeros would link `memset`.)
#[inline(always)]
pub(crate) fn room<const B: usize>() -> [[i32; B]; 4 * TILES] {
    [[1; B]; 4 * TILES]
}

/// Words as blocks.
pub(crate) fn of(words: &[u32]) -> &[Block] {
    words.as_chunks().0
}

/// Sums of one sample as words.
pub(crate) fn words(sums: &mut [[[i32; 1]; 4]]) -> &mut [[u32; 4]] {
    bytemuck::try_cast_slice_mut(sums).unwrap_or_default()
}

#[cfg(feature = "dsp")]
pub(crate) use nearmark_dsp::{add_i8, add_i16, l1_distances, products_i8, squared_distances, widen};

#[cfg(not(feature = "dsp"))]
pub(crate) use self::portable::{add_i8, add_i16, l1_distances, products_i8, squared_distances, widen};

#[cfg(not(feature = "dsp"))]
mod portable {
    use super::Block;
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

    /// Inner products of signed bytes, four rows a sum.
    #[inline(never)] // keeps the registers of its caller out of the loop
    pub(crate) fn products_i8(rows: &[Block], x: &[u32], all: &mut [[u32; 4]]) {
        sums(rows, x, all, |x, w| (i32::from(x as i8) * i32::from(w as i8)) as u32);
    }

    /// Squared distances of unsigned bytes, four rows a sum.
    #[inline(never)]
    pub(crate) fn squared_distances(rows: &[Block], x: &[u32], all: &mut [[u32; 4]]) {
        sums(rows, x, all, |x, c| {
            let gap = i32::from(x) - i32::from(c);
            (gap * gap) as u32
        });
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_one_block_can_be_checked_by_hand() {
        let x = [u32::from_le_bytes([1, 2, 3, 255])];
        let rows = [[1, 0, 0, 0], [0, 1, 1, 0], [255, 0, 0, 255], [1, 2, 3, 255]].map(u32::from_le_bytes);
        let rows = [rows, rows.map(|row| row & 0xFF)];
        let mut sums = [[9; 4]; 2];
        products_i8(&rows, &x, &mut sums);
        assert_eq!(sums.map(|sums| sums.map(u32::cast_signed)), [[1, 5, -1 + 1, 15], [1, 0, -1, 1]]);
        squared_distances(&rows, &x, &mut sums);
        let far = 4 + 9 + 255 * 255;
        assert_eq!(sums[0], [far, 1 + 1 + 4 + 255 * 255, 254 * 254 + 4 + 9, 0]);
        assert_eq!(sums[1], [far, 1 + far, 254 * 254 + far, far]);
        l1_distances(&rows, &x, &mut sums);
        assert_eq!(sums[0], [2 + 3 + 255, 1 + 1 + 2 + 255, 254 + 2 + 3, 0]);
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
