//! SKLSH: codes whose Hamming distance follows a Gaussian kernel.
//!
//! # Idea
//! Bit `j` is the sign of `cos(w_jᵀx + b_j) + t_j` with `w_j ~ N(0, I/σ²)`, `b_j` uniform over the circle and `t_j` over
//! -1..1: the expected Hamming distance of two rows falls between two functions of `exp(−‖x−y‖²/2σ²)` (Raginsky and
//! Lazebnik 2009).
//!
//! # Where we differ from the paper
//! `σ` is the mean distance between rows unless `sigma` states another width; the paper leaves it to the user.

use super::{CODE, Embedder, Embedding, SystemEntry, signs};
use crate::error::FitError;
use crate::kernel::{Sigma, mean_distance};
use crate::linalg::{Mat, mul};
use crate::methods::SettingsParser;
use crate::rng::Rng;
use crate::run::Run;
use std::f64::consts::TAU;

#[derive(Debug, Clone, Copy, PartialEq)]
struct Sklsh {
    bits: usize,
    sigma: Sigma,
}

pub(super) const SKLSH: SystemEntry = SystemEntry {
    name: "sklsh",
    description: "locality-sensitive hashing for a Gaussian kernel, binary code",
    no_model: CODE,
    from_settings: |bits, settings| Box::new(Sklsh::new(bits, settings)),
};

impl Sklsh {
    fn new(mut bits: usize, settings: &mut SettingsParser) -> Self {
        let mut sigma = Sigma::Mean;
        settings.count("bits", &mut bits);
        settings.sigma(&mut sigma);
        Self { bits, sigma }
    }
}

impl Embedder for Sklsh {
    fn embed(&self, rows: &Mat, queries: Option<&Mat>, seed: u64, run: &Run<'_>) -> Result<Embedding, FitError> {
        run.step("random features", 0, 1)?;
        let sigma = self.sigma.resolve(|| mean_distance(rows, run.thread_count()));
        if sigma <= 0.0 {
            return Err(FitError::AllRowsEqual { rows: rows.nrows() });
        }
        let mut rng = Rng::new(seed);
        let weights = Mat::from_fn(rows.ncols(), self.bits, |_, _| rng.normal() / sigma);
        let offsets: Vec<(f64, f64)> =
            (0..self.bits).map(|_| (TAU * rng.uniform(), 2.0 * rng.uniform() - 1.0)).collect();
        Ok(signs(rows, queries, |x| {
            let mut values = mul(x, &weights, run.thread_count());
            for (mut column, (phase, threshold)) in values.column_iter_mut().zip(&offsets) {
                column.apply(|value| *value = libm::cos(*value + phase) + threshold);
            }
            values
        }))
    }
}
