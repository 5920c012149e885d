//! LPP: linear axes that keep neighbors together, unsupervised.
//!
//! # Idea
//! The linear form of Laplacian eigenmaps (He and Niyogi 2003): `min vᵀXᵀLXv` under `vᵀXᵀDXv = 1`.
//!
//! # Steps
//! 1. Heat weights `W` on the symmetric k-NN graph, `D` its row sums.
//! 2. Since `L = D − W`, the smallest eigenvalues of the pair `(L, D)` are the largest of `(W + D, D)`.
//!
//! # Model shape
//! Linear map.
//!
//! # Where we differ from the paper
//! Rows are centered and `XᵀDX` is regularized; the paper goes through PCA, which the pipeline offers too.
//! Columns in another unit, by a variance far above that of most others, are first brought down to it.

use super::pairwise::Coordinates;
use super::{Checked, Dataset, Dim, FitError, Fitted, MethodEntry, MethodParams, Run, SettingsParser};
use crate::graph::Graph;
use crate::kernel::mean_distance;
use crate::linalg::{Mat, scale_rows};

/// Parameters of LPP.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// Number of axes; by default twice the number of classes, ten without labels.
    pub dim: Dim,
    /// Neighbors in the graph; by default 5, or as many as there are.
    pub neighbors: Option<usize>,
    /// Regularization relative to the mean diagonal of the columns that vary.
    pub ridge: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self { dim: Dim::Auto, neighbors: None, ridge: 1e-3 }
    }
}

/// Locality preserving projections.
pub type Lpp = Checked<Params>;

pub(super) const LPP: MethodEntry = MethodEntry::of::<Params>("lpp", "locality preserving projection, unsupervised");

impl MethodParams for Params {
    fn name(&self) -> &'static str {
        LPP.name
    }

    fn settings(&mut self, settings: &mut SettingsParser) {
        settings.dim(&mut self.dim);
        settings.neighbors("auto", &mut self.neighbors);
        settings.not_negative("ridge", &mut self.ridge);
    }

    fn needs_labels(&self) -> bool {
        false
    }

    fn fit(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError> {
        let threads = run.thread_count();
        let mut space = Coordinates::new(None, data, run)?;
        let k = super::neighbor_count(self.neighbors, 5, data.len())?;
        run.step("neighbor graph", 0, 1)?;
        let heat = 2.0 * mean_distance(data.rows(), threads).powi(2);
        let graph = Graph::nearest(data.rows(), k, threads, |_, _, d| libm::exp(-d / heat));
        let b_phi = scale_rows(space.phi.clone(), &graph.degrees());
        let dim = self.dim.resolve(super::unsupervised_dim(data), space.len())?;
        // W + D instead of W moves all eigenvalues by one and has none below zero, where empty directions lie.
        let a_phi = graph.adjacency_mul(&space.phi, threads) + &b_phi;
        let eig = space.axes(&a_phi, &b_phi, self.ridge, 1.0, run)?.truncated(dim);
        let note = super::unsupervised_note(self.dim, data);
        Ok(space.fitted(data, &eig.vectors, eig.values, threads).with_notes(note))
    }

    fn nested_axes(&self, fitted: &Fitted, dim: usize) -> Option<Mat> {
        Some(fitted.first_axes(dim))
    }
}
