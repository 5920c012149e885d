//! Successive halving (Jamieson and Talwalkar 2016): many candidates trained shortly, the best third of them longer, and
//! so on.

use crate::rng::Rng;
use crate::search::closed_form::{Allot, Directions};
use crate::search::evaluate::Evaluator;
use crate::search::schedule::scaled;
use crate::search::{Candidate, Dimensions, TrainError};

/// One candidate of so many goes on, and is then trained so many times longer: every round costs the same.
const REDUCTION: usize = 3;
/// Training of the first round, relative to short training; the second round is as long as the comparisons before.
const FIRST_ROUND: f64 = 1.0 / 3.0;
/// Separates the random numbers of halving from all others of the same seed.
const STREAM: u64 = 0x7475_6e65;
/// How often a variation has other dimensions: the climb has found good ones already, so that half stay there.
const OTHER_DIMENSIONS: f64 = 0.5;
/// Variations of width, ridge and learning rate, each by a random factor between 1/x and x on a logarithmic scale: as
/// far as the lists of [`choices`](super::choices) reach, and far for the ridge, which no list covers.
const SIGMA_FACTOR: f64 = 2.0;
const RIDGE_FACTOR: f64 = 100.0;
const RATE_FACTOR: f64 = 3.0;
/// Label smoothing of variations: the list of the choices and beyond.
const SMOOTHINGS: [f64; 5] = [0.0, 0.02, 0.05, 0.1, 0.2];
/// Noise of variations: the list of the choices and beyond.
const NOISES: [f64; 5] = [0.0, 0.2, 0.4, 0.6, 0.9];

impl Evaluator<'_> {
    /// The best of so many variations of a candidate, itself included.
    pub(super) fn halving(
        &mut self,
        best: Candidate,
        all: &[Dimensions],
        arms: usize,
    ) -> Result<Candidate, TrainError> {
        if best.training.is_none() || arms == 0 {
            return Ok(best);
        }
        let mut rng = Rng::new(self.options.seed ^ STREAM);
        let mut left: Vec<Candidate> = vec![best];
        left.extend((1..arms).map(|_| self.varied(&best, all, &mut rng)));
        let rounds = arms.ilog(REDUCTION) as usize + 1;
        let mut share = FIRST_ROUND;
        for round in 0.. {
            if left.len() < 2 {
                break;
            }
            self.run.step("successive halving", round, rounds)?;
            if self.is_extra_over() {
                break;
            }
            let trained = |c: &Candidate| c.with_training(|p| p.steps = scaled(p.steps, share));
            let candidates: Vec<Candidate> = left.iter().map(trained).collect();
            let scores: Vec<Option<f64>> =
                self.quick(&candidates)?.into_iter().map(|trial| trial.ok().map(|trial| trial.accuracy)).collect();
            left = survivors(&scores).into_iter().map(|place| left[place]).collect();
            share *= REDUCTION as f64;
        }
        left.first().copied().ok_or_else(TrainError::no_candidates)
    }

    /// A random candidate not far from a good one.
    fn varied(&self, best: &Candidate, dimensions: &[Dimensions], rng: &mut Rng) -> Candidate {
        let mut candidate = *best;
        if !dimensions.is_empty() && rng.uniform() < OTHER_DIMENSIONS {
            candidate = self.resized(best, &dimensions[rng.below(dimensions.len())]);
        }
        let mut factor = |most: f64| libm::exp((2.0 * rng.uniform() - 1.0) * libm::log(most));
        let (sigma, ridge, rate) = (factor(SIGMA_FACTOR), factor(RIDGE_FACTOR), factor(RATE_FACTOR));
        let (smoothing, noise) = (SMOOTHINGS[rng.below(SMOOTHINGS.len())], NOISES[rng.below(NOISES.len())]);
        let mut coin = || rng.below(2) == 1;
        let (lda, proportional, shift) = (coin(), coin(), coin());
        let candidate = candidate.with_start(|p| {
            p.sigma *= sigma;
            p.ridge *= ridge;
            p.directions = if lda { Directions::Lda } else { Directions::Pca };
            p.allot = if proportional { Allot::Proportional } else { Allot::Equal };
        });
        let shifts = self.prepared.samples.shifts.is_some();
        candidate.with_training(|p| {
            p.rate *= rate;
            (p.smoothing, p.noise) = (smoothing, noise);
            p.shift = usize::from(shifts && shift);
        })
    }
}

/// The places of the best third, the best first and the earlier first among equals. Without a score is last.
fn survivors(scores: &[Option<f64>]) -> Vec<usize> {
    let score = |place: &usize| scores[*place].unwrap_or(-1.0);
    let mut places: Vec<usize> = (0..scores.len()).collect();
    places.sort_by(|a, b| score(b).total_cmp(&score(a)));
    places.truncate(scores.len().div_ceil(REDUCTION));
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_third_survives() {
        let scores = [0.5, 0.9, 0.7, 0.9, 0.1, 0.8, 0.2].map(Some);
        assert_eq!(survivors(&scores), [1, 3, 5], "a third of seven is three, the earlier of equals first");
        assert_eq!(survivors(&[None, Some(0.0), None]), [1], "what cannot be fitted is last");
        assert_eq!(survivors(&[None, None]), [0]);
        assert_eq!(survivors(&[Some(0.3)]), [0]);
    }
}
