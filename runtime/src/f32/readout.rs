//! Readout: from mapped values to the embedding: `z = b + Σᵢ kᵢ aᵢ`, four values at a time.
//!
//! Four terms are added to each output in one visit, in the order of a plain loop: the bits are
//! those of adding one center after the other, for a quarter of the loads and stores.

use nearmark_format::{Layout, Section};

use crate::slices::take;

/// Where the mapped values go.
pub(crate) struct Readout<'a, 'z, const B: usize> {
    /// What is left of the weights: for each coordinate, those of four values side by side.
    weights: &'a [[f32; 4]],
    /// Coordinates written so far, where the values themselves are the embedding.
    filled: usize,
    direct: bool,
    z: &'z mut [[f32; B]],
}

impl<'a, 'z, const B: usize> Readout<'a, 'z, B> {
    /// Starts the embedding at the bias.
    #[inline(always)]
    pub(crate) fn new(layout: &Layout<'a>, z: &'z mut [[f32; B]]) -> Self {
        let bias = layout.floats(Section::ReadoutBias);
        for (at, z) in z.iter_mut().enumerate() {
            let bias = bias.get(at).copied().unwrap_or_default();
            for z in z {
                *z = bias;
            }
        }
        let (weights, _) = layout.floats(Section::Readout).as_chunks();
        Self { weights, direct: layout.meta().readout == 0, filled: 0, z }
    }

    /// Takes the next four values in; beyond the last one there are zero weights.
    #[inline(always)]
    pub(crate) fn push(&mut self, values: &[[f32; B]; 4]) {
        if self.direct {
            for value in values {
                if let Some(z) = self.z.get_mut(self.filled) {
                    *z = *value;
                }
                self.filled = self.filled.wrapping_add(1);
            }
            return;
        }
        let weights = take(&mut self.weights, self.z.len());
        let [k0, k1, k2, k3] = values;
        for (z, [a0, a1, a2, a3]) in self.z.iter_mut().zip(weights) {
            *z = core::array::from_fn(|b| (((z[b] + k0[b] * a0) + k1[b] * a1) + k2[b] * a2) + k3[b] * a3);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use nearmark_format::{self as format, AlignedBuf, Head, ModelBuf, Tensor};

    use super::*;

    /// A readout over five values, with weights or without.
    fn layout(readout: Option<Vec<f32>>, dim: usize, then: impl FnOnce(&Layout<'_>)) {
        let bias = vec![0.5, -0.25, 3.0];
        let model = ModelBuf {
            readout: readout.map(|w| format::Readout { weights: Tensor::F32(w), bias, ..format::Readout::default() }),
            head: Head::Means(Tensor::F32(vec![0.0; dim])),
            ..ModelBuf::new(5, dim, 1)
        };
        then(&Layout::from_bytes(&AlignedBuf::from(model.encode().unwrap().as_slice())).unwrap());
    }

    #[test]
    fn five_values_give_the_bits_of_a_plain_loop() {
        let weights: [f32; 15] = core::array::from_fn(|i| 0.1 + i as f32 / 7.0);
        let k: [f32; 5] = [0.3, -1.1, 2.7, 0.01, 5.5];
        let mut plain = [0.5, -0.25, 3.0];
        for (k, row) in k.iter().zip(weights.chunks(3)) {
            plain.iter_mut().zip(row).for_each(|(z, a)| *z += k * a);
        }
        layout(Some(weights.to_vec()), 3, |layout| {
            let mut z = [[9.0]; 3];
            let mut readout = Readout::new(layout, &mut z);
            readout.push(&[[k[0]], [k[1]], [k[2]], [k[3]]]);
            readout.push(&[[k[4]], [99.0], [99.0], [99.0]]);
            assert_eq!(z.map(|[v]| v.to_bits()), plain.map(f32::to_bits));
        });
    }

    #[test]
    fn without_weights_values_are_the_embedding() {
        layout(None, 5, |layout| {
            let mut z = [[0.0]; 5];
            let mut readout = Readout::new(layout, &mut z);
            readout.push(&[[1.0], [2.0], [3.0], [4.0]]);
            readout.push(&[[5.0], [99.0], [99.0], [99.0]]);
            assert_eq!(z.as_flattened(), [1.0, 2.0, 3.0, 4.0, 5.0]);
        });
    }
}
