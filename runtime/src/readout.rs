//! From lifted values to the embedding: `z = b + Σᵢ kᵢ aᵢ`, four values at a time.
//!
//! Four terms are added to each output in one visit, in the order of a plain loop: the bits are
//! those of adding one center after the other, for a quarter of the loads and stores.

/// Where the lifted values go.
pub(crate) struct Readout<'a, 'z, const B: usize> {
    /// What is left of the weights, a row of `dim` per value; `None` where values are the embedding.
    weights: Option<core::slice::Chunks<'a, f32>>,
    z: &'z mut [[f32; B]],
    filled: usize,
}

impl<'a, 'z, const B: usize> Readout<'a, 'z, B> {
    /// Starts the embedding at the bias.
    pub(crate) fn new(weights: Option<&'a [f32]>, bias: &[f32], z: &'z mut [[f32; B]]) -> Self {
        let mut biases = bias.iter();
        z.iter_mut().for_each(|z| *z = [biases.next().copied().unwrap_or_default(); B]);
        let quad = z.len().wrapping_mul(4).max(1);
        Self { weights: weights.map(|w| w.chunks(quad)), z, filled: 0 }
    }

    /// Takes the next four values in; beyond the last one they are ignored.
    #[inline(always)]
    pub(crate) fn push(&mut self, values: [[f32; B]; 4]) {
        match &mut self.weights {
            Some(weights) => add(self.z, weights.next().unwrap_or_default(), values),
            None => {
                let rest = self.z.get_mut(self.filled..).unwrap_or_default();
                rest.iter_mut().zip(values).for_each(|(z, value)| *z = value);
                self.filled = self.filled.wrapping_add(4);
            }
        }
    }
}

/// `z += Σᵢ kᵢ aᵢ` for up to four rows `aᵢ` that lie one after the other.
#[inline(never)] // one copy in flash
fn add<const B: usize>(z: &mut [[f32; B]], weights: &[f32], [k0, k1, k2, k3]: [[f32; B]; 4]) {
    let dim = z.len();
    let (a0, rest) = weights.split_at_checked(dim).unwrap_or_default();
    let (a1, rest) = rest.split_at_checked(dim).unwrap_or_default();
    let (a2, rest) = rest.split_at_checked(dim).unwrap_or_default();
    let (a3, _) = rest.split_at_checked(dim).unwrap_or_default();
    if a3.is_empty() {
        for (row, k) in [(a0, k0), (a1, k1), (a2, k2)] {
            for (z, a) in z.iter_mut().zip(row) {
                each(z, |b, z| z + k[b] * a);
            }
        }
        return;
    }
    for ((((z, a0), a1), a2), a3) in z.iter_mut().zip(a0).zip(a1).zip(a2).zip(a3) {
        each(z, |b, z| (((z + k0[b] * a0) + k1[b] * a1) + k2[b] * a2) + k3[b] * a3);
    }
}

#[inline(always)]
fn each<const B: usize>(z: &mut [f32; B], f: impl Fn(usize, f32) -> f32) {
    for (b, z) in z.iter_mut().enumerate() {
        *z = f(b, *z);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_values_give_the_bits_of_a_plain_loop() {
        let weights: [f32; 15] = core::array::from_fn(|i| 0.1 + i as f32 / 7.0);
        let k: [f32; 5] = [0.3, -1.1, 2.7, 0.01, 5.5];
        let bias = [0.5, -0.25, 3.0];
        let mut plain = bias;
        for (k, row) in k.iter().zip(weights.chunks(3)) {
            plain.iter_mut().zip(row).for_each(|(z, a)| *z += k * a);
        }
        let mut z = [[9.0]; 3];
        let mut readout = Readout::new(Some(&weights), &bias, &mut z);
        readout.push([[k[0]], [k[1]], [k[2]], [k[3]]]);
        readout.push([[k[4]], [99.0], [99.0], [99.0]]);
        assert_eq!(z.as_flattened().iter().map(|v| v.to_bits()).collect::<Vec<_>>(), plain.map(f32::to_bits));
    }

    #[test]
    fn without_weights_values_are_the_embedding() {
        let mut z = [[0.0]; 5];
        let mut readout = Readout::new(None, &[], &mut z);
        readout.push([[1.0], [2.0], [3.0], [4.0]]);
        readout.push([[5.0], [99.0], [99.0], [99.0]]);
        assert_eq!(z.as_flattened(), [1.0, 2.0, 3.0, 4.0, 5.0]);
    }
}
