//! Learned convolutions of images within a budget, trained jointly with the compact model behind them.
//!
//! Filters change with every training, so that no preprocessing can be fitted once for all candidates: convolutions have a
//! short search of their own. Numbers of filters are those of a table for the budget; short trainings on the first
//! hold-out choose among them, then among augmentations; on many rows, full trainings choose among these. The winner is
//! trained in full on the hold-outs that finalists of the other models are compared on, and its files compete with theirs.

mod augment;
mod space;

pub use space::Layers;

use super::closed_form::{self, Allot, Directions, Origin};
use super::evaluate::CompiledModel;
use super::splits::splits;
use super::train::convolution::{Images, Network, Params, feature_grid, train};
use super::{
    Candidate, CompactModel, FinalEvaluation, Kinds, Limits, Numeric, Options, SearchResult, Task, TrainError, Trial,
};
use crate::compile::ExportError;
use crate::compile::quantize::{self, ReadoutWidth, Rounding, quantize_learned};
use crate::config::ConfigError;
use crate::dataset::split::Split;
use crate::dataset::{Dataset, Number};
use crate::error::FitError;
use crate::evaluate::predict;
use crate::linalg::{column, evenly_rows};
use crate::model::ModelFile;
use crate::preprocess::{Convolution, Stage};
use crate::run::Run;
use augment::{Augmentation, Planes};
use space::Plan;

/// Rows at least: filters of fewer rows were not tried.
const LEAST_ROWS: usize = 200;
/// Samples per step and the largest rate: the prototype's.
const BATCH: usize = 64;
const RATE: f64 = 0.1;
/// Kernel width and ridge of the closed form, as of the other models' before they are chosen.
const SIGMA: f64 = 0.5;
const RIDGE: f64 = 1e-4;
/// Rows from which augmentations are compared by full training: a short one of many rows sees each a few times only and
/// prefers images as they are, where moved ones win in the end.
const MANY: usize = 10_000;
/// Copies of moved images, which epochs take in turn.
const COPIES: usize = 6;
/// Epochs of full training at most, and steps at least, which few rows need more epochs for.
const EPOCHS: usize = 20;
const STEPS: usize = 1500;
/// Hold-outs that the winner is trained for at most: it is one candidate, and its training long.
const HOLD_OUTS: usize = 5;
/// Multiplications of a full training, and of a short one, at most: a fit of 60 000 images of 28×28 pixels stays within
/// minutes.
const WORK: (f64, f64) = (4e11, 4e10);
/// A short training relative to a full one.
const SHORT: f64 = 0.25;
/// Multiplications of a training step for one of the filters' forward pass: both products of the way back.
const BOTH_WAYS: usize = 3;
/// What everything behind the filters takes, in multiplications a sample.
const BEHIND: usize = 30_000;
/// Rows that integers are calibrated on.
const CALIBRATION: usize = 1000;

/// Images that convolutions are tried on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConvolutionTask {
    /// Channels, rows and columns.
    pub(crate) images: (usize, usize, usize),
    /// How many layers are tried.
    pub(crate) layers: Layers,
    /// Whether nothing else is to be tried.
    pub(crate) only: bool,
}

/// The best plan, and how its files did on held-out rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Found {
    plan: Plan,
    pub(super) evaluation: FinalEvaluation,
}

/// A trained network as a model and as a file.
struct Fit {
    stages: Vec<Stage>,
    model: CompactModel,
    file: CompiledModel,
}

/// Whether convolutions can be tried on this task.
pub(super) fn applies(task: &Task<'_>, options: &Options) -> bool {
    let integers = options.numeric != Some(Numeric::F32);
    let bytes = task.data.number() == Number::U8;
    let free = task.method.is_none() && options.kinds != Kinds::Linear && options.train;
    integers && bytes && free && task.data.len() >= LEAST_ROWS
}

/// Why convolutions that were asked for cannot be had.
pub(super) fn refused(of: ConvolutionTask) -> ConfigError {
    let (_, rows, cols) = of.images;
    let reason = format!(
        "no convolutions of {rows}x{cols} pixels keep the limits; they need pixels as bytes, integers, sides that a \
         block divides into 8 to {} parts, and {LEAST_ROWS} rows",
        space::SIDE
    );
    ConfigError::refused("conv", reason)
}

/// The best convolutions; none where none keep the limits.
pub(super) fn best(
    task: &Task<'_>,
    of: ConvolutionTask,
    options: &Options,
    run: &Run<'_>,
) -> Result<Option<Found>, TrainError> {
    let Some(geometry) = space::geometry(of.images) else { return Ok(None) };
    let plans = space::plans(task.data, geometry, of.layers, &options.limits, task.export.names);
    if plans.is_empty() {
        return Ok(None);
    }
    let search = Search { task, of, options, run, bytes: bytes(task.data) };
    let folds = splits(task.data, options.seed)?;
    let Some(first) = folds.first() else { return Ok(None) };
    let tried = plans.len() + Augmentation::ALL.len();
    let mut best: Option<(Plan, f64)> = None;
    // Rows that are moved a little are better than the same again for nearly all images, so that sizes are compared there.
    let moved = plans.into_iter().map(|plan| Plan { augmentation: Augmentation::Shift, ..plan });
    for (done, plan) in moved.enumerate() {
        run.step("comparing convolutions", done, tried)?;
        best = search.better(best, plan, first)?;
    }
    let Some((chosen, _)) = best else { return Ok(None) };
    let others = Augmentation::ALL.into_iter().map(|augmentation| Plan { augmentation, ..chosen });
    // Few rows are trained so long that the short training chooses well, too.
    let few = task.data.len() < MANY;
    if few {
        for plan in others.clone().filter(|plan| plan.augmentation != chosen.augmentation) {
            best = search.better(best, plan, first)?;
        }
    }
    let finalists: Vec<Plan> = if few { best.into_iter().map(|(plan, _)| plan).collect() } else { others.collect() };
    let mut found: Option<Found> = None;
    for (done, plan) in finalists.into_iter().enumerate() {
        run.step("comparing augmentations", tried - Augmentation::ALL.len() + done, tried)?;
        let other = search.evaluate(plan)?;
        if found.is_none_or(|leader| other.evaluation.trial.accuracy > leader.evaluation.trial.accuracy) {
            found = Some(other);
        }
    }
    Ok(found)
}

/// The best convolutions fitted to all rows.
pub(super) fn finish(
    task: &Task<'_>,
    of: ConvolutionTask,
    options: &Options,
    found: &Found,
    trials: Vec<Trial>,
    run: &Run<'_>,
) -> Result<SearchResult, TrainError> {
    run.step("fitting the chosen model", 0, 1)?;
    let search = Search { task, of, options, run, bytes: bytes(task.data) };
    let all: Vec<usize> = (0..task.data.len()).collect();
    let Fit { stages, model, file } = search.fit(&found.plan, &all)?;
    let fitted = model.fitted(&stages, task.data);
    let (counts, convolution) = (None, Some(found.plan.describe()));
    let (evaluation, objective) = (found.evaluation, None);
    let limits = options.limits;
    Ok(SearchResult {
        file,
        fitted,
        model,
        preprocessing: 0,
        counts,
        convolution,
        limits,
        evaluation,
        objective,
        trials,
    })
}

struct Search<'a> {
    task: &'a Task<'a>,
    of: ConvolutionTask,
    options: &'a Options,
    run: &'a Run<'a>,
    /// The images, one after the other.
    bytes: Vec<u8>,
}

/// The images as bytes, row by row.
fn bytes(data: &Dataset) -> Vec<u8> {
    let rows = data.rows();
    let mut bytes = vec![0; rows.len()];
    for j in 0..rows.ncols() {
        let values = column(rows, j).iter();
        bytes.iter_mut().skip(j).step_by(rows.ncols()).zip(values).for_each(|(byte, v)| *byte = *v as u8);
    }
    bytes
}

impl Search<'_> {
    /// Images behind the mean of blocks, in as many copies as the plan's augmentation needs.
    fn images(&self, plan: &Plan) -> Images {
        let (channels, rows, cols) = self.of.images;
        let copies = if plan.augmentation == Augmentation::None { 1 } else { COPIES };
        let planes = Planes { bytes: &self.bytes, channels, rows, cols };
        let threads = self.run.thread_count();
        // The first copy is the images themselves, by which networks are judged.
        let kinds = (0..=copies).map(|i| if i == 0 { Augmentation::None } else { plan.augmentation });
        let used = kinds.take(if copies == 1 { 1 } else { copies + 1 }).enumerate();
        let made = used.map(|(i, kind)| {
            let moved = augment::copy(planes, kind, self.options.seed.wrapping_add(i as u64), threads);
            means(plan, &moved)
        });
        let (rows, cols) = plan.geometry.area();
        Images::new(made.collect(), channels, (rows, cols))
    }

    fn network(&self, plan: &Plan, images: &Images, rows: &[usize], share: f64) -> Result<Network, TrainError> {
        let d = plan.dimensions;
        let head = closed_form::Params {
            directions: Directions::Pca,
            projected: d.projected,
            centers: d.centers,
            allot: Allot::Equal,
            origin: Origin::Means,
            dim: d.dim,
            sigma: SIGMA,
            ridge: RIDGE,
            seed: self.options.seed,
        };
        let each = (BOTH_WAYS * plan.work() + BEHIND) as f64;
        let most = if share < 1.0 { WORK.1 } else { WORK.0 };
        let wanted = match self.options.passes {
            Some(passes) => passes * rows.len() / BATCH,
            None => (EPOCHS * rows.len() / BATCH).max(STEPS),
        } as f64
            * share;
        let steps = wanted.min(most / each / BATCH as f64).max(1.0) as usize;
        let (filters, widths, seed) = (plan.filters, plan.widths, self.options.seed);
        let params = Params { filters, head, widths, steps, batch: BATCH, rate: RATE, seed };
        Ok(train(self.task.data, images, rows, &params, &self.run.quiet())?)
    }

    /// The best plan so far, or this one if it does better after short training.
    fn better(&self, best: Option<(Plan, f64)>, plan: Plan, fold: &Split) -> Result<Option<(Plan, f64)>, TrainError> {
        let accuracy = self.quick(plan, fold)?;
        Ok(best.filter(|(_, leader)| accuracy <= *leader).or(Some((plan, accuracy))))
    }

    /// The share of held-out rows that a shortly trained network classifies correctly.
    fn quick(&self, plan: Plan, fold: &Split) -> Result<f64, TrainError> {
        let images = self.images(&plan);
        let network = self.network(&plan, &images, &fold.train, SHORT)?;
        let found = network.classify(&images, &fold.test, self.run.thread_count());
        Ok(correct(&found, self.task.data, &fold.test) as f64 / fold.test.len().max(1) as f64)
    }

    /// Files of fully trained networks on the hold-outs of finalists.
    fn evaluate(&self, plan: Plan) -> Result<Found, TrainError> {
        let data = self.task.data;
        // The first of the hold-outs that finalists are compared on.
        let mut folds = splits(data, self.options.seed.wrapping_add(1))?;
        let (mut stored, mut exact, mut rows) = (0, 0, 0);
        folds.truncate(HOLD_OUTS);
        for (i, fold) in folds.iter().enumerate() {
            self.run.step("comparing convolutions", i, folds.len())?;
            let fit = self.fit(&plan, &fold.train)?;
            let test = data.select(&fold.test);
            let file = ModelFile::encode(&fit.file.model).map_err(ExportError::from)?;
            let found: Vec<usize> =
                predict(&file, test.rows())?.iter().map(|found| usize::from(found.class().0)).collect();
            stored += correct(&found, data, &fold.test);
            let model = fit.model.fitted(&fit.stages, data);
            exact += correct(&model.classify(test.rows()).map_err(FitError::from)?, data, &fold.test);
            rows += fold.test.len();
        }
        let candidate = Candidate::closed_form(plan.dimensions, Numeric::I8, self.options.seed);
        let share = |count: usize| count as f64 / rows.max(1) as f64;
        let trial = Trial { candidate, accuracy: share(stored) };
        Ok(Found { plan, evaluation: FinalEvaluation { trial, accuracy_f64: share(exact), rows, distinct: rows } })
    }

    /// A network trained in full, and its file.
    fn fit(&self, plan: &Plan, rows: &[usize]) -> Result<Fit, TrainError> {
        let images = self.images(plan);
        let network = self.network(plan, &images, rows, 1.0)?;
        let stage = Convolution::new(plan.geometry, network.filters());
        let steps = network.filters().into_iter().map(|filters| filters.steps).collect();
        let stages = vec![Stage::Convolution(stage)];
        let model = network.head;
        let folded = self.task.export.model(&model.fitted(&stages, self.task.data))?.model;
        let grid = feature_grid(model.dimensions().features).grid;
        let learned = super::evaluate::learned(&model, &folded, &grid, Some(steps));
        let quantization =
            quantize::Options { readout: ReadoutWidth::I8, rounding: Rounding::AsTrained, ..Default::default() };
        let calibration = evenly_rows(self.task.data.select(rows).rows(), CALIBRATION);
        let found = quantize_learned(&folded, &calibration, quantization, learned)?;
        let limits = Limits { flash: self.options.limits.flash, ..Limits::default() };
        let bytes = found.report.bytes.1;
        if limits.flash.is_some_and(|most| bytes > most) {
            let smallest = super::Smallest { flash: bytes, ..super::Smallest::default() };
            return Err(TrainError::Budget { limits: Box::new(limits), smallest });
        }
        Ok(Fit { stages, model, file: CompiledModel { model: found.model, report: Some(found.report) } })
    }
}

impl Plan {
    /// The plan in a few words.
    fn describe(&self) -> String {
        let filters = match self.filters {
            [first, 0] => format!("{first} filters"),
            [first, second] => format!("{first} and {second} filters"),
        };
        let (high, wide) = self.geometry.block;
        let blocks = if (high, wide) == (1, 1) { String::new() } else { format!(" behind means of {high}x{wide}") };
        format!("convolutions by {filters}{blocks}, augmentation: {}", self.augmentation.name())
    }
}

/// The mean of every block, as the device rounds it.
fn means(plan: &Plan, bytes: &[u8]) -> Vec<u8> {
    let (high, wide) = plan.geometry.block;
    let pixels = high * wide;
    if pixels == 1 {
        return bytes.to_vec();
    }
    let factor = (65536 + pixels / 2) / pixels;
    let mut found = Vec::with_capacity(bytes.len() / pixels);
    for image in bytes.chunks(plan.geometry.inputs()) {
        let sums = plan.geometry.sums(|j| f64::from(image[j]));
        found.extend(sums.values.iter().map(|sum| ((*sum as usize * factor + 32768) >> 16).min(255) as u8));
    }
    found
}

fn correct(found: &[usize], data: &Dataset, rows: &[usize]) -> usize {
    found.iter().zip(rows).filter(|(class, row)| **class == data.labels()[**row]).count()
}

#[cfg(test)]
mod tests;
