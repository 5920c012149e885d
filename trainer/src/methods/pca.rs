//! PCA as a method: the axes of largest variance, blind to classes.
//!
//! # Idea
//! The unsupervised yardstick: what an embedding of the same length gives without labels.
//!
//! # Steps
//! 1. [`principal_axes`] of the centered rows.
//!
//! # Model shape
//! Linear map.

use super::registry::MethodEntry;
use super::settings::{SettingError, SettingsParser};
use super::{Dim, Method};
use crate::dataset::Dataset;
use crate::error::{FitError, ParamError};
use crate::model::Fitted;
use crate::model::map::Map;
use crate::preprocess::{Components, principal_axes};
use crate::run::Run;

/// Principal component analysis; by default as many axes as hold 98 % of the variance.
#[derive(Debug, Clone)]
pub struct Pca {
    components: Components,
}

impl Default for Pca {
    fn default() -> Self {
        Self { components: Components::Variance(0.98) }
    }
}

impl Pca {
    /// Checks the number of axes.
    ///
    /// # Errors
    /// [`ParamError`] when it is out of range.
    pub fn new(components: Components) -> Result<Self, ParamError> {
        components.check()?;
        Ok(Self { components })
    }
}

/// PCA by name.
pub(super) const PCA: MethodEntry = MethodEntry {
    name: "pca",
    description: "principal component analysis, blind to classes",
    from_settings: |settings, _| from_settings(settings),
};

fn from_settings(settings: &mut SettingsParser) -> Result<Box<dyn Method>, SettingError> {
    let mut dim = Dim::Auto;
    settings.dim(&mut dim)?;
    Ok(Box::new(match dim {
        Dim::Auto => Pca::default(),
        Dim::All => Pca::new(Components::Variance(1.0))?,
        Dim::Count(count) => Pca::new(Components::Count(count))?,
    }))
}

impl Method for Pca {
    fn name(&self) -> &'static str {
        "pca"
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        let text = match self.components {
            Components::Variance(share) => format!("{share} of the variance"),
            Components::Count(count) => count.to_string(),
        };
        vec![("dim", text)]
    }

    fn fit_with(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError> {
        run.step("principal axes", 0, 1)?;
        let pca = principal_axes(data.rows(), self.components, run.thread_count())?;
        let map = Map::Linear(pca.projection());
        Ok(Fitted::from_map(data, map, run).with_spectrum(pca.variances))
    }
}
