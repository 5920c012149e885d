//! Readout: from mapped values to the embedding: `z = b + Σᵢ kᵢ aᵢ` in 32 bits, then back to 16.

use nearmark_format::{Layout, Num, Section};

use super::{
    lanes::Features,
    rescale::{shifted, times},
};
use crate::slices::{split, take};

/// Where the mapped values go.
pub(crate) struct Readout<'a, 'z, const B: usize> {
    /// What is left of the weights: for each coordinate, those of four values side by side.
    weights: &'a [u32],
    /// Their bits: 16, 8 or 4. Of 4 bits a word holds those of two groups of four values.
    bits: u8,
    /// Whether the next values belong to the second group.
    odd: bool,
    muls: &'a [u16],
    /// Coordinates written so far, where the values themselves are the embedding.
    filled: usize,
    direct: bool,
    shift: u8,
    most: i32,
    z: &'z mut [[i32; B]],
}

impl<'a, 'z, const B: usize> Readout<'a, 'z, B> {
    /// Starts the embedding at the bias.
    #[inline(always)]
    pub(crate) fn new(layout: &Layout<'a>, z: &'z mut [[i32; B]]) -> Self {
        let meta = layout.meta();
        // One loop for both: zeros alone would be a call to `memset`.
        let mut biases = layout.words(Section::ReadoutBias).iter();
        for z in z.iter_mut() {
            *z = [biases.next().map_or(0, |&bias| bias as i32); B];
        }
        let words = layout.words(Section::Readout);
        let behind = words.len().saturating_sub(z.len().div_ceil(2));
        let (weights, muls) = words.split_at_checked(behind).unwrap_or_default();
        Self {
            weights,
            bits: match meta.readout_num {
                _ if meta.has_nibble_readout() => 4,
                num if num == Num::I16 as u8 => 16,
                _ => 8,
            },
            odd: false,
            muls: bytemuck::try_cast_slice(muls).unwrap_or_default(),
            filled: 0,
            direct: meta.readout == 0,
            shift: meta.z_shift,
            most: meta.z_max.into(),
            z,
        }
    }

    /// Takes the next values in; beyond the last one there are zero weights.
    #[inline(always)]
    pub(crate) fn add<F: Features<B>>(&mut self, values: &[F::Values]) {
        // A batch is compiled into its caller, whose instruction set may be wider.
        if B == 1 { self.add_alone::<F>(values) } else { self.add_lanes::<F>(values) }
    }

    #[inline(never)] // one copy in flash
    fn add_alone<F: Features<B>>(&mut self, values: &[F::Values]) {
        self.add_lanes::<F>(values);
    }

    #[inline(always)]
    fn add_lanes<F: Features<B>>(&mut self, values: &[F::Values]) {
        if self.direct {
            let (_, z) = split(self.z, self.filled);
            F::copy(values, z);
            self.filled = self.filled.wrapping_add(values.len().wrapping_mul(4));
            return;
        }
        let (dim, groups) = (self.z.len(), values.len());
        match self.bits {
            4 if cfg!(feature = "nibbles") => {
                let groups = groups.wrapping_add(self.odd.into());
                F::add_i4(values, self.weights, self.odd, self.z);
                take(&mut self.weights, dim.wrapping_mul(groups / 2));
                self.odd = groups % 2 != 0;
            }
            16 => F::add_i16(
                values,
                take(&mut self.weights, dim.wrapping_mul(groups.wrapping_mul(2))).as_chunks().0,
                self.z,
            ),
            _ => F::add_i8(values, take(&mut self.weights, dim.wrapping_mul(groups)), self.z),
        }
    }

    /// Brings every coordinate to its scale and within its bounds.
    #[inline(always)]
    pub(crate) fn finish(self) {
        let least = self.most.wrapping_neg();
        let mut muls = self.muls.iter();
        for z in self.z {
            let mul = muls.next().copied().unwrap_or_default();
            for z in z {
                let scaled = if self.direct { *z } else { times(*z, mul) };
                *z = shifted(scaled, self.shift).max(least).min(self.most);
            }
        }
    }
}
