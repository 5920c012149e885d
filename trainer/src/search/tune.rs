//! The accuracy–size front: the best models of several budgets, found by a longer search than a fit's.
//!
//! For every size, the search of a fit first (one choice after the other), then successive halving over random variations
//! of what it found — width, ridge, projection, centers, start, descent — then other methods' embeddings, then floats
//! beside integers. All comparisons are on rows held out of the training rows; the last one is between model files.

pub use super::cache::{Book, BookError};

use super::budget::{Exploration, explore};
use super::space::limits::Limits;
use crate::config::{BudgetSearch, Bytes};
use crate::dataset::Dataset;
use crate::evaluate::EvalError;
use crate::model::inspect::Anatomy;
use crate::run::Run;
use crate::train::{TrainError, Trained};
use std::time::{Duration, Instant};

/// Settings for successive halving at every size.
const ARMS: usize = 27;
/// Methods whose embedding is tried beside class indicators.
const ALTERNATIVES: [&str; 3] = ["nsse", "kdple", "cmvca"];
/// Halvings of the budget that make the front.
const SIZES: u32 = 4;
/// When a search that was begun in time ends at the latest, relative to the time planned.
const GRACE: f64 = 1.5;

/// What to look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// The largest model.
    pub flash: Bytes,
    /// How long to search; the result then depends on how fast the machine is.
    pub time: Option<Duration>,
    /// Whether to stop at the search of a fit.
    pub quick: bool,
}

impl Plan {
    /// A whole search, however long it takes.
    #[must_use]
    pub fn new(flash: Bytes) -> Self {
        Self { flash, time: None, quick: false }
    }

    /// Budgets from the largest down.
    #[must_use]
    pub fn sizes(&self) -> Vec<Bytes> {
        (0..SIZES).map(|halvings| Bytes(self.flash.0 >> halvings)).filter(|size| size.0 > 0).collect()
    }
}

/// The best model of one size.
#[derive(Debug, Clone)]
pub struct Point {
    /// Bytes of flash that it might take.
    pub limit: Bytes,
    /// The model, and how it was found.
    pub trained: Trained,
    /// The method that it learned from.
    pub method: String,
    /// Bytes of flash that it takes.
    pub flash_bytes: usize,
    /// Bytes of scratch.
    pub ram_bytes: usize,
    /// The share of rows held out whose class its setting found, as a file.
    pub accuracy: f64,
    /// Standard error of that.
    pub error: f64,
    /// Seconds that it took to find.
    pub seconds: f64,
}

/// The front, from the smallest model to the largest.
#[derive(Debug, Clone)]
pub struct Front {
    /// The best model of every size that has one.
    pub points: Vec<Point>,
    /// The most accurate of them; the smallest among equals.
    pub best: usize,
    /// Sizes that no model keeps, with the reason.
    pub missing: Vec<(Bytes, String)>,
    /// Sizes that were not begun when time was up, or not searched as far as a fit would.
    pub late: Vec<Bytes>,
}

/// Searches for the front. `tell` hears of every point as it is found.
///
/// # Errors
/// [`TrainError`] when the configuration or the rows are at fault, or not even the largest budget holds a model.
pub fn tune(
    search: &BudgetSearch,
    data: &Dataset,
    plan: &Plan,
    book: &Book,
    run: &Run<'_>,
    mut tell: impl FnMut(&Point),
) -> Result<Front, TrainError> {
    let begun = Instant::now();
    let sizes = plan.sizes();
    let (mut points, mut missing, mut late) = (Vec::new(), Vec::new(), Vec::new());
    for (i, &limit) in sizes.iter().enumerate() {
        let start = Instant::now();
        if let Some(time) = plan.time {
            let Some(ends) = ends(time, begun.elapsed(), i, sizes.len()) else {
                late.push(limit);
                continue;
            };
            let [longer, whole] = ends.map(|end| begun + end);
            book.until(longer, whole);
        }
        let own = BudgetSearch { limits: Limits { flash: Some(limit.0), ..search.limits }, ..search.clone() };
        // A method that was named has no alternatives.
        let alternatives: &[&str] = if search.common.method.entry.is_none() { &ALTERNATIVES } else { &[] };
        let thorough = Exploration { arms: ARMS, floats: true, alternatives, ledger: Some(book) };
        let exploration =
            if plan.quick { Exploration { ledger: Some(book), ..Exploration::default() } } else { thorough };
        let found = match explore(&own, data, &exploration, run) {
            Err(TrainError::Budget(error)) if !points.is_empty() => {
                missing.push((limit, error.to_string()));
                continue;
            }
            found => found?,
        };
        // What a fit would have done better is no point of the front.
        if book.was_late() && !points.is_empty() {
            late.push(limit);
            continue;
        }
        let (method, verdict) = (found.method().to_owned(), found.found.verdict);
        let trained = found.trained(&own, data, |_| {})?;
        let anatomy = Anatomy::of(&trained.bytes).map_err(EvalError::from)?;
        let point = Point {
            limit,
            method,
            flash_bytes: anatomy.flash_bytes,
            ram_bytes: anatomy.ram_bytes,
            accuracy: verdict.trial.accuracy,
            error: verdict.error(),
            seconds: start.elapsed().as_secs_f64(),
            trained,
        };
        tell(&point);
        points.push(point);
    }
    points.reverse();
    let accuracy = |i: &usize| points[*i].accuracy;
    let best = (0..points.len()).rev().max_by(|a, b| accuracy(a).total_cmp(&accuracy(b))).unwrap_or(0);
    Ok(Front { points, best, missing, late })
}

/// When the longer search of a size ends and when all of its search does, counted from the beginning; none if it is too
/// late for that size. There has to be a model in time, but only one.
fn ends(time: Duration, elapsed: Duration, size: usize, sizes: usize) -> Option<[Duration; 2]> {
    let left = time.saturating_sub(elapsed);
    if left.is_zero() && size > 0 {
        return None;
    }
    // What a size leaves over is for the next ones.
    let longer = elapsed + left / (sizes - size) as u32;
    Some([longer, if size == 0 { time } else { time.mul_f64(GRACE) }])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::synthetic::blobs;
    use crate::run::Progress;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// The front of few rows, with models of 800 bytes and less.
    fn front(time: Duration, run: &Run<'_>, tell: impl FnMut(&Point)) -> Result<Front, TrainError> {
        let mut search = BudgetSearch { passes: Some(2), ..BudgetSearch::within(Limits::default()) };
        search.common.numeric = crate::config::Numeric::F32;
        let plan = Plan { time: Some(time), quick: true, ..Plan::new(Bytes(800)) };
        tune(&search, &blobs(3, 20, 4, 0.8, 1), &plan, &Book::unwritten(), run, tell)
    }

    fn limits(front: &Front) -> Vec<Bytes> {
        front.points.iter().map(|point| point.limit).collect()
    }

    #[test]
    fn a_size_begun_in_time_may_be_finished() {
        let seconds = Duration::from_secs;
        let ends = |elapsed, size| ends(seconds(600), seconds(elapsed), size, 4);
        assert_eq!(ends(0, 0), Some([seconds(150), seconds(600)]), "a quarter of the time, and no more than all of it");
        assert_eq!(ends(300, 1), Some([seconds(400), seconds(900)]));
        assert_eq!(ends(570, 3), Some([seconds(600), seconds(900)]));
        assert_eq!(ends(600, 3), None);
        assert!(ends(601, 0).is_some(), "one model there has to be");
    }

    #[test]
    fn one_model_is_found_when_there_is_no_time_and_the_other_sizes_are_told() -> Result<(), TrainError> {
        let front = front(Duration::from_nanos(1), &Run::default(), |_| {})?;
        assert_eq!(limits(&front), [Bytes(800)]);
        assert_eq!(front.late, [Bytes(400), Bytes(200), Bytes(100)]);
        Ok(())
    }

    #[test]
    fn a_size_that_time_cut_short_is_no_point() -> Result<(), TrainError> {
        let (time, begun, told) = (Duration::from_secs(4), Instant::now(), AtomicBool::new(false));
        // The second size comes to a halt until its time is up.
        let halt = |_: Progress| {
            let end = begun + time.mul_f64(GRACE) + Duration::from_millis(100);
            if told.load(Ordering::Relaxed) {
                std::thread::sleep(end.saturating_duration_since(Instant::now()));
            }
        };
        let front = front(time, &Run::default().on_progress(&halt), |_| told.store(true, Ordering::Relaxed))?;
        assert_eq!(limits(&front), [Bytes(800)]);
        assert_eq!(front.late, [Bytes(400), Bytes(200), Bytes(100)]);
        Ok(())
    }
}
