//! Plain nearest neighbors in the input space: the embedding is the row itself.
//!
//! # Idea
//! The yardstick of every embedding: if it does not beat this, it only saves memory.
//!
//! # Model shape
//! No map; every training row is a prototype.

use super::{Checked, Dataset, FitError, Fitted, MethodEntry, MethodParams, Run, SettingsParser};
use crate::model::head::HeadChoice;
use crate::model::map::Map;

/// Parameters of k-NN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Params {
    /// Neighbors that vote; one by default.
    pub k: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 1 }
    }
}

/// k nearest neighbors.
pub type Knn = Checked<Params>;

pub(super) const KNN: MethodEntry =
    MethodEntry::of::<Params>("knn", "k nearest neighbors of the row itself; keeps every row");

impl MethodParams for Params {
    fn name(&self) -> &'static str {
        KNN.name
    }

    fn settings(&mut self, settings: &mut SettingsParser) {
        settings.count("k", &mut self.k);
    }

    fn needs_labels(&self) -> bool {
        false
    }

    fn fit(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError> {
        data.require_any_classes()?;
        let map = Map::Identity { width: data.width() };
        Fitted::from_map(data, map, run).with_head(HeadChoice::Neighbors(self.k))
    }
}
