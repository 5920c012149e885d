//! ITQ: the rotation of principal coordinates that loses least when only signs are kept.
//!
//! # Idea
//! Minimize `‖B − VR‖²` over codes `B` in ±1 and rotations `R`, for principal coordinates `V` (Gong and Lazebnik 2011).
//!
//! # Steps
//! 1. Principal coordinates and a random rotation, as in PCA-RR.
//! 2. In turn: `B = sign(VR)`; `R` from the SVD `BᵀV = SΩŜᵀ` as `ŜSᵀ`, the orthogonal Procrustes solution.
//! 3. Signs of `VR`. The paper's 50 rounds are the default.

use super::pca_rr::principal;
use super::{CODE, Embedder, Embedding, SystemEntry, signs};
use crate::error::FitError;
use crate::linalg::{Mat, mul, mul_nt, mul_tn, random_orthonormal, thin_svd};
use crate::methods::SettingsParser;
use crate::run::Run;

#[derive(Debug, Clone, Copy, PartialEq)]
struct Itq {
    bits: usize,
    rounds: usize,
}

pub(super) const ITQ: SystemEntry = SystemEntry {
    name: "itq",
    description: "principal axes rotated to lose least by quantization, binary code",
    no_model: CODE,
    from_settings: |bits, settings| Box::new(Itq::new(bits, settings)),
};

impl Itq {
    fn new(mut bits: usize, settings: &mut SettingsParser) -> Self {
        let mut rounds = 50;
        settings.count("bits", &mut bits);
        settings.count("rounds", &mut rounds);
        Self { bits, rounds }
    }
}

impl Embedder for Itq {
    fn embed(&self, rows: &Mat, queries: Option<&Mat>, seed: u64, run: &Run<'_>) -> Result<Embedding, FitError> {
        let threads = run.thread_count();
        let axes = principal(rows, self.bits, run)?;
        let v = axes.apply(rows, threads);
        let mut turn = random_orthonormal(self.bits, self.bits, seed);
        for round in 0..self.rounds {
            run.step("rotation", round, self.rounds)?;
            turn = improved(&v, &turn, threads)?;
        }
        Ok(signs(rows, queries, |x| mul(&axes.apply(x, threads), &turn, threads)))
    }
}

/// The best rotation for the codes that another one gives.
pub(super) fn improved(v: &Mat, turn: &Mat, threads: usize) -> Result<Mat, FitError> {
    let codes = mul(v, turn, threads).map(|value| if value > 0.0 { 1.0 } else { -1.0 });
    let svd = thin_svd(&mul_tn(v, &codes, threads)).map_err(FitError::at("rotation"))?;
    Ok(mul_nt(&svd.u, &svd.v, threads))
}
