//! Sums over four rows of bytes at once: the inner loops behind projections and kernels.
//!
//! A block holds four inputs of four rows, a word per row; `x` holds four inputs a word. Bytes are
//! read one by one here, which every core does well; with the feature `dsp` two multiplications go
//! into one instruction. Wrapping sums have the same bits in any order.

/// Four rows, four inputs of each in a word.
pub(crate) type Block = [u32; 4];

/// Words as blocks.
pub(crate) fn of(words: &[u32]) -> &[Block] {
    words.as_chunks().0
}

#[cfg(feature = "dsp")]
pub(crate) use nearmark_dsp::{add_i8, add_i16, l1_distances, products_i8, squared_distances};

#[cfg(not(feature = "dsp"))]
pub(crate) use self::portable::{add_i8, add_i16, l1_distances, products_i8, squared_distances};

#[cfg(not(feature = "dsp"))]
mod portable {
    use super::Block;

    /// `Σⱼ term(xⱼ, rowⱼ)` for four rows.
    ///
    /// Written out: at `opt-level = "s"` loops of four would stay loops, with sums in memory.
    #[inline(always)]
    fn sums<T: bytemuck::Pod>(blocks: &[Block], x: &[u32], term: impl Fn(T, T) -> u32) -> [u32; 4] {
        let blocks: &[[[T; 4]; 4]] = bytemuck::try_cast_slice(blocks).unwrap_or_default();
        let x: &[[T; 4]] = bytemuck::try_cast_slice(x).unwrap_or_default();
        let [mut s0, mut s1, mut s2, mut s3] = [0u32; 4];
        for ([r0, r1, r2, r3], x) in blocks.iter().zip(x) {
            let mut add = |j: usize| {
                s0 = s0.wrapping_add(term(x[j], r0[j]));
                s1 = s1.wrapping_add(term(x[j], r1[j]));
                s2 = s2.wrapping_add(term(x[j], r2[j]));
                s3 = s3.wrapping_add(term(x[j], r3[j]));
            };
            add(0);
            add(1);
            add(2);
            add(3);
        }
        [s0, s1, s2, s3]
    }

    /// Inner products of signed bytes.
    #[inline(never)] // keeps the registers of its caller out of the loop
    pub(crate) fn products_i8(blocks: &[Block], x: &[u32]) -> [i32; 4] {
        sums(blocks, x, |x: i8, w: i8| (i32::from(x) * i32::from(w)) as u32).map(|sum| sum as i32)
    }

    /// Squared distances of unsigned bytes.
    #[inline(never)]
    pub(crate) fn squared_distances(blocks: &[Block], x: &[u32]) -> [u32; 4] {
        sums(blocks, x, |x: u8, c: u8| {
            let gap = i32::from(x) - i32::from(c);
            (gap * gap) as u32
        })
    }

    /// L1 distances of unsigned bytes.
    #[inline(never)]
    pub(crate) fn l1_distances(blocks: &[Block], x: &[u32]) -> [u32; 4] {
        sums(blocks, x, |x: u8, c: u8| x.abs_diff(c).into())
    }

    /// `z += Σ kᵢ aᵢ` for four values and weights of 16 bits.
    #[inline(always)]
    pub(crate) fn add_i16([k0, k1, k2, k3]: [i32; 4], weights: &[[u32; 2]], z: &mut [i32]) {
        for (z, weights) in z.iter_mut().zip(weights) {
            let [a0, a1, a2, a3] = halves(weights);
            let near = k0.wrapping_mul(a0).wrapping_add(k1.wrapping_mul(a1));
            let far = k2.wrapping_mul(a2).wrapping_add(k3.wrapping_mul(a3));
            *z = z.wrapping_add(near.wrapping_add(far));
        }
    }

    /// Four weights of 16 bits.
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

    /// The same with weights of 8 bits.
    #[inline(always)]
    pub(crate) fn add_i8([k0, k1, k2, k3]: [i32; 4], weights: &[u32], z: &mut [i32]) {
        let weights: &[[i8; 4]] = bytemuck::try_cast_slice(weights).unwrap_or_default();
        for (z, &[a0, a1, a2, a3]) in z.iter_mut().zip(weights) {
            let near = k0.wrapping_mul(a0.into()).wrapping_add(k1.wrapping_mul(a1.into()));
            let far = k2.wrapping_mul(a2.into()).wrapping_add(k3.wrapping_mul(a3.into()));
            *z = z.wrapping_add(near.wrapping_add(far));
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
        assert_eq!(products_i8(&[rows], &x), [1, 5, -1 + 1, 15]);
        assert_eq!(squared_distances(&[rows], &x)[..2], [4 + 9 + 255 * 255, 1 + 1 + 4 + 255 * 255]);
        assert_eq!(squared_distances(&[rows], &x)[3], 0);
        assert_eq!(l1_distances(&[rows], &x), [2 + 3 + 255, 1 + 1 + 2 + 255, 254 + 2 + 3, 0]);
    }
}
