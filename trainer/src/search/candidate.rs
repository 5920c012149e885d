//! One way to make a compact model: its dimensions, its closed form and its training.

use super::closed_form::{self, Allot, Directions, Origin};
use super::compact_model::CompactModel;
use super::memo::Memo;
use super::space::dimensions::{Dimensions, Numeric};
use super::train;
use super::train::samples::Samples;
use crate::dataset::Dataset;
use crate::error::FitError;
use crate::linalg::Mat;
use crate::preprocess::Projection;
use crate::run::Run;
use serde::Serialize;

/// What a sample costs a training step beside its products, in multiplications: gathering it, noise, softmax. An
/// estimate, as [`EXP`] is; both only decide how long trainings are allowed to be.
const PER_SAMPLE: usize = 1000;
/// What an exponential costs, in multiplications.
const EXP: usize = 10;
/// Ridge of the closed form, relative to the mean square of a kernel value: enough to solve the equations when two
/// centers nearly coincide. Successive halving tries others.
const RIDGE: f64 = 1e-4;
/// Kernel width of a closed form for which none was chosen yet, relative to the root mean square distance of rows: the
/// middle of the widths that are tried.
const SIGMA: f64 = 0.5;

/// The closed form that training starts from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// A linear map with so many outputs.
    Linear(usize),
    /// Kernel centers behind a projection.
    Centers(closed_form::Params),
}

/// One way to make a compact model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Candidate {
    /// The dimensions.
    pub dimensions: Dimensions,
    /// The closed form.
    pub start: Start,
    /// Training from there; none if the closed form is the model.
    pub training: Option<train::Params>,
    /// How its numbers will be stored.
    pub numeric: Numeric,
    /// Which target embedding it learns: 0 is that of the task's method, from 1 on those of the alternatives.
    pub target: usize,
}

/// A candidate that was evaluated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trial {
    /// The candidate.
    pub candidate: Candidate,
    /// The share of held-out rows that were classified correctly.
    pub accuracy: f64,
}

/// What a candidate is fitted to.
#[derive(Clone, Copy)]
pub(super) struct TrainingRows<'a> {
    /// The rows to fit.
    pub(super) data: &'a Dataset,
    /// All rows, held-out ones included, as training reads them.
    pub(super) samples: &'a Samples,
    /// Indices of the rows to fit among all.
    pub(super) rows: &'a [usize],
    /// The target embedding of the rows to fit.
    pub(super) target: &'a TargetEmbedding,
    /// Closed forms of the same rows that are known already.
    pub(super) memo: &'a Memo,
    /// What input quantization will make of the rows.
    pub(super) grids: &'a train::InputGrids<'a>,
}

/// What a compact model learns to reproduce.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TargetEmbedding {
    /// Class indicators: CMVDA's regression, or LDA for linear models.
    Classes,
    /// A method's embedding of every row.
    Rows(Mat),
    /// A method's map, if it is linear.
    Linear(Projection),
}

/// A model, with its mean loss before and after training if it was trained.
pub(super) type Built = (CompactModel, Option<(f64, f64)>);

impl Candidate {
    /// The closed form of some dimensions, with a kernel width yet to be chosen.
    #[must_use]
    pub fn closed_form(dimensions: Dimensions, numeric: Numeric, seed: u64) -> Self {
        let start = if dimensions.is_linear() {
            Start::Linear(dimensions.dim)
        } else {
            Start::Centers(closed_form::Params {
                directions: Directions::default(),
                projected: dimensions.projected,
                centers: dimensions.centers,
                allot: Allot::default(),
                origin: Origin::default(),
                dim: dimensions.dim,
                sigma: SIGMA,
                ridge: RIDGE,
                seed,
            })
        };
        Self { dimensions, start, training: None, numeric, target: 0 }
    }

    /// The same with another closed form.
    #[must_use]
    pub fn with_start(mut self, change: impl FnOnce(&mut closed_form::Params)) -> Self {
        if let Start::Centers(params) = &mut self.start {
            change(params);
        }
        self
    }

    /// The same with other training; the same if there is none.
    #[must_use]
    pub fn with_training(mut self, change: impl FnOnce(&mut train::Params)) -> Self {
        if let Some(params) = &mut self.training {
            change(params);
        }
        self
    }

    /// The same without training.
    #[must_use]
    pub fn untrained(mut self) -> Self {
        self.training = None;
        self
    }

    /// The same with seeds of its own, so that no choice depends on one lucky seed.
    #[must_use]
    pub(super) fn with_stream(self, stream: usize) -> Self {
        let stream = stream as u64;
        self.with_start(|p| p.seed = p.seed.wrapping_add(stream))
            .with_training(|p| p.seed = p.seed.wrapping_add(stream))
    }

    /// Multiplications of one fit to so many rows.
    pub(super) fn work(&self, rows: usize) -> f64 {
        let Dimensions { features: n, projected: p, centers: m, dim: d, classes: c, .. } = self.dimensions;
        // The forward pass and two products of the same size for the gradient.
        let each = 3 * (n * p + 2 * p * m + m * d + d * c) + EXP * m + PER_SAMPLE;
        let samples = self.training.map_or(0, |params| params.steps * params.batch);
        // The closed form reads every row once, and solves with a Gram matrix of the centers.
        each as f64 * samples as f64 + (rows * (n * p + p * m + m * m)) as f64
    }

    /// Fits the candidate: closed form, then training.
    ///
    /// # Errors
    /// [`FitError`] when rows or classes are too few, or the run was cancelled.
    pub(super) fn build(&self, on: &TrainingRows<'_>, run: &Run<'_>) -> Result<Built, FitError> {
        let TrainingRows { data, samples, rows, target, memo, grids } = *on;
        let closed_form = || match (self.start, target) {
            (Start::Linear(_), TargetEmbedding::Linear(map)) => {
                Ok(closed_form::with_means(map.clone(), data, run.thread_count()))
            }
            (Start::Linear(dim), _) => closed_form::linear(data, dim, self.dimensions.kept, run),
            (Start::Centers(params), TargetEmbedding::Rows(targets)) => {
                closed_form::fit_knowing(data, &params, Some(targets), memo, run)
            }
            (Start::Centers(params), _) => closed_form::fit_knowing(data, &params, None, memo, run),
        };
        // With centers, features are dropped by training only.
        let kept = if matches!(self.start, Start::Linear(_)) { self.dimensions.kept } else { 0 };
        let model = memo.models.get_or_insert((self.start, kept, self.target), closed_form)?;
        match &self.training {
            None => Ok((model, None)),
            Some(params) => {
                let trained = train::refine_on(&model, samples, rows, params, grids, run)?;
                Ok((trained.core, Some(trained.objective)))
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::dataset::Dataset;

    /// Small dimensions for tests.
    pub(in crate::search) const SMALL: Dimensions = Dimensions {
        features: 16,
        kept: 16,
        nonzeros: None,
        projected: 8,
        centers: 8,
        dim: 4,
        classes: 4,
        unit: true,
        own_ranges: false,
    };

    #[test]
    fn work_counts_products_both_ways() {
        let closed = Candidate::closed_form(SMALL, Numeric::I8, 0);
        let once = 10 * (16 * 8 + 8 * 8 + 8 * 8);
        assert_eq!(closed.work(10), f64::from(once));
        let trained = Candidate { training: Some(train::Params { steps: 5, ..params() }), ..closed };
        let each = 3 * (16 * 8 + 2 * 8 * 8 + 8 * 4 + 4 * 4) + 10 * 8 + 1000;
        assert_eq!(trained.work(10), f64::from(once + 5 * 64 * each));
    }

    #[test]
    fn streams_change_both_seeds_and_nothing_else() {
        let base = Candidate { training: Some(params()), ..Candidate::closed_form(SMALL, Numeric::I8, 7) };
        let other = base.with_stream(3);
        assert_eq!(other.training.map(|p| p.seed), Some(3));
        assert!(matches!(other.start, Start::Centers(p) if p.seed == 10));
        let back = other.with_start(|p| p.seed = 7).with_training(|p| p.seed = 0);
        assert_eq!(back, base);
    }

    /// Training of no steps is the closed form; both classes of two separated points are found.
    #[test]
    fn a_candidate_without_training_is_its_closed_form() -> Result<(), Box<dyn std::error::Error>> {
        let rows = Mat::from_row_slice(4, 2, &[0.0, 0.1, 0.0, -0.1, 1.0, 0.1, 1.0, -0.1]);
        let data = Dataset::from_ids(rows, &[0, 0, 1, 1])?;
        let (samples, memo, all) = (Samples::new(&data), Memo::default(), [0, 1, 2, 3]);
        let (samples, target) = (&samples, &TargetEmbedding::Classes);
        let on = TrainingRows { data: &data, samples, rows: &all, target, memo: &memo, grids: &|_| None };
        let dimensions =
            Dimensions { features: 2, kept: 2, projected: 1, centers: 0, dim: 1, classes: 2, unit: false, ..SMALL };
        let (model, loss) = Candidate::closed_form(dimensions, Numeric::F32, 0).build(&on, &Run::default())?;
        assert_eq!((model.host().classify(data.rows(), 1)?, loss), (vec![0, 0, 1, 1], None));
        Ok(())
    }

    /// Training parameters for tests.
    pub(in crate::search) fn params() -> train::Params {
        train::Params {
            steps: 100,
            batch: 64,
            rate: 0.04,
            smoothing: 0.1,
            noise: 0.0,
            shift: 0,
            keep: None,
            numeric: Numeric::I8,
            seed: 0,
        }
    }
}
