//! Projection to fewer features: `y = P x + b`, dense or sparse.

use nearmark_format::{Layout, Section, meta::code};

use crate::{quads, sample::Element};

/// Writes the projection of `x` to `y`.
#[inline(never)] // one copy in flash
pub(crate) fn apply<const B: usize, T: Element>(layout: &Layout<'_>, x: &[[T; B]], y: &mut [[f32; B]]) {
    if cfg!(feature = "sparse") && layout.meta().project == code::PROJECT_SPARSE {
        sparse(layout, x, y);
    } else {
        dense(layout, x, y);
    }
}

fn dense<const B: usize, T: Element>(layout: &Layout<'_>, x: &[[T; B]], y: &mut [[f32; B]]) {
    let mut biases = layout.floats(Section::ProjectBias).chunks(4);
    let (rows, _) = layout.floats(Section::Project).as_chunks::<4>();
    for (rows, y) in rows.chunks_exact(x.len().max(1)).zip(y.chunks_mut(4)) {
        let start = quads::four(biases.next().unwrap_or_default(), 0.0);
        let sums = quads::sums(rows, x, start, quads::product);
        y.iter_mut().zip(sums).for_each(|(y, sum)| *y = sum);
    }
}

fn sparse<const B: usize, T: Element>(layout: &Layout<'_>, x: &[[T; B]], y: &mut [[f32; B]]) {
    let mut entries = layout.bytes(Section::SparseGaps).iter().zip(layout.floats(Section::Project));
    let mut biases = layout.floats(Section::ProjectBias).iter();
    for (y, &count) in y.iter_mut().zip(layout.halves(Section::SparseCounts)) {
        *y = [biases.next().copied().unwrap_or_default(); B];
        let mut rest = x.iter();
        for (&gap, &weight) in entries.by_ref().take(usize::from(count)) {
            let Some(values) = rest.nth(usize::from(gap)) else { break };
            for (y, &value) in y.iter_mut().zip(values) {
                *y += value.into() * weight;
            }
        }
    }
}
