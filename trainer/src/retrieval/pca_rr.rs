//! PCA-RR: signs of principal coordinates after a random rotation.
//!
//! # Idea
//! The first principal axis holds more variance than the tenth, yet each gets one bit. A random rotation spreads the
//! variance over the bits (Jégou et al. 2010; the starting point of ITQ).
//!
//! # Steps
//! 1. [`principal`]: as many principal coordinates of the centered rows as there are bits.
//! 2. [`random_orthonormal`]: a random orthogonal matrix, from the QR factorization of normal numbers.
//! 3. Signs.

use super::{CODE, Embedder, Embedding, SystemEntry, signs};
use crate::error::FitError;
use crate::linalg::{Mat, mul, random_orthonormal};
use crate::methods::SettingsParser;
use crate::preprocess::{Components, Projection, principal_axes};
use crate::run::Run;

#[derive(Debug, Clone, Copy, PartialEq)]
struct PcaRr {
    bits: usize,
}

pub(super) const PCA_RR: SystemEntry = SystemEntry {
    name: "pca-rr",
    description: "principal axes rotated at random, binary code",
    no_model: CODE,
    from_settings: |bits, settings| Box::new(PcaRr::new(bits, settings)),
};

impl PcaRr {
    fn new(mut bits: usize, settings: &mut SettingsParser) -> Self {
        settings.count("bits", &mut bits);
        Self { bits }
    }
}

impl Embedder for PcaRr {
    fn embed(&self, rows: &Mat, queries: Option<&Mat>, seed: u64, run: &Run<'_>) -> Result<Embedding, FitError> {
        let threads = run.thread_count();
        let axes = principal(rows, self.bits, run)?;
        let turn = random_orthonormal(self.bits, self.bits, seed);
        Ok(signs(rows, queries, |x| mul(&axes.apply(x, threads), &turn, threads)))
    }
}

/// The map to `count` principal coordinates.
pub(super) fn principal(rows: &Mat, count: usize, run: &Run<'_>) -> Result<Projection, FitError> {
    run.step("principal axes", 0, 1)?;
    Ok(principal_axes(rows, Components::Count(count), run.thread_count())?.projection())
}
