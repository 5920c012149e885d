//! SUPLAP: supervised Laplacian eigenmaps, carried to new rows by a Gaussian interpolant.
//!
//! # Idea
//! A free embedding of the training rows, without a formula: similar rows of a class together, similar rows of
//! different classes apart, with neighborhoods that adapt to each row (Raducanu and Dornaika 2012).
//!
//! # Steps
//! 1. Similarity `s_ij = exp(−‖x_i−x_j‖²/β)`; the neighbors of row i are those more similar than its average.
//! 2. `W_w`: similarities of same-class neighbors; `W_b`: one for neighbors of different classes.
//! 3. `max yᵀ(γL_b + (1−γ)W_w)y` under `yᵀD_wy = 1`, an ordinary eigenproblem after scaling by `D_w^{-½}`.
//! 4. New rows: `z = Yᵀ(Ψ + ridge)⁻¹ψ(x)`, the interpolation of the comparison in the NSSE paper ("SUPLAP + RBF").
//!
//! # Model shape
//! Gaussian kernel expansion, one center per training row.
//!
//! # Where we differ from the paper
//! It has no formula for new rows. Every row is its own neighbor, so that `D_w` has no zero.

use super::{Checked, Dataset, Dim, FitError, Fitted, MethodEntry, MethodParams, Run, SettingsParser};
use crate::kernel::{KernelChoice, Sigma, gram_lower, squared_distances};
use crate::linalg::{Mat, scale_columns, scale_rows, solve_spd, sym_eig};
use crate::memory::matrices;
use crate::model::map::{Basis, Map};

/// Parameters of SUPLAP.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// Number of axes; by default one less than classes.
    pub dim: Dim,
    /// `γ`, the weight of pairs of different classes, in 0..=1; by default 0.01.
    pub balance: f64,
    /// The interpolating kernel; by default Gaussian with `σ = σ̄`.
    pub kernel: KernelChoice,
    /// Added to the kernel matrix's diagonal.
    pub ridge: f64,
}

impl Default for Params {
    fn default() -> Self {
        // Held-out training digits: 15 % at 0.5, 97 % at 0.03, 99.7 % at 0.01 and below.
        Self { dim: Dim::Auto, balance: 0.01, kernel: KernelChoice::Gaussian(Sigma::Mean), ridge: 1e-3 }
    }
}

/// Supervised Laplacian eigenmaps with a Gaussian interpolant.
pub type Suplap = Checked<Params>;

pub(super) const SUPLAP: MethodEntry =
    MethodEntry::of::<Params>("suplap", "supervised Laplacian eigenmaps with a kernel interpolant");

impl MethodParams for Params {
    fn name(&self) -> &'static str {
        SUPLAP.name
    }

    fn settings(&mut self, settings: &mut SettingsParser) {
        settings.dim(&mut self.dim);
        settings.kernel(&mut self.kernel);
        settings.share("balance", &mut self.balance);
        settings.not_negative("ridge", &mut self.ridge);
    }

    fn memory(&self, rows: usize) -> u64 {
        matrices(6, rows)
    }

    fn fit(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError> {
        let threads = run.thread_count();
        data.require_classes(2)?;
        let kernel = self.kernel.resolve(data.rows(), threads)?;
        let dim = self.dim.resolve(data.classes() - 1, data.len())?;
        run.step("eigenmaps", 0, 1)?;
        let (y, spectrum) = eigenmaps(data, self.balance, dim, threads)?;
        run.step("interpolant", 0, 1)?;
        let (weights, ridge) = solve_spd(|| gram_lower(kernel, data.rows(), threads), self.ridge, &y)
            .map_err(FitError::at("interpolant"))?;
        let embedding = &y - &weights * ridge;
        let notes = (ridge > self.ridge).then(|| format!("the kernel matrix is singular: ridge raised to {ridge:e}"));
        let map = Map::mapped(Basis::Centers { kernel, centers: data.rows().clone() }, weights);
        Ok(Fitted::new(data, map, embedding).with_spectrum(spectrum).with_notes(notes))
    }
}

/// The embedding of the training rows (steps 1 to 3), and its eigenvalues.
pub(super) fn eigenmaps(data: &Dataset, balance: f64, dim: usize, threads: usize) -> Result<(Mat, Vec<f64>), FitError> {
    let (objective, within_degree) = objective(data, balance, threads)?;
    let root: Vec<f64> = within_degree.iter().map(|d| 1.0 / d.sqrt()).collect();
    let scaled = scale_rows(scale_columns(objective, |j| root[j]), &root);
    let eig = sym_eig(&scaled).map_err(FitError::at("eigenmaps"))?.truncated(dim);
    Ok((scale_rows(eig.vectors, &root), eig.values))
}

/// `γL_b + (1−γ)W_w`, and the degrees `D_w` (steps 1 and 2).
pub(super) fn objective(data: &Dataset, balance: f64, threads: usize) -> Result<(Mat, Vec<f64>), FitError> {
    let (n, labels) = (data.len(), data.labels());
    let mut similarity = squared_distances(data.rows(), data.rows(), threads);
    let beta = similarity.mean();
    if beta <= 0.0 {
        return Err(FitError::AllRowsEqual { rows: n });
    }
    similarity.apply(|d| *d = libm::exp(-*d / beta));
    let average: Vec<f64> = similarity.column_iter().map(|c| c.mean()).collect();
    let mut objective = Mat::zeros(n, n);
    let (mut within_degree, mut between_degree) = (vec![0.0; n], vec![0.0; n]);
    for j in 0..n {
        for i in 0..n {
            let s = f64::midpoint(similarity[(i, j)], similarity[(j, i)]);
            // Neighborhoods of both ends count, so that the graph is symmetric.
            if i != j && s <= average[i].min(average[j]) {
                continue;
            }
            if labels[i] == labels[j] {
                within_degree[i] += s;
                objective[(i, j)] += (1.0 - balance) * s;
            } else {
                between_degree[i] += 1.0;
                objective[(i, j)] -= balance;
            }
        }
    }
    for (i, degree) in between_degree.iter().enumerate() {
        objective[(i, i)] += balance * degree;
    }
    Ok((objective, within_degree))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::synthetic::blobs;
    use crate::methods::Method;

    #[test]
    fn training_rows_keep_their_classes_apart() -> Result<(), Box<dyn std::error::Error>> {
        let data = blobs(3, 25, 6, 0.4, 0);
        let fitted = Suplap::default().fit(&data)?;
        assert!((fitted.embed(data.rows())? - fitted.embedding()).amax() < 1e-8);
        assert!(fitted.with_head(crate::HeadChoice::Neighbors(3))?.accuracy(&data)? > 0.9);
        Ok(())
    }
}
