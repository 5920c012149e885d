//! The most accurate model within limits, chosen on held-out training rows.
//!
//! 1. [`choose_front`]: with images, whether pooling pays.
//! 2. For kernel models and for linear ones: width, start, shape and descent, one choice after the other, each by the
//!    accuracy of models with numbers as they will be stored, on rows that they were not fitted to.
//! 3. The last word: closed forms and whole descents of both kinds as model files, by the runtime, on other splits.
//! 4. The winner is fitted again to all rows.

use super::closed::Origin;
use super::core::Core;
use super::error::CompactError;
use super::files::{File, Writer};
use super::images::Shifts;
use super::ledger::Ledger;
use super::limits::{Fixed, Limits};
use super::parts::{Prepared, guide, sample};
use super::samples::Samples;
use super::search::{LARGE, Search, Verdict, clearly_ahead};
use super::setting::{Built, Guide, Setting, Trial};
use super::shapes::{self, Rows};
use super::size::{Numeric, Shape};
use crate::cost;
use crate::data::{Dataset, Number};
use crate::error::FitError;
use crate::export::{Export, ExportError};
use crate::fitted::Fitted;
use crate::methods::Method;
use crate::par;
use crate::run::Run;
use crate::stages::{Scale, Stage};
use nearmark_format::ModelBuf;
use std::borrow::Cow;

/// Rows that the choice of a front looks at.
const LOOK: usize = 10_000;
/// Descents of the last fit at most, and the multiplications that they may take together.
const STARTS: usize = 4;
const AGAIN: f64 = 5e11;
/// How much wider a wide feature is than a narrow one, where each gets a range of its own.
const UNEVEN: f64 = 4.0;

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

/// A model within its limits, and how it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Compacted {
    /// The model as it will be written.
    pub file: File,
    /// The model in f64.
    pub fitted: Fitted,
    /// Its numbers.
    pub core: Core,
    /// Which of the fronts it stands behind.
    pub front: usize,
    /// The setting that was chosen, and how its file did on rows held out.
    pub verdict: Verdict,
    /// Mean smoothed cross-entropy before and after the descent, on all rows; none for the closed form.
    pub objective: Option<(f64, f64)>,
    /// Everything that was tried, in order.
    pub trials: Vec<Trial>,
}

/// Finds the most accurate compact model within limits.
///
/// # Errors
/// [`CompactError`] when no model keeps the limits, rows or classes are too few, or the run was cancelled.
pub fn fit(task: &Task<'_>, options: &Options, run: &Run<'_>) -> Result<Compacted, CompactError> {
    task.data.require_classes(2)?;
    let mut tried = Vec::new();
    let front = choose_front(task, options, run, &mut tried)?;
    let stages = &task.fronts[front];
    let prepared = prepare(task.data, stages, task.image, run)?;
    let mut job = Job::new(task, stages, &prepared, options, run)?;
    let verdict = job.choose()?;
    let Job { search, .. } = job;
    tried.extend(&search.trials);
    let Search { writer, methods, .. } = search;
    run.step("fitting the chosen model", 0, 1)?;
    let all: Vec<usize> = (0..prepared.data.len()).collect();
    let setting = verdict.trial.setting;
    let guide = guide(methods[setting.guide], &prepared.data, options.seed, &run.quiet())?;
    let (core, objective) = final_fit(&setting, &prepared, &all, &guide, run)?;
    let file = writer.write(&core, &writer.rows(&all, usize::MAX), setting.numeric)?;
    Ok(Compacted { fitted: core.fitted(stages, task.data), file, core, front, verdict, objective, trials: tried })
}

/// The chosen setting on all rows: where it takes little time, the best of several descents by their own objective.
fn final_fit(
    setting: &Setting,
    prepared: &Prepared,
    rows: &[usize],
    guide: &Guide,
    run: &Run<'_>,
) -> Result<Built, FitError> {
    let build = |start: usize, run: &Run<'_>| {
        setting.for_fold(start).build(&prepared.data, &prepared.samples, rows, guide, run)
    };
    let starts = match setting.refine {
        None => 1,
        Some(_) => ((AGAIN / setting.work(rows.len())) as usize).clamp(1, STARTS),
    };
    if starts == 1 || prepared.data.rows().len() > LARGE {
        return build(0, run);
    }
    let alone = run.quiet().threads(1);
    let built = par::map(run.thread_count(), starts, |start| build(start, &alone));
    let lower = |a: Built, b: Built| if b.1.map(|o| o.1) < a.1.map(|o| o.1) { b } else { a };
    built.into_iter().reduce(|a, b| Ok(lower(a?, b?))).unwrap_or_else(|| build(0, run))
}

/// Rows behind a front.
fn prepare(
    data: &Dataset,
    stages: &[Stage],
    image: Option<(usize, usize)>,
    run: &Run<'_>,
) -> Result<Prepared, FitError> {
    let mut rows = Cow::Borrowed(data.rows());
    for stage in stages {
        rows = Cow::Owned(stage.apply(&rows, run.thread_count())?);
    }
    let prepared = data.with_rows(rows.into_owned())?;
    let shifts = image.and_then(|image| Shifts::new(data, image, stages));
    Ok(Prepared { samples: Samples::new(&prepared).with_shifts(shifts), data: prepared })
}

/// The front behind which a middling model does best after a short descent.
fn choose_front(
    task: &Task<'_>,
    options: &Options,
    run: &Run<'_>,
    tried: &mut Vec<Trial>,
) -> Result<usize, CompactError> {
    if task.fronts.len() < 2 {
        return Ok(0);
    }
    let some = sample(task.data, LOOK, options.seed);
    let data = some.as_ref().unwrap_or(task.data);
    let mut best: Option<(usize, Trial)> = None;
    for (i, stages) in task.fronts.iter().enumerate() {
        run.step("comparing fronts", i, task.fronts.len())?;
        let prepared = prepare(data, stages, None, run)?;
        let task = Task { data, rivals: &[], ..*task };
        let quiet = run.quiet();
        let mut job = Job::new(&task, stages, &prepared, options, &quiet)?;
        let Some(found) = job.glance()? else { continue };
        tried.push(found);
        best = match best {
            Some((front, before)) if clearly_ahead(before, found, job.search.held()) == before => Some((front, before)),
            _ => Some((i, found)),
        };
    }
    Ok(best.map_or(0, |(front, _)| front))
}

/// One front with everything that the search behind it needs.
struct Job<'a> {
    search: Search<'a>,
    options: &'a Options,
    rows: Rows,
    fixed: Fixed,
}

impl<'a> Job<'a> {
    fn new(
        task: &Task<'a>,
        stages: &'a [Stage],
        prepared: &'a Prepared,
        options: &'a Options,
        run: &Run<'a>,
    ) -> Result<Self, CompactError> {
        let data = &prepared.data;
        let writer = Writer { stages, data: task.data, export: task.export, flash: options.limits.flash };
        let rivals = task.rivals.iter().map(|rival| Some(rival.as_ref()));
        let methods = [task.method].into_iter().chain(rivals).collect();
        let mut search = Search::new(prepared, methods, writer, options.seed, *run)?;
        search.ledger = task.ledger;
        (search.origin, search.passes, search.refines) = (options.origin, options.passes, options.refine);
        let dim = match search.guide(0) {
            Guide::Classes => data.classes(),
            Guide::Embedding(z) => z.ncols().min(data.classes() - 1),
            Guide::Map(map) => map.weights.nrows(),
        };
        let unit = *search.guide(0) == Guide::Classes;
        let door = task.data.number() == Number::F32 && uneven(data, stages);
        let rows = Rows { count: data.len(), classes: data.classes(), dim, unit, door };
        let gathered = stages.iter().any(|stage| matches!(stage, Stage::Window(_) | Stage::Pool(_)));
        let floats = task.data.number() == Number::F32;
        let front = front_cost(task.data.width(), data.width(), stages);
        let bytes = !gathered && matches!(task.data.number(), Number::U8 | Number::I8);
        let fixed = Fixed { features: data.width(), gathered, names: names(task)?, floats, bytes, front };
        Ok(Self { search, options, rows, fixed })
    }

    /// Whether linear and kernel models are asked for; a method decides by the form of its map.
    fn kinds(&self) -> (bool, bool) {
        match self.search.guide(0) {
            Guide::Classes => (self.options.kinds != Kinds::Kernel, self.options.kinds != Kinds::Linear),
            Guide::Embedding(_) => (false, true),
            Guide::Map(_) => (true, false),
        }
    }

    fn shapes(&self, numeric: Numeric) -> (Vec<Shape>, Vec<Shape>) {
        let (linear, kernel) = self.kinds();
        let limits = &self.options.limits;
        let linears = if linear { shapes::linears(&self.rows, &self.fixed, limits, numeric) } else { Vec::new() };
        let kernels = if kernel { shapes::kernels(&self.rows, &self.fixed, limits, numeric) } else { Vec::new() };
        (linears, kernels)
    }

    /// How a middling model does.
    fn glance(&mut self) -> Result<Option<Trial>, CompactError> {
        let numeric = self.options.numeric.unwrap_or_default();
        let (linears, kernels) = self.shapes(numeric);
        let middle = kernels.get(kernels.len() / 2).or(linears.first());
        let Some(&shape) = middle else { return Ok(None) };
        let setting = self.search.short(Setting::closed(shape, numeric, self.options.seed));
        Ok(Some(self.search.best(&[setting], None)?))
    }

    /// The best model of all kinds and numbers.
    fn choose(&mut self) -> Result<Verdict, CompactError> {
        let (linear, kernel) = self.kinds();
        if let Some(numeric) = self.options.numeric {
            let none = || {
                let smallest = shapes::smallest(&self.rows, &self.fixed, &self.options.limits, numeric, linear, kernel);
                CompactError::Budget { limits: Box::new(self.options.limits), smallest }
            };
            let error = none();
            return self.of(numeric)?.ok_or(error);
        }
        let smallest = shapes::smallest(&self.rows, &self.fixed, &self.options.limits, Numeric::I8, linear, kernel);
        let error = CompactError::Budget { limits: Box::new(self.options.limits), smallest };
        let integers = match self.of(Numeric::I8) {
            Ok(found) => found,
            // What integers cannot express, floats may.
            Err(CompactError::Quantize(_)) => None,
            Err(error) => return Err(error),
        };
        if let Some(found) = integers
            && !self.options.floats
            && found.exact - found.trial.accuracy <= found.error()
        {
            return Ok(found);
        }
        let floats = self.of(Numeric::F32)?;
        let better = |a: Verdict, b: Verdict| if b.trial.accuracy > a.trial.accuracy { b } else { a };
        integers.into_iter().chain(floats).reduce(better).ok_or(error)
    }

    /// The best model in these numbers; none if none keeps the limits.
    fn of(&mut self, numeric: Numeric) -> Result<Option<Verdict>, CompactError> {
        let (linears, kernels) = self.shapes(numeric);
        let search = &mut self.search;
        let mut finalists = Vec::new();
        if !linears.is_empty() {
            let short = search.linear(&linears, numeric)?;
            let short = search.halving(short, &[], self.options.arms / 3)?;
            // Another method's closed form cannot drop features.
            if short.shape.kept == short.shape.features || self.rows.unit {
                finalists.push(short.unrefined());
            }
            finalists.push(search.whole(short));
            finalists.extend(search.brief(short));
        }
        if !kernels.is_empty() {
            let short = search.kernel(&kernels, numeric)?;
            let short = search.halving(short, &kernels, self.options.arms)?;
            let short = rivalled(search, short, &self.rows, &self.fixed, &self.options.limits)?;
            // A closed form with centers cannot drop features.
            if short.shape.kept == short.shape.features {
                finalists.push(short.unrefined());
            }
            finalists.push(search.whole(short));
            finalists.extend(search.brief(short));
            // Noise and shifts show their worth in a long descent, so that they are asked about once more.
            let other = if short.refine.is_some_and(|p| p.noise > 0.0) { 0.0 } else { 0.6 };
            finalists.push(search.whole(short).descent(|p| p.noise = other));
            if search.prepared.samples.can_shift() {
                let other = usize::from(short.refine.is_none_or(|p| p.shift == 0));
                finalists.push(search.whole(short).descent(|p| p.shift = other));
            }
        }
        finalists.dedup();
        if finalists.is_empty() { Ok(None) } else { Ok(Some(search.last_word(&finalists)?)) }
    }
}

/// What the stages before the projection cost.
fn front_cost(inputs: usize, features: usize, stages: &[Stage]) -> cost::Shape {
    let mut shape = cost::Shape { inputs: inputs as u32, pooled: features as u32, ..cost::Shape::default() };
    for stage in stages {
        match stage {
            Stage::Window(window) => shape.segments = (window.channels() * window.segments()) as u32,
            Stage::Pool(pool) => shape.pool_rows = pool.block().0 as u32,
            Stage::Scale(_) | Stage::Project(_) => {}
        }
    }
    shape
}

/// The setting, or the same with a rival's embedding to learn where that does better.
fn rivalled(
    search: &mut Search<'_>,
    best: Setting,
    rows: &Rows,
    fixed: &Fixed,
    limits: &Limits,
) -> Result<Setting, FitError> {
    let mut settings = vec![best];
    for guide in 1..search.methods.len() {
        let Guide::Embedding(z) = search.guide(guide) else { continue };
        let dim = z.ncols().min(rows.classes - 1).min(best.shape.dim);
        let shape = Shape { dim, unit: false, ..best.shape };
        if let Some(shape) = limits.fill(shape, fixed, best.numeric, best.shape.centers) {
            let start = search.reshaped(&Setting { guide, ..best }, &shape);
            settings.push(Setting { refine: best.refine, ..start });
        }
    }
    if settings.len() == 1 { Ok(best) } else { Ok(search.best(&settings, None)?.setting) }
}

/// Whether features of float samples differ so much in width that each deserves a range of its own.
fn uneven(prepared: &Dataset, stages: &[Stage]) -> bool {
    let unscale = |j: usize| match stages.last() {
        Some(Stage::Scale(Scale::Features { mul, .. })) if mul[j] != 0.0 => 1.0 / mul[j].abs(),
        _ => 1.0,
    };
    let columns = prepared.rows().column_iter().enumerate();
    let mut widths: Vec<f64> = columns.map(|(j, c)| (c.max() - c.min()) * unscale(j)).filter(|w| *w > 0.0).collect();
    widths.sort_unstable_by(f64::total_cmp);
    let (Some(narrow), Some(wide)) = (widths.get(widths.len() / 10), widths.get(widths.len() * 9 / 10)) else {
        return false;
    };
    wide / narrow > UNEVEN
}

/// Bytes that class names take.
fn names(task: &Task<'_>) -> Result<usize, CompactError> {
    let known = task.data.class_names();
    let numbers = known.iter().enumerate().all(|(i, name)| *name == i.to_string());
    if !task.export.names || numbers {
        return Ok(0);
    }
    let bytes = |names: Vec<String>| -> Result<usize, CompactError> {
        let bare = ModelBuf { names, ..ModelBuf::new(known.len(), known.len(), known.len()) };
        Ok(ModelBuf { head: nearmark_format::Head::Unit, ..bare }.encode().map_err(ExportError::from)?.len())
    };
    Ok(bytes(known.to_vec())? - bytes(Vec::new())?)
}
