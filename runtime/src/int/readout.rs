//! From lifted values to the embedding: `z = b + Σᵢ kᵢ aᵢ` in 32 bits, then back to 16.

use nearmark_format::{Layout, Num, Section};

use super::rescale::{half, rescale};
use crate::quads;

/// Where the lifted values go.
pub(crate) struct Readout<'a, 'z> {
    /// What is left of the weights: for each coordinate, those of four values side by side, in
    /// 16 bits or in 8; the other is empty.
    wide: &'a [[i16; 4]],
    narrow: &'a [[i8; 4]],
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
        let mut biases = layout.words(Section::ReadoutBias).iter();
        for z in z.iter_mut() {
            *z = biases.next().map_or(0, |&bias| bias as i32);
        }
        let words = layout.words(Section::Readout);
        let behind = words.len().saturating_sub(z.len().div_ceil(2));
        let (weights, muls) = words.split_at_checked(behind).unwrap_or_default();
        let (wide, narrow) = if meta.readout_num == Num::I16 as u8 { (weights, &[][..]) } else { (&[][..], weights) };
        Self {
            wide: bytemuck::try_cast_slice(wide.as_chunks::<2>().0).unwrap_or_default(),
            narrow: bytemuck::try_cast_slice(narrow).unwrap_or_default(),
            muls: bytemuck::try_cast_slice(muls).unwrap_or_default(),
            filled: 0,
            direct: meta.readout == 0,
            shift: meta.z_shift,
            most: meta.z_max as i32,
            z,
        }
    }

    /// Takes the next four values in; beyond the last one there are zero weights.
    #[inline(always)]
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
        add(values, quads::take(&mut self.wide, len), self.z);
        add(values, quads::take(&mut self.narrow, len), self.z);
    }

    /// Brings every coordinate to its scale and within its bounds.
    pub(crate) fn finish(self) {
        let mut muls = self.muls.iter();
        for z in self.z {
            let scaled = if self.direct {
                z.wrapping_add(half(self.shift)).wrapping_shr(self.shift.into())
            } else {
                rescale(*z, muls.next().copied().unwrap_or(0), self.shift)
            };
            *z = scaled.max(self.most.wrapping_neg()).min(self.most);
        }
    }
}

/// `z += Σ kᵢ aᵢ` for four values.
#[inline(always)]
fn add<T: Copy + Into<i32>>([k0, k1, k2, k3]: [i32; 4], weights: &[[T; 4]], z: &mut [i32]) {
    for (z, &[a0, a1, a2, a3]) in z.iter_mut().zip(weights) {
        let term = |k: i32, a: T| k.wrapping_mul(a.into());
        let (near, far) = (term(k0, a0).wrapping_add(term(k1, a1)), term(k2, a2).wrapping_add(term(k3, a3)));
        *z = z.wrapping_add(near.wrapping_add(far));
    }
}
