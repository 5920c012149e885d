//! Methods side by side, by the protocols of the papers.
//!
//! Every method sees the same rows in the same splits. Accuracy is measured through the runtime crate on the encoded
//! model, so that a table shows what the board does.
//!
//! ```
//! use nearmark_train::evaluate::compare::{self, Entry, Protocol};
//! use nearmark_train::{Run, config::Parameters, dataset::synthetic};
//!
//! let data = synthetic::moons(50, 0.1, 0);
//! let entries = Entry::list("lda,kdple", &Parameters::default())?;
//! let comparison = compare::compare(&entries, &data, &Protocol::Folds { k: 5, repeats: 1 }, 0, &Run::default())?;
//! assert_eq!(comparison.ranking()[0].method, "kdple");
//! println!("{}", comparison.to_markdown());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod comparison;
pub mod curves;
mod entry;
mod protocol;
mod scores;
mod text;

pub use comparison::{Accuracy, Comparison, Row, Tie};
pub use entry::{DEFAULT_METHODS, Entry, EntryError};
pub use protocol::Protocol;

use crate::config::Config;
use crate::dataset::Dataset;
use crate::error::{DataError, FitError, ParamError};
use crate::evaluate::{EvalError, evaluate};
use crate::methods::Settings;
use crate::run::{Counter, Run};
use crate::train::{TrainError, train};
use crate::{memory, parallel};
use protocol::Splits;
use std::time::Instant;

/// Why nothing could be compared.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// The protocol's numbers are impossible.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// The rows do not allow the protocol.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The rows do not allow any method.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// The test rows are not of the training rows' kind.
    #[error("test rows: {0}")]
    Test(EvalError),
    /// There is nothing to compare.
    #[error("no methods to compare")]
    NoMethods,
    /// Not one method could be fitted.
    #[error("every method failed; {method}: {why}")]
    AllFailed {
        /// The first of them.
        method: String,
        /// What it failed of.
        why: String,
    },
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
}

/// What one method did on one split.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The share of test rows whose class the runtime finds, in 0..=1.
    pub accuracy: f64,
    /// Seconds to fit and export on one thread, automatic choices included.
    pub seconds: f64,
    /// Bytes of the model in flash: its core, without provenance.
    pub flash_bytes: usize,
    /// The settings that were tuned on this split's training rows, where they were.
    pub tuned: Option<Settings>,
}

/// Fits every method on every split and measures it.
///
/// The fits run side by side on as many threads as `run` allows, each on one thread, and apart from the seconds their
/// results do not depend on that number. A method that fails on a split is out of the comparison, which reports why; the
/// others go on.
///
/// # Errors
/// [`CompareError`] when the rows do not allow the protocol, when every method fails, or when the caller asks to stop.
pub fn compare(
    entries: &[Entry],
    data: &Dataset,
    protocol: &Protocol,
    seed: u64,
    run: &Run<'_>,
) -> Result<Comparison, CompareError> {
    let splits = splits(entries, data, protocol, seed)?;
    let outcomes = each_fit(entries, data, &splits, run, measure)?;
    let comparison = Comparison {
        entries: entries.to_vec(),
        outcomes,
        protocol: protocol.to_string(),
        seed,
        rows: data.len(),
        classes: data.classes(),
        test_rows: splits.parts.iter().map(|split| split.test.len()).sum(),
    };
    comparison.first_failure_of_all().map_or(Ok(comparison), Err)
}

/// The splits of a protocol, if there is something to compare on them.
fn splits<'a>(
    entries: &[Entry],
    data: &Dataset,
    protocol: &'a Protocol,
    seed: u64,
) -> Result<Splits<'a>, CompareError> {
    if entries.is_empty() {
        return Err(CompareError::NoMethods);
    }
    data.require_classes(1)?;
    protocol.splits(data, seed)
}

/// What `measure` finds, by entry and then by split, or why there is nothing.
fn each_fit<T: Send>(
    entries: &[Entry],
    data: &Dataset,
    splits: &Splits<'_>,
    run: &Run<'_>,
    measure: impl Fn(&Config, &Dataset, &Dataset, &Run<'_>) -> Result<T, TrainError> + Sync,
) -> Result<Vec<Vec<Result<T, String>>>, CompareError> {
    // Split by split, so that a slow method's fits do not all come last.
    let total = entries.len() * splits.parts.len();
    let counter = Counter::new(run, "fits", total).map_err(|_| CompareError::Cancelled)?;
    let results = parallel::map(run.thread_count().min(at_once(entries, splits)), total, |task| {
        let (split, entry) = (task / entries.len(), task % entries.len());
        let (train, test) = splits.rows(data, split);
        let result = measure(&entries[entry].config, &train, &test, &run.quiet().threads(1));
        counter.one_done();
        result
    });
    if results.iter().any(|result| matches!(result, Err(TrainError::Fit(FitError::Cancelled)))) {
        return Err(CompareError::Cancelled);
    }
    let mut outcomes: Vec<Vec<_>> = (0..entries.len()).map(|_| Vec::with_capacity(splits.parts.len())).collect();
    for (task, result) in results.into_iter().enumerate() {
        outcomes[task % entries.len()].push(result.map_err(|error| error.to_string()));
    }
    Ok(outcomes)
}

/// Fits that may run side by side: as many of the method that needs most memory as fit together.
fn at_once(entries: &[Entry], splits: &Splits<'_>) -> usize {
    let rows = splits.parts.iter().map(|split| split.train.len()).max().unwrap_or(0);
    let needed = entries
        .iter()
        .filter_map(|entry| entry.config.common().build_method().ok())
        .map(|method| method.memory(rows))
        .max();
    memory::at_once(needed.unwrap_or(0), memory::available())
}

/// Fits on some rows, encodes, and lets the runtime classify the others.
fn measure(config: &Config, rows: &Dataset, test: &Dataset, run: &Run<'_>) -> Result<Outcome, TrainError> {
    // Most requests to stop are met here, between fits.
    run.step("fit", 0, 1)?;
    let start = Instant::now();
    let trained = train(config, rows, run)?;
    let seconds = start.elapsed().as_secs_f64();
    let tuned = trained.tuning.into_iter().find(|trial| trial.chosen).map(|trial| trial.params);
    let accuracy = evaluate(&trained.model, test)?.accuracy();
    Ok(Outcome { accuracy, seconds, flash_bytes: trained.model.core_len(), tuned })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Parameters;
    use crate::dataset::split;
    use crate::dataset::synthetic::{blobs, moons};
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, Ordering};

    const THREE: Protocol = Protocol::Folds { k: 3, repeats: 1 };

    fn entries(text: &str) -> Result<Vec<Entry>, EntryError> {
        Entry::list(text, &Parameters::default())
    }

    fn names(comparison: &Comparison) -> Vec<String> {
        comparison.ranking().into_iter().map(|row| row.method).collect()
    }

    #[test]
    fn a_kernel_beats_a_line_on_the_moons() -> Result<(), Box<dyn std::error::Error>> {
        let protocol = Protocol::PerClass { count: 40, repeats: 3 };
        let found = compare(&entries("lda,kdple")?, &moons(80, 0.1, 0), &protocol, 0, &Run::default())?;
        assert_eq!(names(&found), ["kdple", "lda"]);
        assert_eq!(found.mean_ranks(), [Some(2.0), Some(1.0)]);
        assert_eq!((found.splits(), found.test_rows, found.ties()), (3, 240, Vec::new()));
        Ok(())
    }

    #[test]
    fn numbers_are_those_of_fitting_by_hand() -> Result<(), Box<dyn std::error::Error>> {
        let data = blobs(3, 20, 4, 1.0, 0);
        let found = compare(&entries("lda")?, &data, &THREE, 5, &Run::default())?;
        for (fold, outcome) in split::folds(&data, 3, 5)?.iter().zip(&found.outcomes[0]) {
            let (train, test) = fold.apply(&data);
            let lda = Parameters { method: Some("lda".to_owned()), ..Parameters::default() };
            let model = crate::train(&lda.try_into()?, &train, &Run::default())?.model;
            let outcome = outcome.as_ref().map_err(Clone::clone)?;
            assert_eq!(outcome.accuracy, evaluate(&model, &test)?.accuracy());
            assert!(outcome.flash_bytes < model.bytes().len(), "provenance stays on the workstation");
        }
        Ok(())
    }

    #[test]
    fn results_do_not_depend_on_threads_and_progress_never_goes_back() -> Result<(), Box<dyn std::error::Error>> {
        let (data, entries) = (blobs(3, 15, 4, 1.0, 0), entries("lda,cmvda,knn")?);
        let reported = Mutex::new(Vec::new());
        let listen =
            |progress: crate::Progress| reported.lock().map(|mut reported| reported.push(progress)).unwrap_or_default();
        let mut runs = Vec::new();
        for threads in [1, 4] {
            let mut found = compare(&entries, &data, &THREE, 0, &Run::default().threads(threads).on_progress(&listen))?;
            found.outcomes.iter_mut().flatten().flatten().for_each(|outcome| outcome.seconds = 0.0);
            runs.push(found);
            let message = std::mem::take(&mut *reported.lock().map_err(|_| "a callback panicked")?);
            assert_eq!(message.iter().map(|message| message.done).collect::<Vec<_>>(), (0..=9).collect::<Vec<_>>());
            assert!(message.iter().all(|message| message.total == 9));
        }
        assert_eq!(runs[0], runs[1]);
        Ok(())
    }

    #[test]
    fn one_method_may_fail_and_the_others_go_on() -> Result<(), Box<dyn std::error::Error>> {
        let data = blobs(2, 9, 2, 1.0, 0);
        let found = compare(&entries("cmvda:features=nystrom:500,lda")?, &data, &THREE, 0, &Run::default())?;
        let rows = found.ranking();
        assert_eq!(rows[1].failure.as_deref(), Some("nystrom is 500, but there are only 12 rows"));
        assert_eq!((rows[1].rank, rows[1].flash_bytes, rows[0].rank), (None, None, Some(1.0)));
        let all = compare(&entries("cmvda:features=nystrom:500")?, &data, &THREE, 0, &Run::default());
        let message = all.map(|_| ()).map_err(|error| error.to_string());
        let expected = "every method failed; cmvda:features=nystrom:500: nystrom is 500, but there are only 12 rows";
        assert_eq!(message, Err(expected.to_owned()));
        assert_eq!(compare(&[], &data, &THREE, 0, &Run::default()), Err(CompareError::NoMethods));
        Ok(())
    }

    #[test]
    fn a_request_to_stop_is_met_between_fits() -> Result<(), Box<dyn std::error::Error>> {
        let stop = AtomicBool::new(false);
        let last = Mutex::new(0);
        let listen = |progress: crate::Progress| {
            stop.store(progress.done == 2, Ordering::Relaxed);
            last.lock().map(|mut last| *last = progress.done).unwrap_or_default();
        };
        let run = Run::default().threads(1).on_progress(&listen).stop_when(&stop);
        let found = compare(&entries("lda,knn,pca")?, &blobs(2, 9, 2, 1.0, 0), &THREE, 0, &run);
        assert_eq!(found, Err(CompareError::Cancelled));
        assert_eq!(last.lock().map(|last| *last).unwrap_or_default(), 2, "nothing was fitted after that");
        Ok(())
    }

    #[test]
    fn settings_are_tuned_within_each_split() -> Result<(), Box<dyn std::error::Error>> {
        let (data, shared) = (blobs(3, 20, 4, 2.0, 0), Parameters { tune_params: Some(true), ..Parameters::default() });
        // What cannot be tuned is fitted as it is.
        let entries = Entry::list("kda,lda", &shared)?;
        let found = compare(&entries, &data, &THREE, 5, &Run::default())?;
        let rows = found.ranking();
        let of = |name: &str| rows.iter().find(|row| row.method == name).map(|row| row.tuned.clone());
        assert_eq!(of("lda"), Some(Vec::new()));
        assert_eq!(of("kda").map(|tuned| tuned.len()), Some(3), "one choice per split");
        for (fold, outcome) in split::folds(&data, 3, 5)?.iter().zip(&found.outcomes[0]) {
            let decided = crate::train::decide(&entries[0].config, &fold.apply(&data).0, &Run::default())?;
            let chosen = decided.tuning.into_iter().find(|trial| trial.chosen).map(|trial| trial.params);
            assert_eq!(outcome.as_ref().map_err(Clone::clone)?.tuned, chosen, "training rows alone decide");
        }
        Ok(())
    }

    #[test]
    fn a_test_set_of_its_own_is_measured_once() -> Result<(), Box<dyn std::error::Error>> {
        let data = moons(60, 0.1, 0);
        let (train, test) = split::stratified(&data, 0.5, 0).apply(&data);
        let found = compare(&entries("lda,knn")?, &train, &Protocol::Fixed(test), 0, &Run::default())?;
        assert_eq!((found.splits(), found.test_rows, found.rows), (1, 60, 60));
        assert_eq!(found.ranking()[0].accuracy.as_ref().map(|accuracy| accuracy.std), Some(None));
        Ok(())
    }
}
