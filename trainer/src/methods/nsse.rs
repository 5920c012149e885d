//! NSSE: a smooth embedding learned together with the width of the kernel that extends it.
//!
//! # Idea
//! Choose the training embedding `Y` so that classes are compact and far apart, but also such that a Gaussian
//! interpolant through it is smooth: a rough interpolant fits the training rows and fails on new ones. The
//! kernel's width belongs to the same objective (Örnek and Vural 2018, equation 10):
//! `min tr YᵀL_wY − μ₁ tr YᵀL_bY + μ₂ tr YᵀΨ⁻²Y + μ₃/σ²` over `Y` and `σ`, with `YᵀY = I` and `Ψ_ij = exp(−‖x_i−x_j‖²/σ²)`.
//!
//! # Steps
//! 1. `L_w`: Gaussian weights on same-class neighbors; `L_b`: one for every pair of different classes.
//! 2. [`embed`](Problem::embed): with `Ψ = QΛQᵀ`, `Y = QV`, where `V` are the lowest eigenvectors of
//!    `Qᵀ(L_w − μ₁L_b)Q + μ₂(Λ + ridge)⁻²`.
//! 3. [`best_sigma`](Problem::best_sigma): on a grid of widths, the least `μ₂‖(Ψ+ridge)⁻¹Y‖² + μ₃/σ²`, by Cholesky solves.
//! 4. Alternate until the objective stands still; it never rises. The map is `f(x) = Yᵀ(Ψ+ridge)⁻¹ψ(x)`.
//!
//! # Model shape
//! Gaussian kernel expansion, one center per training row.
//!
//! # Where we differ from the paper
//! `μ₃` weighs `σ̄²/σ²`, `σ̄` being the mean distance of the rows, where the paper has `1/σ²`: its other terms do not change
//! with the unit of the rows, and so neither does ours (`unit_free = false` gives the paper's). `Ψ⁻²` is never formed:
//! pairs with `λ < 1e-10 λ₁`, whose penalty is infinite, are dropped instead. Width and embedding are searched on a grid
//! that holds the starting width, so that the objective never rises. [`search`](search()) tunes the weights as the paper does.

mod problem;
mod search;

pub use search::{Found, search};

use super::{Checked, Dataset, Dim, FitError, MethodEntry, MethodParams, Run, SettingsParser};
use crate::kernel::Sigma;
use crate::memory::matrices;
use crate::model::map::{Basis, Map};
use crate::model::{Fitted, TracePoint};
use problem::Problem;

/// Octaves below and above the mean distance that the grid of widths spans, in quarter steps.
const OCTAVES: std::ops::RangeInclusive<i32> = -12..=8;
/// Rounds at most; two to five are usual.
const ROUNDS: usize = 20;

/// Parameters of NSSE.
#[derive(Debug, Clone, PartialEq)]
pub struct Params {
    /// Number of axes; by default one less than classes. More hurts 1-NN.
    pub dim: Dim,
    /// `μ₁`, the weight of distances between classes.
    pub mu1: f64,
    /// `μ₂`, the weight of smoothness.
    pub mu2: f64,
    /// `μ₃`, the weight of a wide kernel.
    pub mu3: f64,
    /// Nearest same-class rows that are kept together; all of the class by default.
    pub neighbors: Option<usize>,
    /// The starting width, where `gamma = 1/σ²`.
    pub sigma: Sigma,
    /// Whether `μ₃` weighs `σ̄²/σ²` rather than `1/σ²`, so that the unit of the rows does not matter.
    pub unit_free: bool,
    /// Whether to keep the starting width.
    pub fixed_sigma: bool,
    /// Added to `Ψ`'s diagonal, whose entries are one.
    pub ridge: f64,
    /// Rows on which each round's error is measured (1-NN in the embedding) for the trace.
    pub validation: Option<Dataset>,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            dim: Dim::Auto,
            mu1: 100.0,
            mu2: 5e-4,
            mu3: 3.0,
            neighbors: None,
            sigma: Sigma::Mean,
            unit_free: true,
            fixed_sigma: false,
            ridge: 1e-8,
            validation: None,
        }
    }
}

/// Nonlinear supervised smooth embedding.
pub type Nsse = Checked<Params>;

pub(super) const NSSE: MethodEntry = MethodEntry::of::<Params>(
    "nsse",
    "nonlinear supervised smooth embedding: Gaussian kernels, width found by the fit",
);

impl MethodParams for Params {
    fn name(&self) -> &'static str {
        NSSE.name
    }

    fn settings(&mut self, settings: &mut SettingsParser) {
        settings.dim(&mut self.dim);
        settings.sigma(&mut self.sigma);
        settings.not_negative("mu1", &mut self.mu1);
        settings.not_negative("mu2", &mut self.mu2);
        settings.not_negative("mu3", &mut self.mu3);
        settings.neighbors("all", &mut self.neighbors);
        settings.flag("unit_free", &mut self.unit_free);
        settings.flag("fixed_sigma", &mut self.fixed_sigma);
        settings.not_negative("ridge", &mut self.ridge);
    }

    fn memory(&self, rows: usize) -> u64 {
        // The graph of all rows of the same class adds up to four with two classes.
        matrices(9, rows)
    }

    fn fit(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError> {
        data.require_classes(1)?;
        let problem = Problem::new(self, data, run)?;
        let mean = problem.mean_distance;
        let mut sigma = self.sigma.resolve(|| mean);
        let mut grid: Vec<f64> = OCTAVES.map(|quarter| mean * libm::exp2(f64::from(quarter) / 4.0)).collect();
        if !grid.contains(&sigma) {
            grid.push(sigma);
        }
        let mut trace: Vec<TracePoint> = Vec::new();
        let (mut y, mut spectrum);
        loop {
            run.step("embedding", trace.len(), ROUNDS)?;
            (y, spectrum) = problem.embed(sigma)?;
            run.step("kernel width", trace.len(), ROUNDS)?;
            let roughness;
            (sigma, roughness) = problem.best_sigma(if self.fixed_sigma { &[] } else { &grid }, &y, sigma);
            // tr Yᵀ(L_w − μ₁L_b)Y, and what the interpolant adds.
            let objective = y.dot(&problem.laplacian_mul(&y)) + roughness;
            let previous = trace.last().map_or(f64::INFINITY, |point| point.objective);
            let validation_error = problem.validation_error(&y, sigma)?;
            trace.push(TracePoint { objective, sigma, validation_error });
            let settled = previous - objective <= 1e-9 * objective.abs();
            if settled || self.fixed_sigma || trace.len() == ROUNDS {
                break;
            }
        }
        let (kernel, c) = problem.interpolant(&y, sigma)?;
        // (Ψ + ridge)C = Y, so that ΨC = Y − ridge·C.
        let embedding = &y - &c * self.ridge;
        let map = Map::mapped(Basis::Centers { kernel, centers: data.rows().clone() }, c);
        let notes = (trace.len() == ROUNDS).then(|| format!("the objective still moved after {ROUNDS} rounds"));
        Ok(Fitted::new(data, map, embedding).with_spectrum(spectrum).with_trace(trace).with_notes(notes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::synthetic::blobs;
    use crate::kernel::KernelChoice;
    use crate::linalg::Mat;
    use crate::methods::{Method, cmvda};

    #[test]
    fn the_objective_never_rises() -> Result<(), Box<dyn std::error::Error>> {
        let data = blobs(4, 20, 6, 1.5, 0);
        for (start, mu) in [(0.15, (100.0, 5e-4, 3.0)), (4.0, (100.0, 5e-4, 3.0)), (1.0, (1.0, 1.0, 1.0))] {
            let params = Params { mu1: mu.0, mu2: mu.1, mu3: mu.2, sigma: Sigma::Factor(start), ..Params::default() };
            let fitted = Nsse::new(params)?.fit(&data)?;
            for pair in fitted.trace().windows(2) {
                let slack = 1e-9 * pair[0].objective.abs();
                assert!(pair[1].objective <= pair[0].objective + slack, "{:?}", fitted.trace());
            }
        }
        Ok(())
    }

    #[test]
    fn the_embedding_is_orthonormal_and_interpolated() -> Result<(), Box<dyn std::error::Error>> {
        let data = blobs(4, 15, 6, 1.0, 1);
        let fitted = Nsse::default().fit(&data)?;
        let z = fitted.embedding();
        assert_eq!(z.ncols(), 3);
        assert!((z.transpose() * z - Mat::identity(3, 3)).amax() < 1e-5);
        assert!((fitted.embed(data.rows())? - z).amax() < 1e-7);
        Ok(())
    }

    #[test]
    fn with_large_mu1_it_decides_as_cmvda_does() -> Result<(), Box<dyn std::error::Error>> {
        let (data, new) = (blobs(4, 20, 8, 1.5, 0), blobs(4, 50, 8, 1.5, 0));
        let nsse = Params { mu1: 1e4, fixed_sigma: true, ..Params::default() };
        let nsse = Nsse::new(nsse)?.fit(&data)?;
        // NSSE's 1/σ² is the others' 1/(2σ²) at σ/√2.
        let kernel = KernelChoice::Gaussian(Sigma::Factor(0.5_f64.sqrt()));
        let cmvda = cmvda::Params { kernel, ridge: 0.0, ..cmvda::Params::default() };
        let cmvda = cmvda::Cmvda::new(cmvda)?.fit(&data)?;
        assert_eq!(nsse.classify(new.rows())?, cmvda.classify(new.rows())?);
        Ok(())
    }

    #[test]
    fn the_unit_of_the_rows_does_not_matter() -> Result<(), Box<dyn std::error::Error>> {
        let data = blobs(3, 20, 6, 1.0, 0);
        let scaled = data.with_rows(data.rows() * 256.0)?;
        let (a, b) = (Nsse::default().fit(&data)?, Nsse::default().fit(&scaled)?);
        assert!((a.embedding() - b.embedding()).amax() < 1e-6);
        assert!(
            (a.trace().last().map_or(0.0, |p| p.sigma) * 256.0 / b.trace().last().map_or(1.0, |p| p.sigma) - 1.0).abs()
                < 1e-9
        );
        Ok(())
    }

    #[test]
    fn validation_rows_give_an_error_per_round() -> Result<(), Box<dyn std::error::Error>> {
        let data = blobs(3, 20, 6, 0.2, 0);
        let validation = Some(data.clone());
        let fitted = Nsse::new(Params { validation, ..Params::default() })?.fit(&data)?;
        assert!(fitted.trace().iter().all(|point| point.validation_error == Some(0.0)));
        Ok(())
    }
}
