//! LFDA and KLFDA: Fisher's discriminant that lets a class keep several clumps.
//!
//! # Idea
//! Fisher's scatter matrices pull all rows of a class together, however far apart they lie. Weighing each
//! same-class pair by its affinity leaves distant clumps alone (Sugiyama 2007).
//!
//! # Steps
//! 1. Affinities `A_ij = exp(−‖x_i−x_j‖²/(σ_iσ_j))` within classes, `σ_i` the distance to the 7th neighbor of the class.
//! 2. Within: `W_ij = A_ij/N_c`. Between: `A_ij(1/N − 1/N_c)` within a class, `1/N` across classes.
//! 3. `S_b v = λ S_w v`, the largest eigenvalues, found as those of `(S_b + S_w) v = (λ + 1) S_w v`; KLFDA in the
//!    coordinates of kernel PCA.
//!
//! # Model shape
//! LFDA is a linear map; KLFDA a kernel expansion with one center per training row.
//!
//! # Where we differ from the paper
//! `S_w` is regularized, on the right alone: `S_b` has negative eigenvalues, and a direction in which no row varies, whose
//! `λ` is then zero, would come before genuine axes. `S_b + S_w` has none. Axes are scaled by `√(λ + 1)`; the author's own
//! program takes `√λ`, which does not exist for all of them. LFDA first brings columns in another unit, by a variance far
//! above that of most others, down to it.

use super::pairwise::{self, Coordinates};
use super::{Checked, Dataset, Dim, FitError, Fitted, MethodEntry, MethodParams, Run, SettingsParser};
use crate::graph::{Graph, between_classes_mul};
use crate::kernel::{KernelChoice, Sigma};
use crate::linalg::{Mat, scale_columns};
use crate::neighbors::search;

/// Parameters of LFDA and KLFDA.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// Number of axes; by default one less than classes.
    pub dim: Dim,
    /// The neighbor whose distance scales a row's affinities; by default the 7th.
    pub neighbors: usize,
    /// Regularization: relative to the mean diagonal of the columns that vary for LFDA, absolute for KLFDA, whose kernel is
    /// of order one.
    pub ridge: f64,
    /// The kernel of KLFDA; `None` is LFDA.
    pub kernel: Option<KernelChoice>,
}

impl Default for Params {
    fn default() -> Self {
        Self { dim: Dim::Auto, neighbors: 7, ridge: 1e-3, kernel: None }
    }
}

impl Params {
    /// The defaults of KLFDA: Gaussian kernel with `σ = σ̄`.
    #[must_use]
    pub fn kernel() -> Self {
        Self { ridge: 0.01, kernel: Some(KernelChoice::Gaussian(Sigma::Mean)), ..Self::default() }
    }
}

/// LFDA, or KLFDA.
pub type Lfda = Checked<Params>;

pub(super) const LFDA: MethodEntry = MethodEntry::of::<Params>("lfda", "local Fisher discriminant analysis");

pub(super) const KLFDA: MethodEntry =
    MethodEntry::new("klfda", "lfda with a kernel", |settings| settings.method(Params::kernel()));

impl MethodParams for Params {
    fn name(&self) -> &'static str {
        if self.kernel.is_some() { KLFDA.name } else { LFDA.name }
    }

    fn settings(&mut self, settings: &mut SettingsParser) {
        settings.dim(&mut self.dim);
        settings.optional_kernel(&mut self.kernel);
        settings.count("k", &mut self.neighbors);
        settings.not_negative("ridge", &mut self.ridge);
    }

    fn memory(&self, rows: usize) -> u64 {
        pairwise::memory(self.kernel, rows)
    }

    fn fit(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError> {
        let threads = run.thread_count();
        data.require_classes(2)?;
        let mut space = Coordinates::new(self.kernel, data, run)?;
        run.step("affinities", 0, 1)?;
        let (labels, counts) = (data.labels(), data.class_counts());
        let n = data.len() as f64;
        let lists = search(data.rows(), data.rows(), data.len(), threads, |i, j| i != j && labels[i] == labels[j]);
        // A row that coincides with its neighbors would have no width; the smallest number stands in.
        let width =
            |i: usize| lists[i].get(self.neighbors - 1).or(lists[i].last()).map_or(0.0, |n| n.distance_sq.sqrt());
        let widths: Vec<f64> = (0..data.len()).map(|i| width(i).max(1e-150)).collect();
        let affinity = |i: usize, j: usize, d: f64| libm::exp(-d / (widths[i] * widths[j]));
        let within = Graph::from_neighbors(&lists, |i, j, d| affinity(i, j, d) / counts[labels[i]] as f64);
        // The mixture S_b + S_w has weights A/N within a class and 1/N across.
        let local = Graph::from_neighbors(&lists, |i, j, d| affinity(i, j, d) / n);
        let within_phi = within.laplacian_mul(&space.phi, threads);
        let mixture_phi = local.laplacian_mul(&space.phi, threads) + between_classes_mul(data, &space.phi) / n;
        let dim = self.dim.resolve(data.classes() - 1, space.len())?;
        let eig = space.axes(&mixture_phi, &within_phi, self.ridge, 1.0, run)?.truncated(dim);
        let v = scale_columns(eig.vectors, |j| eig.values[j].max(0.0).sqrt());
        Ok(space.fitted(data, &v, eig.values, threads))
    }

    fn nested_axes(&self, fitted: &Fitted, dim: usize) -> Option<Mat> {
        Some(fitted.first_axes(dim))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Mat;
    use crate::methods::Method;

    #[test]
    fn a_class_in_two_clumps_is_not_torn_together() -> Result<(), Box<dyn std::error::Error>> {
        // Class 0 at x = ±4, class 1 at x = 0; y is small noise. Fisher sees equal means and no x at all.
        let mut rng = crate::Rng::new(0);
        let labels: Vec<usize> = (0..90).map(|i| usize::from(i % 3 == 0)).collect();
        let rows = Mat::from_fn(90, 2, |i, j| {
            let center = if j == 0 { [0.0, 4.0, -4.0][i % 3] } else { 0.0 };
            center + 0.5 * rng.normal()
        });
        let data = Dataset::from_ids(rows, &labels)?;
        let fitted = Lfda::default().fit(&data)?.with_head(crate::HeadChoice::Neighbors(1))?;
        let crate::Map::Linear(map) = fitted.map() else { return Err("LFDA is linear".into()) };
        assert!(map.weights[(0, 0)].abs() > 5.0 * map.weights[(0, 1)].abs(), "{}", map.weights);
        Ok(())
    }
}
