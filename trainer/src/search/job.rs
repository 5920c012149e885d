//! The search behind one front: kinds, numbers and shapes, up to the last word.

use super::candidate::{Guide, Setting, Trial};
use super::comparison::{Search, ahead, deviation};
use super::error::CompactError;
use super::files::Writer;
use super::final_evaluation::Verdict;
use super::preprocessing as front;
use super::space::limits::{Fixed, Limits};
use super::space::size::{Numeric, Shape};
use super::space::{self, Rows};
use super::splits::{FEW, Prepared};
use super::task::{Kinds, Options, Task};
use crate::dataset::Number;
use crate::error::FitError;
use crate::preprocess::Stage;
use crate::run::Run;

/// By how many standard errors a sparse projection has to be better than a dense one.
const PAYS: f64 = 1.0;

/// One front with everything that the search behind it needs.
pub(super) struct Job<'a> {
    pub(super) search: Search<'a>,
    options: &'a Options,
    rows: Rows,
    fixed: Fixed,
}

impl<'a> Job<'a> {
    pub(super) fn new(
        task: &Task<'a>,
        stages: &'a [Stage],
        prepared: &'a Prepared,
        options: &'a Options,
        run: &Run<'a>,
    ) -> Result<Self, CompactError> {
        let data = &prepared.data;
        let writer = Writer::new(task, stages, options);
        let mut search = Search::new(prepared, task.methods(), writer, options.seed, *run)?;
        search.ledger = task.ledger;
        (search.origin, search.passes, search.refines) = (options.origin, options.passes, options.refine);
        let dim = match search.guide(0) {
            Guide::Classes => data.classes(),
            Guide::Embedding(z) => z.ncols().min(data.classes() - 1),
            Guide::Map(map) => map.weights.nrows(),
        };
        let unit = *search.guide(0) == Guide::Classes;
        let door = task.data.number() == Number::F32 && front::uneven(data, stages);
        let rows = Rows { count: data.len(), classes: data.classes(), dim, unit, door };
        let gathered = stages.iter().any(|stage| matches!(stage, Stage::Window(_) | Stage::Pool(_)));
        let floats = task.data.number() == Number::F32;
        let front = front::cost_of(task.data.width(), data.width(), stages);
        let bytes = !gathered && matches!(task.data.number(), Number::U8 | Number::I8);
        let fixed = Fixed { features: data.width(), gathered, names: front::names(task)?, floats, bytes, front };
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
        let linears = if linear { space::linears(&self.rows, &self.fixed, limits, numeric) } else { Vec::new() };
        let kernels = if kernel { space::kernels(&self.rows, &self.fixed, limits, numeric) } else { Vec::new() };
        (linears, kernels)
    }

    /// A few shapes that stand for all, among them one without centers.
    pub(super) fn typical(&self) -> Vec<Shape> {
        let (linears, kernels) = self.shapes(self.options.numeric.unwrap_or_default());
        space::spread(&kernels).into_iter().chain(linears.first().copied()).collect()
    }

    /// How models of these shapes do after a short descent, the best first.
    pub(super) fn glance(&mut self, shapes: &[Shape]) -> Result<Vec<Trial>, CompactError> {
        let (numeric, seed) = (self.options.numeric.unwrap_or_default(), self.options.seed);
        let setting = |shape: &Shape| {
            let closed = Setting::closed(*shape, numeric, seed);
            if shape.is_linear() { closed } else { self.search.short(closed) }
        };
        let settings: Vec<Setting> = shapes.iter().map(setting).collect();
        let mut trials: Vec<Trial> = self.search.each(&settings)?.into_iter().flatten().collect();
        trials.sort_by(|a, b| b.accuracy.total_cmp(&a.accuracy));
        Ok(trials)
    }

    /// The best model of all kinds and numbers.
    pub(super) fn choose(&mut self) -> Result<Verdict, CompactError> {
        if let Some(numeric) = self.options.numeric {
            return self.of(numeric)?.ok_or_else(|| self.too_little(numeric));
        }
        let integers = match self.of(Numeric::I8) {
            Ok(found) => found,
            // What integers cannot express, floats may.
            Err(CompactError::Quantize(_)) => None,
            Err(error) => return Err(error),
        };
        if let Some(found) = integers
            && (!self.options.floats || self.search.is_over())
            && found.exact - found.trial.accuracy <= found.error()
        {
            return Ok(found);
        }
        let floats = self.of(Numeric::F32)?;
        let better = |a: Verdict, b: Verdict| if b.trial.accuracy > a.trial.accuracy { b } else { a };
        integers.into_iter().chain(floats).reduce(better).ok_or_else(|| self.too_little(Numeric::I8))
    }

    /// That no model keeps the limits, and what the smallest would take.
    fn too_little(&self, numeric: Numeric) -> CompactError {
        let ((linear, kernel), limits) = (self.kinds(), &self.options.limits);
        let smallest = space::smallest(&self.rows, &self.fixed, limits, numeric, linear, kernel);
        CompactError::Budget { limits: Box::new(*limits), smallest }
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
            if short.shape.is_whole() || self.rows.unit {
                finalists.push(short.unrefined());
            }
            finalists.push(search.whole(short));
            finalists.extend(search.brief(short));
        }
        if !kernels.is_empty() {
            let found = search.kernel(&kernels, numeric)?;
            let short = sparser(search, found, &self.rows, &self.fixed, &self.options.limits)?;
            let short = search.halving(short, &kernels, self.options.arms)?;
            let short = rivalled(search, short, &self.rows, &self.fixed, &self.options.limits)?;
            // A closed form with centers cannot drop anything.
            let other =
                || space::whole(&kernels, &short.shape).map(|s| search.remade(&Setting { guide: 0, ..short }, s));
            let whole = if short.shape.is_whole() { Some(short) } else { other() };
            finalists.extend(whole.map(Setting::unrefined));
            finalists.push(search.whole(short));
            finalists.extend(search.brief(short));
            // What keeps a model from learning its rows by heart shows its worth in a long descent, so that it is asked
            // about once more.
            let none = short.refine.is_none_or(|p| p.noise == 0.0);
            let some = if self.rows.count < FEW { 0.6 } else { 0.15 };
            let other = if none { some } else { 0.0 };
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

/// The setting, or the same with a projection of which only some weights are stored, where that pays: a weight then costs
/// its place, and many times the instructions.
fn sparser(
    search: &mut Search<'_>,
    best: Trial,
    rows: &Rows,
    fixed: &Fixed,
    limits: &Limits,
) -> Result<Setting, FitError> {
    if best.setting.refine.is_none() || search.is_late() {
        return Ok(best.setting);
    }
    let shapes = space::sparse(&best.setting.shape, rows, fixed, limits, best.setting.numeric);
    let settings: Vec<Setting> = shapes.iter().map(|shape| search.remade(&best.setting, shape)).collect();
    let found = search.each(&settings)?.into_iter().flatten().reduce(ahead);
    let least = best.accuracy + PAYS * deviation(best.accuracy, search.held());
    let pays = |trial: &Trial| trial.accuracy > least;
    Ok(found.filter(pays).unwrap_or(best).setting)
}

/// The setting, or the same with a rival's embedding to learn where that does better.
fn rivalled(
    search: &mut Search<'_>,
    best: Setting,
    rows: &Rows,
    fixed: &Fixed,
    limits: &Limits,
) -> Result<Setting, FitError> {
    if search.methods.len() < 2 || search.is_over() {
        return Ok(best);
    }
    search.learn_rivals()?;
    let mut settings = vec![best];
    for guide in 1..search.methods.len() {
        let Guide::Embedding(z) = search.guide(guide) else { continue };
        let dim = z.ncols().min(rows.classes - 1).min(best.shape.dim);
        let shape = Shape { dim, unit: false, ..best.shape };
        if let Some(shape) = limits.fill(shape, fixed, best.numeric, best.shape.centers) {
            settings.push(search.remade(&Setting { guide, ..best }, &shape));
        }
    }
    Ok(search.best(&settings, None)?.setting)
}
