//! Samples side by side, a word of 32 bits per feature and sample, so that vectors of any width take them.

use nearmark_format::{Layout, meta::code};

use super::{embed, input};
use crate::{
    batch::{LANES, Lanes},
    sample::Element,
    slices::{cast, numbers, split},
};

/// A number of each sample.
type Lane = [i32; LANES];

/// Samples side by side, and room for their embeddings.
pub(crate) struct Samples<'a> {
    layout: &'a Layout<'a>,
    /// Features in groups of four, zeros behind the last one.
    x: &'a mut [[Lane; 4]],
    z: &'a mut [Lane],
    work: &'a mut [[Lane; 4]],
}

/// Words of features, projected features and coordinates.
pub(crate) fn words(layout: &Layout<'_>) -> usize {
    let projected = if layout.meta().has_projection() { layout.projected().next_multiple_of(4) } else { 0 };
    let kept = layout.kept().next_multiple_of(4);
    kept.saturating_add(projected).saturating_add(layout.header().dim.into()).saturating_mul(LANES)
}

impl<'a> Samples<'a> {
    pub(crate) fn new(layout: &'a Layout<'a>, workspace: &'a mut [f32]) -> Self {
        let (x, rest) =
            split(cast::<f32, i32>(workspace).as_chunks_mut::<LANES>().0, layout.kept().next_multiple_of(4));
        let (z, work) = split(rest, layout.header().dim.into());
        Self { layout, x: x.as_chunks_mut().0, z, work: work.as_chunks_mut().0 }
    }
}

impl Lanes for Samples<'_> {
    fn takes(row: &[f32]) -> bool {
        row.iter().all(|v| Element::is_finite(*v))
    }

    fn load(&mut self, lane: usize, row: &[f32], scratch: &mut [u32]) {
        let layout = self.layout;
        let (room, _) = split(scratch, input::words(layout));
        let bytes: &[u8] = numbers(input::features(layout, row, room));
        let unsigned = layout.meta().feature_map == code::MAP_CENTERS && !layout.meta().has_projection();
        for (lanes, &byte) in self.x.as_flattened_mut().iter_mut().zip(bytes) {
            if let Some(slot) = lanes.get_mut(lane) {
                *slot = if unsigned { byte.into() } else { (byte as i8).into() };
            }
        }
    }

    #[inline(always)] // into a caller whose instruction set may be wider
    fn embed(&mut self) {
        embed(self.layout, self.x, self.z, self.work);
    }

    fn store(&self, lane: usize, z: &mut [u32]) {
        for (z, lanes) in z.iter_mut().zip(&*self.z) {
            *z = lanes.get(lane).map_or(0, |&z| z as u32);
        }
    }
}
