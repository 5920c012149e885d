//! Trains candidates and scores them on held-out rows.
//!
//! [`Evaluation::Quick`] scores by the fake-quantized forward pass of training, [`Evaluation::File`] by an encoded model
//! file that the runtime runs. [`train_and_score`] does both; [`Evaluator`] calls it for all candidates of a comparison
//! on all folds, in parallel, through the trial cache.

mod compile;
mod finals;

pub use compile::CompiledModel;
pub(super) use compile::{Compiler, learned};
pub use finals::FinalEvaluation;

use super::cache::{Counts, Evaluation, KeyBase};
use super::candidate::{Memo, TargetEmbedding, TrainingRows};
use super::schedule::Schedule;
use super::splits::{Fold, Prepared, embedding, splits};
use super::train::fake_quant;
use super::{Candidate, CompactModel, Numeric, Options, Task, TrainError, Trial};
use crate::compile::ExportError;
use crate::dataset::split::Split;
use crate::error::FitError;
use crate::evaluate::predict;
use crate::methods::Method;
use crate::model::{HostModel, ModelFile};
use crate::parallel;
use crate::preprocess::Stage;
use crate::run::Run;

/// Values in all training matrices above which fits take turns and share the cores within: two copies of them would be
/// more than a gigabyte.
pub(super) const LARGE: usize = 1 << 26;

/// Evaluates candidates with one preprocessing on one set of folds, and keeps every trial.
pub(super) struct Evaluator<'a> {
    pub(super) prepared: Prepared,
    /// The task's method and its alternatives.
    pub(super) methods: Vec<Option<&'a dyn Method>>,
    pub(super) preprocessing: &'a [Stage],
    pub(super) task: Task<'a>,
    pub(super) options: Options,
    pub(super) run: Run<'a>,
    /// The common part of all trial keys, if there is a cache.
    pub(super) key: Option<KeyBase>,
    pub(super) folds: Vec<Fold>,
    pub(super) trials: Vec<Trial>,
}

impl Evaluator<'_> {
    pub(super) fn is_extra_over(&self) -> bool {
        self.task.deadline.is_some_and(super::Deadline::is_extra_over)
    }

    pub(super) fn is_over(&self) -> bool {
        self.task.deadline.is_some_and(super::Deadline::is_over)
    }

    pub(super) fn schedule(&self) -> Schedule {
        let Options { passes, seed, quick, .. } = self.options;
        Schedule { rows: self.prepared.data.len(), folds: self.folds.len(), epochs: passes, seed, quick }
    }

    /// Splits for one round of comparisons, with the target embeddings of the `wanted` methods.
    pub(super) fn split(&self, wanted: &[usize], seed: u64) -> Result<Vec<Fold>, FitError> {
        let fold = |Split { train, test: held_out }: Split| -> Result<Fold, FitError> {
            let data = self.prepared.data.select(&train);
            let target = |i: usize| {
                let embed = wanted.contains(&i);
                if embed { embedding(self.methods[i], &data, seed, &self.run) } else { Ok(TargetEmbedding::Classes) }
            };
            let targets = (0..self.methods.len()).map(target).collect::<Result<_, _>>()?;
            Ok(Fold { train, held_out, data, seed, targets, memo: Memo::default() })
        };
        splits(&self.prepared.data, seed)?.into_iter().map(fold).collect()
    }

    pub(super) fn held_out(&self) -> f64 {
        held_out(&self.folds)
    }

    /// A method's target embedding of the training rows of the first fold.
    pub(super) fn target(&self, method: usize) -> &TargetEmbedding {
        self.folds.first().map_or(&TargetEmbedding::Classes, |fold| &fold.targets[method])
    }

    /// Computes the target embeddings of the alternatives, which few searches get to.
    pub(super) fn embed_alternatives(&mut self) -> Result<(), FitError> {
        for fold in &mut self.folds {
            for (i, method) in self.methods.iter().enumerate().skip(1) {
                fold.targets[i] = embedding(*method, &fold.data, self.options.seed, &self.run)?;
            }
        }
        Ok(())
    }

    /// Trains every candidate and scores it quickly; an error in the place of one that cannot be fitted. Fails only if
    /// the run was cancelled.
    pub(super) fn quick(&mut self, candidates: &[Candidate]) -> Result<Vec<Result<Trial, TrainError>>, TrainError> {
        let found = evaluate(self, &self.folds, candidates, Evaluation::Quick)?;
        let held_out = self.held_out();
        let trial = |(&candidate, counts): (&Candidate, Result<Counts, TrainError>)| {
            counts.map(|counts| Trial { candidate, accuracy: counts.stored as f64 / held_out })
        };
        let trials: Vec<_> = candidates.iter().zip(found).map(trial).collect();
        self.trials.extend(trials.iter().flatten());
        Ok(trials)
    }
}

fn held_out(folds: &[Fold]) -> f64 {
    folds.iter().map(|fold| fold.held_out.len()).sum::<usize>() as f64
}

/// Fits a candidate to a fold's training rows and counts the held-out rows that it classifies correctly.
fn train_and_score(
    evaluator: &Evaluator<'_>,
    fold: &Fold,
    candidate: &Candidate,
    evaluation: Evaluation,
    run: &Run<'_>,
) -> Result<Counts, TrainError> {
    let Evaluator { prepared, task, preprocessing, options, .. } = evaluator;
    let Fold { data, train: rows, memo, .. } = fold;
    let compiler = Compiler { task, preprocessing, limits: options.limits, candidate: *candidate, rows, memo };
    let grids = |model: &CompactModel| compiler.input_grid(model);
    let target = &fold.targets[candidate.target];
    let on = TrainingRows { data, samples: &prepared.samples, rows, target, memo, grids: &grids };
    let (model, _) = candidate.build(&on, run)?;
    let labels = || fold.held_out.iter().map(|&row| prepared.samples.label(row));
    let rows = prepared.data.rows().select_rows(&fold.held_out);
    let correct = |model: &HostModel| -> Result<usize, FitError> {
        let found = model.classify(&rows, run.thread_count())?;
        Ok(found.into_iter().zip(labels()).filter(|(found, label)| found == label).count())
    };
    match evaluation {
        Evaluation::Quick => {
            let input = (candidate.numeric == Numeric::I8).then(|| grids(&model)).transpose()?;
            let found = correct(&fake_quant::host(&model, input.as_ref()))?;
            Ok(Counts { stored: found, exact: found })
        }
        Evaluation::File => {
            let file = ModelFile::encode(&compiler.compile(&model)?.model).map_err(ExportError::from)?;
            let found = predict(&file, &task.data.rows().select_rows(&fold.held_out))?;
            let classes = found.iter().map(|found| usize::from(found.class().0));
            let stored = classes.zip(labels()).filter(|(class, label)| class == label).count();
            Ok(Counts { stored, exact: correct(&model.host())? })
        }
    }
}

/// The counts of every candidate over all folds; an error in the place of one that cannot be fitted. Trials in the cache
/// are not repeated.
fn evaluate(
    evaluator: &Evaluator<'_>,
    folds: &[Fold],
    candidates: &[Candidate],
    evaluation: Evaluation,
) -> Result<Vec<Result<Counts, TrainError>>, TrainError> {
    // Fits side by side use cores better than one fit does, but each has a copy of its rows.
    let values: usize = folds.iter().map(|fold| fold.data.rows().len()).sum();
    let threads = evaluator.run.thread_count();
    let (fits, within) = if values > LARGE { (1, threads) } else { (threads, 1) };
    let run = evaluator.run.quiet().threads(within);
    let one = |i: usize| {
        let (fold, candidate) = (&folds[i % folds.len()], candidates[i / folds.len()].with_stream(i % folds.len()));
        let score = || train_and_score(evaluator, fold, &candidate, evaluation, &run);
        let (Some(cache), Some(base)) = (evaluator.task.cache, &evaluator.key) else { return score() };
        let key = base.key(evaluation, fold, evaluator.methods[candidate.target], &candidate);
        if let Some(known) = cache.get(&key) {
            return Ok(known);
        }
        score().inspect(|counts| cache.insert(&key, *counts))
    };
    let counted = |i: usize| {
        let found = one(i);
        let (fold, candidate) = (&folds[i % folds.len()], &candidates[i / folds.len()]);
        evaluator.run.advance(candidate.work(fold.train.len()));
        found
    };
    let mut found = parallel::map(fits, candidates.len() * folds.len(), counted).into_iter();
    let sum = |_: &Candidate| {
        let own: Vec<_> = found.by_ref().take(folds.len()).collect();
        let add = |sum: Counts, c: Counts| Counts { stored: sum.stored + c.stored, exact: sum.exact + c.exact };
        own.into_iter().try_fold(Counts::default(), |sum, counts| counts.map(|counts| add(sum, counts)))
    };
    let sums: Vec<_> = candidates.iter().map(sum).collect();
    match sums.iter().filter_map(|sum| sum.as_ref().err()).find(|error| error.is_cancelled()) {
        Some(cancelled) => Err(cancelled.clone()),
        None => Ok(sums),
    }
}
