//! What came of a comparison.

use super::scores::{binomial, mean_and_std, paired, ranks};
use super::{CompareError, Entry, Outcome};
use crate::config::Parameters;
use crate::methods::Settings;
use serde::Serialize;

/// Every method's outcome on every split.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// What was compared, in the order given.
    pub entries: Vec<Entry>,
    /// By entry, then by split: the outcome, or why there is none.
    pub outcomes: Vec<Vec<Result<Outcome, String>>>,
    /// The protocol in words.
    pub protocol: String,
    /// Seed of the splits.
    pub seed: u64,
    /// Rows given.
    pub rows: usize,
    /// Their classes.
    pub classes: usize,
    /// Rows tested by each method, over all splits.
    pub test_rows: usize,
}

/// Accuracies of one method, each in 0..=1.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Accuracy {
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation, as of a sample; none for a single one.
    pub std: Option<f64>,
    /// One per split.
    pub values: Vec<f64>,
}

/// One method's line in the table. What a failed method would have is absent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The entry's name.
    pub method: String,
    /// Everything that determines its fits.
    pub settings: Parameters,
    /// The settings tuned on each split's training rows; empty where nothing was tuned.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tuned: Vec<Settings>,
    /// How often it was right.
    pub accuracy: Option<Accuracy>,
    /// Mean seconds of a fit with its export, on one thread.
    pub fit_seconds: Option<f64>,
    /// Bytes in flash, of the largest of its models.
    pub flash_bytes: Option<usize>,
    /// Its mean rank over the splits among the methods that did not fail: 1 is best, equals share theirs.
    pub rank: Option<f64>,
    /// Why it has no numbers.
    pub failure: Option<String>,
}

/// A method that this comparison cannot distinguish from the best.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tie {
    /// The method.
    pub method: String,
    /// By how much the best is more accurate.
    pub difference: f64,
    /// The standard error of that difference.
    pub error: f64,
}

impl Comparison {
    /// Number of splits.
    #[must_use]
    pub fn splits(&self) -> usize {
        self.outcomes.first().map_or(0, Vec::len)
    }

    /// Why a method is out of the comparison: its first failure, and on how many splits it failed unless on all.
    pub(super) fn failure(&self, entry: usize) -> Option<String> {
        let failures: Vec<&String> = self.outcomes[entry].iter().filter_map(|outcome| outcome.as_ref().err()).collect();
        let (first, (failed, splits)) = (failures.first()?, (failures.len(), self.splits()));
        Some(if failed == splits { (*first).clone() } else { format!("{first} ({failed} of {splits} splits)") })
    }

    /// A method's accuracy on each split; none if it failed on any.
    pub(super) fn accuracies(&self, entry: usize) -> Option<Vec<f64>> {
        self.outcomes[entry].iter().map(|outcome| outcome.as_ref().ok().map(|outcome| outcome.accuracy)).collect()
    }

    /// Each method's mean rank over the splits, among those that did not fail.
    pub(super) fn mean_ranks(&self) -> Vec<Option<f64>> {
        let accuracies: Vec<Option<Vec<f64>>> = (0..self.entries.len()).map(|i| self.accuracies(i)).collect();
        let mut sums = vec![0.0; self.entries.len()];
        for split in 0..self.splits() {
            let values: Vec<f64> = accuracies.iter().flatten().map(|values| values[split]).collect();
            let standing = accuracies.iter().zip(&mut sums).filter(|(values, _)| values.is_some());
            standing.zip(ranks(&values)).for_each(|((_, sum), rank)| *sum += rank);
        }
        let mean = |(sum, values): (f64, &Option<Vec<f64>>)| values.as_ref().map(|values| sum / values.len() as f64);
        sums.into_iter().zip(&accuracies).map(mean).collect()
    }

    /// The table, best first: by mean accuracy, then mean rank, then bytes in flash; those that failed come last.
    #[must_use]
    pub fn ranking(&self) -> Vec<Row> {
        let ranks = self.mean_ranks();
        let mut rows: Vec<Row> = (0..self.entries.len()).map(|entry| self.row(entry, ranks[entry])).collect();
        // Sorting is stable: whatever else is equal stays as given.
        rows.sort_by(|a, b| {
            let accuracy = |row: &Row| row.accuracy.as_ref().map_or(f64::NEG_INFINITY, |accuracy| accuracy.mean);
            let rank = |row: &Row| row.rank.unwrap_or(f64::INFINITY);
            let by_accuracy = accuracy(b).total_cmp(&accuracy(a));
            by_accuracy.then(rank(a).total_cmp(&rank(b))).then(a.flash_bytes.cmp(&b.flash_bytes))
        });
        rows
    }

    fn row(&self, entry: usize, rank: Option<f64>) -> Row {
        let accuracy = self.accuracies(entry).map(|values| {
            let (mean, std) = mean_and_std(&values);
            Accuracy { mean, std, values }
        });
        let stands = accuracy.is_some();
        let outcomes: Vec<&Outcome> = self.outcomes[entry].iter().flatten().collect();
        let seconds: Vec<f64> = outcomes.iter().map(|outcome| outcome.seconds).collect();
        Row {
            method: self.entries[entry].name.clone(),
            settings: Parameters::from(&self.entries[entry].config),
            tuned: outcomes.iter().filter_map(|outcome| outcome.tuned.clone()).collect(),
            accuracy,
            fit_seconds: stands.then(|| mean_and_std(&seconds).0),
            flash_bytes: outcomes.iter().map(|outcome| outcome.flash_bytes).max().filter(|_| stands),
            rank,
            failure: self.failure(entry),
        }
    }

    /// The methods behind the best by less than one standard error of the difference, in the order of the table.
    ///
    /// Over several splits the error is that of the paired differences. Splits share rows, so the true error is larger
    /// still: a method that is absent here need not be worse. A single test set has no pairs; its rows are taken for
    /// independent draws.
    #[must_use]
    pub fn ties(&self) -> Vec<Tie> {
        let rows = self.ranking();
        let standing: Vec<(&Row, &Accuracy)> =
            rows.iter().filter_map(|row| row.accuracy.as_ref().map(|accuracy| (row, accuracy))).collect();
        let Some(((_, best), others)) = standing.split_first() else { return Vec::new() };
        let tie = |&(row, accuracy): &(&Row, &Accuracy)| {
            let (difference, error) = paired(&best.values, &accuracy.values);
            let error = error.unwrap_or_else(|| binomial(best.mean, accuracy.mean, self.test_rows));
            // Equal everywhere is a tie as well, although both sides are zero then.
            (difference < error || difference == 0.0).then(|| Tie { method: row.method.clone(), difference, error })
        };
        others.iter().filter_map(tie).collect()
    }

    /// The sentence that belongs under the table when the best is not clearly the best.
    #[must_use]
    pub fn caveat(&self) -> Option<String> {
        let best = self.ranking().into_iter().next()?.method;
        let ties = self.ties();
        let (first, others) = ties.split_first()?;
        let over =
            if self.splits() > 1 { format!("{} splits", self.splits()) } else { format!("{} rows", self.test_rows) };
        let (points, error) = (100.0 * first.difference, 100.0 * first.error);
        let second = &first.method;
        let mut text = if first.difference == 0.0 {
            format!("{best} and {second} are equally accurate over {over}")
        } else {
            format!("{best} leads {second} by {points:.2} points, but the standard error over {over} is {error:.2}")
        };
        if !others.is_empty() {
            let names: Vec<&str> = others.iter().map(|tie| tie.method.as_str()).collect();
            text += "; as close: ";
            text += &names.join(", ");
        }
        Some(text)
    }

    /// The error to report when no method is left.
    pub(super) fn first_failure_of_all(&self) -> Option<CompareError> {
        let failures: Option<Vec<String>> = (0..self.entries.len()).map(|entry| self.failure(entry)).collect();
        let why = failures?.into_iter().next()?;
        Some(CompareError::AllFailed { method: self.entries[0].name.clone(), why })
    }
}
