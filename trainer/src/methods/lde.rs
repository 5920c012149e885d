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
//! `XᵀLX` is regularized.

use super::pairwise::Coordinates;
use super::registry::MethodEntry;
use super::settings::{SettingError, SettingsParser};
use super::{Dim, Method};
use crate::dataset::Dataset;
use crate::error::{FitError, ParamError};
use crate::graph::Graph;
use crate::kernel::{KernelChoice, Sigma, mean_distance};
use crate::linalg::mul;
use crate::memory::matrices;
use crate::model::Fitted;
use crate::run::Run;

/// Parameters of LDE and KLDE.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// Number of axes; by default one less than classes.
    pub dim: Dim,
    /// Nearest rows of the same class; all of them where there are fewer.
    pub same: usize,
    /// Nearest rows of other classes.
    pub different: usize,
    /// Regularization: relative to the mean diagonal for LDE, to the mean degree for KLDE.
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
    /// The defaults of KLDE: Gaussian kernel with `σ = σ̄`; more neighbors, since a class in islands collapses.
    #[must_use]
    pub fn kernel() -> Self {
        let kernel = Some(KernelChoice::Gaussian(Sigma::Mean));
        Self { same: 50, different: 50, ridge: 0.01, kernel, ..Self::default() }
    }
}

/// LDE, or KLDE.
#[derive(Debug, Clone, Default)]
pub struct Lde {
    params: Params,
}

impl Lde {
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`ParamError`] naming the first that is out of range.
    pub fn new(params: Params) -> Result<Self, ParamError> {
        params.dim.check()?;
        ParamError::at_least_one("same", params.same)?;
        ParamError::at_least_one("different", params.different)?;
        ParamError::not_negative("ridge", params.ridge)?;
        params.kernel.map_or(Ok(()), KernelChoice::check)?;
        Ok(Self { params })
    }

    /// KLDE with default parameters.
    #[must_use]
    pub fn klde() -> Self {
        Self { params: Params::kernel() }
    }
}

/// LDE by name.
pub(super) const LDE: MethodEntry = MethodEntry {
    name: "lde",
    description: "local discriminant embedding",
    from_settings: |settings, _| from_settings(settings, Params::default()),
};

/// KLDE by name.
pub(super) const KLDE: MethodEntry = MethodEntry {
    name: "klde",
    description: "lde with a kernel",
    from_settings: |settings, _| from_settings(settings, Params::kernel()),
};

fn from_settings(settings: &mut SettingsParser, mut p: Params) -> Result<Box<dyn Method>, SettingError> {
    settings.dim(&mut p.dim)?;
    settings.optional_kernel(&mut p.kernel)?;
    settings.count("same", &mut p.same)?;
    settings.count("different", &mut p.different)?;
    settings.number("ridge", &mut p.ridge)?;
    Ok(Box::new(Lde::new(p)?))
}

impl Method for Lde {
    fn name(&self) -> &'static str {
        if self.params.kernel.is_some() { "klde" } else { "lde" }
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        let p = &self.params;
        vec![
            ("different", p.different.to_string()),
            ("dim", p.dim.to_string()),
            ("kernel", p.kernel.map_or_else(|| "none".to_owned(), |k| k.to_string())),
            ("ridge", p.ridge.to_string()),
            ("same", p.same.to_string()),
        ]
    }

    fn memory(&self, rows: usize) -> u64 {
        if self.params.kernel.is_some() { matrices(super::pairwise::MATRICES, rows) } else { 0 }
    }

    fn fit_with(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError> {
        let p = &self.params;
        let threads = run.thread_count();
        data.require_classes(2)?;
        let space = Coordinates::new(p.kernel, data, run)?;
        run.step("neighbor graphs", 0, 1)?;
        let labels = data.labels();
        let heat = 2.0 * mean_distance(data.rows(), threads).powi(2);
        let weight = |_, _, d: f64| libm::exp(-d / heat);
        let same = Graph::among(data.rows(), p.same, threads, weight, |i, j| labels[i] == labels[j]);
        let different = Graph::among(data.rows(), p.different, threads, weight, |i, j| labels[i] != labels[j]);
        let mean_degree = same.degrees().iter().sum::<f64>() / data.len() as f64;
        let (a_phi, b_phi) = (different.laplacian_mul(&space.phi, threads), same.laplacian_mul(&space.phi, threads));
        let dim = p.dim.resolve(data.classes() - 1, space.len())?;
        let eig = space.axes(&a_phi, &b_phi, p.ridge, mean_degree, run)?.truncated(dim);
        let embedding = mul(&space.phi, &eig.vectors, threads);
        let map = space.into_map(&eig.vectors, threads);
        Ok(Fitted::new(data, map, embedding).with_spectrum(eig.values))
    }
}
