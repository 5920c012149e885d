//! The two steps of NSSE's alternation, and what stays the same from round to round.

use super::Params;
use crate::dataset::Dataset;
use crate::error::{DataError, FitError};
use crate::graph::{Graph, between_classes_mul};
use crate::kernel::{Kernel, cross, gaussian_in_place, mean_distance, squared_distances_lower};
use crate::linalg::{Cholesky, Eig, LinalgError, Mat, column_means, mul, mul_tn, scale_rows, shift_columns, sym_eig};
use crate::model::head::{Head, HeadChoice};
use crate::parallel;
use crate::run::Run;

/// Rows, graph and distances.
pub(super) struct Problem<'a> {
    params: &'a Params,
    pub(super) data: &'a Dataset,
    within: Graph,
    pub(super) dim: usize,
    pub(super) mean_distance: f64,
    /// Squared distances of all rows, the lower triangle: every width makes its kernel matrix from them.
    distances: Mat,
    threads: usize,
}

/// One width's kernel matrix by its spectrum.
pub(super) struct Coordinates {
    psi: Eig,
    laplacian: Mat,
}

impl<'a> Problem<'a> {
    /// The problem of embedding these rows in `dim` axes, no more than there are rows.
    pub(super) fn new(params: &'a Params, data: &'a Dataset, dim: usize, run: &Run<'_>) -> Result<Self, FitError> {
        let threads = run.thread_count();
        run.step("neighbor graph", 0, 1)?;
        let mean_distance = mean_distance(data.rows(), threads);
        if mean_distance <= 0.0 {
            return Err(FitError::AllRowsEqual { rows: data.len() });
        }
        let labels = data.labels();
        // β is the mean squared distance: twice the total variance, over all pairs.
        let centered = shift_columns(data.rows().clone(), &column_means(data.rows()));
        let beta = 2.0 * centered.norm_squared() / (data.len() as f64 - 1.0).max(1.0);
        let k = params.neighbors.unwrap_or(data.len());
        let weight = |_, _, distance_sq: f64| libm::exp(-distance_sq / beta);
        let within = Graph::among(data.rows(), k, threads, weight, |i, j| labels[i] == labels[j]);
        let distances = squared_distances_lower(data.rows(), threads);
        Ok(Self { params, data, within, dim, mean_distance, distances, threads })
    }

    /// `(L_w − μ₁L_b) m`.
    pub(super) fn laplacian_mul(&self, m: &Mat) -> Mat {
        self.within.laplacian_mul(m, self.threads) - between_classes_mul(self.data, m) * self.params.mu1
    }

    /// The eigenpairs of `Ψ` whose penalty is finite, and `Qᵀ(L_w − μ₁L_b)Q` in them.
    pub(super) fn coordinates(&self, sigma: f64) -> Result<Coordinates, FitError> {
        let psi = self.psi(sigma, self.threads);
        let psi = sym_eig(&psi).map_err(FitError::at("eigenvectors of the kernel matrix"))?.above(1e-10);
        let laplacian = mul_tn(&psi.vectors, &self.laplacian_mul(&psi.vectors), self.threads);
        Ok(Coordinates { psi, laplacian })
    }

    /// The best embedding for this width (step 2), and its eigenvalues.
    pub(super) fn embed(&self, sigma: f64, ridge: f64) -> Result<(Mat, Vec<f64>), FitError> {
        let coordinates = self.coordinates(sigma)?;
        if self.dim > coordinates.psi.len() {
            return Err(FitError::DimTooLarge { dim: self.dim, max: coordinates.psi.len() });
        }
        let eig = self.lowest(&coordinates, ridge)?;
        let spectrum = eig.values.iter().map(|v| -v).collect();
        Ok((mul(&coordinates.psi.vectors, &eig.vectors, self.threads), spectrum))
    }

    /// `V` of step 2, by its eigenvalues with their sign changed.
    fn lowest(&self, coordinates: &Coordinates, ridge: f64) -> Result<Eig, FitError> {
        let mut m = -coordinates.laplacian.clone();
        for (i, value) in coordinates.psi.values.iter().enumerate() {
            m[(i, i)] -= self.params.mu2 / (value + ridge).powi(2);
        }
        // The lowest eigenpairs of the objective are the highest of its negative.
        Ok(sym_eig(&m).map_err(FitError::at("embedding"))?.truncated(self.dim))
    }

    /// The embedding of these rows and of others, given the kernel between the other rows and these, for a hold-out. All of
    /// it in the eigenvectors at hand: no factorization per ridge.
    pub(super) fn extend(&self, coordinates: &Coordinates, kernel: &Mat, ridge: f64) -> Result<(Mat, Mat), FitError> {
        let v = self.lowest(coordinates, ridge)?.vectors;
        let (q, values) = (&coordinates.psi.vectors, &coordinates.psi.values);
        // (Ψ + ridge)⁻¹Y = Q(Λ + ridge)⁻¹V, and ΨC = QΛ(Λ + ridge)⁻¹V.
        let solved: Vec<f64> = values.iter().map(|value| 1.0 / (value + ridge)).collect();
        let c = scale_rows(v, &solved);
        let other = mul(kernel, &mul(q, &c, self.threads), self.threads);
        Ok((mul(q, &scale_rows(c, values), self.threads), other))
    }

    /// The width of the grid with the least roughness for this embedding (step 3), `current` unless one is better,
    /// and the roughness.
    pub(super) fn best_sigma(&self, grid: &[f64], y: &Mat, current: f64) -> (f64, f64) {
        let grid: Vec<f64> = grid.iter().copied().filter(|&sigma| sigma != current).collect();
        let costs = parallel::map(self.threads, grid.len(), |i| self.roughness(y, grid[i]));
        let best = |best: (f64, f64), (&sigma, &cost): (&f64, &f64)| if cost < best.1 { (sigma, cost) } else { best };
        let start = (current, self.roughness(y, current));
        grid.iter().zip(&costs).fold(start, best)
    }

    /// `μ₂‖(Ψ+ridge)⁻¹Y‖² + μ₃/σ²` (with `σ` in units of `σ̄` if unit free), infinite where `Ψ + ridge` is not positive definite.
    fn roughness(&self, y: &Mat, sigma: f64) -> f64 {
        match self.solve(y, sigma, self.params.small_ridge()) {
            Ok(c) => {
                let width = if self.params.unit_free { sigma / self.mean_distance } else { sigma };
                self.params.mu2 * c.norm_squared() + self.params.mu3 / (width * width)
            }
            Err(_) => f64::INFINITY,
        }
    }

    /// The lower triangle of `Ψ`.
    fn psi(&self, sigma: f64, threads: usize) -> Mat {
        let mut psi = self.distances.clone();
        gaussian_in_place(1.0 / (sigma * sigma), &mut psi, threads);
        psi
    }

    /// `(Ψ + ridge)⁻¹ Y`.
    fn solve(&self, y: &Mat, sigma: f64, ridge: f64) -> Result<Mat, LinalgError> {
        let mut psi = self.psi(sigma, 1);
        for i in 0..psi.nrows() {
            psi[(i, i)] += ridge;
        }
        Ok(Cholesky::factor(psi)?.solve(y.clone()))
    }

    /// The kernel and coefficients of the interpolant (step 4).
    pub(super) fn interpolant(&self, y: &Mat, sigma: f64, ridge: f64) -> Result<(Kernel, Mat), FitError> {
        let c = self.solve(y, sigma, ridge).map_err(FitError::at("interpolant"))?;
        // NSSE's convention: gamma = 1/σ².
        Ok((Kernel::Gaussian { gamma: 1.0 / (sigma * sigma) }, c))
    }

    pub(super) fn validation_error(&self, y: &Mat, sigma: f64) -> Result<Option<f64>, FitError> {
        let Some(validation) = &self.params.validation else { return Ok(None) };
        if validation.width() != self.data.width() {
            let (expected, got) = (self.data.width(), validation.width());
            return Err(DataError::Width { expected, got }.into());
        }
        let (kernel, c) = self.interpolant(y, sigma, self.params.small_ridge())?;
        let z = mul(&cross(kernel, validation.rows(), self.data.rows(), self.threads), &c, self.threads);
        let head = Head::fit(HeadChoice::Neighbors(1), y, self.data.labels(), self.data.classes())?;
        let found = head.classify(&z);
        let named =
            |(found, label): &(&usize, &usize)| self.data.class_names()[**found] != validation.class_names()[**label];
        let wrong = found.iter().zip(validation.labels()).filter(named);
        Ok(Some(wrong.count() as f64 / validation.len() as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::synthetic::blobs;

    #[test]
    fn the_between_class_laplacian_is_the_one_of_its_definition() -> Result<(), Box<dyn std::error::Error>> {
        let data = blobs(3, 3, 2, 1.0, 0);
        let (zero, one) = (Params { mu1: 0.0, ..Params::default() }, Params { mu1: 1.0, ..Params::default() });
        let y = data.rows();
        let quadratic = |p: &Params| -> Result<f64, FitError> {
            Ok(y.dot(&Problem::new(p, &data, 2, &Run::default())?.laplacian_mul(y)))
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
}
