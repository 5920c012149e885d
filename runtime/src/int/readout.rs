//! From mapped values to the embedding: `z = b + Σᵢ kᵢ aᵢ` in 32 bits, then back to 16.

use nearmark_format::{Layout, Num, Section};

use super::rescale::{half, rescale};
use crate::quads;

/// Where the mapped values go.
pub(crate) struct Readout<'a, 'z> {
    /// What is left of the weights: for each coordinate, those of four values side by side, in
    /// 16 bits or in 8; the other is empty.
    wide: &'a [[u32; 2]],
    narrow: &'a [u32],
    muls: &'a [u16],
    /// Coordinates written so far, where the values themselves are the embedding.
    filled: usize,
    direct: bool,
    shift: u8,
    most: i32,
    z: &'z mut [i32],
}

impl<'a, 'z> Readout<'a, 'z> {
    /// Starts the embedding at the bias.
    pub(crate) fn new(layout: &Layout<'a>, z: &'z mut [i32]) -> Self {
        let meta = layout.meta();
        // One loop for both: zeros alone would be a call to `memset`.
        let mut biases = layout.words(Section::ReadoutBias).iter();
        for z in z.iter_mut() {
            *z = biases.next().map_or(0, |&bias| bias as i32);
        }
        let words = layout.words(Section::Readout);
        let behind = words.len().saturating_sub(z.len().div_ceil(2));
        let (weights, muls) = words.split_at_checked(behind).unwrap_or_default();
        let (wide, narrow) = if meta.readout_num == Num::I16 as u8 { (weights, &[][..]) } else { (&[][..], weights) };
        Self {
            wide: wide.as_chunks().0,
            narrow,
            muls: bytemuck::try_cast_slice(muls).unwrap_or_default(),
            filled: 0,
            direct: meta.readout == 0,
            shift: meta.z_shift,
            most: meta.z_max.into(),
            z,
        }
    }

    /// Takes all values at once, where they are the packed features themselves.
    pub(crate) fn map(&mut self, x: &[u32]) {
        #[cfg(feature = "dsp")]
        if !self.direct {
            return if self.narrow.is_empty() {
                nearmark_dsp::map_i16(x, self.wide, self.z);
            } else {
                nearmark_dsp::map_i8(x, self.narrow, self.z);
            };
        }
        let bytes: &[[i8; 4]] = bytemuck::try_cast_slice(x).unwrap_or_default();
        for &[x0, x1, x2, x3] in bytes {
            self.push([x0.into(), x1.into(), x2.into(), x3.into()]);
        }
    }

    /// Takes the next four values in; beyond the last one there are zero weights.
    #[inline(never)] // one copy in flash
    pub(crate) fn push(&mut self, values: [i32; 4]) {
        if self.direct {
            for value in values {
                if let Some(z) = self.z.get_mut(self.filled) {
                    *z = value;
                }
                self.filled = self.filled.wrapping_add(1);
            }
            return;
        }
        let len = self.z.len();
        if self.narrow.is_empty() {
            add_i16(values, quads::take(&mut self.wide, len), self.z);
        } else {
            add_i8(values, quads::take(&mut self.narrow, len), self.z);
        }
    }

    /// Brings every coordinate to its scale and within its bounds.
    pub(crate) fn finish(self) {
        let least = self.most.wrapping_neg();
        if self.direct {
            for z in self.z {
                *z = z.wrapping_add(half(self.shift)).wrapping_shr(self.shift.into()).max(least).min(self.most);
            }
        } else {
            for (z, &mul) in self.z.iter_mut().zip(self.muls) {
                *z = rescale(*z, mul, self.shift).max(least).min(self.most);
            }
        }
    }
}

#[cfg(feature = "dsp")]
use nearmark_dsp::{add_i8, add_i16};

/// `z += Σ kᵢ aᵢ` for four values and weights of 16 bits.
#[cfg(not(feature = "dsp"))]
#[inline(always)]
fn add_i16([k0, k1, k2, k3]: [i32; 4], weights: &[[u32; 2]], z: &mut [i32]) {
    for (z, &[low, high]) in z.iter_mut().zip(weights) {
        // Halves of words: a Cortex-M0 loads no signed half at an offset.
        let near = k0.wrapping_mul(low as i16 as i32).wrapping_add(k1.wrapping_mul(low as i32 >> 16));
        let far = k2.wrapping_mul(high as i16 as i32).wrapping_add(k3.wrapping_mul(high as i32 >> 16));
        *z = z.wrapping_add(near.wrapping_add(far));
    }
}

/// The same with weights of 8 bits.
#[cfg(not(feature = "dsp"))]
#[inline(always)]
fn add_i8([k0, k1, k2, k3]: [i32; 4], weights: &[u32], z: &mut [i32]) {
    let weights: &[[i8; 4]] = bytemuck::try_cast_slice(weights).unwrap_or_default();
    for (z, &[a0, a1, a2, a3]) in z.iter_mut().zip(weights) {
        let near = k0.wrapping_mul(a0.into()).wrapping_add(k1.wrapping_mul(a1.into()));
        let far = k2.wrapping_mul(a2.into()).wrapping_add(k3.wrapping_mul(a3.into()));
        *z = z.wrapping_add(near.wrapping_add(far));
    }
}
