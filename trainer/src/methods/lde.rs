//! LDE and KLDE: near rows of the same class stay near, near rows of other classes are pushed away.
//!
//! # Idea
//! Two graphs instead of one: `k` nearest rows of the own class, `k′` nearest of the others (Chen, Chang and Liu 2005).
//!
//! # Steps
//! 1. `W` joins each row with its `k` nearest of the same class, `W′` with its `k′` nearest of other classes, by heat weights.
//! 2. `XᵀL′X v = λ XᵀLX v`, the largest eigenvalues; KLDE in the coordinates of kernel PCA.
//!
//! # Model shape
//! LDE is a linear map; KLDE a kernel expansion with one center per training row.
//!
//! # Where we differ from the paper
//! `XᵀLX` is regularized. LDE first brings columns in another unit, by a variance far above that of most others, down to it.

use super::pairwise::{self, Coordinates};
use super::{Checked, Dataset, Dim, FitError, Fitted, MethodEntry, MethodParams, Run, SettingsParser};
use crate::graph::Graph;
use crate::kernel::{KernelChoice, Sigma, mean_distance};
use crate::linalg::Mat;

/// Parameters of LDE and KLDE.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// Number of axes; by default one less than classes.
    pub dim: Dim,
    /// Nearest rows of the same class; all of them where there are fewer.
    pub same: usize,
    /// Nearest rows of other classes.
    pub different: usize,
    /// Regularization: relative to the mean diagonal of the columns that vary for LDE, to the mean degree for KLDE.
    pub ridge: f64,
    /// The kernel of KLDE; `None` is LDE.
    pub kernel: Option<KernelChoice>,
}

impl Default for Params {
    fn default() -> Self {
        Self { dim: Dim::Auto, same: 10, different: 20, ridge: 1e-3, kernel: None }
    }
}

impl Params {
    /// The defaults of KLDE: Gaussian kernel with `σ = σ̄`; more neighbors, since a class in several components collapses.
    #[must_use]
    pub fn kernel() -> Self {
        let kernel = Some(KernelChoice::Gaussian(Sigma::Mean));
        Self { same: 50, different: 50, ridge: 0.01, kernel, ..Self::default() }
    }
}

/// LDE, or KLDE.
pub type Lde = Checked<Params>;

pub(super) const LDE: MethodEntry = MethodEntry::of::<Params>("lde", "local discriminant embedding");

pub(super) const KLDE: MethodEntry =
    MethodEntry::new("klde", "lde with a kernel", |settings| settings.method(Params::kernel()));

impl MethodParams for Params {
    fn name(&self) -> &'static str {
        if self.kernel.is_some() { KLDE.name } else { LDE.name }
    }

    fn settings(&mut self, settings: &mut SettingsParser) {
        settings.dim(&mut self.dim);
        settings.optional_kernel(&mut self.kernel);
        settings.count("same", &mut self.same);
        settings.count("different", &mut self.different);
        settings.not_negative("ridge", &mut self.ridge);
    }

    fn memory(&self, rows: usize) -> u64 {
        pairwise::memory(self.kernel, rows)
    }

    fn fit(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError> {
        let threads = run.thread_count();
        data.require_classes(2)?;
        let mut space = Coordinates::new(self.kernel, data, run)?;
        run.step("neighbor graphs", 0, 1)?;
        let labels = data.labels();
        let heat = 2.0 * mean_distance(data.rows(), threads).powi(2);
        let weight = |_, _, d: f64| libm::exp(-d / heat);
        let same = Graph::among(data.rows(), self.same, threads, weight, |i, j| labels[i] == labels[j]);
        let different = Graph::among(data.rows(), self.different, threads, weight, |i, j| labels[i] != labels[j]);
        let mean_degree = same.degrees().iter().sum::<f64>() / data.len() as f64;
        let (a_phi, b_phi) = (different.laplacian_mul(&space.phi, threads), same.laplacian_mul(&space.phi, threads));
        let dim = self.dim.resolve(data.classes() - 1, space.len())?;
        let eig = space.axes(&a_phi, &b_phi, self.ridge, mean_degree, run)?.truncated(dim);
        Ok(space.fitted(data, &eig.vectors, eig.values, threads))
    }

    fn nested_axes(&self, fitted: &Fitted, dim: usize) -> Option<Mat> {
        Some(fitted.first_axes(dim))
    }
}
