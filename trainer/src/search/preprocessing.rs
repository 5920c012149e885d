//! Which preprocessing pays: pooling and window statistics for images and series, standardized features for tables.

use super::candidate::Trial;
use super::compare::{clearly_better, standard_error};
use super::error::SearchError;
use super::evaluate::Context;
use super::space::dimensions::Dimensions;
use super::splits::{Prepared, sample};
use super::strategy::Strategy;
use super::task::{Options, Task};
use super::train::images::Shifts;
use super::train::samples::Samples;
use crate::dataset::Dataset;
use crate::error::FitError;
use crate::preprocess::Stage;
use crate::run::Run;
use std::borrow::Cow;

/// Rows that preprocessings are compared on: at first, and where several are [`CLOSE`]. Features pay for themselves late:
/// on 10 000 rows MNIST at 2 kB prefers images pooled by 4 (95.4 % held out) to those pooled by 2 (96.0 % in the end).
const ROWS: [usize; 2] = [10_000, 30_000];
/// By how much less accuracy a preprocessing is compared again on more rows: more than the 0.6 points of that case.
const CLOSE: f64 = 0.02;
/// The best dimensions of each that are compared again.
const AGAIN: usize = 3;

/// The preprocessings that the search goes on with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Chosen {
    /// For models of all kinds.
    pub(super) best: usize,
    /// Those with which linear models come within a standard error of the best: they take little time, so that the
    /// final evaluation compares all. Found on UCI HAR at 4 kB, where six of 5475 held-out rows had chosen the
    /// preprocessing with the worse linear model (held out 92.93 instead of 93.19 %).
    pub(super) linear: Vec<usize>,
}

/// Quick evaluations with one preprocessing, the best first.
struct Survey {
    preprocessing: usize,
    trials: Vec<Trial>,
    held_out: f64,
}

impl Survey {
    fn best(&self) -> Option<Best> {
        self.trials.first().map(|trial| self.with(trial))
    }

    fn best_linear(&self) -> Option<Best> {
        self.trials.iter().find(|trial| trial.candidate.dimensions.is_linear()).map(|trial| self.with(trial))
    }

    fn with(&self, trial: &Trial) -> Best {
        Best { preprocessing: self.preprocessing, trial: *trial, held_out: self.held_out }
    }
}

/// The best trial of a survey.
#[derive(Clone, Copy)]
struct Best {
    preprocessing: usize,
    trial: Trial,
    held_out: f64,
}

impl Best {
    fn or_clearly_better(self, other: Self) -> Self {
        if clearly_better(self.trial, other.trial, self.held_out) == self.trial { self } else { other }
    }
}

/// Rows behind a preprocessing.
pub(super) fn prepare(
    data: &Dataset,
    preprocessing: &[Stage],
    image: Option<(usize, usize)>,
    run: &Run<'_>,
) -> Result<Prepared, FitError> {
    let mut rows = Cow::Borrowed(data.rows());
    for stage in preprocessing {
        rows = Cow::Owned(stage.apply(&rows, run.thread_count())?);
    }
    let prepared = data.with_rows(rows.into_owned())?;
    let shifts = image.and_then(|image| Shifts::new(data, image, preprocessing));
    Ok(Prepared { samples: Samples::new(&prepared).with_shifts(shifts), data: prepared })
}

/// The preprocessing with which the best of a few models does best after short training; the earlier, unless a later one
/// is clearly better. Where some rows leave it open, more rows decide between the best dimensions of each.
pub(super) fn choose(
    task: &Task<'_>,
    options: &Options,
    run: &Run<'_>,
    trials: &mut Vec<Trial>,
) -> Result<Chosen, SearchError> {
    let mut left: Vec<(usize, Vec<Dimensions>)> = (0..task.preprocessing.len()).map(|i| (i, Vec::new())).collect();
    let mut chosen = Chosen::default();
    for (round, rows) in ROWS.into_iter().enumerate() {
        if left.len() < 2 {
            break;
        }
        let some = sample(task.data, rows, options.seed);
        let task = Task { data: some.as_ref().unwrap_or(task.data), alternatives: &[], ..*task };
        let mut surveys = Vec::new();
        for (i, (preprocessing, dimensions)) in left.iter().enumerate() {
            run.step("comparing preprocessing", i, left.len())?;
            surveys.push(survey(&task, *preprocessing, dimensions, options, &run.quiet())?);
        }
        trials.extend(surveys.iter().flat_map(|survey| &survey.trials));
        let Some(best) = surveys.iter().filter_map(Survey::best).reduce(Best::or_clearly_better) else { break };
        chosen.best = best.preprocessing;
        if round == 0 {
            chosen.linear = close_linear(&surveys, best.trial.accuracy);
        }
        if some.is_none() {
            break;
        }
        let least = best.trial.accuracy - CLOSE;
        let close = |survey: &&Survey| survey.best().is_some_and(|own| own.trial.accuracy > least);
        let again = |survey: &Survey| survey.trials.iter().take(AGAIN).map(|t| t.candidate.dimensions).collect();
        left = surveys.iter().filter(close).map(|survey| (survey.preprocessing, again(survey))).collect();
    }
    Ok(chosen)
}

/// Preprocessings with a linear model within a standard error of the best accuracy.
fn close_linear(surveys: &[Survey], accuracy: f64) -> Vec<usize> {
    let close = |own: &Best| own.trial.accuracy > accuracy - standard_error(accuracy, own.held_out);
    surveys.iter().filter_map(Survey::best_linear).filter(close).map(|own| own.preprocessing).collect()
}

/// How models of some dimensions do with a preprocessing; of typical ones if none are given.
fn survey(
    task: &Task<'_>,
    preprocessing: usize,
    dimensions: &[Dimensions],
    options: &Options,
    run: &Run<'_>,
) -> Result<Survey, SearchError> {
    let stages = &task.preprocessing[preprocessing];
    let prepared = prepare(task.data, stages, None, run)?;
    let mut strategy = Strategy::new(Context::new(task, stages, &prepared, options, run))?;
    let dimensions = if dimensions.is_empty() { strategy.typical() } else { dimensions.to_vec() };
    let trials = strategy.survey(&dimensions)?;
    Ok(Survey { preprocessing, trials, held_out: strategy.evaluator.held_out() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::Export;
    use crate::dataset::synthetic::blobs;
    use crate::preprocess::Scale;
    use crate::search::space::limits::Limits;
    use crate::search::task::Kinds;

    type Outcome = Result<(), SearchError>;

    fn scaled(mul: [f64; 3]) -> Vec<Stage> {
        vec![Stage::Scale(Scale::Features { mul: mul.to_vec(), add: vec![0.0; 3] })]
    }

    /// The choice between rows as they are, rows without two of their three features and rows with wider features, for
    /// linear models, and how many were tried for it.
    fn chosen(rows: usize) -> Result<(Chosen, usize), SearchError> {
        let (data, export) = (blobs(2, rows / 2, 3, 0.8, 4), Export::default());
        let preprocessing = [Vec::new(), scaled([0.0, 0.0, 1.0]), scaled([2.0, 3.0, 4.0])];
        let limits = Limits { flash: Some(2048), ..Limits::default() };
        let options = Options { kinds: Kinds::Linear, refine: false, ..Options::within(limits) };
        let mut trials = Vec::new();
        let chosen = choose(&Task::new(&data, &preprocessing, &export), &options, &Run::default(), &mut trials)?;
        Ok((chosen, trials.len()))
    }

    #[test]
    fn preprocessings_that_come_close_are_compared_again_on_more_rows() -> Outcome {
        let (few, many) = (chosen(ROWS[0])?, chosen(ROWS[0] + 1000)?);
        assert_eq!((few.0.best, many.0.best), (0, 0), "the first of equals");
        assert_eq!((few.1, many.1), (3, 5), "one linear model with each, then with the two that are close");
        Ok(())
    }

    #[test]
    fn every_preprocessing_with_a_close_linear_model_is_kept() -> Outcome {
        assert_eq!(chosen(600)?.0.linear, [0, 2]);
        Ok(())
    }
}
