//! Projection to fewer features: `y = P x + b`, dense or sparse.

use nearmark_format::{Layout, Section};

use super::interleave;
use crate::{sample::Element, slices::take};

/// Writes the projection of `x` to `y`, which has room for a multiple of four values.
#[inline(always)]
pub(crate) fn apply<const B: usize, T: Element>(layout: &Layout<'_>, x: &[[T; B]], y: &mut [[f32; B]]) {
    // As for the feature map: a batch is compiled into its caller.
    if B == 1 { alone(layout, x, y) } else { lanes(layout, x, y) }
}

#[inline(never)] // one copy in flash
fn alone<const B: usize, T: Element>(layout: &Layout<'_>, x: &[[T; B]], y: &mut [[f32; B]]) {
    lanes(layout, x, y);
}

#[inline(always)]
fn lanes<const B: usize, T: Element>(layout: &Layout<'_>, x: &[[T; B]], y: &mut [[f32; B]]) {
    let weights = layout.floats(Section::Project);
    if layout.meta().is_sparse() {
        let mut entries = layout.bytes(Section::SparseGaps).iter().zip(weights);
        for (y, &count) in y.iter_mut().zip(layout.halves(Section::SparseCounts)) {
            *y = [0.0; B];
            let mut rest = x.iter();
            for (&gap, &weight) in entries.by_ref().take(usize::from(count)) {
                let Some(values) = rest.nth(usize::from(gap)) else { return };
                for (y, &value) in y.iter_mut().zip(values) {
                    *y += value.into() * weight;
                }
            }
        }
    } else {
        let (mut rows, _) = weights.as_chunks::<4>();
        for y in y.as_chunks_mut::<4>().0 {
            *y = interleave::products(take(&mut rows, x.len()), x);
        }
    }
    for (y, bias) in y.iter_mut().zip(layout.floats(Section::ProjectBias)) {
        for y in y {
            *y += bias;
        }
    }
}
