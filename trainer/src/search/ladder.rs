//! Models of smaller budgets as candidates, so that larger budgets do not return less.
//!
//! A search within a larger budget tries other dimensions, so that by luck it may end with less than a search within a
//! smaller one: on digits, 16 kB and 10 000 instructions gave 97.8 % where 1 kB alone gave 98.2 % at 6926
//! instructions. So the best models of the smaller budgets of a fixed ladder (512 bytes, 1 kB, 2 kB, …) are candidates too:
//! found by the very search of a fit within that budget, on the same splits, and replaced by a larger one only if that is
//! clearly better. Limits on RAM and instructions do not apply to the search within a smaller budget, but to its model.
//!
//! Where accuracy still rises with size, smaller budgets cannot win and are not searched: going down, the ladder ends
//! where quick evaluations, or the model found, fall behind by more than a standard error. A budget below that could still
//! be better, and learned convolutions take no part: what this promises is likely, not certain. On digits the whole takes 1.2
//! (1 kB) to 2.1 times (16 kB, where accuracy no longer rises) the time of the search within the limits alone.

use super::budget::{best_candidate, counts_of};
use super::candidate::standard_error;
use super::outlook::Outlook;
use super::preprocessing::{quick_task, sample_to_compare};
use super::space::AMPLE;
use super::strategy::Strategy;
use super::{
    CountsTask, Dimensions, FinalEvaluation, Inputs, Limits, Options, Task, TrainError, Trial, Variant, counts,
};
use crate::run::Run;

/// The smallest budget of the ladder; the others double it.
const LEAST: usize = 512;

/// What a model computes its features by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Choice {
    /// One of the task's preprocessings.
    Preprocessing(usize),
    /// Counts of fixed convolutions.
    Counts(CountsTask, Variant),
}

/// A chosen candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Found {
    pub(super) choice: Choice,
    pub(super) evaluation: FinalEvaluation,
    /// The limits that its file keeps: those of the search, or less flash.
    pub(super) limits: Limits,
}

/// The best candidate within limits, smaller budgets included.
pub(super) fn best(
    task: &Task<'_>,
    options: &Options,
    outlook: &Outlook,
    run: &Run<'_>,
    trials: &mut Vec<Trial>,
) -> Result<Found, TrainError> {
    let own = found_within(task, options, &options.limits, run, trials)?;
    let rungs = rungs(options.limits.flash);
    // What is always right cannot be beaten.
    let is_perfect = own.evaluation.trial.accuracy >= 1.0;
    if !options.ladder || rungs.is_empty() || is_perfect {
        return Ok(own);
    }
    run.left(outlook.smaller + outlook.last);
    let mut found = vec![own];
    let some = sample_to_compare(task, options.seed);
    let mut probe = match own.choice {
        Choice::Preprocessing(preprocessing) => {
            Some(Probe::new(&quick_task(task, some.as_ref()), preprocessing, options, run)?)
        }
        // Quick evaluations of other models say nothing of counts, and without a limit on flash they fill no budget.
        Choice::Counts(..) if options.limits.flash.is_some() => None,
        Choice::Counts(..) => return Ok(own),
    };
    let least = own.evaluation.trial.accuracy - own.evaluation.standard_error();
    for flash in rungs {
        let within = Limits { flash: Some(flash), ..Limits::default() };
        if let Some(probe) = &mut probe {
            if !probe.may_keep(&within, &options.limits) {
                continue;
            }
            if probe.is_behind(&within)? {
                break;
            }
        }
        let keeping = Limits { flash: Some(flash), ..options.limits };
        let smaller = match found_within(task, &Options { limits: within, ..*options }, &keeping, run, trials) {
            Err(error) if error.is_cancelled() => return Err(error),
            // What no model keeps, none keeps in less.
            Err(_) => break,
            Ok(smaller) => smaller,
        };
        let behind = smaller.evaluation.trial.accuracy < least;
        found.extend(smaller.keeping(task, &options.limits));
        if behind {
            break;
        }
    }
    trials.extend(probe.into_iter().flat_map(|probe| probe.strategy.evaluator.trials));
    Ok(found.into_iter().rev().reduce(Found::or_better).unwrap_or(own))
}

/// The search of a fit within these limits. Counts keep theirs: features are dropped until both are kept, so that limits
/// which are kept anyway change nothing.
fn found_within(
    task: &Task<'_>,
    options: &Options,
    of_counts: &Limits,
    run: &Run<'_>,
    trials: &mut Vec<Trial>,
) -> Result<Found, TrainError> {
    let limited = Options { limits: *of_counts, ..*options };
    let mut counted = None;
    if let Some(windows) = counts_of(task, options) {
        let best = counts::best(task, windows, &limited, None, run)?;
        let with = |found: counts::Found| (found, Choice::Counts(windows, found.variant));
        counted = best.map(with);
        if windows.only {
            let (found, choice) = counted.ok_or_else(|| counts::too_small(task, windows, &limited, run))?;
            return Ok(Found { choice, evaluation: found.evaluation, limits: *of_counts });
        }
    }
    let best = best_candidate(task, options, run, trials);
    match (&best, counted) {
        (Ok((_, best)), Some((found, _))) if !counts::is_better(&found, best) => {}
        (Ok(_) | Err(TrainError::Budget { .. }), Some((found, choice))) => {
            return Ok(Found { choice, evaluation: found.evaluation, limits: *of_counts });
        }
        _ => {}
    }
    let (preprocessing, evaluation) = best?;
    Ok(Found { choice: Choice::Preprocessing(preprocessing), evaluation, limits: options.limits })
}

/// The budgets of the ladder below this one, the largest first.
fn rungs(flash: Option<usize>) -> Vec<usize> {
    let all = (0..).map(|doublings| LEAST << doublings).take_while(|&rung| rung < flash.unwrap_or(AMPLE));
    let mut all: Vec<usize> = all.collect();
    all.reverse();
    all
}

impl Found {
    /// This one, unless that of a larger budget is better.
    fn or_better(self, larger: Self) -> Self {
        let better = self.evaluation.or_better(larger.evaluation);
        if better == self.evaluation { self } else { larger }
    }

    /// The same, if its model keeps these limits too.
    fn keeping(self, task: &Task<'_>, limits: &Limits) -> Option<Self> {
        let Choice::Preprocessing(preprocessing) = self.choice else { return Some(self) };
        let candidate = self.evaluation.trial.candidate;
        let features = candidate.dimensions.features;
        let inputs = Inputs::new(task.data, &task.preprocessing[preprocessing], features, task.export.names);
        let limits = Limits { flash: self.limits.flash, ..*limits };
        limits.admit(&candidate.dimensions, &inputs, candidate.numeric).then_some(Self { limits, ..self })
    }
}

/// Quick evaluations of a few models within several budgets, on some of the rows.
struct Probe<'a> {
    strategy: Strategy<'a>,
    /// Accuracy that a smaller budget has to reach.
    least: f64,
}

impl<'a> Probe<'a> {
    fn new(task: &Task<'a>, preprocessing: usize, options: &Options, run: &Run<'a>) -> Result<Self, TrainError> {
        let strategy = Strategy::new(task, preprocessing, options, &run.without_steps())?;
        let mut probe = Self { strategy, least: 0.0 };
        let own = probe.survey(&options.limits)?.unwrap_or(0.0);
        probe.least = own - standard_error(own, probe.strategy.evaluator.held_out());
        Ok(probe)
    }

    /// Whether a few models within these limits are worse than within those of the search by more than a standard error.
    fn is_behind(&mut self, limits: &Limits) -> Result<bool, TrainError> {
        let least = self.least;
        Ok(self.survey(limits)?.is_none_or(|accuracy| accuracy < least))
    }

    /// The best accuracy of a few models within these limits.
    fn survey(&mut self, limits: &Limits) -> Result<Option<f64>, TrainError> {
        self.strategy.space.limits = *limits;
        let typical = self.strategy.typical();
        Ok(self.strategy.survey(&typical)?.first().map(|trial| trial.accuracy))
    }

    /// Whether any of the models within these limits keeps the others too.
    fn may_keep(&mut self, within: &Limits, limits: &Limits) -> bool {
        self.strategy.space.limits = *within;
        let Strategy { space, evaluator, .. } = &self.strategy;
        let numeric = evaluator.options.numeric.unwrap_or_default();
        let limits = Limits { flash: within.flash, ..*limits };
        let (kernels, keeps) = (space.kernels(numeric), |d: &Dimensions| limits.admit(d, &space.inputs, numeric));
        // A linear model that keeps the limits is a candidate within any budget.
        kernels.iter().any(keeps) || kernels.is_empty()
    }
}
