//! Projection to fewer features: `y = P x + b` in 32 bits, each output back to a byte.

use nearmark_format::{Layout, Section};

use super::{
    blocks::{self, Rows, TILES},
    lanes::Features,
    map_range,
    rescale::rescale,
};
use crate::slices::{split, take};

/// Writes the projection of the features `x` to `y`.
#[inline(always)]
pub(crate) fn apply<const B: usize, F: Features<B>>(layout: &Layout<'_>, x: &[F], y: &mut [F]) {
    // A batch is compiled into its caller, whose instruction set may be wider.
    if B == 1 { alone(layout, x, y) } else { lanes(layout, x, y) }
}

#[inline(never)] // its sums leave the stack before the feature map's come
fn alone<const B: usize, F: Features<B>>(layout: &Layout<'_>, x: &[F], y: &mut [F]) {
    lanes(layout, x, y);
}

#[inline(always)]
fn lanes<const B: usize, F: Features<B>>(layout: &Layout<'_>, x: &[F], y: &mut [F]) {
    let words = layout.words(Section::Project);
    // A multiplier for each of four outputs, behind the weights.
    let (weights, muls) = words.split_at_checked(words.len().wrapping_sub(2 * y.len())).unwrap_or_default();
    let muls: &[[u16; 4]] = bytemuck::try_cast_slice(muls).unwrap_or_default();
    let mut muls = muls.iter();
    let mut biases = layout.words(Section::ProjectBias).as_chunks::<4>().0.iter();
    let mut rows = Rows::new(weights, layout.meta().has_nibble_projection());
    let mut sparse = Sparse::new(layout, weights);
    let (least, most) = map_range(layout);
    let shift = layout.meta().p_shift;
    let mut sums = blocks::room();
    let (sums, _) = sums.as_chunks_mut();
    for y in y.chunks_mut(TILES) {
        let (sums, _) = split(sums, y.len());
        if layout.meta().is_sparse() {
            for sums in &mut *sums {
                *sums = sparse.products(x);
            }
        } else if cfg!(feature = "project") {
            F::products_i8(rows.take(y.len(), x.len()), x, sums);
        }
        for (y, sums) in y.iter_mut().zip(sums) {
            let muls = muls.next().unwrap_or(&[0; 4]);
            let biases = biases.next().unwrap_or(&[0; 4]);
            for ((sums, &bias), &mul) in sums.iter_mut().zip(biases).zip(muls) {
                for sum in sums {
                    *sum = rescale(sum.wrapping_add(bias as i32), mul, shift).max(least).min(most);
                }
            }
            *y = F::pack(*sums);
        }
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
    #[inline(always)]
    fn products<const B: usize, F: Features<B>>(&mut self, x: &[F]) -> [[i32; B]; 4] {
        let mut sums = [[0i32; B]; 4];
        for (sums, &count) in sums.iter_mut().zip(take(&mut self.counts, 4)) {
            let gaps = take(&mut self.gaps, count.into());
            let values = take(&mut self.values, count.into());
            let mut rest = F::each(x).iter();
            for (&gap, &value) in gaps.iter().zip(values) {
                let x = F::number(rest.nth(gap.into()).copied().unwrap_or_default());
                for (sum, x) in sums.iter_mut().zip(x) {
                    *sum = sum.wrapping_add(x.wrapping_mul(value.into()));
                }
            }
        }
        sums
    }
}
