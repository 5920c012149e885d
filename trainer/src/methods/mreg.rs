//! MREG: kernel regression on class indicators that is smooth along each class.
//!
//! # Idea
//! Manifold regularization (Belkin, Niyogi and Sindhwani 2006, Laplacian regularized least squares), with every row labelled:
//! `min Σ‖f(x_i) − y_i‖² + ridge·‖f‖² + smooth·tr FᵀLF`, where `L` is the Laplacian of a graph that knows the labels.
//!
//! # Steps
//! 1. Heat weights between the k nearest rows of the same class; `L = I − D^{-½}WD^{-½}`, whose eigenvalues lie in 0..2
//!    whatever the units of the rows.
//! 2. The representer theorem gives `(MK + ridge·I)A = Y` with `M = I + smooth·L`. It is solved as
//!    `(K + ridge·M⁻¹)A = M⁻¹Y`, which is symmetric and positive definite.
//! 3. The largest of the C values wins, as for [`svm`](super::svm).
//!
//! # Model shape
//! Kernel expansion, one center per training row.
//!
//! # Where we differ from the paper
//! The paper's graph joins neighbors of any class and has rows without labels; here, as in the comparison of the NSSE paper,
//! it is supervised. Targets are 0 and 1 rather than ±1, which moves all values alike.

use super::{Checked, Dataset, FitError, Fitted, MethodEntry, MethodParams, Run, SettingsParser, raised_ridge};
use crate::graph::Graph;
use crate::kernel::{KernelChoice, Sigma, mean_distance};
use crate::linalg::{Cholesky, Mat, mirror_lower, mul, scale_rows, solve_spd};
use crate::memory::matrices;
use crate::model::map::{Basis, Map};

/// Parameters of MREG.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// The kernel; by default Gaussian with `σ = σ̄`.
    pub kernel: KernelChoice,
    /// Weight of the function's norm; by default 0.01.
    pub ridge: f64,
    /// Weight of smoothness along the classes; by default 1.
    pub smooth: f64,
    /// Neighbors in the graph; by default 10, or as many as there are.
    pub neighbors: Option<usize>,
}

impl Default for Params {
    fn default() -> Self {
        Self { kernel: KernelChoice::Gaussian(Sigma::Mean), ridge: 0.01, smooth: 1.0, neighbors: None }
    }
}

/// Supervised manifold regularization.
pub type Mreg = Checked<Params>;

pub(super) const MREG: MethodEntry =
    MethodEntry::of::<Params>("mreg", "manifold regularization: least squares, smooth along each class");

impl MethodParams for Params {
    fn name(&self) -> &'static str {
        MREG.name
    }

    fn settings(&mut self, settings: &mut SettingsParser) {
        settings.kernel(&mut self.kernel);
        settings.neighbors("auto", &mut self.neighbors);
        settings.not_negative("ridge", &mut self.ridge);
        settings.not_negative("smooth", &mut self.smooth);
    }

    fn memory(&self, rows: usize) -> u64 {
        matrices(4, rows)
    }

    fn fit(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError> {
        let (threads, labels) = (run.thread_count(), data.labels());
        data.require_classes(1)?;
        let k = super::neighbor_count(self.neighbors, 10, data.len())?;
        let mean = mean_distance(data.rows(), threads);
        if mean <= 0.0 {
            return Err(FitError::AllRowsEqual { rows: data.len() });
        }
        run.step("neighbor graph", 0, 1)?;
        let heat = |_, _, distance_sq: f64| libm::exp(-distance_sq / (2.0 * mean * mean));
        let graph = Graph::among(data.rows(), k, threads, heat, |i, j| labels[i] == labels[j]);
        run.step("smoothness", 0, 1)?;
        let inverse = Cholesky::factor(smoothness(&graph, self.smooth, data.len(), threads))
            .map_err(FitError::at("smoothness"))?
            .solve(Mat::identity(data.len(), data.len()));
        let targets = Mat::from_fn(data.len(), data.classes(), |i, c| if labels[i] == c { 1.0 } else { 0.0 });
        run.step("kernel regression", 0, 1)?;
        let (kernel, mut matrix) = self.kernel.resolve_with_gram(data.rows(), threads)?;
        mirror_lower(&mut matrix);
        let right = mul(&inverse, &targets, threads);
        // What the matrix lacks to be positive definite is added to its diagonal.
        let (weights, added) =
            solve_spd(|| &matrix + &inverse * self.ridge, 0.0, &right).map_err(FitError::at("kernel regression"))?;
        let embedding = mul(&matrix, &weights, threads);
        let map = Map::mapped(Basis::Centers { kernel, centers: data.rows().clone() }, weights);
        let notes = raised_ridge("the kernel matrix", self.ridge, self.ridge + added);
        Ok(Fitted::new(data, map, embedding).with_class_axes().with_notes(notes))
    }
}

/// `M = I + smooth·L`.
fn smoothness(graph: &Graph, smooth: f64, rows: usize, threads: usize) -> Mat {
    // A row without an edge keeps its one: L has a zero there.
    let root: Vec<f64> =
        graph.degrees().iter().map(|&degree| if degree > 0.0 { degree.sqrt().recip() } else { 0.0 }).collect();
    let scaled = Mat::from_diagonal(&nalgebra::DVector::from_column_slice(&root));
    let mut m = scale_rows(graph.adjacency_mul(&scaled, threads), &root) * -smooth;
    for (i, root) in root.iter().enumerate().take(rows) {
        m[(i, i)] += 1.0 + if *root > 0.0 { smooth } else { 0.0 };
    }
    m
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::synthetic::{blobs, moons};
    use crate::methods::Method;
    use crate::methods::cmvda::{self, Cmvda};

    #[test]
    fn without_smoothness_it_is_kernel_regression_on_the_indicators() -> Result<(), Box<dyn std::error::Error>> {
        // CMVDA has the same targets but for a factor per class, which is common where classes are equally large.
        let data = blobs(3, 20, 5, 1.0, 0);
        let kernel = KernelChoice::Gaussian(Sigma::Mean);
        let ours = Mreg::new(Params { smooth: 0.0, ..Params::default() })?.fit(&data)?;
        let other = Cmvda::new(cmvda::Params { kernel, ridge: 0.01, ..cmvda::Params::default() })?.fit(&data)?;
        assert!((ours.embedding() - other.embedding() * 20.0_f64.sqrt()).amax() < 1e-8);
        Ok(())
    }

    #[test]
    fn the_objective_is_lowest_at_the_solution() -> Result<(), Box<dyn std::error::Error>> {
        let data = moons(20, 0.1, 0);
        let fitted = Mreg::default().fit(&data)?;
        let labels = data.labels();
        let (kernel, mut k) = KernelChoice::Gaussian(Sigma::Mean).resolve_with_gram(data.rows(), 1)?;
        mirror_lower(&mut k);
        let mean = mean_distance(data.rows(), 1);
        let heat = |_, _, d: f64| libm::exp(-d / (2.0 * mean * mean));
        let graph = Graph::among(data.rows(), 10, 1, heat, |i, j| labels[i] == labels[j]);
        let laplacian = smoothness(&graph, 1.0, 40, 1) - Mat::identity(40, 40);
        let targets = Mat::from_fn(40, 2, |i, c| if labels[i] == c { 1.0 } else { 0.0 });
        let Map::Mapped { weights, .. } = fitted.map() else { return Err(format!("{kernel:?} folded").into()) };
        let objective = |a: &Mat| {
            let f = &k * a;
            (&f - &targets).norm_squared() + 0.01 * a.tr_mul(&f).trace() + f.tr_mul(&(&laplacian * &f)).trace()
        };
        let best = objective(weights);
        for seed in 0..5 {
            let other = weights + crate::linalg::random(40, 2, seed) * 1e-3;
            assert!(objective(&other) > best, "{} against {best}", objective(&other));
        }
        Ok(())
    }
}
