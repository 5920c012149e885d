//! Preprocessing: from a sample to the features that enter the projection or the feature map.

use nearmark_format::{Layout, Section};

use super::{convolution, counts, pool, scale, select, window};
use crate::{sample::Element, slices::split};

/// Words that [`features`] needs, none for a model without preprocessing: what the checked scratch has over the other
/// parts.
pub(crate) fn words(layout: &Layout<'_>) -> usize {
    if !cfg!(any(
        feature = "window",
        feature = "counts",
        feature = "pool",
        feature = "convolution",
        feature = "select",
        feature = "scale"
    )) {
        return 0;
    }
    let (header, meta) = (layout.header(), layout.meta());
    let projected = if meta.has_projection() { layout.projected().next_multiple_of(4) } else { 0 };
    let others = projected + usize::from(header.dim) + meta.neighbor_words() as usize;
    (header.scratch as usize).saturating_sub(others)
}

/// Runs the stages before the projection and returns the features that they leave in `room`.
pub(crate) fn features<'f, T: Element>(layout: &Layout<'_>, x: &[T], room: &'f mut [f32]) -> &'f mut [f32] {
    let meta = layout.meta();
    if meta.has_window() {
        window::statistics(meta, x, room);
    } else if meta.has_counts() {
        counts::features(layout, x, room);
    } else if meta.has_pool() {
        pool::sums(meta, x, room);
    } else if meta.has_convolution() {
        convolution::features(layout, x, room);
    } else {
        // Without a selection the mask is empty, and everything is kept.
        select::gather(layout.words(Section::Mask), x, room);
    }
    if meta.has_select() && (meta.has_window() || meta.has_pool()) {
        select::in_place(layout.words(Section::Mask), room);
    }
    let (features, _) = split(room, layout.kept());
    if meta.has_scale() {
        scale::apply(layout, features);
    }
    features
}
