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
//! 2. [`embed`]: with `Ψ = QΛQᵀ`, `Y = QV`, where `V` are the lowest eigenvectors of
//!    `Qᵀ(L_w − μ₁L_b)Q + μ₂(Λ + ridge)⁻²`.
//! 3. [`best_sigma`]: on a grid of widths, the least `μ₂‖(Ψ+ridge)⁻¹Y‖² + μ₃/σ²`, by Cholesky solves.
//! 4. Alternate until the objective stands still; it never rises. The map is `f(x) = Yᵀ(Ψ+ridge)⁻¹ψ(x)`.
//!
//! # Model shape
//! Gaussian kernel expansion, one center per training row.
//!
//! # Where we differ from the paper
//! `μ₃` weighs `σ̄²/σ²`, `σ̄` being the mean distance of the rows, where the paper has `1/σ²`: its other terms do not change
//! with the unit of the rows, and so neither does ours (`unit_free = false` gives the paper's). `Ψ⁻²` is never formed: pairs with `λ < 1e-10 λ₁`, whose penalty is infinite, are dropped instead. Width and
//! embedding are searched on a grid that holds the starting width, which makes the descent exact.

use super::{Dim, Method};
use crate::data::Dataset;
use crate::error::{FitError, ParamError};
use crate::fitted::{Basis, Fitted, Map, TracePoint};
use crate::graph::{Graph, between_classes_mul};
use crate::head::{Head, HeadChoice};
use crate::kernel::{Kernel, Sigma, cross, gaussian_in_place, mean_distance, squared_distances_lower};
use crate::linalg::{Cholesky, Mat, mul, mul_tn, sym_eig};
use crate::par;
use crate::run::Run;

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
#[derive(Debug, Clone, Default)]
pub struct Nsse {
    params: Params,
}

impl Nsse {
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`ParamError`] naming the first that is out of range.
    pub fn new(params: Params) -> Result<Self, ParamError> {
        params.dim.check()?;
        params.sigma.check()?;
        for (name, value) in [("mu1", params.mu1), ("mu2", params.mu2), ("mu3", params.mu3)] {
            ParamError::not_negative(name, value)?;
        }
        ParamError::not_negative("ridge", params.ridge)?;
        if let Some(k) = params.neighbors {
            ParamError::at_least_one("k", k)?;
        }
        Ok(Self { params })
    }
}

impl Method for Nsse {
    fn name(&self) -> &'static str {
        "nsse"
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        let p = &self.params;
        vec![
            ("dim", p.dim.to_string()),
            ("fixed_sigma", p.fixed_sigma.to_string()),
            ("k", p.neighbors.map_or_else(|| "all".to_owned(), |k| k.to_string())),
            ("mu1", p.mu1.to_string()),
            ("mu2", p.mu2.to_string()),
            ("mu3", p.mu3.to_string()),
            ("ridge", p.ridge.to_string()),
            ("sigma", p.sigma.to_string()),
            ("unit_free", p.unit_free.to_string()),
        ]
    }

    fn fit_with(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError> {
        let p = &self.params;
        data.require_classes(1)?;
        let problem = Problem::new(p, data, run)?;
        let mean = problem.mean_distance;
        let mut sigma = match p.sigma {
            Sigma::Mean => mean,
            Sigma::Factor(factor) => factor * mean,
            Sigma::Value(value) => value,
        };
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
            (sigma, roughness) = problem.best_sigma(if p.fixed_sigma { &[] } else { &grid }, &y, sigma);
            let objective = problem.spread(&y) + roughness;
            let previous = trace.last().map_or(f64::INFINITY, |point| point.objective);
            let validation_error = problem.validation_error(&y, sigma)?;
            trace.push(TracePoint { objective, sigma, validation_error });
            let settled = previous - objective <= 1e-9 * objective.abs();
            if settled || p.fixed_sigma || trace.len() == ROUNDS {
                break;
            }
        }
        let (kernel, c) = problem.interpolant(&y, sigma)?;
        // (Ψ + ridge)C = Y, so that ΨC = Y − ridge·C.
        let embedding = &y - &c * p.ridge;
        let map = Map::lifted(Basis::Centers { kernel, centers: data.rows().clone() }, c);
        let notes = (trace.len() == ROUNDS).then(|| format!("the objective still moved after {ROUNDS} rounds"));
        Ok(Fitted::new(data, map, embedding).with_spectrum(spectrum).with_trace(trace).with_notes(notes))
    }
}

/// What stays the same from round to round.
struct Problem<'a> {
    params: &'a Params,
    data: &'a Dataset,
    within: Graph,
    dim: usize,
    mean_distance: f64,
    /// Squared distances of all rows, the lower triangle: every width makes its kernel matrix from them.
    distances: Mat,
    threads: usize,
}

impl<'a> Problem<'a> {
    fn new(params: &'a Params, data: &'a Dataset, run: &Run<'_>) -> Result<Self, FitError> {
        let threads = run.thread_count();
        run.step("neighbor graph", 0, 1)?;
        let mean_distance = mean_distance(data.rows(), threads);
        if mean_distance <= 0.0 {
            return Err(FitError::AllRowsEqual { rows: data.len() });
        }
        let dim = params.dim.resolve(data.classes() - 1, data.len())?;
        let labels = data.labels();
        // β is the mean squared distance: twice the total variance, over all pairs.
        let centered = crate::linalg::shift_columns(data.rows().clone(), &crate::linalg::column_means(data.rows()));
        let beta = 2.0 * centered.norm_squared() / (data.len() as f64 - 1.0).max(1.0);
        let k = params.neighbors.unwrap_or(data.len());
        let weight = |_, _, distance_sq: f64| libm::exp(-distance_sq / beta);
        let within = Graph::among(data.rows(), k, threads, weight, |i, j| labels[i] == labels[j]);
        let distances = squared_distances_lower(data.rows(), threads);
        Ok(Self { params, data, within, dim, mean_distance, distances, threads })
    }

    /// `(L_w − μ₁L_b) m`.
    fn laplacian_mul(&self, m: &Mat) -> Mat {
        self.within.laplacian_mul(m, self.threads) - between_classes_mul(self.data, m) * self.params.mu1
    }

    /// The best embedding for this width (step 2), and its eigenvalues.
    fn embed(&self, sigma: f64) -> Result<(Mat, Vec<f64>), FitError> {
        let p = self.params;
        let psi = self.psi(sigma, self.threads);
        let psi = sym_eig(&psi).map_err(FitError::at("eigenvectors of the kernel matrix"))?.above(1e-10);
        if self.dim > psi.len() {
            return Err(FitError::DimTooLarge { dim: self.dim, max: psi.len() });
        }
        let mut m = mul_tn(&psi.vectors, &self.laplacian_mul(&psi.vectors), self.threads);
        for (i, value) in psi.values.iter().enumerate() {
            m[(i, i)] += p.mu2 / (value + p.ridge).powi(2);
        }
        // The lowest eigenpairs of m are the highest of −m.
        let eig = sym_eig(&-m).map_err(FitError::at("embedding"))?.truncated(self.dim);
        let spectrum = eig.values.iter().map(|v| -v).collect();
        Ok((mul(&psi.vectors, &eig.vectors, self.threads), spectrum))
    }

    /// The width of the grid with the least roughness for this embedding (step 3), `current` unless one is better,
    /// and the roughness.
    fn best_sigma(&self, grid: &[f64], y: &Mat, current: f64) -> (f64, f64) {
        let grid: Vec<f64> = grid.iter().copied().filter(|&sigma| sigma != current).collect();
        let costs = par::map(self.threads, grid.len(), |i| self.roughness(y, grid[i]));
        let best = |best: (f64, f64), (&sigma, &cost): (&f64, &f64)| if cost < best.1 { (sigma, cost) } else { best };
        let start = (current, self.roughness(y, current));
        grid.iter().zip(&costs).fold(start, best)
    }

    /// `μ₂‖(Ψ+ridge)⁻¹Y‖² + μ₃/σ²` (with `σ` in units of `σ̄` if unit free), infinite where `Ψ + ridge` is not positive definite.
    fn roughness(&self, y: &Mat, sigma: f64) -> f64 {
        match self.solve(y, sigma) {
            Ok(c) => {
                let width = if self.params.unit_free { sigma / self.mean_distance } else { sigma };
                self.params.mu2 * c.norm_squared() + self.params.mu3 / (width * width)
            }
            Err(_) => f64::INFINITY,
        }
    }

    /// `tr Yᵀ(L_w − μ₁L_b)Y`.
    fn spread(&self, y: &Mat) -> f64 {
        y.dot(&self.laplacian_mul(y))
    }

    /// The lower triangle of `Ψ`.
    fn psi(&self, sigma: f64, threads: usize) -> Mat {
        let mut psi = self.distances.clone();
        gaussian_in_place(1.0 / (sigma * sigma), &mut psi, threads);
        psi
    }

    /// `(Ψ + ridge)⁻¹ Y`.
    fn solve(&self, y: &Mat, sigma: f64) -> Result<Mat, crate::linalg::LinalgError> {
        let mut psi = self.psi(sigma, 1);
        for i in 0..psi.nrows() {
            psi[(i, i)] += self.params.ridge;
        }
        Ok(Cholesky::factor(psi)?.solve(y.clone()))
    }

    /// The kernel and coefficients of the interpolant (step 4).
    fn interpolant(&self, y: &Mat, sigma: f64) -> Result<(Kernel, Mat), FitError> {
        let c = self.solve(y, sigma).map_err(FitError::at("interpolant"))?;
        Ok((kernel(sigma), c))
    }

    fn validation_error(&self, y: &Mat, sigma: f64) -> Result<Option<f64>, FitError> {
        let Some(validation) = &self.params.validation else { return Ok(None) };
        if validation.width() != self.data.width() {
            let (expected, got) = (self.data.width(), validation.width());
            return Err(crate::DataError::Width { expected, got }.into());
        }
        let (kernel, c) = self.interpolant(y, sigma)?;
        let z = mul(&cross(kernel, validation.rows(), self.data.rows(), self.threads), &c, self.threads);
        let head = Head::fit(HeadChoice::Neighbors(1), y, self.data.labels(), self.data.classes())?;
        let found = head.classify(&z);
        let named =
            |(found, label): &(&usize, &usize)| self.data.class_names()[**found] != validation.class_names()[**label];
        let wrong = found.iter().zip(validation.labels()).filter(named);
        Ok(Some(wrong.count() as f64 / validation.len() as f64))
    }
}

/// NSSE's convention: `gamma = 1/σ²`.
fn kernel(sigma: f64) -> Kernel {
    Kernel::Gaussian { gamma: 1.0 / (sigma * sigma) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synthetic::blobs;
    use crate::kernel::KernelChoice;
    use crate::methods::cmvda;

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
    fn the_between_class_laplacian_is_the_one_of_its_definition() -> Result<(), Box<dyn std::error::Error>> {
        let data = blobs(3, 3, 2, 1.0, 0);
        let (zero, one) = (Params { mu1: 0.0, ..Params::default() }, Params { mu1: 1.0, ..Params::default() });
        let y = data.rows();
        let quadratic = |p: &Params| -> Result<f64, FitError> {
            Ok(y.dot(&Problem::new(p, &data, &Run::default())?.laplacian_mul(y)))
        };
        let mut between = 0.0;
        for i in 0..9 {
            for j in (0..9).filter(|&j| data.labels()[i] != data.labels()[j]) {
                between += 0.5 * (y.row(i) - y.row(j)).norm_squared();
            }
        }
        assert!((quadratic(&zero)? - quadratic(&one)? - between).abs() < 1e-10);
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
