//! Plain nearest neighbors in the input space: the embedding is the row itself.
//!
//! # Idea
//! The yardstick of every embedding: if it does not beat this, it only saves memory.
//!
//! # Model shape
//! No map; every training row is a prototype.

use super::Method;
use super::registry::MethodEntry;
use super::settings::{SettingError, SettingsParser};
use crate::dataset::Dataset;
use crate::error::{FitError, ParamError};
use crate::model::Fitted;
use crate::model::head::HeadChoice;
use crate::model::map::Map;
use crate::run::Run;

/// k nearest neighbors; one by default.
#[derive(Debug, Clone)]
pub struct Knn {
    k: usize,
}

impl Default for Knn {
    fn default() -> Self {
        Self { k: 1 }
    }
}

impl Knn {
    /// Checks the number of neighbors.
    ///
    /// # Errors
    /// [`ParamError`] for zero.
    pub fn new(k: usize) -> Result<Self, ParamError> {
        ParamError::at_least_one("k", k)?;
        Ok(Self { k })
    }
}

/// KNN by name.
pub(super) const KNN: MethodEntry = MethodEntry {
    name: "knn",
    description: "k nearest neighbors of the row itself; keeps every row",
    from_settings: |settings, _| from_settings(settings),
};

fn from_settings(settings: &mut SettingsParser) -> Result<Box<dyn Method>, SettingError> {
    let mut k = Knn::default().k;
    settings.count("k", &mut k)?;
    Ok(Box::new(Knn::new(k)?))
}

impl Method for Knn {
    fn name(&self) -> &'static str {
        "knn"
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        vec![("k", self.k.to_string())]
    }

    fn fit_with(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError> {
        data.require_classes(1)?;
        let map = Map::Identity { width: data.width() };
        Fitted::from_map(data, map, run).with_head(HeadChoice::Neighbors(self.k))
    }
}
