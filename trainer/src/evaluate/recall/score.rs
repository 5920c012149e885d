//! From embeddings to recall, and from runs to the table.

use super::{Options, RecallError, System};
use crate::kernel::squared_distances;
use crate::linalg::{Mat, column};
use crate::parallel;
use crate::retrieval::{Embedding, Placed};
use crate::statistics::mean_and_error;
use crate::train::TrainError;
use serde::Serialize;

/// Queries per matrix of distances.
const BLOCK: usize = 256;
/// The two-sided 95 % quantile of the normal distribution.
const NORMAL: f64 = 1.96;
/// The same of Student's distribution with 1 to 30 degrees of freedom; beyond, the normal one is within 0.09.
const STUDENT: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
    2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/// One run of one system.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Outcome {
    /// To embed, on one thread.
    pub(super) seconds: f64,
    /// Queries × columns, `K` by `K` and within each `R` by `R`.
    pub(super) recalls: Mat,
}

/// One line of the table: shares in 0..=1.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The system's name.
    pub method: String,
    /// `K`, the number of true neighbors.
    pub neighbors: usize,
    /// `R`, the number of candidates looked at.
    pub at: usize,
    /// The share of the `K` true neighbors among the first `R` candidates.
    pub recall: f64,
    /// The share of the first `R` candidates that are true neighbors: `recall · K/R`.
    pub precision: f64,
    /// Half the width of the 95 % interval of `recall`; that of `precision` is `K/R` times as wide.
    pub ci95: f64,
    /// The standard error of `recall`, over queries and repeats.
    pub se: f64,
    /// Mean seconds to embed the rows, on one thread.
    pub seconds: f64,
    /// Runs that were averaged: one where nothing is random.
    pub repeats: usize,
}

/// A system that could not embed the rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Failure {
    /// The system's name.
    pub method: String,
    /// Why.
    pub why: String,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recall {
    /// System by system in the order given, `K` by `K`, `R` by `R`.
    pub rows: Vec<Row>,
    /// The systems that are left out.
    pub failed: Vec<Failure>,
    /// Rows of the data set.
    pub items: usize,
    /// Rows that were looked up.
    pub queries: usize,
}

impl Recall {
    pub(super) fn new(
        systems: &[System],
        outcomes: Vec<Vec<Result<Outcome, TrainError>>>,
        options: &Options,
        (items, queries): (usize, usize),
    ) -> Result<Self, RecallError> {
        let (mut rows, mut failed) = (Vec::new(), Vec::new());
        for (system, runs) in systems.iter().zip(outcomes) {
            match runs.into_iter().collect::<Result<Vec<_>, _>>() {
                Ok(runs) => rows.extend(lines(system.name(), &runs, options)),
                Err(error) => failed.push(Failure { method: system.name().to_owned(), why: error.to_string() }),
            }
        }
        if let (true, Some(Failure { method, why })) = (rows.is_empty(), failed.first()) {
            return Err(RecallError::AllFailed { method: method.clone(), why: why.clone() });
        }
        Ok(Self { rows, failed, items, queries })
    }

    /// The line of a system for these numbers.
    #[must_use]
    pub fn find(&self, method: &str, neighbors: usize, at: usize) -> Option<&Row> {
        self.rows.iter().find(|row| row.method == method && row.neighbors == neighbors && row.at == at)
    }
}

/// One system's lines.
fn lines(method: &str, runs: &[Outcome], options: &Options) -> Vec<Row> {
    let seconds = runs.iter().map(|run| run.seconds).sum::<f64>() / runs.len() as f64;
    let numbers = options.neighbors.iter().flat_map(|&k| options.at.iter().map(move |&r| (k, r)));
    let line = |(index, (neighbors, at)): (usize, (usize, usize))| {
        let columns: Vec<&[f64]> = runs.iter().map(|run| column(&run.recalls, index)).collect();
        let Estimate { mean: recall, error: se, half: ci95 } = Estimate::of(&columns);
        let precision = recall * neighbors as f64 / at as f64;
        Row { method: method.to_owned(), neighbors, at, recall, precision, ci95, se, seconds, repeats: runs.len() }
    };
    numbers.enumerate().map(line).collect()
}

/// A mean and how sure it is.
pub(super) struct Estimate {
    /// Over runs and queries.
    pub(super) mean: f64,
    /// Its standard error.
    pub(super) error: f64,
    /// Half the width of its 95 % interval (see the module's head).
    pub(super) half: f64,
}

impl Estimate {
    /// From the values of every run, one per query.
    pub(super) fn of(runs: &[&[f64]]) -> Self {
        let (count, queries) = (runs.len(), runs.first().map_or(0, |run| run.len()));
        let by_query: Vec<f64> =
            (0..queries).map(|query| runs.iter().map(|run| run[query]).sum::<f64>() / count as f64).collect();
        let by_run: Vec<f64> = runs.iter().map(|run| run.iter().sum::<f64>() / queries as f64).collect();
        let (mean, query_error) = mean_and_error(&by_query);
        // About a single run nothing is known.
        let (query_error, run_error) = (query_error.unwrap_or(0.0), mean_and_error(&by_run).1.unwrap_or(0.0));
        let student = STUDENT.get(count.saturating_sub(2)).copied().unwrap_or(NORMAL);
        let half = (NORMAL * query_error).hypot(student * run_error);
        Self { mean, error: query_error.hypot(run_error), half }
    }
}

/// The recall of every query for every pair of `K` and `R`.
pub(super) fn recalls(embedding: &Embedding, truth: &[Vec<usize>], options: &Options) -> Mat {
    let mut recalls = Mat::zeros(truth.len(), options.neighbors.len() * options.at.len());
    let mut score = |query: usize, is_row: bool, distances: Vec<f64>| {
        let own = is_row.then_some(query);
        for (column, value) in of_query(distances, own, &truth[query], options).into_iter().enumerate() {
            recalls[(query, column)] = value;
        }
    };
    match embedding {
        Embedding::Real(Placed { rows, queries }) => {
            let looked_up = queries.as_ref().unwrap_or(rows);
            for (start, count) in parallel::blocks(looked_up.nrows(), BLOCK) {
                let distances = squared_distances(rows, &looked_up.rows(start, count).into_owned(), 1);
                (0..count).for_each(|q| score(start + q, queries.is_none(), column(&distances, q).to_vec()));
            }
        }
        Embedding::Bits(Placed { rows, queries }) => {
            let looked_up = queries.as_ref().unwrap_or(rows);
            (0..looked_up.len()).for_each(|q| score(q, queries.is_none(), rows.distances(looked_up, q).collect()));
        }
    }
    recalls
}

/// The recall of one query, `K` by `K` and within each `R` by `R`, given its distances to all rows.
fn of_query(mut distances: Vec<f64>, own: Option<usize>, truth: &[usize], options: &Options) -> Vec<f64> {
    let wanted: Vec<f64> = truth.iter().map(|&row| distances[row]).collect();
    if let Some(own) = own {
        distances.swap_remove(own);
    }
    distances.sort_unstable_by(f64::total_cmp);
    // Candidates nearer than each true neighbor, and those at its distance, itself included.
    let places: Vec<(f64, f64)> = wanted
        .iter()
        .map(|&distance| {
            let nearer = distances.partition_point(|&other| other < distance);
            let through = distances.partition_point(|&other| other <= distance);
            (nearer as f64, (through - nearer).max(1) as f64)
        })
        .collect();
    let share = |k: usize, at: usize| {
        let found = places[..k].iter().map(|(nearer, equal)| ((at as f64 - nearer) / equal).clamp(0.0, 1.0));
        found.sum::<f64>() / k as f64
    };
    options
        .neighbors
        .iter()
        .flat_map(|&k| options.at.iter().map(move |&at| (k, at)))
        .map(|(k, at)| share(k, at))
        .collect()
}
