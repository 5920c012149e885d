//! Projection to fewer features: `y = P x + b` in 32 bits, each output back to a byte.

use nearmark_format::{Layout, Section};

use super::{map_range, rescale::rescale, tiles};
use crate::quads;

/// Writes the projection of the packed features `x` to `y`, four outputs a word.
pub(crate) fn apply(layout: &Layout<'_>, x: &[u32], y: &mut [u32]) {
    let words = layout.words(Section::Project);
    // A multiplier for each of four outputs, behind the weights.
    let (weights, muls) = words.split_at_checked(words.len().wrapping_sub(2 * y.len())).unwrap_or_default();
    let muls: &[[u16; 4]] = bytemuck::try_cast_slice(muls).unwrap_or_default();
    let mut biases = layout.words(Section::ProjectBias).as_chunks::<4>().0.iter();
    let mut rows = tiles::of(weights);
    let mut sparse = Sparse::new(layout, weights);
    let (least, most) = map_range(layout);
    let shift = layout.meta().p_shift;
    for (y, muls) in y.iter_mut().zip(muls) {
        let sums = if layout.meta().is_sparse() {
            sparse.products(x)
        } else if cfg!(feature = "project") {
            tiles::products_i8(quads::take(&mut rows, x.len()), x)
        } else {
            [0; 4]
        };
        let biases = biases.next().unwrap_or(&[0; 4]);
        let mut bytes = [0; 4];
        for (((byte, sum), &bias), &mul) in bytes.iter_mut().zip(sums).zip(biases).zip(muls) {
            *byte = rescale(sum.wrapping_add(bias as i32), mul, shift).max(least).min(most) as u8;
        }
        *y = u32::from_le_bytes(bytes);
    }
}

/// What is left of a sparse matrix: for each output so many entries, each some inputs further on.
struct Sparse<'a> {
    counts: &'a [u16],
    gaps: &'a [u8],
    values: &'a [i8],
}

impl<'a> Sparse<'a> {
    fn new(layout: &Layout<'a>, values: &'a [u32]) -> Self {
        let counts = layout.halves(Section::SparseCounts);
        let values = bytemuck::try_cast_slice(values).unwrap_or_default();
        Self { counts, gaps: layout.bytes(Section::SparseGaps), values }
    }

    /// The next four outputs; beyond the last one there are zeros.
    fn products(&mut self, x: &[u32]) -> [i32; 4] {
        let x: &[i8] = bytemuck::try_cast_slice(x).unwrap_or_default();
        let mut sums = [0i32; 4];
        for (sum, &count) in sums.iter_mut().zip(quads::take(&mut self.counts, 4)) {
            let gaps = quads::take(&mut self.gaps, count.into());
            let values = quads::take(&mut self.values, count.into());
            let mut rest = x.iter();
            for (&gap, &value) in gaps.iter().zip(values) {
                let x = rest.nth(gap.into()).copied().unwrap_or_default();
                *sum = sum.wrapping_add(i32::from(x) * i32::from(value));
            }
        }
        sums
    }
}
