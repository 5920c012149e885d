//! Many rows at once, for hosts: the same sums in the same order, several samples side by side.

use nearmark_format::Layout;

use crate::{
    Error, Model, Prediction,
    embed::{front_words, lanes, run_front},
    error::input_len,
    head::Heads,
    memory::Enrolled,
    scratch::{cast, split},
};

/// Samples side by side.
const LANES: usize = 8;

impl Model<'_> {
    /// Words of `pack` that [`classify_batch`](Self::classify_batch) needs.
    #[must_use]
    pub fn batch_words(&self) -> usize {
        let layout = &self.layout;
        #[cfg(feature = "int")]
        if layout.int() {
            return crate::int::batch::words(layout);
        }
        let projected = if layout.meta().has_projection() { layout.projected().next_multiple_of(4) } else { 0 };
        (layout.kept()).saturating_add(projected).saturating_add(self.dim()).saturating_mul(LANES)
    }

    /// Classifies rows that lie one after the other in `xs`, one answer each in `out`.
    ///
    /// Every answer has the bits that [`classify`](Self::classify) gives, several times faster on
    /// a host. `pack` holds [`batch_words`](Self::batch_words) floats, `scratch`
    /// [`scratch_words`](Self::scratch_words) words.
    ///
    /// # Errors
    /// If a slice is too short, or a row gives a distance that is not finite: rows before it are
    /// answered.
    pub fn classify_batch(
        &self,
        xs: &[f32],
        out: &mut [Prediction],
        pack: &mut [f32],
        scratch: &mut [u32],
    ) -> Result<(), Error> {
        let (layout, inputs) = (&self.layout, self.inputs().max(1));
        input_len(out.len().saturating_mul(inputs), xs.len())?;
        self.check_scratch(scratch)?;
        if pack.len() < self.batch_words() {
            return Err(Error::Scratch { needed: self.batch_words(), got: pack.len() });
        }
        #[cfg(feature = "int")]
        if layout.int() {
            return crate::int::batch::classify(layout, xs, out, pack, scratch);
        }
        let heads = Heads { layout, enrolled: Enrolled::default() };
        let (lanes_of, _) = pack.as_chunks_mut::<LANES>();
        let (features, rest) = split(lanes_of, layout.kept());
        let (z_lanes, projected) = split(rest, self.dim());
        for (rows, out) in xs.chunks(inputs.saturating_mul(LANES)).zip(out.chunks_mut(LANES)) {
            for (lane, row) in rows.chunks_exact(inputs).enumerate() {
                let (front, _) = split(cast(scratch), front_words(layout));
                interleave(features, lane, row_features(layout, row, front));
            }
            Block { layout, x: features, z: z_lanes, work: projected }.embed();
            for (lane, out) in out.iter_mut().enumerate() {
                let (z, neighbors) = split(scratch, self.dim());
                for (z, lanes) in z.iter_mut().zip(&*z_lanes) {
                    *z = lanes.get(lane).copied().unwrap_or_default().to_bits();
                }
                *out = heads.decide(z, split(neighbors, layout.meta().neighbor_words() as usize).0)?;
            }
        }
        Ok(())
    }
}

/// The features of one row: itself, or what the front stages make of it.
fn row_features<'f>(layout: &Layout<'_>, row: &'f [f32], front: &'f mut [f32]) -> &'f [f32] {
    if front.is_empty() { row } else { run_front(layout, row, front) }
}

/// Writes a row into its lane.
fn interleave(features: &mut [[f32; LANES]], lane: usize, row: &[f32]) {
    for (lanes, &value) in features.iter_mut().zip(row) {
        if let Some(slot) = lanes.get_mut(lane) {
            *slot = value;
        }
    }
}

/// Samples side by side, and room for their embeddings.
struct Block<'a> {
    layout: &'a Layout<'a>,
    x: &'a [[f32; LANES]],
    z: &'a mut [[f32; LANES]],
    work: &'a mut [[f32; LANES]],
}

impl Block<'_> {
    /// Embeds with the widest vectors of this machine: the same operations in the same order, more
    /// of them at once. (The compiler never fuses a multiplication with an addition by itself.)
    fn embed(self) {
        #[cfg(target_arch = "x86_64")]
        pulp::Arch::new().dispatch(self);
        #[cfg(not(target_arch = "x86_64"))]
        lanes(self.layout, self.x, self.z, self.work);
    }
}

#[cfg(target_arch = "x86_64")]
impl pulp::WithSimd for Block<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        lanes(self.layout, self.x, self.z, self.work);
    }
}
