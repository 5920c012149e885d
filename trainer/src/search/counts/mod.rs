//! Counts of fixed convolutions within a budget: which features, and a linear readout of them.
//!
//! Features are chosen by the classes, so that rows which choose must not judge: every variant below is fitted anew on the
//! training rows of every fold, compiled, and its file is run on the rows held out. The folds are those on which the
//! finalists of the search are compared, and the best variant competes with them. Chosen outside the folds, features
//! flatter by 5 points.

mod elimination;
mod ridge;

use super::evaluate::CompiledModel;
use super::splits::{VERY_FEW, rounds_of_finals, splits};
use super::{
    Candidate, CompactModel, Dimensions, FinalEvaluation, Inputs, Limits, Numeric, Options, SearchResult, Smallest,
    Task, TrainError, Trial,
};
use crate::compile::ExportError;
use crate::compile::quantize::{self, ReadoutWidth, Rounding, quantize};
use crate::dataset::Dataset;
use crate::dataset::split::Split;
use crate::error::FitError;
use crate::evaluate::predict;
use crate::linalg::{Mat, evenly_rows};
use crate::model::ModelFile;
use crate::parallel;
use crate::preprocess::counts::pool::{Kinds, Pool};
use crate::preprocess::counts::{Samples, Shape};
use crate::preprocess::{Counts, Projection, Stage};
use crate::run::Run;
use elimination::{Elimination, some_rows};
use ridge::{Ridge, targets};

/// Features at most, whatever the budget: on every set tried fewer were as good.
const MOST: usize = 4000;
/// Features at least: fewer are no model.
const LEAST: usize = 2;
/// Candidates that the prefilter leaves.
const FILTERED: usize = 2500;
/// Rows by which the ridge of the readout is chosen, and those it is fitted to, at most.
const RIDGE_ROWS: usize = 1000;
const READOUT_ROWS: usize = 20_000;
/// Rows that integers are calibrated on.
const CALIBRATION: usize = 3000;
/// Standard errors by which a later variant has to be better, on very few rows and on more.
const CLEARLY: (f64, f64) = (1.0, 0.25);

/// What fits of this module are called in errors.
const STEP: &str = "choosing counts";

/// The windows that counts are tried on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountsTask {
    /// How a row is a window.
    pub(crate) window: Shape,
    /// Whether nothing else is to be tried.
    pub(crate) only: bool,
}

/// Which candidates features are chosen among; the simplest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// Counts over whole windows.
    Whole,
    /// The same and statistics.
    Statistics,
    /// Counts over halves too, and statistics.
    Halves,
    /// The same, of which the best by themselves.
    Filtered,
}

impl Variant {
    const ALL: [Self; 4] = [Self::Whole, Self::Statistics, Self::Halves, Self::Filtered];

    /// The variant in a few words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Whole => "counts of fixed convolutions",
            Self::Statistics => "counts of fixed convolutions and statistics",
            Self::Halves => "counts of fixed convolutions over halves and statistics",
            Self::Filtered => "counts of fixed convolutions over halves and statistics, filtered",
        }
    }

    fn kinds(self) -> Kinds {
        Kinds { halves: matches!(self, Self::Halves | Self::Filtered), statistics: self != Self::Whole }
    }
}

/// A fitted stage with its readout.
pub(super) struct Fit {
    pub(super) stages: Vec<Stage>,
    pub(super) model: CompactModel,
    pub(super) file: CompiledModel,
}

/// The best variant, and how its files did on held-out rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Found {
    pub(super) variant: Variant,
    pub(super) evaluation: FinalEvaluation,
}

/// Correct answers of a variant's file on held-out rows, and of its numbers in f64.
type Correct = Option<(usize, usize)>;

/// Compares the variants, or evaluates `only` one; none where no model of counts keeps the limits.
pub(super) fn best(
    task: &Task<'_>,
    windows: CountsTask,
    options: &Options,
    only: Option<Variant>,
    run: &Run<'_>,
) -> Result<Option<Found>, TrainError> {
    let data = task.data;
    let rounds = rounds_of_finals(data.len(), options.quick);
    let mut folds = Vec::new();
    for round in 1..=rounds {
        folds.extend(splits(data, options.seed.wrapping_add(round)).map_err(TrainError::from)?);
    }
    run.step("comparing counts", 0, folds.len())?;
    let alone = run.quiet().threads(if folds.len() > 1 { 1 } else { run.thread_count() });
    let fits = if folds.len() > 1 { run.thread_count() } else { 1 };
    let found = parallel::map(fits, folds.len(), |i| {
        run.step("comparing counts", i, folds.len())?;
        on_fold(task, windows, options, only, &folds[i], &alone)
    });
    let found = found.into_iter().collect::<Result<Vec<_>, TrainError>>()?;
    let rows: usize = folds.iter().map(|fold| fold.test.len()).sum();
    let clearly = if data.len() < VERY_FEW { CLEARLY.0 } else { CLEARLY.1 };
    let mut best: Option<Found> = None;
    for (v, variant) in Variant::ALL.into_iter().enumerate() {
        // A variant that fits no budget on some fold is no candidate.
        let Some(sum) =
            found.iter().map(|fold| fold[v]).try_fold((0, 0), |sum, own| own.map(|own| (sum.0 + own.0, sum.1 + own.1)))
        else {
            continue;
        };
        let (accuracy, accuracy_f64) = (sum.0 as f64 / rows as f64, sum.1 as f64 / rows as f64);
        let margin = |best: &Found| {
            let own = best.evaluation.trial.accuracy;
            clearly * (own * (1.0 - own) / data.len() as f64).sqrt()
        };
        if best.as_ref().is_none_or(|best| accuracy > best.evaluation.trial.accuracy + margin(best)) {
            let trial = Trial { candidate: candidate(data, options, LEAST, data.classes()), accuracy };
            best = Some(Found {
                variant,
                evaluation: FinalEvaluation { trial, accuracy_f64, rows, distinct: data.len() },
            });
        }
    }
    Ok(best)
}

/// A linear model of so many features as a candidate.
fn candidate(data: &Dataset, options: &Options, features: usize, dim: usize) -> Candidate {
    let dimensions = Dimensions::dense(features, dim, 0, dim, data.classes());
    Candidate::closed_form(dimensions, options.numeric.unwrap_or_default(), options.seed)
}

/// Every variant fitted to the training rows of a fold, and run on the others.
fn on_fold(
    task: &Task<'_>,
    windows: CountsTask,
    options: &Options,
    only: Option<Variant>,
    fold: &Split,
    run: &Run<'_>,
) -> Result<[Correct; 4], TrainError> {
    let (train, test) = fold.apply(task.data);
    let mut correct = [None; 4];
    let Some(pool) = Pool::new(windows.window, &train, options.seed, run.thread_count()) else { return Ok(correct) };
    let elimination = Elimination::new(&pool, &train, options.seed, run.thread_count());
    let fitting = Fitting { task, options, data: &train, pool: &pool, elimination: &elimination, run };
    let wanted = |variant: &Variant| only.is_none_or(|only| only == *variant);
    for (variant, correct) in Variant::ALL.into_iter().zip(&mut correct).filter(|(variant, _)| wanted(variant)) {
        run.step("comparing counts", 0, 1)?;
        let Some(fit) = fitting.fit(variant)? else { continue };
        let right = |classes: Vec<usize>| classes.iter().zip(test.labels()).filter(|(a, b)| a == b).count();
        let file = ModelFile::encode(&fit.file.model).map_err(ExportError::from)?;
        let stored = predict(&file, test.rows())?.iter().map(|found| usize::from(found.class().0)).collect();
        let exact = fit.model.fitted(&fit.stages, &train).classify(test.rows()).map_err(FitError::from)?;
        *correct = Some((right(stored), right(exact)));
    }
    Ok(correct)
}

/// Whether counts are taken instead of the best of the other models.
pub(super) fn is_better(found: &Found, other: &FinalEvaluation) -> bool {
    let trial = other.trial.or_clearly_better(found.evaluation.trial, other.rows as f64);
    trial == found.evaluation.trial
}

/// The variant that was found, fitted to all rows.
pub(super) fn finish(
    task: &Task<'_>,
    windows: CountsTask,
    options: &Options,
    found: &Found,
    trials: Vec<Trial>,
    run: &Run<'_>,
) -> Result<SearchResult, TrainError> {
    run.step("fitting the chosen model", 0, 1)?;
    let threads = run.thread_count();
    let pool = Pool::new(windows.window, task.data, options.seed, threads).ok_or_else(TrainError::no_candidates)?;
    let elimination = Elimination::new(&pool, task.data, options.seed, threads);
    let fitting = Fitting { task, options, data: task.data, pool: &pool, elimination: &elimination, run };
    let Some(fit) = fitting.fit(found.variant)? else {
        return Err(TrainError::Budget { limits: Box::new(options.limits), smallest: fitting.smallest() });
    };
    let Fit { stages, model, file } = fit;
    let fitted = model.fitted(&stages, task.data);
    let numeric = options.numeric.unwrap_or_default();
    let candidate = Candidate::closed_form(model.dimensions(), numeric, options.seed);
    let trial = Trial { candidate, ..found.evaluation.trial };
    let evaluation = FinalEvaluation { trial, ..found.evaluation };
    let (preprocessing, counts, objective) = (task.preprocessing.len(), Some(found.variant), None);
    let (limits, convolution) = (options.limits, None);
    Ok(SearchResult { file, fitted, model, preprocessing, counts, convolution, limits, evaluation, objective, trials })
}

/// Why there is no model of counts within the limits.
pub(super) fn too_small(task: &Task<'_>, windows: CountsTask, options: &Options, run: &Run<'_>) -> TrainError {
    let threads = run.thread_count();
    let Some(pool) = Pool::new(windows.window, task.data, options.seed, threads) else {
        return TrainError::no_candidates();
    };
    let elimination = Elimination::new(&pool, task.data, options.seed, threads);
    let fitting = Fitting { task, options, data: task.data, pool: &pool, elimination: &elimination, run };
    TrainError::Budget { limits: Box::new(options.limits), smallest: fitting.smallest() }
}

/// What fits on the same rows share.
struct Fitting<'a> {
    task: &'a Task<'a>,
    options: &'a Options,
    data: &'a Dataset,
    pool: &'a Pool,
    elimination: &'a Elimination<'a>,
    run: &'a Run<'a>,
}

impl Fitting<'_> {
    fn fit(&self, variant: Variant) -> Result<Option<Fit>, TrainError> {
        let (unit, most) = self.most();
        let mut candidates = self.pool.of(variant.kinds());
        if variant == Variant::Filtered {
            candidates = self.elimination.filtered(&candidates, FILTERED);
        }
        let admits = |kept: &[usize]| self.admits(&self.pool.stage(kept), unit);
        let kept = self.elimination.eliminate(candidates, (LEAST, most), &admits).map_err(FitError::at(STEP))?;
        let Some(kept) = kept else { return Ok(None) };
        let stage = self.pool.stage(&kept);
        let floats = self.numeric() == Numeric::F32;
        let stage = if floats { stage.in_floats() } else { stage };
        let model = self.readout(&stage, unit)?;
        let stages = vec![Stage::Counts(stage.clone())];
        let fitted = model.fitted(&stages, self.data);
        let model_buf = self.task.export.model(&fitted)?.model;
        let file = if floats {
            CompiledModel { model: model_buf, report: None }
        } else {
            let samples = match stage.samples() {
                Samples::Integers { mul, add, .. } => Some((mul, add)),
                Samples::Floats => None,
            };
            let options = quantize::Options {
                readout: ReadoutWidth::I8,
                rounding: Rounding::AsTrained,
                samples,
                ..Default::default()
            };
            let found = quantize(&model_buf, &evenly_rows(self.data.rows(), CALIBRATION), options)?;
            CompiledModel { model: found.model, report: Some(found.report) }
        };
        Ok(Some(Fit { stages, model, file }))
    }

    fn numeric(&self) -> Numeric {
        self.options.numeric.unwrap_or_default()
    }

    /// Coordinates of the embedding: one a class, or one less and class points of its own.
    fn dim(&self, unit: bool) -> usize {
        self.data.classes() - usize::from(!unit)
    }

    /// The most features that the limits could take, and whether class points are then the unit vectors.
    fn most(&self) -> (bool, usize) {
        let with = |unit: bool| {
            let entries = self.pool.counts.entries();
            let fits = |count: usize| {
                let some =
                    Counts::new(self.pool.counts.window(), self.pool.counts.samples(), entries[..count].to_vec());
                let limits = Limits { instructions: None, ..self.options.limits };
                limits.admit(&self.dimensions(count, unit), &self.inputs(&some), self.numeric())
            };
            let (mut low, mut high) = (0, entries.len().min(MOST) + 1);
            while high - low > 1 {
                let middle = usize::midpoint(low, high);
                if fits(middle) { low = middle } else { high = middle }
            }
            low
        };
        let (unit, less) = (with(true), with(false));
        if less > unit { (false, less) } else { (true, unit) }
    }

    fn admits(&self, stage: &Counts, unit: bool) -> bool {
        let dimensions = self.dimensions(stage.entries().len(), unit);
        self.options.limits.admit(&dimensions, &self.inputs(stage), self.numeric())
    }

    /// What the smallest model takes.
    fn smallest(&self) -> Smallest {
        let entries = &self.pool.counts.entries()[..LEAST.min(self.pool.counts.entries().len())];
        let stage = Counts::new(self.pool.counts.window(), self.pool.counts.samples(), entries.to_vec());
        let (dimensions, inputs, numeric) = (self.dimensions(entries.len(), true), self.inputs(&stage), self.numeric());
        let board = self.options.limits.instructions.map(|(_, board)| board);
        Smallest {
            flash: dimensions.bytes(&inputs, numeric),
            ram: dimensions.scratch_bytes(&inputs, numeric),
            instructions: board.map_or(0, |board| dimensions.instructions(&inputs, numeric, board)),
        }
    }

    fn dimensions(&self, features: usize, unit: bool) -> Dimensions {
        let dim = self.dim(unit);
        Dimensions::dense(features, dim, 0, dim, self.data.classes())
    }

    fn inputs(&self, stage: &Counts) -> Inputs {
        let features = stage.entries().len();
        Inputs::new(self.task.data, &[Stage::Counts(stage.clone())], features, self.task.export.names)
    }

    /// The readout: a ridge regression on the classes, in as many coordinates as there are classes or in one less, where
    /// the class points are the corners of a simplex and the nearest is the same.
    fn readout(&self, stage: &Counts, unit: bool) -> Result<CompactModel, TrainError> {
        let (threads, seed, classes) = (self.run.thread_count(), self.options.seed, self.data.classes());
        let data = some_rows(self.data, READOUT_ROWS, seed);
        let features = stage.apply(data.rows(), threads).map_err(FitError::from)?;
        let some = crate::linalg::evenly(&(0..data.len()).collect::<Vec<_>>(), RIDGE_ROWS);
        let ridge =
            Ridge::fit(&features, &targets(data.labels(), classes), &some, threads).map_err(FitError::at(STEP))?;
        let means = if unit { Mat::identity(classes, classes) } else { simplex(classes) };
        let bias = nalgebra::DVector::from_vec(ridge.bias);
        // From scores of −1 and 1 to coordinates of 0 and 1.
        let weights = (&ridge.weights * &means).transpose() / 2.0;
        let bias = means.tr_mul(&bias.add_scalar(1.0)) / 2.0;
        let dim = means.ncols();
        let projection = Projection { weights, bias: bias.iter().copied().collect() };
        let none = (Mat::zeros(0, dim), Mat::zeros(0, dim));
        let (centers, weights) = none;
        Ok(CompactModel { projection, gamma: 1.0, centers, weights, bias: Vec::new(), means, steps: None })
    }
}

/// The corners of a simplex around zero, as far from each other as unit vectors: a row per class, a coordinate less.
fn simplex(classes: usize) -> Mat {
    // Helmert's basis of the vectors whose sum is zero.
    Mat::from_fn(classes, classes - 1, |c, j| {
        let norm = ((j + 1) as f64 * (j + 2) as f64).sqrt();
        match c.cmp(&(j + 1)) {
            std::cmp::Ordering::Less => 1.0 / norm,
            std::cmp::Ordering::Equal => -((j + 1) as f64) / norm,
            std::cmp::Ordering::Greater => 0.0,
        }
    })
}

#[cfg(test)]
mod tests;
