//! What differs between one sample on a device and several side by side on a host: how their features lie in memory,
//! and the innermost sums. Every stage is written once, over [`Features`].
//!
//! * One sample: four features in a word, so that RAM is small and DSP instructions take them as they are.
//! * A batch: a word of 32 bits per feature and sample, so that vectors of any width take several samples at once.
//!
//! Sums wrap, so that both have the same bits in any order.

use super::blocks::{self, Block};

/// Four features of each of `B` samples.
pub(crate) trait Features<const B: usize>: Copy {
    /// One feature of each sample.
    type Feature: Copy + Default;

    /// Feature after feature, signed.
    fn each(x: &[Self]) -> &[Self::Feature];

    /// One feature as numbers.
    fn numbers(feature: Self::Feature) -> [i32; B];

    /// Four features, each within the range of a byte.
    fn pack(values: [[i32; B]; 4]) -> Self;

    /// Inner products with four rows, signed bytes.
    fn products_i8(rows: &[Block], x: &[Self]) -> [[i32; B]; 4];

    /// Squared distances to four rows, unsigned bytes.
    fn squared_distances(rows: &[Block], x: &[Self]) -> [[i32; B]; 4];

    /// L1 distances to four rows, unsigned bytes.
    fn l1_distances(rows: &[Block], x: &[Self]) -> [[i32; B]; 4];

    /// `z += Σ kᵢ aᵢ` for four values; four weights of 16 bits a coordinate.
    fn add_i16(values: [[i32; B]; 4], weights: &[[u32; 2]], z: &mut [[i32; B]]);

    /// The same with weights of 8 bits.
    fn add_i8(values: [[i32; B]; 4], weights: &[u32], z: &mut [[i32; B]]);

    /// `z += A x`, where there is a faster way than one word after the other; returns whether there is.
    fn add_all(x: &[Self], wide: &[[u32; 2]], narrow: &[u32], z: &mut [[i32; B]]) -> bool {
        let _ = (x, wide, narrow, z);
        false
    }
}

/// One sample, four features a word.
impl Features<1> for u32 {
    type Feature = i8;

    #[inline(always)]
    fn each(x: &[Self]) -> &[i8] {
        bytemuck::try_cast_slice(x).unwrap_or_default()
    }

    #[inline(always)]
    fn numbers(feature: i8) -> [i32; 1] {
        [feature.into()]
    }

    #[inline(always)]
    fn pack([[v0], [v1], [v2], [v3]]: [[i32; 1]; 4]) -> Self {
        Self::from_le_bytes([v0 as u8, v1 as u8, v2 as u8, v3 as u8])
    }

    #[inline(always)]
    fn products_i8(rows: &[Block], x: &[Self]) -> [[i32; 1]; 4] {
        let [s0, s1, s2, s3] = blocks::products_i8(rows, x);
        [[s0], [s1], [s2], [s3]]
    }

    #[inline(always)]
    fn squared_distances(rows: &[Block], x: &[Self]) -> [[i32; 1]; 4] {
        alone(blocks::squared_distances(rows, x))
    }

    #[inline(always)]
    fn l1_distances(rows: &[Block], x: &[Self]) -> [[i32; 1]; 4] {
        alone(blocks::l1_distances(rows, x))
    }

    #[inline(always)]
    fn add_i16([[k0], [k1], [k2], [k3]]: [[i32; 1]; 4], weights: &[[u32; 2]], z: &mut [[i32; 1]]) {
        blocks::add_i16([k0, k1, k2, k3], weights, z.as_flattened_mut());
    }

    #[inline(always)]
    fn add_i8([[k0], [k1], [k2], [k3]]: [[i32; 1]; 4], weights: &[u32], z: &mut [[i32; 1]]) {
        blocks::add_i8([k0, k1, k2, k3], weights, z.as_flattened_mut());
    }

    #[cfg(feature = "dsp")]
    #[inline(always)]
    fn add_all(x: &[Self], wide: &[[u32; 2]], narrow: &[u32], z: &mut [[i32; 1]]) -> bool {
        if narrow.is_empty() {
            nearmark_dsp::map_i16(x, wide, z.as_flattened_mut());
        } else {
            nearmark_dsp::map_i8(x, narrow, z.as_flattened_mut());
        }
        true
    }
}

/// Sums of one sample. (Written out: at `opt-level = "s"` a `map` over four would be a loop through memory.)
#[inline(always)]
fn alone([s0, s1, s2, s3]: [u32; 4]) -> [[i32; 1]; 4] {
    [[s0 as i32], [s1 as i32], [s2 as i32], [s3 as i32]]
}

/// Samples side by side. Everything wraps: where rows are fewer than lanes, a lane holds any bits.
#[cfg(feature = "batch")]
impl<const B: usize> Features<B> for [[i32; B]; 4]
where
    [i32; B]: Default,
{
    type Feature = [i32; B];

    #[inline(always)]
    fn each(x: &[Self]) -> &[[i32; B]] {
        x.as_flattened()
    }

    #[inline(always)]
    fn numbers(feature: [i32; B]) -> [i32; B] {
        feature
    }

    #[inline(always)]
    fn pack(values: Self) -> Self {
        values
    }

    #[inline(always)]
    fn products_i8(rows: &[Block], x: &[Self]) -> [[i32; B]; 4] {
        sums(rows, x, |byte: u8| (byte as i8).into(), i32::wrapping_mul)
    }

    #[inline(always)]
    fn squared_distances(rows: &[Block], x: &[Self]) -> [[i32; B]; 4] {
        sums(rows, x, i32::from, |x, c| x.wrapping_sub(c).wrapping_mul(x.wrapping_sub(c)))
    }

    #[inline(always)]
    fn l1_distances(rows: &[Block], x: &[Self]) -> [[i32; B]; 4] {
        sums(rows, x, i32::from, |x, c| x.wrapping_sub(c).wrapping_abs())
    }

    #[inline(always)]
    fn add_i16(values: Self, weights: &[[u32; 2]], z: &mut [[i32; B]]) {
        let weights: &[[i16; 4]] = bytemuck::try_cast_slice(weights).unwrap_or_default();
        add(&values, weights, z);
    }

    #[inline(always)]
    fn add_i8(values: Self, weights: &[u32], z: &mut [[i32; B]]) {
        let weights: &[[i8; 4]] = bytemuck::try_cast_slice(weights).unwrap_or_default();
        add(&values, weights, z);
    }
}

/// `Σⱼ term(xⱼ, rowⱼ)` for four rows and `B` samples.
#[cfg(feature = "batch")]
#[inline(always)]
fn sums<const B: usize>(
    rows: &[Block],
    x: &[[[i32; B]; 4]],
    number: impl Fn(u8) -> i32,
    term: impl Fn(i32, i32) -> i32,
) -> [[i32; B]; 4] {
    let rows: &[[[u8; 4]; 4]] = bytemuck::try_cast_slice(rows).unwrap_or_default();
    let mut sums = [[0i32; B]; 4];
    for (rows, x) in rows.iter().zip(x) {
        for (sums, row) in sums.iter_mut().zip(rows) {
            for (x, &byte) in x.iter().zip(row) {
                let w = number(byte);
                for (sum, &x) in sums.iter_mut().zip(x) {
                    *sum = sum.wrapping_add(term(x, w));
                }
            }
        }
    }
    sums
}

#[cfg(feature = "batch")]
#[inline(always)]
fn add<const B: usize, W: Copy + Into<i32>>(values: &[[i32; B]; 4], weights: &[[W; 4]], z: &mut [[i32; B]]) {
    for (z, weights) in z.iter_mut().zip(weights) {
        for (values, &weight) in values.iter().zip(weights) {
            let weight: i32 = weight.into();
            for (z, &value) in z.iter_mut().zip(values) {
                *z = z.wrapping_add(value.wrapping_mul(weight));
            }
        }
    }
}
