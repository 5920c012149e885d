//! Sizes and settings under a budget, chosen on held-out training rows.
//!
//! One choice after the other, each by the accuracy of models with numbers as they will be stored, on rows that they
//! were not fitted to: the kernel's width and the start, then the shape, then the settings of the descent. The closed
//! form stays unless the descent beats it. In the end the chosen model is fitted again to all rows.

use super::closed::{self, Allot, Directions};
use super::core::Core;
use super::refine;
use super::shapes;
use super::size::{Numeric, Shape};
use crate::data::{Dataset, split};
use crate::error::{DataError, FitError};
use crate::fitted::Fitted;
use crate::par;
use crate::run::Run;
use crate::stages::Stage;
use std::borrow::Cow;

/// Rows below which five folds judge instead of one.
const FEW: usize = 2000;
/// Rows seen by a final descent, counting every time, as long as that is between 20 and 60 passes.
const SEEN: usize = 1_200_000;
/// Rows above which a descent takes larger steps on larger minibatches.
const MANY: usize = 10_000;
/// Factors of the root mean square distance to try as the kernel's width.
const WIDTHS: [f64; 5] = [0.25, 0.35, 0.5, 0.7, 1.0];
/// Passes of a run that only compares, relative to a final one.
const GLANCE: f64 = 0.4;
/// Values beyond which fits take turns: two copies of them would be more than a gigabyte.
const LARGE: usize = 1 << 25;
/// By how many standard errors of an accuracy a setting has to be better than the one before it: what wins by a row or
/// two wins by luck.
const CLEARLY: f64 = 0.25;
/// Ridge of the closed form.
const RIDGE: f64 = 1e-4;

/// What to compact into.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Bytes of the model's core, without class names.
    pub bytes: usize,
    /// How its numbers will be stored.
    pub numeric: Numeric,
    /// Passes over the rows in a final descent; by default 60, and down to 20 of more than 20 000 rows.
    pub passes: Option<usize>,
    /// Seed of everything.
    pub seed: u64,
}

/// Sizes and settings of one model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    /// The closed form.
    pub closed: closed::Params,
    /// The descent from it; none where the closed form is the model.
    pub refine: Option<refine::Params>,
}

impl Setting {
    /// The same with seeds of its own, so that no choice hangs on one seed's luck.
    fn for_fold(mut self, fold: usize) -> Self {
        self.closed.seed = self.closed.seed.wrapping_add(fold as u64);
        if let Some(refine) = &mut self.refine {
            refine.seed = refine.seed.wrapping_add(fold as u64);
        }
        self
    }
}

/// A setting that was tried.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trial {
    /// What was tried.
    pub setting: Setting,
    /// The share of held-out rows whose class was found.
    pub accuracy: f64,
}

/// A model within its budget, and how it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Compacted {
    /// The model.
    pub fitted: Fitted,
    /// Its numbers.
    pub core: Core,
    /// The setting that was chosen.
    pub chosen: Trial,
    /// Mean smoothed cross-entropy before and after the descent, on all rows; none for the closed form.
    pub objective: Option<(f64, f64)>,
    /// Everything that was tried, in order.
    pub trials: Vec<Trial>,
}

/// Finds the most accurate compact model that fits. `stages` are fitted already and come before the projection.
///
/// # Errors
/// [`FitError`] when no shape fits the budget, rows or classes are too few, or the run was cancelled.
pub fn fit(data: &Dataset, stages: &[Stage], options: &Options, run: &Run<'_>) -> Result<Compacted, FitError> {
    let mut rows = Cow::Borrowed(data.rows());
    for stage in stages {
        rows = Cow::Owned(stage.apply(&rows, run.thread_count())?);
    }
    let prepared = data.with_rows(rows.into_owned())?;
    prepared.require_classes(2)?;
    let shapes = shapes::candidates(&prepared, options)?;
    let mut search = Search::new(&prepared, options, *run)?;
    let chosen = search.choose(&shapes)?;
    let trials = search.trials;
    run.step("fitting the chosen model", 0, 1)?;
    let (core, objective) = build(&prepared, &chosen.setting, run)?;
    Ok(Compacted { fitted: core.fitted(stages, data), core, chosen, objective, trials })
}

/// Fits one setting.
fn build(data: &Dataset, setting: &Setting, run: &Run<'_>) -> Result<(Core, Option<(f64, f64)>), FitError> {
    let start = closed::fit(data, &setting.closed, None, run)?;
    match &setting.refine {
        None => Ok((start, None)),
        Some(params) => {
            let refined = refine::refine(&start, data, params, run)?;
            Ok((refined.core, Some(refined.objective)))
        }
    }
}

/// Rows to fit and rows to judge by.
fn splits(data: &Dataset, seed: u64) -> Result<Vec<(Dataset, Dataset)>, DataError> {
    let splits = if data.len() < FEW { split::folds(data, 5, seed)? } else { vec![split::stratified(data, 0.2, seed)] };
    Ok(splits.iter().map(|split| split.apply(data)).collect())
}

/// Splits, and what was tried on them.
struct Search<'a> {
    data: &'a Dataset,
    parts: Vec<(Dataset, Dataset)>,
    options: &'a Options,
    run: Run<'a>,
    trials: Vec<Trial>,
}

impl<'a> Search<'a> {
    fn new(data: &'a Dataset, options: &'a Options, run: Run<'a>) -> Result<Self, DataError> {
        let parts = splits(data, options.seed)?;
        Ok(Self { data, parts, options, run, trials: Vec::new() })
    }

    /// Tries settings on the same rows and returns the best, or the one `before` unless that is clearly worse.
    fn best(&mut self, settings: &[Setting], before: Option<Trial>) -> Result<Trial, FitError> {
        self.run.step("comparing settings", self.trials.len(), self.trials.len() + settings.len())?;
        let folds = self.parts.len();
        // Whole fits side by side share cores better than the steps of one, but each has a copy of its rows.
        let values: usize = self.parts.iter().map(|(train, _)| train.rows().len()).sum();
        let threads = self.run.thread_count();
        let (fits, within) = if values > LARGE { (1, threads) } else { (threads, 1) };
        let alone = self.run.quiet().threads(within);
        let found = par::map(fits, settings.len() * folds, |i| {
            let (train, held) = &self.parts[i % folds];
            let (core, _) = build(train, &settings[i / folds].for_fold(i % folds), &alone)?;
            let classes = refine::classify(&core, held.rows(), self.options.numeric, within);
            Ok(classes.iter().zip(held.labels()).filter(|(a, b)| a == b).count())
        });
        let found = found.into_iter().collect::<Result<Vec<usize>, FitError>>()?;
        let held = self.parts.iter().map(|(_, held)| held.len()).sum::<usize>() as f64;
        let shares = found.chunks(folds).map(|right| right.iter().sum::<usize>() as f64 / held);
        let trials: Vec<Trial> =
            settings.iter().zip(shares).map(|(&setting, accuracy)| Trial { setting, accuracy }).collect();
        self.trials.extend(&trials);
        let ahead = |margin: f64| {
            move |best: Trial, trial: Trial| if trial.accuracy > best.accuracy + margin { trial } else { best }
        };
        let winner = trials.into_iter().reduce(ahead(0.0));
        let winner = winner.ok_or(FitError::TooFewRows { name: "settings", needed: 1, rows: 0 })?;
        Ok(before.map_or(winner, |before| {
            let deviation = (before.accuracy * (1.0 - before.accuracy) / held).sqrt();
            ahead(CLEARLY * deviation)(before, winner)
        }))
    }

    /// One choice after the other.
    fn choose(&mut self, shapes: &[Shape]) -> Result<Trial, FitError> {
        let middle = self.closed(&shapes[shapes.len() / 2]);
        let start = |closed| Setting { closed, refine: None };
        let widths: Vec<Setting> = WIDTHS.iter().map(|&sigma| start(closed::Params { sigma, ..middle })).collect();
        let best = self.best(&widths, None)?;
        let params = best.setting.closed;
        let others = [
            start(closed::Params { directions: Directions::Lda, ..params }),
            start(closed::Params { allot: Allot::Proportional, ..params }),
        ];
        let params = self.best(&others, Some(best))?.setting.closed;

        let shaped = |shape: &Shape, search: &Self| {
            let own = search.closed(shape);
            let closed =
                closed::Params { directions: params.directions, allot: params.allot, sigma: params.sigma, ..own };
            search.refined(closed, shape)
        };
        // Dropped features and fewer coordinates have to be worth it.
        let (plain, special): (Vec<&Shape>, Vec<&Shape>) = shapes.iter().partition(|s| s.unit && s.kept == s.features);
        let of =
            |shapes: &[&Shape], search: &Self| shapes.iter().map(|shape| shaped(shape, search)).collect::<Vec<_>>();
        let (plain, special) = (of(&plain, self), of(&special, self));
        let first = if plain.is_empty() { None } else { Some(self.best(&plain, None)?) };
        let mut best = match first {
            Some(first) if special.is_empty() => first,
            first => self.best(&special, first)?,
        };
        let with = |best: &Trial, change: &dyn Fn(&mut refine::Params)| {
            let refine = best.setting.refine.map(|mut params| {
                change(&mut params);
                params
            });
            Setting { refine, ..best.setting }
        };
        let half = closed::Params { sigma: best.setting.closed.sigma / 2.0, ..best.setting.closed };
        best = self.best(&[Setting { closed: half, ..best.setting }], Some(best))?;
        let noises = [0.6, 0.3].map(|noise| with(&best, &|p| p.noise = noise));
        best = self.best(&noises, Some(best))?;
        let rates = [0.4, 2.5].map(|factor| with(&best, &|p| p.rate *= factor));
        best = self.best(&rates, Some(best))?;
        let smoothings = [0.0, 0.05].map(|smoothing| with(&best, &|p| p.smoothing = smoothing));
        best = self.best(&smoothings, Some(best))?;

        // The last word: whole descents against none, on other splits than those that flatter what was chosen by them.
        // Noise shows its worth in a long descent, so that it is asked about once more.
        self.parts = splits(self.data, self.options.seed.wrapping_add(1))?;
        if self.data.len() < FEW {
            self.parts.extend(splits(self.data, self.options.seed.wrapping_add(2))?);
        }
        let whole = |noise: Option<f64>| {
            with(&best, &|p| {
                p.steps = (p.steps as f64 / GLANCE) as usize;
                p.noise = noise.unwrap_or(p.noise);
            })
        };
        let other = if whole(None).refine.is_some_and(|p| p.noise > 0.0) { 0.0 } else { 0.6 };
        self.best(&[Setting { refine: None, ..best.setting }, whole(None), whole(Some(other))], None)
    }

    fn closed(&self, shape: &Shape) -> closed::Params {
        closed::Params {
            directions: Directions::default(),
            projected: shape.projected,
            centers: shape.centers,
            allot: Allot::default(),
            dim: shape.dim,
            sigma: 0.5,
            ridge: RIDGE,
            seed: self.options.seed,
        }
    }

    /// A short descent from a closed form.
    fn refined(&self, closed: closed::Params, shape: &Shape) -> Setting {
        let many = self.data.len() > MANY;
        let batch = if self.data.len() > 3 * MANY { 256 } else { 64 << usize::from(many) };
        let passes = self.options.passes.unwrap_or_else(|| (SEEN / self.data.len()).clamp(20, 60)) as f64;
        let refine = refine::Params {
            steps: (passes * GLANCE * self.data.len() as f64 / batch as f64) as usize,
            batch,
            rate: if many { 0.1 } else { 0.04 },
            smoothing: if many { 0.0 } else { 0.1 },
            noise: 0.0,
            keep: (shape.kept < shape.features).then_some(shape.kept),
            numeric: self.options.numeric,
            seed: self.options.seed,
        };
        Setting { closed, refine: Some(refine) }
    }
}
