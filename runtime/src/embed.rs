//! The F32 profile end to end: front stages, projection, feature map, readout.

use nearmark_format::{Layout, Section};

use crate::{feature_map, pool, project, sample::Element, scale, scratch::split, select, window};

/// Writes the embedding of `x` to `z`; `work` holds what the stages before the readout need.
pub(crate) fn sample<T: Element>(layout: &Layout<'_>, x: &[T], z: &mut [f32], work: &mut [f32]) {
    let words = front_words(layout);
    let (front, projected) = split(work, words);
    if words == 0 {
        alone(layout, x, z, projected);
    } else {
        let features = run_front(layout, x, front);
        alone(layout, features, z, projected);
    }
}

/// Projection, feature map and readout of one sample.
fn alone<T: Element>(layout: &Layout<'_>, x: &[T], z: &mut [f32], work: &mut [f32]) {
    lanes(layout, one(x), one_mut(z), one_mut(work));
}

/// Projection, feature map and readout of `B` samples that lie side by side.
#[inline(always)] // into a batch, whose instruction set may be wider
pub(crate) fn lanes<const B: usize, T: Element>(
    layout: &Layout<'_>,
    x: &[[T; B]],
    z: &mut [[f32; B]],
    work: &mut [[f32; B]],
) {
    if layout.meta().has_projection() {
        let (projected, _) = split(work, layout.projected().next_multiple_of(4));
        project::apply(layout, x, projected);
        feature_map::embed(layout, split(projected, layout.projected()).0, z);
    } else {
        feature_map::embed(layout, x, z);
    }
}

/// Words that the stages before the projection need, none without such a stage: what the checked
/// scratch has over the other parts.
pub(crate) fn front_words(layout: &Layout<'_>) -> usize {
    if !cfg!(any(feature = "window", feature = "pool", feature = "select", feature = "scale")) {
        return 0;
    }
    let (header, meta) = (layout.header(), layout.meta());
    let projected = if meta.has_projection() { layout.projected().next_multiple_of(4) } else { 0 };
    let others = projected + usize::from(header.dim) + meta.neighbor_words() as usize;
    (header.scratch as usize).saturating_sub(others)
}

/// Runs the front stages and returns the features they leave.
pub(crate) fn run_front<'f, T: Element>(layout: &Layout<'_>, x: &[T], front: &'f mut [f32]) -> &'f mut [f32] {
    let meta = layout.meta();
    if meta.has_window() {
        window::statistics(meta, x, front);
    } else if meta.has_pool() {
        pool::sums(meta, x, front);
    } else {
        // Without a selection the mask is empty, and everything is kept.
        select::gather(layout.words(Section::Mask), x, front);
    }
    if meta.has_select() && (meta.has_window() || meta.has_pool()) {
        select::in_place(layout.words(Section::Mask), front);
    }
    let (features, _) = split(front, layout.kept());
    if meta.has_scale() {
        scale::apply(layout, features);
    }
    features
}

/// A slice as samples of one lane.
fn one<T>(values: &[T]) -> &[[T; 1]] {
    values.as_chunks::<1>().0
}

/// A mutable slice as samples of one lane.
fn one_mut<T>(values: &mut [T]) -> &mut [[T; 1]] {
    values.as_chunks_mut::<1>().0
}
