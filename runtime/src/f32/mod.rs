//! The F32 profile: every stage in single precision.
//!
//! Sums add their terms in one order and no multiplication is fused with an addition, so that results have the same
//! bits on every target.

#[cfg(feature = "batch")]
pub(crate) mod batch;
mod convolution;
mod counts;
mod feature_map;
pub(crate) mod head;
mod input;
mod interleave;
mod math;
mod pool;
mod project;
mod random;
mod readout;
mod scale;
mod select;
mod window;

use nearmark_format::Layout;

use crate::{sample::Element, slices::split};

/// Writes the embedding of `x` to `z`; `work` holds what the stages before the readout need.
pub(crate) fn sample<T: Element>(layout: &Layout<'_>, x: &[T], z: &mut [f32], work: &mut [f32]) {
    let words = input::words(layout);
    let (room, projected) = split(work, words);
    if words == 0 {
        embed_alone(layout, x, z, projected);
    } else {
        let features = input::features(layout, x, room);
        embed_alone(layout, features, z, projected);
    }
}

/// Projection, feature map and readout of one sample.
fn embed_alone<T: Element>(layout: &Layout<'_>, x: &[T], z: &mut [f32], work: &mut [f32]) {
    embed(layout, x.as_chunks::<1>().0, z.as_chunks_mut::<1>().0, work.as_chunks_mut::<1>().0);
}

/// Projection, feature map and readout of `B` samples that lie side by side.
#[inline(always)] // into a batch, whose instruction set may be wider
fn embed<const B: usize, T: Element>(layout: &Layout<'_>, x: &[[T; B]], z: &mut [[f32; B]], work: &mut [[f32; B]]) {
    if layout.meta().has_projection() {
        let (projected, _) = split(work, layout.projected().next_multiple_of(4));
        project::apply(layout, x, projected);
        feature_map::embed(layout, split(projected, layout.projected()).0, z);
    } else {
        feature_map::embed(layout, x, z);
    }
}
