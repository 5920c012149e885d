//! How long candidates are trained.

use super::splits::FEW;
use super::{Candidate, Keep, train};

/// Samples that full training sees on many rows, within [`EPOCHS`]: thousands of rows need thousands of steps, and
/// 60 000 rows (MNIST) are learned in 60 epochs.
const SAMPLES: usize = 3_600_000;
/// Epochs of full training on many rows, fewest and most.
const EPOCHS: (usize, usize) = (30, 200);
/// Epochs on fewer rows than [`FEW`]. Trades overfitting for convergence; no measurement is recorded.
const FEW_EPOCHS: usize = 60;
/// Epochs on fewer rows than [`MANY`], by the same trade.
const MEDIUM_EPOCHS: usize = 100;
/// Multiplications that all short trainings of a search may take together, and one full training. They bound the time of
/// large sets: with them, a fit of MNIST takes 98 s (2 kB) to 376 s (16 kB) of CPU.
const WORK: (f64, f64) = (1.5e12, 1e12);
/// Short trainings of a search, about; each gets an equal share of the work.
const SHORT_TRAININGS: f64 = 30.0;
/// Rows above which training takes larger steps on larger minibatches without label smoothing: [`MANY_ROWS`] instead of
/// [`FEW_ROWS`].
const MANY: usize = 10_000;
/// Rows above which minibatches are larger still.
const VERY_MANY: usize = 3 * MANY;
/// Minibatches of few, many and very many rows: the gradient of more rows is less noisy per step, and larger products
/// use the processor better.
const BATCH: [usize; 3] = [64, 128, 256];
/// Learning rate and label smoothing of few rows, before others are tried.
const FEW_ROWS: (f64, f64) = (0.04, 0.1);
/// The same of many rows.
const MANY_ROWS: (f64, f64) = (0.1, 0.0);
/// Short training relative to full training, on few rows and on more: just long enough to rank candidates. Choices that
/// only a long training shows (noise, shifts, its length) are repeated among the finalists.
const SHORT: (f64, f64) = (0.4, 0.2);
/// The length of all trainings, and the work that they may take, in a coarse search. A fifth keeps MNIST in 16 kB below two
/// minutes of two cores.
const QUICK: f64 = 0.2;
/// Epochs of a coarse search that limits on time never shorten further, as a share: below that, few rows are not learned.
const QUICK_EPOCHS: f64 = 0.5;
/// The least share of a training that a limit on work leaves.
const LEAST: f64 = 0.01;
/// A finalist is trained for a fraction of the full steps too: longer training is worse if future rows differ from
/// those at hand. Found on two splits of UCI HAR's training subjects.
const PARTIAL: usize = 4;

/// What the length of training depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Schedule {
    pub(super) rows: usize,
    /// Fits of every candidate.
    pub(super) folds: usize,
    /// Epochs of full training; by default by the number of rows.
    pub(super) epochs: Option<usize>,
    pub(super) seed: u64,
    /// Whether trainings are shortened by [`QUICK`].
    pub(super) quick: bool,
}

impl Schedule {
    /// Short training from a closed form.
    pub(super) fn short(&self, closed_form: Candidate) -> Candidate {
        let full = self.full_with_defaults(closed_form);
        let short = if self.rows < FEW { SHORT.0 } else { SHORT.1 };
        let work = self.pace() * WORK.0 / SHORT_TRAININGS / self.folds as f64;
        let share = short.min(self.affordable(&full, work));
        full.with_training(|p| p.steps = scaled(p.steps, share))
    }

    /// Full training with the parameters of a short one.
    pub(super) fn full(&self, short: Candidate) -> Candidate {
        let steps = self.full_with_defaults(short.untrained()).training.map_or(0, |p| p.steps);
        short.with_training(|p| p.steps = steps)
    }

    /// A fraction of full training; none where that is short anyway.
    pub(super) fn partial(&self, short: Candidate) -> Option<Candidate> {
        short.training.filter(|_| self.rows >= FEW)?;
        Some(self.full(short).with_training(|p| p.steps = (p.steps / PARTIAL).max(1)))
    }

    /// Full training from a closed form, with parameters yet to be chosen.
    fn full_with_defaults(&self, closed_form: Candidate) -> Candidate {
        let rows = self.rows;
        let batch = BATCH[usize::from(rows > MANY) + usize::from(rows > VERY_MANY)];
        let epochs = self.epochs.unwrap_or(match rows {
            0..FEW => FEW_EPOCHS,
            FEW..MANY => MEDIUM_EPOCHS,
            _ => (SAMPLES / rows).clamp(EPOCHS.0, EPOCHS.1),
        });
        let (rate, smoothing) = if rows > MANY { MANY_ROWS } else { FEW_ROWS };
        let params = train::Params {
            steps: scaled(epochs * rows / batch, if self.quick { QUICK_EPOCHS } else { 1.0 }),
            batch,
            rate,
            smoothing,
            noise: 0.0,
            shift: 0,
            keep: Keep::of(&closed_form.dimensions),
            numeric: closed_form.numeric,
            learned: None,
            seed: self.seed,
        };
        let full = Candidate { training: Some(params), ..closed_form };
        let share = self.affordable(&full, self.pace() * WORK.1);
        full.with_training(|p| p.steps = scaled(p.steps, share))
    }

    /// The work of trainings, relative to the search of a fit.
    fn pace(&self) -> f64 {
        if self.quick { QUICK } else { 1.0 }
    }

    /// The share of a candidate's training that so many multiplications allow, at most all of it.
    fn affordable(&self, candidate: &Candidate, work: f64) -> f64 {
        let closed_form = candidate.untrained().work(self.rows);
        ((work - closed_form) / (candidate.work(self.rows) - closed_form)).clamp(LEAST, 1.0)
    }
}

/// A share of so many steps, at least one.
pub(super) fn scaled(steps: usize, share: f64) -> usize {
    ((steps as f64 * share) as usize).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::candidate::tests::SMALL;
    use crate::search::{Dimensions, Numeric};

    fn schedule(rows: usize) -> Schedule {
        Schedule { rows, folds: 1, epochs: None, seed: 0, quick: false }
    }

    fn closed_form() -> Candidate {
        Candidate::closed_form(SMALL, Numeric::I8, 0)
    }

    fn steps(candidate: Candidate) -> Option<(usize, usize)> {
        candidate.training.map(|p| (p.steps, p.batch))
    }

    #[test]
    fn steps_follow_from_rows_epochs_and_batch() {
        let full = |rows| steps(schedule(rows).full(schedule(rows).short(closed_form())));
        assert_eq!(full(1280), Some((60 * 1280 / 64, 64)), "digits has 1257 rows");
        assert_eq!(full(6400), Some((100 * 6400 / 64, 64)));
        assert_eq!(full(16_000), Some((200 * 16_000 / 128, 128)), "letter: 225 epochs would be 3.6 million samples");
        assert_eq!(full(60_000), Some((60 * 60_000 / 256, 256)), "MNIST");
        let ten = Schedule { epochs: Some(10), ..schedule(1280) };
        assert_eq!(steps(ten.full(ten.short(closed_form()))), Some((200, 64)));
    }

    #[test]
    fn short_and_partial_training_are_shares_of_the_full() {
        let short = |rows| steps(schedule(rows).short(closed_form())).map(|s| s.0);
        assert_eq!(short(1280), Some(480), "0.4 of 1200");
        assert_eq!(short(6400), Some(2000), "0.2 of 10 000");
        let partial = |rows| schedule(rows).partial(schedule(rows).short(closed_form())).and_then(steps);
        assert_eq!(partial(1280), None);
        assert_eq!(partial(6400), Some((2500, 64)));
        assert_eq!(steps(schedule(6400).full(closed_form())), None, "a closed form stays one");
    }

    #[test]
    fn a_coarse_search_trains_shorter() {
        let full = |rows, quick| {
            let schedule = Schedule { quick, ..schedule(rows) };
            let found = schedule.full(schedule.short(closed_form()));
            (steps(found).map_or(0, |steps| steps.0), found.work(rows))
        };
        assert_eq!((full(1280, false).0, full(1280, true).0), (1200, 600));
        assert!(2 * full(60_000, true).0 <= full(60_000, false).0 && full(60_000, true).1 <= QUICK * WORK.1);
    }

    #[test]
    fn work_limits_the_training_of_large_models() {
        let large = Dimensions { features: 3000, kept: 3000, projected: 48, centers: 1000, ..SMALL };
        let full = schedule(60_000).full(schedule(60_000).short(Candidate::closed_form(large, Numeric::I8, 0)));
        assert!(full.work(60_000) <= WORK.1 && full.work(60_000) > 0.99 * WORK.1, "{:e}", full.work(60_000));
    }
}
