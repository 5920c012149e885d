//! PCA as a method: the axes of largest variance, unsupervised.
//!
//! # Idea
//! The unsupervised yardstick: what an embedding of the same length gives without labels.
//!
//! # Steps
//! 1. [`principal_axes`] of the centered rows; of sparse rows [`sparse_axes`], which centers without filling them in.
//!
//! # Model shape
//! Linear map.

use super::{Checked, Dataset, Dim, FitError, Fitted, MethodEntry, MethodParams, Run, SettingsParser};
use crate::linalg::Mat;
use crate::model::map::Map;
use crate::preprocess::{Components, principal_axes, sparse_axes};

/// Parameters of PCA.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// The axes to keep; by default as many as hold 98 % of the variance.
    pub components: Components,
}

impl Default for Params {
    fn default() -> Self {
        Self { components: Components::Variance(0.98) }
    }
}

/// Principal component analysis.
pub type Pca = Checked<Params>;

pub(super) const PCA: MethodEntry = MethodEntry::of::<Params>("pca", "principal component analysis, unsupervised");

impl MethodParams for Params {
    fn name(&self) -> &'static str {
        PCA.name
    }

    fn settings(&mut self, settings: &mut SettingsParser) {
        match settings.take("dim", str::parse) {
            Some(Dim::All) => self.components = Components::Variance(1.0),
            Some(Dim::Count(count)) => self.components = Components::Count(count),
            Some(Dim::Auto) | None => {}
        }
        settings.check(self.components.check());
        match self.components {
            Components::Variance(share) => settings.record("dim", format!("{share} of the variance")),
            Components::Count(count) => settings.record("dim", count),
        }
    }

    fn needs_labels(&self) -> bool {
        false
    }

    fn takes_sparse(&self) -> bool {
        true
    }

    fn fit(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError> {
        run.step("principal axes", 0, 1)?;
        if let Some(rows) = data.sparse_rows() {
            let (pca, coordinates, notes) = sparse_axes(rows, self.components, run.thread_count())?;
            let fitted = Fitted::new(data, Map::Linear(pca.projection()), coordinates);
            return Ok(fitted.with_spectrum(pca.variances).with_notes(notes));
        }
        let pca = principal_axes(data.rows(), self.components, run.thread_count())?;
        let map = Map::Linear(pca.projection());
        Ok(Fitted::from_map(data, map, run).with_spectrum(pca.variances))
    }

    fn nested_axes(&self, fitted: &Fitted, dim: usize) -> Option<Mat> {
        Some(fitted.first_axes(dim))
    }
}
