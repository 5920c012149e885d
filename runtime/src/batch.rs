//! Many rows at once, for hosts: the stages of a single row, several samples side by side.

use nearmark_format::Layout;

#[cfg(feature = "int")]
use crate::int;
use crate::{Error, Model, Prediction, error::input_len, head::Heads, memory::Enrolled, slices::split};

/// Samples side by side.
pub(crate) const LANES: usize = 8;

/// [`LANES`] samples of one profile, and room for their embeddings.
pub(crate) trait Lanes {
    /// Whether a row can be a sample at all.
    fn takes(row: &[f32]) -> bool;

    /// Writes the features of a row into its lane.
    fn load(&mut self, lane: usize, row: &[f32], scratch: &mut [u32]);

    /// Embeds all samples.
    fn embed(&mut self);

    /// Writes the embedding of a lane.
    fn store(&self, lane: usize, z: &mut [u32]);
}

impl Model<'_> {
    /// Floats of workspace that [`classify_batch`](Self::classify_batch) needs.
    #[must_use]
    pub fn batch_words(&self) -> usize {
        #[cfg(feature = "int")]
        if self.layout.int() {
            return int::batch::words(&self.layout);
        }
        crate::f32::batch::words(&self.layout)
    }

    /// Classifies rows that lie one after the other in `xs`, one answer each in `out`.
    ///
    /// Every answer has the bits that [`classify`](Self::classify) gives, several times faster on
    /// a host. `workspace` holds [`batch_words`](Self::batch_words) floats, `scratch`
    /// [`scratch_words`](Self::scratch_words) words.
    ///
    /// # Errors
    /// If a slice is too short, or a row gives a distance that is not finite: rows before it are
    /// answered.
    pub fn classify_batch(
        &self,
        xs: &[f32],
        out: &mut [Prediction],
        workspace: &mut [f32],
        scratch: &mut [u32],
    ) -> Result<(), Error> {
        let (layout, inputs) = (&self.layout, self.inputs().max(1));
        input_len(out.len().saturating_mul(inputs), xs.len())?;
        self.check_scratch(scratch)?;
        if workspace.len() < self.batch_words() {
            return Err(Error::Scratch { needed: self.batch_words(), got: workspace.len() });
        }
        #[cfg(feature = "int")]
        if layout.int() {
            return answer(layout, &mut int::batch::Samples::new(layout, workspace), xs, out, scratch);
        }
        answer(layout, &mut crate::f32::batch::Samples::new(layout, workspace), xs, out, scratch)
    }
}

/// Answers rows that lie one after the other; all slices have the right length.
fn answer<L: Lanes>(
    layout: &Layout<'_>,
    lanes: &mut L,
    xs: &[f32],
    out: &mut [Prediction],
    scratch: &mut [u32],
) -> Result<(), Error> {
    let (inputs, dim) = ((layout.header().inputs as usize).max(1), usize::from(layout.header().dim));
    let neighbor_words = layout.meta().neighbor_words() as usize;
    let heads = Heads { layout, enrolled: Enrolled::default() };
    for (rows, out) in xs.chunks(inputs.saturating_mul(LANES)).zip(out.chunks_mut(LANES)) {
        // Rows before one that is no sample are answered.
        let good = rows.chunks_exact(inputs).take_while(|row| L::takes(row)).count();
        for (lane, row) in rows.chunks_exact(inputs).take(good).enumerate() {
            lanes.load(lane, row, scratch);
        }
        Wide(lanes).run();
        for (lane, out) in out.iter_mut().enumerate().take(good) {
            let (z, rest) = split(scratch, dim);
            lanes.store(lane, z);
            *out = heads.decide(z, split(rest, neighbor_words).0)?;
        }
        if good < out.len() {
            return Err(Error::NotFinite);
        }
    }
    Ok(())
}

/// Embeds with the widest vectors of this machine: the same operations in the same order, more of them at once.
/// (The compiler never contracts a multiplication and an addition into one rounding.)
struct Wide<'a, L>(&'a mut L);

impl<L: Lanes> Wide<'_, L> {
    fn run(self) {
        #[cfg(target_arch = "x86_64")]
        pulp::Arch::new().dispatch(self);
        #[cfg(not(target_arch = "x86_64"))]
        self.0.embed();
    }
}

#[cfg(target_arch = "x86_64")]
impl<L: Lanes> pulp::WithSimd for Wide<'_, L> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        self.0.embed();
    }
}
