//! The most accurate model within limits, chosen on held-out training rows.
//!
//! 1. [`choose_fronts`]: with images, whether pooling pays; with tables, whether columns are brought to one variance. Linear
//!    models that come near to the best are judged behind every front.
//! 2. For kernel models and for linear ones: width, start, shape and descent, one choice after the other, each by the
//!    accuracy of models with numbers as they will be stored, on rows that they were not fitted to.
//! 3. The last word: closed forms and whole descents of both kinds as model files, by the runtime, on other splits. A
//!    larger model has to be clearly better.
//! 4. The winner is fitted again to all rows, from several starts where that takes little time.

use super::candidate::{Built, Ground, Setting, Trial};
use super::comparison::LARGE;
use super::core::Core;
use super::error::CompactError;
use super::files::{File, Writer};
use super::final_evaluation::Verdict;
use super::job::Job;
use super::memo::Memo;
use super::preprocessing::{choose_fronts, prepare};
use super::splits::guide;
use super::task::{Kinds, Options, Task};
use crate::error::FitError;
use crate::model::Fitted;
use crate::parallel;
use crate::run::Run;

/// Descents of the last fit at most, and the multiplications that they may take together.
const STARTS: usize = 4;
const AGAIN: f64 = 5e11;

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
    let chosen = choose_fronts(task, options, run, &mut tried)?;
    let mut best = (chosen.front, searched(task, chosen.front, options, run, &mut tried)?);
    // A closed form takes little time, so that the last word can be spoken on several fronts.
    let free = options.kinds == Kinds::All && task.method.is_none();
    for front in chosen.linear.into_iter().filter(|front| free && *front != chosen.front) {
        let options = Options { kinds: Kinds::Linear, ..*options };
        match searched(task, front, &options, run, &mut tried) {
            Ok(own) if best.1.or_better(own) == own => best = (front, own),
            Err(CompactError::Fit(FitError::Cancelled)) => return Err(FitError::Cancelled.into()),
            // What cannot be fitted is no candidate.
            _ => {}
        }
    }
    let (front, verdict) = best;
    run.step("fitting the chosen model", 0, 1)?;
    let stages = &task.fronts[front];
    let prepared = prepare(task.data, stages, task.image, run)?;
    let all: Vec<usize> = (0..prepared.data.len()).collect();
    let setting = verdict.trial.setting;
    let guide = guide(task.methods()[setting.guide], &prepared.data, options.seed, &run.quiet())?;
    let memo = Memo::default();
    let writer = Writer::new(task, stages, options);
    let rows = writer.calibration(&all);
    let grids = |core: &Core| writer.input_grid(core, &rows, &setting);
    let (data, samples) = (&prepared.data, &prepared.samples);
    let ground = Ground { data, samples, rows: &all, guide: &guide, memo: &memo, grids: &grids };
    let (core, objective) = final_fit(&setting, &ground, run)?;
    let file = writer.write(&core, &rows, &setting)?;
    Ok(Compacted { fitted: core.fitted(stages, task.data), file, core, front, verdict, objective, trials: tried })
}

/// The best setting behind one front.
fn searched(
    task: &Task<'_>,
    front: usize,
    options: &Options,
    run: &Run<'_>,
    tried: &mut Vec<Trial>,
) -> Result<Verdict, CompactError> {
    let stages = &task.fronts[front];
    let prepared = prepare(task.data, stages, task.image, run)?;
    let mut job = Job::new(task, stages, &prepared, options, run)?;
    let verdict = job.choose();
    tried.extend(&job.search.trials);
    verdict
}

/// The chosen setting on all rows: where it takes little time, the best of several descents by their own objective.
fn final_fit(setting: &Setting, on: &Ground<'_>, run: &Run<'_>) -> Result<Built, FitError> {
    let build = |start: usize, run: &Run<'_>| setting.for_fold(start << 16).build(on, run);
    let starts = match setting.refine {
        None => 1,
        Some(_) => ((AGAIN / setting.work(on.rows.len())) as usize).clamp(1, STARTS),
    };
    if starts == 1 || on.data.rows().len() > LARGE {
        return build(0, run);
    }
    let alone = run.quiet().threads(1);
    let built = parallel::map(run.thread_count(), starts, |start| build(start, &alone));
    let lower = |a: Built, b: Built| if b.1.map(|o| o.1) < a.1.map(|o| o.1) { b } else { a };
    built.into_iter().reduce(|a, b| Ok(lower(a?, b?))).unwrap_or_else(|| build(0, run))
}
