//! The INT profile: the same stages in integers of at most 32 bits, for devices without a float unit.
//!
//! `FORMAT.md` has the arithmetic. Sums and products wrap, so that a hostile file gives a wrong
//! label and never a panic; for files of a correct encoder nothing wraps. Between the stages a
//! sample is bytes, four to a word, filled up with zeros; a batch has a word per feature and sample
//! (see `lanes`).

#[cfg(feature = "batch")]
pub(crate) mod batch;
mod blocks;
mod convolution;
mod cosine;
mod counts;
mod exponential;
mod feature_map;
pub(crate) mod head;
mod input;
mod lanes;
mod pairs;
mod pool;
mod project;
mod random;
mod readout;
mod rescale;
mod window;

use nearmark_format::{Layout, meta::code};

use self::lanes::Features;
use crate::{
    Error, Num,
    sample::Element,
    slices::{cast, split},
};

/// Writes the embedding of `x` to `z`, a signed word per coordinate; `work` holds what the stages
/// before the readout need.
pub(crate) fn sample<T: Element>(layout: &Layout<'_>, x: &[T], z: &mut [u32], work: &mut [u32]) -> Result<(), Error> {
    let needed = layout.meta().input();
    if T::NUM != needed && T::NUM != Num::F32 {
        return Err(Error::InputType { needed });
    }
    if !x.iter().all(|v| v.is_finite()) {
        return Err(Error::NotFinite);
    }
    let (room, projected) = split(work, input::words(layout));
    let features = input::features(layout, x, room);
    embed_alone(layout, features, cast(z), projected);
    Ok(())
}

/// Projection, feature map and readout of one sample.
#[inline(never)] // one copy for samples of every type
fn embed_alone(layout: &Layout<'_>, features: &[u32], z: &mut [i32], work: &mut [u32]) {
    embed(layout, features, z.as_chunks_mut::<1>().0, work);
}

/// Projection, feature map and readout of `B` samples.
#[inline(always)] // into a batch, whose instruction set may be wider
fn embed<const B: usize, F: Features<B>>(layout: &Layout<'_>, features: &[F], z: &mut [[i32; B]], work: &mut [F]) {
    let mut features = features;
    if layout.meta().has_projection() {
        let (projected, _) = split(work, layout.projected().div_ceil(4));
        project::apply(layout, features, projected);
        features = projected;
    }
    feature_map::embed(layout, features, z);
}

/// The range of the bytes that enter the feature map: unsigned for centers, where only differences count.
fn map_range(layout: &Layout<'_>) -> (i32, i32) {
    if layout.meta().feature_map == code::MAP_CENTERS { (0, 255) } else { (-128, 127) }
}

/// Embedding words as real coordinates, in place: `z · z_unit`.
pub(crate) fn to_floats(layout: &Layout<'_>, z: &mut [f32]) {
    for z in z {
        *z = z.to_bits() as i32 as f32 * layout.meta().z_unit;
    }
}
