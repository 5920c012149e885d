//! Samples side by side, a float of each sample after the other, so that vectors take several samples at once.

use nearmark_format::Layout;

use super::{embed, input};
use crate::{
    batch::{LANES, Lanes},
    slices::{cast, split},
};

/// Samples side by side, and room for their embeddings.
pub(crate) struct Samples<'a> {
    layout: &'a Layout<'a>,
    x: &'a mut [[f32; LANES]],
    z: &'a mut [[f32; LANES]],
    work: &'a mut [[f32; LANES]],
}

/// Words of features, projected features and coordinates.
pub(crate) fn words(layout: &Layout<'_>) -> usize {
    let projected = if layout.meta().has_projection() { layout.projected().next_multiple_of(4) } else { 0 };
    layout.kept().saturating_add(projected).saturating_add(layout.header().dim.into()).saturating_mul(LANES)
}

impl<'a> Samples<'a> {
    pub(crate) fn new(layout: &'a Layout<'a>, workspace: &'a mut [f32]) -> Self {
        let (x, rest) = split(workspace.as_chunks_mut::<LANES>().0, layout.kept());
        let (z, work) = split(rest, layout.header().dim.into());
        Self { layout, x, z, work }
    }
}

impl Lanes for Samples<'_> {
    /// A value that is not finite may be one that the model leaves out: distances decide.
    fn takes(_: &[f32]) -> bool {
        true
    }

    fn load(&mut self, lane: usize, row: &[f32], scratch: &mut [u32]) {
        let (room, _) = split(cast(scratch), input::words(self.layout));
        let features = if room.is_empty() { row } else { input::features(self.layout, row, room) };
        for (lanes, &value) in self.x.iter_mut().zip(features) {
            if let Some(slot) = lanes.get_mut(lane) {
                *slot = value;
            }
        }
    }

    #[inline(always)] // into a caller whose instruction set may be wider
    fn embed(&mut self) {
        embed(self.layout, self.x, self.z, self.work);
    }

    fn store(&self, lane: usize, z: &mut [u32]) {
        for (z, lanes) in z.iter_mut().zip(&*self.z) {
            *z = lanes.get(lane).copied().unwrap_or_default().to_bits();
        }
    }
}
