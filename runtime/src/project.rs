//! Projection to fewer features: `y = P x + b`, dense or sparse.

use nearmark_format::{F32Sections, meta::code};

use crate::{quads, sample::Element};

/// Writes the projection of `x` to `y`.
#[inline(never)] // one copy in flash
pub(crate) fn apply<const B: usize, T: Element>(
    kind: u8,
    sections: &F32Sections<'_>,
    x: &[[T; B]],
    y: &mut [[f32; B]],
) {
    if cfg!(feature = "sparse") && kind == code::PROJECT_SPARSE {
        sparse(sections, x, y);
    } else {
        dense(sections, x, y);
    }
}

fn dense<const B: usize, T: Element>(sections: &F32Sections<'_>, x: &[[T; B]], y: &mut [[f32; B]]) {
    let mut biases = sections.project_bias.chunks(4);
    for (rows, y) in sections.project.chunks_exact(x.len().max(1)).zip(y.chunks_mut(4)) {
        let mut start = [0.0; 4];
        start.iter_mut().zip(biases.next().unwrap_or_default()).for_each(|(s, b)| *s = *b);
        let sums = quads::sums(rows, x, start, quads::product);
        y.iter_mut().zip(sums).for_each(|(y, sum)| *y = sum);
    }
}

fn sparse<const B: usize, T: Element>(sections: &F32Sections<'_>, x: &[[T; B]], y: &mut [[f32; B]]) {
    let mut entries = sections.sparse.gaps.iter().zip(sections.sparse_values);
    let mut biases = sections.project_bias.iter();
    for (y, &count) in y.iter_mut().zip(sections.sparse.counts) {
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
