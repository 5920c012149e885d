//! The F32 profile end to end: front stages, projection, lift, readout.

use nearmark_format::Layout;
#[cfg(feature = "select")]
use nearmark_format::Section;

#[cfg(feature = "pool")]
use crate::pool;
#[cfg(any(feature = "project", feature = "sparse"))]
use crate::project;
#[cfg(feature = "scale")]
use crate::scale;
#[cfg(feature = "select")]
use crate::select;
#[cfg(feature = "window")]
use crate::window;
use crate::{lift, sample::Element, scratch::split};

/// Writes the embedding of `x` to `z`; `work` holds what the stages before the readout need.
pub(crate) fn sample<T: Element>(layout: &Layout<'_>, x: &[T], z: &mut [f32], work: &mut [f32]) {
    let (front, projected) = split(work, front_words(layout));
    if has_front(layout) {
        let features = run_front(layout, x, front);
        lanes::<1, f32>(layout, one(features), one_mut(z), one_mut(projected));
    } else {
        lanes::<1, T>(layout, one(x), one_mut(z), one_mut(projected));
    }
}

/// Projection, lift and readout of `B` samples that lie side by side.
pub(crate) fn lanes<const B: usize, T: Element>(
    layout: &Layout<'_>,
    x: &[[T; B]],
    z: &mut [[f32; B]],
    work: &mut [[f32; B]],
) {
    #[cfg(any(feature = "project", feature = "sparse"))]
    if layout.meta().project != 0 {
        let (projected, _) = split(work, layout.projected());
        project::apply(layout, x, projected);
        lift::embed(layout, projected, z);
        return;
    }
    let _ = work;
    lift::embed(layout, x, z);
}

/// Whether a stage before the projection needs a buffer.
pub(crate) fn has_front(layout: &Layout<'_>) -> bool {
    let meta = layout.meta();
    cfg!(any(feature = "window", feature = "pool", feature = "select", feature = "scale"))
        && meta.window | meta.pool | meta.select | meta.scale != 0
}

/// Words of that buffer.
pub(crate) fn front_words(layout: &Layout<'_>) -> usize {
    if !has_front(layout) {
        return 0;
    }
    let gathered = layout.meta().window != 0 || layout.meta().pool != 0;
    if gathered { layout.pooled() } else { layout.kept() }
}

/// Runs the front stages and returns the features they leave.
pub(crate) fn run_front<'f, T: Element>(layout: &Layout<'_>, x: &[T], front: &'f mut [f32]) -> &'f mut [f32] {
    let meta = layout.meta();
    #[allow(unused_mut)] // without any front stage
    let mut gathered = false;
    #[cfg(feature = "window")]
    if meta.window != 0 {
        window::statistics(meta, x, front);
        gathered = true;
    }
    #[cfg(feature = "pool")]
    if meta.pool != 0 {
        pool::sums(meta, x, front);
        gathered = true;
    }
    #[cfg(feature = "select")]
    if meta.select != 0 {
        if gathered {
            select::in_place(layout.bytes(Section::Mask), front);
        } else {
            select::gather(layout.bytes(Section::Mask), x, front);
            gathered = true;
        }
    }
    if !gathered {
        front.iter_mut().zip(x).for_each(|(f, &v)| *f = v.into());
    }
    let (features, _) = split(front, layout.kept());
    #[cfg(feature = "scale")]
    scale::apply(layout, features);
    let _ = meta;
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
