//! Random features that the device makes from a seed instead of storing them.

use crate::linalg::Mat;
use crate::model::map::Basis;
use nearmark_format::{meta::code, seed::Row};
use std::f64::consts::TAU;

/// Where random weights and phases come from: the generator of [`nearmark_format::seed`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seeded {
    /// The seed.
    pub seed: u64,
    /// [`code::LAW_SIGNS`] or [`code::LAW_BYTES`].
    pub law: u8,
}

impl Seeded {
    /// `count` random features of rows of `width` values for the Gaussian kernel of this `gamma`: weights of
    /// variance `2·gamma`, as in Rahimi and Recht, with the law's few values in the place of a normal's.
    #[must_use]
    pub fn gaussian(self, gamma: f64, count: usize, width: usize) -> Basis {
        let variance = if self.law == code::LAW_SIGNS { 1.0 } else { 21_845.0 };
        let (mut weights, phases) = features(self, count, width);
        // In place: weights for thousands of columns are the largest matrix of a fit.
        weights *= (2.0 * gamma / variance).sqrt();
        let phases = phases.into_iter().map(|p| p * TAU).collect();
        Basis::Random { weights, phases, seeded: Some(self) }
    }
}

/// Raw weights and phases as the device makes them; phases in 2⁻³² turns.
pub(crate) fn raw(from: Seeded, count: usize, width: usize) -> (Mat, Vec<u32>) {
    let mut weights = Mat::zeros(count, width);
    let phases = (0..count).map(|i| {
        let mut row = Row::new(from.seed as u32, (from.seed >> 32) as u32, i as u32, from.law);
        for j in 0..width {
            weights[(i, j)] = f64::from(row.weight());
        }
        row.phase()
    });
    let phases = phases.collect();
    (weights, phases)
}

/// Raw weights, and phases in turns of which single precision holds 24 bits.
pub(crate) fn features(from: Seeded, count: usize, width: usize) -> (Mat, Vec<f64>) {
    let (weights, phases) = raw(from, count, width);
    (weights, phases.into_iter().map(|phase| f64::from(phase >> 8) / f64::from(1 << 24)).collect())
}

/// The factor, in turns, between the seed's raw weights and these; none if they are not the seed's.
pub(crate) fn recognize(from: Seeded, weights: &Mat, phases: &[f64]) -> Option<f64> {
    let (raw, turns) = features(from, weights.nrows(), weights.ncols());
    let gamma = weights.dot(&raw) / raw.norm_squared() / TAU;
    let same_phases = phases.iter().zip(&turns).all(|(p, t)| (p / TAU - t).abs() < 1e-12);
    let same_weights = weights.iter().zip(&raw).all(|(w, raw)| (w / TAU - raw * gamma).abs() <= 1e-9 * gamma);
    (gamma > 0.0 && same_phases && same_weights).then_some(gamma)
}
