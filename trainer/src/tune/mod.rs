//! The accuracy–size front: the best models of several budgets, found by a longer search than a fit's.
//!
//! For every size, the search of a fit first (one choice after the other), then successive halving over random variations
//! of what it found — width, ridge, projection, centers, start, descent — then other methods' embeddings, then floats
//! beside integers. All comparisons are on rows held out of the training rows; the last one is between model files.

mod book;
mod plot;
mod report;

pub use book::{Book, BookError};

use crate::anatomy::Anatomy;
use crate::data::Dataset;
use crate::eval::EvalError;
use crate::recipe::{Bytes, Exploration, Recipe, RecipeError, Trained};
use crate::run::Run;
use std::time::{Duration, Instant};

/// Settings for successive halving at every size.
const ARMS: usize = 27;
/// Methods whose embedding is tried beside class indicators.
const RIVALS: [&str; 3] = ["nsse", "kdple", "cmvca"];
/// Halvings of the budget that make the front.
const SIZES: u32 = 4;
/// By how much more time than planned a size that was begun in time may be searched like a fit would.
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
/// [`RecipeError`] when the recipe or the rows are at fault, or not even the largest budget holds a model.
pub fn tune(
    recipe: &Recipe,
    data: &Dataset,
    plan: &Plan,
    book: &Book,
    run: &Run<'_>,
    mut tell: impl FnMut(&Point),
) -> Result<Front, RecipeError> {
    let begun = Instant::now();
    let sizes = plan.sizes();
    let (mut points, mut missing, mut late) = (Vec::new(), Vec::new(), Vec::new());
    for (i, &limit) in sizes.iter().enumerate() {
        let start = Instant::now();
        if let Some(time) = plan.time {
            let left = time.saturating_sub(begun.elapsed());
            if left.is_zero() && !points.is_empty() {
                late.push(limit);
                continue;
            }
            // What a size leaves over is for the next ones. There has to be a model in time, but only one.
            let end = if points.is_empty() { time } else { time.mul_f64(GRACE) };
            book.until(start + left / (sizes.len() - i) as u32, begun + end);
        }
        let own = Recipe { flash: Some(limit), ..recipe.clone() };
        // A method that was named has no rivals.
        let rivals: &[&str] = if recipe.method == "auto" { &RIVALS } else { &[] };
        let thorough = Exploration { arms: ARMS, floats: true, rivals, ledger: Some(book) };
        let exploration =
            if plan.quick { Exploration { ledger: Some(book), ..Exploration::default() } } else { thorough };
        let found = match own.explored(data, &exploration, run) {
            Err(RecipeError::Budget(error)) if !points.is_empty() => {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synthetic::blobs;

    #[test]
    fn one_model_is_found_when_there_is_no_time_and_the_other_sizes_are_told() -> Result<(), RecipeError> {
        let (recipe, book) = (Recipe { method: "auto".to_owned(), ..Recipe::default() }, Book::unwritten());
        let plan = Plan { time: Some(Duration::from_nanos(1)), ..Plan::new(Bytes(800)) };
        let front = tune(&recipe, &blobs(3, 20, 4, 0.8, 1), &plan, &book, &Run::default(), |_| {})?;
        assert_eq!(front.points.iter().map(|point| point.limit).collect::<Vec<_>>(), [Bytes(800)]);
        assert_eq!(front.late, [Bytes(400), Bytes(200), Bytes(100)]);
        assert!(book.was_late());
        Ok(())
    }
}
