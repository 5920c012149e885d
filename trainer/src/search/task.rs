//! What to compact, and into what.

use super::closed_form::Origin;
use super::ledger::Ledger;
use super::space::limits::Limits;
use super::space::size::Numeric;
use crate::compile::Export;
use crate::dataset::Dataset;
use crate::methods::Method;
use crate::preprocess::Stage;

/// What to compact.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// Training rows.
    pub data: &'a Dataset,
    /// Fitted stages to choose among; the first is favored.
    pub fronts: &'a [Vec<Stage>],
    /// Rows and columns, where rows are images.
    pub image: Option<(usize, usize)>,
    /// The method whose embedding of the rows the model learns; class indicators by default.
    pub method: Option<&'a dyn Method>,
    /// Methods with kernels whose embedding is tried in its place, once all else is chosen.
    pub rivals: &'a [Box<dyn Method>],
    /// What was measured before, and when to stop.
    pub ledger: Option<&'a dyn Ledger>,
    /// How to export.
    pub export: &'a Export,
}

/// Kinds of models to choose among.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kinds {
    /// Kernel models and linear ones.
    All,
    /// Only kernel models.
    Kernel,
    /// Only linear models.
    Linear,
}

/// What to compact into.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// What the device can spare.
    pub limits: Limits,
    /// How numbers are stored; by default as integers, unless they cost too much accuracy.
    pub numeric: Option<Numeric>,
    /// Kinds of models, where no method is given.
    pub kinds: Kinds,
    /// Where kernel centers come from.
    pub origin: Origin,
    /// Whether closed forms may be refined.
    pub refine: bool,
    /// Settings for successive halving, beyond one choice after the other; none by default.
    pub arms: usize,
    /// Whether floats are tried even where integers cost nothing.
    pub floats: bool,
    /// Passes over the rows in a final descent; by default as many as the number of rows suggests.
    pub passes: Option<usize>,
    /// Seed of everything.
    pub seed: u64,
}

impl<'a> Task<'a> {
    /// Rows as they are.
    #[must_use]
    pub fn new(data: &'a Dataset, fronts: &'a [Vec<Stage>], export: &'a Export) -> Self {
        Self { data, fronts, image: None, method: None, rivals: &[], ledger: None, export }
    }

    /// The method and its rivals.
    pub(super) fn methods(&self) -> Vec<Option<&'a dyn Method>> {
        [self.method].into_iter().chain(self.rivals.iter().map(|rival| Some(rival.as_ref()))).collect()
    }
}

impl Options {
    /// The best of all kinds within these limits.
    #[must_use]
    pub fn within(limits: Limits) -> Self {
        let origin = Origin::default();
        Self {
            limits,
            numeric: None,
            kinds: Kinds::All,
            origin,
            refine: true,
            arms: 0,
            floats: false,
            passes: None,
            seed: 0,
        }
    }
}
