//! What to search for.

use super::cache::TrialStore;
use super::closed_form::Origin;
use super::deadline::Deadline;
use super::space::dimensions::Numeric;
use super::space::limits::Limits;
use crate::compile::Export;
use crate::dataset::Dataset;
use crate::methods::Method;
use crate::preprocess::Stage;

/// Rows, and what a model of them may be made of.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// Training rows.
    pub data: &'a Dataset,
    /// Fitted preprocessing to choose among; the first is preferred.
    pub preprocessing: &'a [Vec<Stage>],
    /// Height and width, if rows are images.
    pub image: Option<(usize, usize)>,
    /// The method whose embedding of the rows is the target; class indicators by default.
    pub method: Option<&'a dyn Method>,
    /// Methods with kernels whose embeddings are tried as the target after everything else is chosen.
    pub alternatives: &'a [Box<dyn Method>],
    /// Trials of earlier searches.
    pub cache: Option<&'a dyn TrialStore>,
    /// When to stop.
    pub deadline: Option<&'a Deadline>,
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

/// How to search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The budget.
    pub limits: Limits,
    /// How numbers are stored; by default as integers, unless that costs too much accuracy.
    pub numeric: Option<Numeric>,
    /// Kinds of models, if no method is given.
    pub kinds: Kinds,
    /// Where kernel centers come from.
    pub origin: Origin,
    /// Whether closed forms may be trained.
    pub refine: bool,
    /// Candidates of successive halving, after the choices one by one; none by default.
    pub arms: usize,
    /// Whether floats are tried even if integers cost no accuracy.
    pub floats: bool,
    /// Epochs of full training; by default by the number of rows.
    pub passes: Option<usize>,
    /// Seed of all random choices.
    pub seed: u64,
}

impl<'a> Task<'a> {
    /// Rows with preprocessing to choose among, and nothing else.
    #[must_use]
    pub fn new(data: &'a Dataset, preprocessing: &'a [Vec<Stage>], export: &'a Export) -> Self {
        let (image, method, cache, deadline) = (None, None, None, None);
        Self { data, preprocessing, image, method, alternatives: &[], cache, deadline, export }
    }

    /// The method and its alternatives, as [`Candidate::target`](super::Candidate::target) counts them.
    pub(super) fn methods(&self) -> Vec<Option<&'a dyn Method>> {
        [self.method].into_iter().chain(self.alternatives.iter().map(|other| Some(other.as_ref()))).collect()
    }
}

impl Options {
    /// The best of all kinds within these limits.
    #[must_use]
    pub fn within(limits: Limits) -> Self {
        Self {
            limits,
            numeric: None,
            kinds: Kinds::All,
            origin: Origin::default(),
            refine: true,
            arms: 0,
            floats: false,
            passes: None,
            seed: 0,
        }
    }
}
