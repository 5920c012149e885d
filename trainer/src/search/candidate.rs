//! One way to make a compact model, and what is known of it.

use super::closed_form::{self, Allot, Directions, Origin};
use super::core::Core;
use super::memo::Memo;
use super::space::size::{Numeric, Shape};
use super::train;
use super::train::samples::Samples;
use crate::dataset::Dataset;
use crate::error::FitError;
use crate::linalg::Mat;
use crate::preprocess::Projection;
use crate::run::Run;

/// What a sample costs a descent beside its products, in multiplications.
const FIXED: usize = 1000;
/// What an exponential costs it.
const EXP: usize = 10;
/// Ridge of the closed form.
const RIDGE: f64 = 1e-4;

/// The closed form that a model starts from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Start {
    /// A linear map of so many outputs.
    Linear(usize),
    /// Kernel centers behind a projection.
    Centers(closed_form::Params),
}

/// Sizes and settings of one model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    /// The sizes.
    pub shape: Shape,
    /// The closed form.
    pub start: Start,
    /// The descent from it; none where the closed form is the model.
    pub refine: Option<train::Params>,
    /// How its numbers will be stored.
    pub numeric: Numeric,
    /// Whose embedding it learns: the task's method, or one of its rivals from 1 on.
    pub guide: usize,
}

/// A setting that was tried.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trial {
    /// What was tried.
    pub setting: Setting,
    /// The share of held-out rows whose class was found.
    pub accuracy: f64,
}

/// What a setting is fitted to.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    /// The rows to fit.
    pub(super) data: &'a Dataset,
    /// All rows as the descent reads them.
    pub(super) samples: &'a Samples,
    /// The numbers of the rows to fit, among all.
    pub(super) rows: &'a [usize],
    /// What the setting's method says of them.
    pub(super) guide: &'a Guide,
    /// What is known of their closed forms.
    pub(super) memo: &'a Memo,
    /// What input quantization will make of rows.
    pub(super) grids: &'a train::InputGrids<'a>,
}

/// A model, with its objective before and after the descent where there was one.
pub(super) type Built = (Core, Option<(f64, f64)>);

/// What a method has to say about rows: where it sends them, or the map itself if that is linear.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Guide {
    /// Class indicators: CMVDA's regression, and LDA for linear maps.
    Classes,
    /// The embedding of every row.
    Embedding(Mat),
    /// A linear map.
    Map(Projection),
}

impl Setting {
    /// The closed form of a shape, with a width to be chosen.
    #[must_use]
    pub fn closed(shape: Shape, numeric: Numeric, seed: u64) -> Self {
        let start = if shape.is_linear() {
            Start::Linear(shape.dim)
        } else {
            Start::Centers(closed_form::Params {
                directions: Directions::default(),
                projected: shape.projected,
                centers: shape.centers,
                allot: Allot::default(),
                origin: Origin::default(),
                dim: shape.dim,
                sigma: 0.5,
                ridge: RIDGE,
                seed,
            })
        };
        Self { shape, start, refine: None, numeric, guide: 0 }
    }

    /// The same with another start.
    #[must_use]
    pub fn start(mut self, change: impl FnOnce(&mut closed_form::Params)) -> Self {
        if let Start::Centers(params) = &mut self.start {
            change(params);
        }
        self
    }

    /// The same with another descent.
    #[must_use]
    pub fn descent(mut self, change: impl FnOnce(&mut train::Params)) -> Self {
        if let Some(params) = &mut self.refine {
            change(params);
        }
        self
    }

    /// The same without a descent.
    #[must_use]
    pub fn unrefined(mut self) -> Self {
        self.refine = None;
        self
    }

    /// The same with seeds of its own, so that no choice hangs on one seed's luck.
    #[must_use]
    pub(super) fn for_fold(self, fold: usize) -> Self {
        let fold = fold as u64;
        self.start(|p| p.seed = p.seed.wrapping_add(fold)).descent(|p| p.seed = p.seed.wrapping_add(fold))
    }

    /// Multiplications of one descent over so many rows, both ways.
    pub(super) fn work(&self, rows: usize) -> f64 {
        let Shape { features: n, projected: p, centers: m, dim: d, classes: c, .. } = self.shape;
        let each = 3 * (n * p + 2 * p * m + m * d + d * c) + EXP * m + FIXED;
        let steps = self.refine.map_or(0, |params| params.steps * params.batch);
        // The closed form looks at every row once, and at a Gram matrix of the centers.
        each as f64 * steps as f64 + (rows * (n * p + p * m + m * m)) as f64
    }

    /// Fits it.
    ///
    /// # Errors
    /// [`FitError`] when rows or classes are too few, or the run was cancelled.
    pub(super) fn build(&self, on: &Ground<'_>, run: &Run<'_>) -> Result<Built, FitError> {
        let Ground { data, samples, rows, guide, memo, grids } = *on;
        let closed = || match (self.start, guide) {
            (Start::Linear(_), Guide::Map(map)) => Ok(closed_form::with_means(map.clone(), data, run.thread_count())),
            (Start::Linear(dim), _) => closed_form::linear(data, dim, self.shape.kept, run),
            (Start::Centers(params), Guide::Embedding(targets)) => {
                closed_form::fit_knowing(data, &params, Some(targets), memo, run)
            }
            (Start::Centers(params), _) => closed_form::fit_knowing(data, &params, None, memo, run),
        };
        // Centers drop no features before the descent.
        let kept = if matches!(self.start, Start::Linear(_)) { self.shape.kept } else { 0 };
        let core = memo.cores.or_find((self.start, kept, self.guide), closed)?;
        match &self.refine {
            None => Ok((core, None)),
            Some(params) => {
                let refined = train::refine_on(&core, samples, rows, params, grids, run)?;
                Ok((refined.core, Some(refined.objective)))
            }
        }
    }
}
