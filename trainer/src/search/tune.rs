//! The best models of several budgets, found by a longer search than that of a fit.
//!
//! For every size, the search of a fit first (one choice after the other), then successive halving over random variations
//! of the best candidate, then other methods' embeddings as targets, then floats beside integers. All comparisons are on
//! held-out training rows; the final one is between model files.

pub use super::pareto::{ParetoFront, Point};
pub use super::{CacheError, TrialCache};

use super::explore::{Exploration, explore};
use super::{Deadline, Limits, TrainError};
use crate::config::{BudgetSearch, Bytes};
use crate::dataset::Dataset;
use crate::run::Run;
use std::time::{Duration, Instant};

/// Budgets of one search: the largest, and the half of the one before. Four are the budgets of `docs/accuracy.md`, from
/// 16 kB to 2 kB.
const SIZES: u32 = 4;
/// When a size that was begun in time ends at the latest, relative to the time planned. A fit of 16 kB on MNIST takes 3
/// of the default 10 minutes; a size cut short is of no use.
const GRACE: f64 = 1.5;

/// What to search for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// The largest model.
    pub flash: Bytes,
    /// How long to search; the result then depends on how fast the machine is.
    pub time: Option<Duration>,
    /// Whether to do the search of a fit only.
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

/// Searches for the Pareto front of accuracy and size. `found` is called with the model of every size.
///
/// # Errors
/// [`TrainError`] when the configuration or the rows are at fault, or not even the largest budget holds a model.
pub fn tune(
    search: &BudgetSearch,
    data: &Dataset,
    plan: &Plan,
    cache: &TrialCache,
    run: &Run<'_>,
    mut found: impl FnMut(&Point),
) -> Result<ParetoFront, TrainError> {
    let begun = Instant::now();
    let sizes = plan.sizes();
    let (mut points, mut missing, mut late) = (Vec::new(), Vec::new(), Vec::new());
    for (i, &limit) in sizes.iter().enumerate() {
        let deadline = match plan.time.map(|time| ends(time, begun.elapsed(), i, sizes.len())) {
            None => None,
            Some(Some([extra, all])) => Some(Deadline::new(begun + extra, begun + all)),
            Some(None) => {
                late.push(limit);
                continue;
            }
        };
        let start = Instant::now();
        let own = BudgetSearch { limits: Limits { flash: Some(limit.0), ..search.limits }, ..search.clone() };
        let exploration = Exploration { thorough: !plan.quick, cache: Some(cache), deadline: deadline.as_ref() };
        let (trained, best) = match explore(&own, data, &exploration, run, |_| {}) {
            Err(error @ TrainError::Budget { .. }) if !points.is_empty() => {
                missing.push((limit, error.to_string()));
                continue;
            }
            found => found?,
        };
        let point = Point { limit, trained, found: best, seconds: start.elapsed().as_secs_f64() };
        // A size whose search was cut short may be worse than a fit of it.
        if deadline.is_some_and(|deadline| deadline.was_cut_short()) && !points.is_empty() {
            late.push(limit);
            continue;
        }
        found(&point);
        points.push(point);
    }
    points.reverse();
    Ok(ParetoFront::new(points, missing, late))
}

/// When the extra search of a size ends and when all of it does, from the beginning; none if it is too late to begin it.
/// The first size is always begun, so that there is a model.
fn ends(time: Duration, elapsed: Duration, size: usize, sizes: usize) -> Option<[Duration; 2]> {
    let left = time.saturating_sub(elapsed);
    if left.is_zero() && size > 0 {
        return None;
    }
    // Time that a size does not use is shared by the next ones.
    let extra = elapsed + left / (sizes - size) as u32;
    Some([extra, if size == 0 { time } else { time.mul_f64(GRACE) }])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::synthetic::blobs;
    use crate::run::Progress;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// The front of few rows, with models of 800 bytes and less.
    fn front(time: Duration, run: &Run<'_>, found: impl FnMut(&Point)) -> Result<ParetoFront, TrainError> {
        let mut search = BudgetSearch { passes: Some(2), ..BudgetSearch::within(Limits::default()) };
        search.common.numeric = crate::config::Numeric::F32;
        let plan = Plan { time: Some(time), quick: true, ..Plan::new(Bytes(800)) };
        tune(&search, &blobs(3, 20, 4, 0.8, 1), &plan, &TrialCache::in_memory(), run, found)
    }

    fn limits(front: &ParetoFront) -> Vec<Bytes> {
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
    fn one_model_is_found_when_there_is_no_time_and_the_other_sizes_are_late() -> Result<(), TrainError> {
        let front = front(Duration::from_nanos(1), &Run::default(), |_| {})?;
        assert_eq!(limits(&front), [Bytes(800)]);
        assert_eq!(front.late, [Bytes(400), Bytes(200), Bytes(100)]);
        Ok(())
    }

    #[test]
    fn a_size_that_time_cut_short_is_no_point() -> Result<(), TrainError> {
        let (time, begun, first) = (Duration::from_secs(4), Instant::now(), AtomicBool::new(false));
        // The second size comes to a halt until its time is up.
        let halt = |_: Progress| {
            let end = begun + time.mul_f64(GRACE) + Duration::from_millis(100);
            if first.load(Ordering::Relaxed) {
                std::thread::sleep(end.saturating_duration_since(Instant::now()));
            }
        };
        let front = front(time, &Run::default().on_progress(&halt), |_| first.store(true, Ordering::Relaxed))?;
        assert_eq!(limits(&front), [Bytes(800)]);
        assert_eq!(front.late, [Bytes(400), Bytes(200), Bytes(100)]);
        Ok(())
    }
}
