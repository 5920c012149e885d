//! LPP: linear axes that keep neighbors together, blind to classes.
//!
//! # Idea
//! The linear form of Laplacian eigenmaps (He and Niyogi 2003): `min vᵀXᵀLXv` under `vᵀXᵀDXv = 1`.
//!
//! # Steps
//! 1. Heat weights `W` on the symmetric k-NN graph, `D` its row sums.
//! 2. Since `L = D − W`, the smallest eigenvalues of the pair `(L, D)` are the largest of `(W, D)`.
//!
//! # Model shape
//! Linear map.
//!
//! # Where we differ from the paper
//! Rows are centered and `XᵀDX` is regularized; the paper goes through PCA, which the pipeline offers too.

use super::pairwise::Coordinates;
use super::registry::MethodEntry;
use super::settings::{SettingError, SettingsParser};
use super::{Dim, Method};
use crate::dataset::Dataset;
use crate::error::{FitError, ParamError};
use crate::graph::Graph;
use crate::kernel::mean_distance;
use crate::linalg::{mul, scale_rows};
use crate::model::Fitted;
use crate::run::Run;

/// Parameters of LPP.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// Number of axes; by default twice the number of classes.
    pub dim: Dim,
    /// Neighbors in the graph; by default 5, or as many as there are.
    pub neighbors: Option<usize>,
    /// Regularization relative to the mean diagonal.
    pub ridge: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self { dim: Dim::Auto, neighbors: None, ridge: 1e-3 }
    }
}

/// Locality preserving projections.
#[derive(Debug, Clone, Default)]
pub struct Lpp {
    params: Params,
}

impl Lpp {
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`ParamError`] naming the first that is out of range.
    pub fn new(params: Params) -> Result<Self, ParamError> {
        params.dim.check()?;
        ParamError::at_least_one("k", params.neighbors.unwrap_or(1))?;
        ParamError::not_negative("ridge", params.ridge)?;
        Ok(Self { params })
    }
}

/// LPP by name.
pub(super) const LPP: MethodEntry = MethodEntry {
    name: "lpp",
    description: "locality preserving projection, blind to classes",
    from_settings: |settings, _| from_settings(settings, Params::default()),
};

fn from_settings(settings: &mut SettingsParser, mut p: Params) -> Result<Box<dyn Method>, SettingError> {
    settings.dim(&mut p.dim)?;
    settings.neighbors(&mut p.neighbors)?;
    settings.number("ridge", &mut p.ridge)?;
    Ok(Box::new(Lpp::new(p)?))
}

impl Method for Lpp {
    fn name(&self) -> &'static str {
        "lpp"
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        let p = &self.params;
        vec![
            ("dim", p.dim.to_string()),
            ("k", p.neighbors.map_or_else(|| "auto".to_owned(), |k| k.to_string())),
            ("ridge", p.ridge.to_string()),
        ]
    }

    fn fit_with(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError> {
        let p = &self.params;
        let threads = run.thread_count();
        let space = Coordinates::new(None, data, run)?;
        let k = super::neighbor_count(p.neighbors, 5, data.len())?;
        run.step("neighbor graph", 0, 1)?;
        let heat = 2.0 * mean_distance(data.rows(), threads).powi(2);
        let graph = Graph::nearest(data.rows(), k, threads, |_, _, d| libm::exp(-d / heat));
        let b_phi = scale_rows(space.phi.clone(), &graph.degrees());
        let dim = p.dim.resolve(2 * data.classes(), space.len())?;
        let eig = space.axes(&graph.adjacency_mul(&space.phi, threads), &b_phi, p.ridge, 1.0, run)?.truncated(dim);
        let embedding = mul(&space.phi, &eig.vectors, threads);
        let map = space.into_map(&eig.vectors, threads);
        Ok(Fitted::new(data, map, embedding).with_spectrum(eig.values))
    }
}
