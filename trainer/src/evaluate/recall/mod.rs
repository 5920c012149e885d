//! Retrieval: how many of a row's true neighbors its embedding finds again.
//!
//! Every row is looked up among the others (or queries among the rows). Its `K` true neighbors are the nearest by
//! Euclidean distance between the rows as they are. The embedding ranks the same candidates, by Euclidean distance
//! between coordinates or Hamming distance between codes:
//!
//! - *recall* at `R`: the share of the `K` true neighbors among the first `R` candidates;
//! - *precision* at `R`: the share of the first `R` candidates that are true neighbors, which is recall · `K/R`.
//!
//! Short codes tie by the hundred. Candidates at the same distance count as ordered at random: a true neighbor with `a`
//! candidates nearer and `e` at its own distance, itself included, is among the first `R` with probability
//! `(R − a)/e`, cut to 0..1. The expectation needs no draw, and favors nobody by row number. Where true neighbors
//! tie, those with lower row numbers are taken.
//!
//! # Intervals
//! Repeat `r` runs what is random in a system with the seed plus `r`; a system without randomness runs once. The 95 %
//! interval asks what other queries and other seeds would have given: its half-width is
//! `√(1.96² V_q/n + t² V_r/R)`, with the variance `V_q` over `n` queries (of their means over repeats), and the variance
//! `V_r` over `R` repeats (of their means over queries), for which `t` is Student's quantile. Rows that are each other's
//! neighbors are not independent queries, so the true interval is somewhat wider.
//!
//! ```
//! use nearmark_train::evaluate::recall::{Options, System, recall};
//! use nearmark_train::{Run, dataset::synthetic};
//!
//! let data = synthetic::blobs(4, 25, 12, 1.0, 0);
//! let systems = System::list("ebek,itq", 5, 5)?;
//! let options = Options { neighbors: vec![5], at: vec![5, 20], ..Options::default() };
//! let found = recall(&systems, &data, None, &options, &Run::default())?;
//! let of = |method: &str| found.find(method, 5, 20).map(|row| row.recall);
//! assert!(of("ebek") > of("itq"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod score;
mod system;

pub use score::{Failure, Recall, Row};
pub use system::{DEFAULT_SYSTEMS, System};

use crate::dataset::Dataset;
use crate::error::{DataError, FitError, ParamError};
use crate::neighbors::nearest_rows;
use crate::run::{Counter, Run};
use crate::train::TrainError;
use crate::{memory, parallel};
use score::Outcome;
use std::time::Instant;

/// What is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// `K`: numbers of true neighbors.
    pub neighbors: Vec<usize>,
    /// `R`: numbers of candidates looked at.
    pub at: Vec<usize>,
    /// Runs of a system that has something random.
    pub repeats: usize,
    /// Seed of the first run; the others follow.
    pub seed: u64,
}

impl Default for Options {
    /// The columns of the tables in the EBEK paper.
    fn default() -> Self {
        Self { neighbors: vec![10, 50], at: vec![1, 10, 50, 100], repeats: 10, seed: 0 }
    }
}

/// Why nothing could be measured.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RecallError {
    /// The options do not fit the rows.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// The queries are not of the rows' kind.
    #[error("queries: {0}")]
    Queries(DataError),
    /// Distances between sparse and dense rows.
    #[error("of rows and queries, one are sparse and the others are not")]
    Mixed,
    /// There is nothing to measure.
    #[error("no methods to compare")]
    NoSystems,
    /// Not one system could embed the rows.
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

/// Embeds the rows by every system and measures which true neighbors are found again.
///
/// Without `queries` every row is looked up among the others. Sparse rows and queries are never filled in; a system that
/// would have to is left out. Systems run side by side, each on one thread, and apart
/// from the seconds their results do not depend on the number of threads. A system that fails is left out, which the
/// result reports; the others go on.
///
/// # Errors
/// [`RecallError`] when the options do not fit the rows, when every system fails, or when the caller asks to stop.
pub fn recall(
    systems: &[System],
    data: &Dataset,
    queries: Option<&Dataset>,
    options: &Options,
    run: &Run<'_>,
) -> Result<Recall, RecallError> {
    if systems.is_empty() {
        return Err(RecallError::NoSystems);
    }
    check(options, data, queries)?;
    run.step("true neighbors", 0, 1).map_err(|_| RecallError::Cancelled)?;
    let most = options.neighbors.iter().copied().max().unwrap_or(1);
    let threads = run.thread_count();
    let found = nearest_rows(data, queries, most, threads).ok_or(RecallError::Mixed)?;
    let truth: Vec<Vec<usize>> = found.iter().map(|list| list.iter().map(|near| near.row).collect()).collect();
    let tasks: Vec<(usize, usize)> = systems
        .iter()
        .enumerate()
        .flat_map(|(index, system)| {
            (0..if system.is_random(data.len()) { options.repeats } else { 1 }).map(move |r| (index, r))
        })
        .collect();
    let needed = systems.iter().map(|system| system.memory(data.len())).max().unwrap_or(0);
    let at_once = threads.min(memory::at_once(needed, memory::available()));
    let counter = Counter::new(run, "embeddings", tasks.len()).map_err(|_| RecallError::Cancelled)?;
    let results = parallel::map(at_once, tasks.len(), |task| {
        let (index, repeat) = tasks[task];
        let seed = options.seed.wrapping_add(repeat as u64);
        let result = measure(&systems[index], data, queries, &truth, options, seed, &run.quiet().threads(1));
        counter.one_done();
        result
    });
    if results.contains(&Err(FitError::Cancelled.into())) {
        return Err(RecallError::Cancelled);
    }
    let mut outcomes: Vec<Vec<Result<Outcome, TrainError>>> = vec![Vec::new(); systems.len()];
    for ((index, _), result) in tasks.into_iter().zip(results) {
        outcomes[index].push(result);
    }
    Recall::new(systems, outcomes, options, (data.len(), truth.len()))
}

/// Refuses options that the rows do not allow.
fn check(options: &Options, data: &Dataset, queries: Option<&Dataset>) -> Result<(), RecallError> {
    ParamError::at_least_one("repeats", options.repeats)?;
    let candidates = if queries.is_some() { data.len() } else { data.len() - 1 };
    for (name, values) in [("neighbors", &options.neighbors), ("at", &options.at)] {
        ParamError::check(!values.is_empty(), name, "at least one number", 0.0)?;
        for &value in values {
            let rule = "at least 1 and at most the number of candidates: the rows without the query";
            ParamError::check((1..=candidates).contains(&value), name, rule, value as f64)?;
        }
    }
    match queries.map(Dataset::width).filter(|&width| width != data.width()) {
        Some(got) => Err(RecallError::Queries(DataError::Width { expected: data.width(), got })),
        None => Ok(()),
    }
}

/// One run of one system.
fn measure(
    system: &System,
    data: &Dataset,
    queries: Option<&Dataset>,
    truth: &[Vec<usize>],
    options: &Options,
    seed: u64,
    run: &Run<'_>,
) -> Result<Outcome, TrainError> {
    run.step("embedding", 0, 1)?;
    let start = Instant::now();
    let embedding = system.embed(data, queries, seed, run)?;
    let seconds = start.elapsed().as_secs_f64();
    run.step("ranking", 0, 1)?;
    Ok(Outcome { seconds, recalls: score::recalls(&embedding, truth, options) })
}

#[cfg(test)]
mod tests;
