//! Many rows at once, for hosts: samples side by side in words of 32 bits, so that vectors of any
//! width take them. Wrapping sums have the same bits in any order.

use nearmark_format::{Layout, meta::code};

use super::{door, front_words};
use crate::{
    Error, Prediction,
    head::Heads,
    memory::Enrolled,
    sample::Element,
    scratch::{cast, split},
};

/// Samples side by side.
pub(crate) const LANES: usize = 8;

/// A value of each sample.
type Lane = [i32; LANES];

/// Words that [`classify`] needs: features, projected features and coordinates of [`LANES`] samples.
pub(crate) fn words(layout: &Layout<'_>) -> usize {
    let four = |count: usize| count.next_multiple_of(4);
    let projected = if layout.meta().has_projection() { four(layout.projected()) } else { 0 };
    four(layout.kept()).saturating_add(projected).saturating_add(layout.header().dim.into()).saturating_mul(LANES)
}

/// Answers rows that lie one after the other; all slices have the right length.
pub(crate) fn classify(
    layout: &Layout<'_>,
    xs: &[f32],
    out: &mut [Prediction],
    pack: &mut [f32],
    scratch: &mut [u32],
) -> Result<(), Error> {
    let (inputs, dim) = ((layout.header().inputs as usize).max(1), usize::from(layout.header().dim));
    let heads = Heads { layout, enrolled: Enrolled::default() };
    let (lanes, _) = cast::<f32, i32>(pack).as_chunks_mut::<LANES>();
    let (x, rest) = split(lanes, layout.kept().next_multiple_of(4));
    let (z, work) = split(rest, dim);
    let (x, work) = (x.as_chunks_mut::<4>().0, work.as_chunks_mut::<4>().0);
    for (rows, out) in xs.chunks(inputs.saturating_mul(LANES)).zip(out.chunks_mut(LANES)) {
        // Rows before one that is no sample are answered.
        let good = rows.chunks_exact(inputs).take_while(|row| row.iter().all(|v| Element::is_finite(*v))).count();
        for (lane, row) in rows.chunks_exact(inputs).take(good).enumerate() {
            let (front, _) = split(scratch, front_words(layout));
            unpack(layout, door::features(layout, row, front), lane, x);
        }
        Block { layout, x, z, work }.embed();
        for (lane, out) in out.iter_mut().enumerate().take(good) {
            let (coordinates, neighbors) = split(scratch, dim);
            for (to, from) in coordinates.iter_mut().zip(&*z) {
                *to = from.get(lane).map_or(0, |&z| z as u32);
            }
            *out = heads.decide(coordinates, split(neighbors, layout.meta().neighbor_words() as usize).0)?;
        }
        if good < out.len() {
            return Err(Error::NotFinite);
        }
    }
    Ok(())
}

/// Writes packed features into their lane.
fn unpack(layout: &Layout<'_>, features: &[u32], lane: usize, x: &mut [[Lane; 4]]) {
    let unsigned = layout.meta().feature_map == code::MAP_CENTERS && !layout.meta().has_projection();
    let bytes: &[u8] = bytemuck::try_cast_slice(features).unwrap_or_default();
    for (lanes, &byte) in x.as_flattened_mut().iter_mut().zip(bytes) {
        if let Some(slot) = lanes.get_mut(lane) {
            *slot = if unsigned { byte.into() } else { (byte as i8).into() };
        }
    }
}

/// Samples side by side, and room for their embeddings.
struct Block<'a> {
    layout: &'a Layout<'a>,
    x: &'a [[Lane; 4]],
    z: &'a mut [Lane],
    work: &'a mut [[Lane; 4]],
}

impl Block<'_> {
    /// Embeds with the widest vectors of this machine.
    fn embed(self) {
        #[cfg(target_arch = "x86_64")]
        pulp::Arch::new().dispatch(self);
        #[cfg(not(target_arch = "x86_64"))]
        super::embed(self.layout, self.x, self.z, self.work);
    }
}

#[cfg(target_arch = "x86_64")]
impl pulp::WithSimd for Block<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        super::embed(self.layout, self.x, self.z, self.work);
    }
}
