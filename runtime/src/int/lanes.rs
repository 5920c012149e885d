//! What differs between one sample on a device and several side by side on a host: how their features lie in memory,
//! and the innermost sums. Every stage is written once, over [`Features`].
//!
//! * One sample: four features in a word, so that RAM is small and DSP instructions take them as they are.
//! * A batch: a word of 32 bits per feature and sample, so that vectors of any width take several samples at once.
//!
//! Sums wrap, so that both have the same bits in any order.

use super::blocks::{self, Rows};
#[cfg(feature = "batch")]
use super::blocks::{Block, UPPER};
#[cfg(feature = "batch")]
use crate::slices::take;

/// Four features of each of `B` samples.
pub(crate) trait Features<const B: usize>: Copy {
    /// One feature of each sample.
    type Feature: Copy + Default;

    /// Four values of 16 bits of each sample: what the readout takes.
    type Values: Copy;

    /// Some values, for room that is written later. (Not zeros, which would link `memset`.)
    const SOME: Self::Values;

    /// Feature after feature, signed.
    fn each(x: &[Self]) -> &[Self::Feature];

    /// One feature as numbers.
    fn number(feature: Self::Feature) -> [i32; B];

    /// Four features, each within the range of a byte.
    fn pack(values: [[i32; B]; 4]) -> Self;

    /// The features themselves as values.
    fn values(self) -> Self::Values;

    /// Values as the first coordinates.
    fn copy(values: &[Self::Values], z: &mut [[i32; B]]);

    /// A value of each sum.
    fn map(sums: &[[[i32; B]; 4]], values: &mut [Self::Values], value: impl Fn(u32) -> u32);

    /// Inner products with four rows a sum, signed bytes; the rows of the first sums come first.
    fn products_i8(rows: Rows<'_>, x: &[Self], sums: &mut [[[i32; B]; 4]]);

    /// Squared distances to four rows a sum, unsigned bytes.
    fn squared_distances(rows: Rows<'_>, x: &[Self], sums: &mut [[[i32; B]; 4]]);

    /// L1 distances to four rows a sum, unsigned bytes.
    fn l1_distances(rows: Rows<'_>, x: &[Self], sums: &mut [[[i32; B]; 4]]);

    /// `z += Σ kᵢ aᵢ` with four weights of 16 bits a coordinate, for the first four values and so on.
    fn add_i16(values: &[Self::Values], weights: &[[u32; 2]], z: &mut [[i32; B]]);

    /// The same with weights of 8 bits.
    fn add_i8(values: &[Self::Values], weights: &[u32], z: &mut [[i32; B]]);

    /// The same with weights of 4 bits, a word for eight values; the first four here are the second half where `odd`.
    fn add_i4(values: &[Self::Values], weights: &[u32], odd: bool, z: &mut [[i32; B]]);
}

/// One sample, four features a word.
impl Features<1> for u32 {
    type Feature = i8;
    type Values = [u32; 2];
    const SOME: [u32; 2] = [1; 2];

    #[inline(always)]
    fn each(x: &[Self]) -> &[i8] {
        bytemuck::try_cast_slice(x).unwrap_or_default()
    }

    #[inline(always)]
    fn number(feature: i8) -> [i32; 1] {
        [feature.into()]
    }

    #[inline(always)]
    fn pack([[v0], [v1], [v2], [v3]]: [[i32; 1]; 4]) -> Self {
        Self::from_le_bytes([v0 as u8, v1 as u8, v2 as u8, v3 as u8])
    }

    #[inline(always)]
    fn values(self) -> [u32; 2] {
        blocks::widen(self)
    }

    #[inline(always)]
    fn copy(values: &[[u32; 2]], z: &mut [[i32; 1]]) {
        let values: &[i16] = bytemuck::try_cast_slice(values).unwrap_or_default();
        for (z, &value) in z.iter_mut().zip(values) {
            *z = [value.into()];
        }
    }

    #[inline(always)]
    fn map(sums: &[[[i32; 1]; 4]], values: &mut [[u32; 2]], value: impl Fn(u32) -> u32) {
        let values: &mut [i16] = bytemuck::try_cast_slice_mut(values).unwrap_or_default();
        for (slot, &[sum]) in values.iter_mut().zip(sums.as_flattened()) {
            *slot = value(sum as u32) as i16;
        }
    }

    #[inline(always)]
    fn products_i8(rows: Rows<'_>, x: &[Self], sums: &mut [[[i32; 1]; 4]]) {
        blocks::products_i8(rows, x, blocks::words(sums));
    }

    #[inline(always)]
    fn squared_distances(rows: Rows<'_>, x: &[Self], sums: &mut [[[i32; 1]; 4]]) {
        blocks::squared_distances(rows, x, blocks::words(sums));
    }

    #[inline(always)]
    fn l1_distances(rows: Rows<'_>, x: &[Self], sums: &mut [[[i32; 1]; 4]]) {
        blocks::l1_distances(rows.blocks, x, blocks::words(sums));
    }

    #[inline(always)]
    fn add_i16(values: &[[u32; 2]], weights: &[[u32; 2]], z: &mut [[i32; 1]]) {
        blocks::add_i16(values, weights, z.as_flattened_mut());
    }

    #[inline(always)]
    fn add_i8(values: &[[u32; 2]], weights: &[u32], z: &mut [[i32; 1]]) {
        blocks::add_i8(values, weights, z.as_flattened_mut());
    }

    #[inline(always)]
    fn add_i4(values: &[[u32; 2]], weights: &[u32], odd: bool, z: &mut [[i32; 1]]) {
        blocks::add_i4(values, weights, odd, z.as_flattened_mut());
    }
}

/// Samples side by side. Everything wraps: where rows are fewer than lanes, a lane holds any bits.
#[cfg(feature = "batch")]
impl<const B: usize> Features<B> for [[i32; B]; 4]
where
    [i32; B]: Default,
{
    type Feature = [i32; B];
    type Values = Self;
    const SOME: Self = [[1; B]; 4];

    #[inline(always)]
    fn each(x: &[Self]) -> &[[i32; B]] {
        x.as_flattened()
    }

    #[inline(always)]
    fn number(feature: [i32; B]) -> [i32; B] {
        feature
    }

    #[inline(always)]
    fn pack(values: Self) -> Self {
        values
    }

    #[inline(always)]
    fn values(self) -> Self {
        self
    }

    #[inline(always)]
    fn copy(values: &[Self], z: &mut [[i32; B]]) {
        for (z, &value) in z.iter_mut().zip(values.as_flattened()) {
            *z = value;
        }
    }

    #[inline(always)]
    fn map(sums: &[Self], values: &mut [Self], value: impl Fn(u32) -> u32) {
        let values = values.as_flattened_mut().as_flattened_mut();
        for (slot, &sum) in values.iter_mut().zip(sums.as_flattened().as_flattened()) {
            *slot = value(sum as u32) as i32;
        }
    }

    #[inline(always)]
    fn products_i8(rows: Rows<'_>, x: &[Self], all: &mut [Self]) {
        sums(rows, x, all, |byte: u8| (byte as i8).into(), i32::wrapping_mul);
    }

    #[inline(always)]
    fn squared_distances(rows: Rows<'_>, x: &[Self], all: &mut [Self]) {
        sums(rows, x, all, i32::from, |x, c| x.wrapping_sub(c).wrapping_mul(x.wrapping_sub(c)));
    }

    #[inline(always)]
    fn l1_distances(rows: Rows<'_>, x: &[Self], all: &mut [Self]) {
        sums(rows, x, all, i32::from, |x, c| x.wrapping_sub(c).wrapping_abs());
    }

    #[inline(always)]
    fn add_i16(values: &[Self], weights: &[[u32; 2]], z: &mut [[i32; B]]) {
        let weights: &[[i16; 4]] = bytemuck::try_cast_slice(weights).unwrap_or_default();
        add(values, weights, z);
    }

    #[inline(always)]
    fn add_i8(values: &[Self], weights: &[u32], z: &mut [[i32; B]]) {
        let weights: &[[i8; 4]] = bytemuck::try_cast_slice(weights).unwrap_or_default();
        add(values, weights, z);
    }

    #[inline(always)]
    fn add_i4(values: &[Self], mut weights: &[u32], odd: bool, z: &mut [[i32; B]]) {
        let mut lower = !odd;
        for values in values {
            for (z, &weights) in z.iter_mut().zip(weights) {
                let weights = (weights << if lower { 4 } else { 0 } & UPPER).to_le_bytes();
                add(core::slice::from_ref(values), &[weights.map(|byte| byte as i8)], core::slice::from_mut(z));
            }
            if !lower {
                take(&mut weights, z.len());
            }
            lower = !lower;
        }
    }
}

/// `Σⱼ term(xⱼ, rowⱼ)` for four rows a sum and `B` samples.
#[cfg(feature = "batch")]
#[inline(always)]
fn sums<const B: usize>(
    mut rows: Rows<'_>,
    x: &[[[i32; B]; 4]],
    all: &mut [[[i32; B]; 4]],
    number: impl Fn(u8) -> i32,
    term: impl Fn(i32, i32) -> i32,
) {
    for all in all {
        let mut sums = [[0i32; B]; 4];
        let tile = rows.take(1, x.len());
        if tile.nibbles {
            for (block, x) in tile.blocks.iter().zip(x.chunks(2)) {
                let halves = [block.map(|row| row << 4 & UPPER), block.map(|row| row & UPPER)];
                for (block, x) in halves.iter().zip(x) {
                    add_block(block, x, &mut sums, &number, &term);
                }
            }
        } else {
            for (block, x) in tile.blocks.iter().zip(x) {
                add_block(block, x, &mut sums, &number, &term);
            }
        }
        *all = sums;
    }
}

/// Four inputs of four rows.
#[cfg(feature = "batch")]
#[inline(always)]
fn add_block<const B: usize>(
    block: &Block,
    x: &[[i32; B]; 4],
    sums: &mut [[i32; B]; 4],
    number: impl Fn(u8) -> i32,
    term: impl Fn(i32, i32) -> i32,
) {
    for (sums, row) in sums.iter_mut().zip(block) {
        for (x, byte) in x.iter().zip(row.to_le_bytes()) {
            let w = number(byte);
            for (sum, &x) in sums.iter_mut().zip(x) {
                *sum = sum.wrapping_add(term(x, w));
            }
        }
    }
}

#[cfg(feature = "batch")]
#[inline(always)]
fn add<const B: usize, W: Copy + Into<i32>>(values: &[[[i32; B]; 4]], mut weights: &[[W; 4]], z: &mut [[i32; B]]) {
    for values in values {
        let weights = take(&mut weights, z.len());
        for (z, weights) in z.iter_mut().zip(weights) {
            for (values, &weight) in values.iter().zip(weights) {
                let weight: i32 = weight.into();
                for (z, &value) in z.iter_mut().zip(values) {
                    *z = z.wrapping_add(value.wrapping_mul(weight));
                }
            }
        }
    }
}
