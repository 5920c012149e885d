//! What to search for, and when to stop.

use super::cache::TrialCache;
use super::closed_form::Origin;
use super::{ConvolutionTask, CountsTask, Limits, Numeric};
use crate::compile::Export;
use crate::dataset::Dataset;
use crate::methods::Method;
use crate::preprocess::Stage;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Rows, and what a model of them may be made of.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// Training rows.
    pub data: &'a Dataset,
    /// Fitted preprocessing to choose among; the first is preferred.
    pub preprocessing: &'a [Vec<Stage>],
    /// Windows of which counts of fixed convolutions are tried too, if rows are windows.
    pub counts: Option<CountsTask>,
    /// Images that convolutions are tried on, if rows are images.
    pub convolution: Option<ConvolutionTask>,
    /// Height and width, if rows are images.
    pub image: Option<(usize, usize)>,
    /// The method whose embedding of the rows is the target; class indicators by default.
    pub method: Option<&'a dyn Method>,
    /// Methods with kernels whose embeddings are tried as the target after everything else is chosen.
    pub alternatives: &'a [Box<dyn Method>],
    /// Trials of earlier searches.
    pub cache: Option<&'a TrialCache>,
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
#[allow(clippy::struct_excessive_bools, reason = "each is a question of its own")]
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
    pub train: bool,
    /// Candidates of successive halving, after the choices one by one; none by default.
    pub arms: usize,
    /// Whether floats are tried even if integers cost no accuracy.
    pub floats: bool,
    /// Whether the best models of smaller budgets are candidates too.
    pub ladder: bool,
    /// Whether to search coarsely: shorter trainings, fewer choices and finalists.
    pub quick: bool,
    /// Epochs of full training; by default by the number of rows.
    pub passes: Option<usize>,
    /// Seed of all random choices.
    pub seed: u64,
}

impl<'a> Task<'a> {
    /// Rows with preprocessing to choose among, and nothing else.
    #[must_use]
    pub fn new(data: &'a Dataset, preprocessing: &'a [Vec<Stage>], export: &'a Export) -> Self {
        let (counts, convolution, image, method, cache, deadline) = (None, None, None, None, None, None);
        Self { data, preprocessing, counts, convolution, image, method, alternatives: &[], cache, deadline, export }
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
            train: true,
            arms: 0,
            floats: false,
            ladder: true,
            quick: false,
            passes: None,
            seed: 0,
        }
    }
}

/// Two moments: when extra work ends, and when everything does that is not needed for a model.
#[derive(Debug)]
pub struct Deadline {
    extra: Instant,
    all: Instant,
    cut_short: AtomicBool,
}

impl Deadline {
    /// From `extra` on, nothing is tried that a plain fit would not try; from `all` on, only what is needed to have a
    /// model at all.
    #[must_use]
    pub fn new(extra: Instant, all: Instant) -> Self {
        Self { extra, all, cut_short: AtomicBool::new(false) }
    }

    pub(super) fn is_extra_over(&self) -> bool {
        Instant::now() >= self.extra
    }

    /// Whether all time is over. The search that asks then leaves something out: see [`was_cut_short`](Self::was_cut_short).
    pub(super) fn is_over(&self) -> bool {
        let over = Instant::now() >= self.all;
        if over {
            self.cut_short.store(true, Ordering::Relaxed);
        }
        over
    }

    /// Whether the search left out something that a plain fit would have tried.
    #[must_use]
    pub fn was_cut_short(&self) -> bool {
        self.cut_short.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_search_is_cut_short_when_it_asked_too_late() {
        let (now, later) = (Instant::now(), Instant::now() + Duration::from_secs(3600));
        let open = Deadline::new(later, later);
        assert!(!open.is_extra_over() && !open.is_over() && !open.was_cut_short());
        let extra = Deadline::new(now, later);
        assert!(extra.is_extra_over() && !extra.is_over() && !extra.was_cut_short());
        let over = Deadline::new(now, now);
        assert!(!over.was_cut_short(), "nobody has asked yet");
        assert!(over.is_over() && over.was_cut_short());
    }
}
