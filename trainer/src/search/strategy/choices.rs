//! One choice after the other: kernel width, closed form, dimensions, training.
//!
//! The lists below are the search's grid: each trades trials, and with them time, for resolution. Where a measurement is
//! recorded, it stands with its list; the others were not tuned.

use crate::error::FitError;
use crate::search::closed_form::{self, Allot, Directions, Origin};
use crate::search::evaluate::Evaluator;
use crate::search::space::{neighbors, spread};
use crate::search::{Candidate, Dimensions, Numeric, Options, Start, TrainError, Trial, train};

/// Kernel widths of closed forms, relative to the root mean square distance of projected rows: a factor of √2 apart.
const WIDTHS: [f64; 5] = [0.25, 0.35, 0.5, 0.7, 1.0];
/// Factors of the width that are tried once candidates are trained: what is best for a closed form is too wide after
/// training.
const NARROWER: [f64; 2] = [0.5, 0.7];
/// Rounds of trying the neighbors of the best dimensions. The second was added with the finer list of kept features: eight
/// that stand for all leave gaps of more than one step.
const CLIMBS: usize = 2;
/// Noise on the features during training, relative to their root mean square deviation. Short training shows little of
/// its worth, so that finalists are compared with and without it again.
const NOISES: [f64; 2] = [0.6, 0.3];
/// Pixels by which images are shifted during training.
const SHIFT: usize = 1;
/// Factors of the learning rate.
const RATES: [f64; 3] = [0.15, 0.4, 2.5];
/// Label smoothing: none, and up to the default of few rows.
const SMOOTHINGS: [f64; 3] = [0.0, 0.05, 0.1];

impl Evaluator<'_> {
    /// The best kernel model of these dimensions, after short training.
    pub(super) fn kernel(&mut self, all: &[Dimensions], numeric: Numeric) -> Result<Trial, TrainError> {
        let typical = spread(all);
        let Some(middle) = typical.get(typical.len() / 2) else {
            return Err(FitError::TooFewRows { name: "dimensions", needed: 1, rows: 0 }.into());
        };
        let options = self.options;
        let best = self.closed_form(middle, numeric)?;
        let chosen = if options.train { self.schedule().short(best.candidate) } else { best.candidate };
        if self.is_over() {
            return Ok(Trial { candidate: chosen, ..best });
        }
        let best = self.dimensions(&chosen, &typical)?;
        let narrower = NARROWER.map(|factor| best.candidate.with_start(|p| p.sigma *= factor));
        let best = self.pick(&narrower, Some(best))?;
        let best = self.climb(best, all, typical)?;
        self.training(best)
    }

    /// Width, directions and allotment of a closed form.
    fn closed_form(&mut self, dimensions: &Dimensions, numeric: Numeric) -> Result<Trial, TrainError> {
        let Options { seed, origin, .. } = self.options;
        let start = Candidate::closed_form(*dimensions, numeric, seed).with_start(|p| p.origin = origin);
        let widths = WIDTHS.map(|sigma| start.with_start(|p| p.sigma = sigma));
        let best = self.pick(&widths, None)?;
        let mut others = vec![best.candidate.with_start(|p| p.directions = Directions::Lda)];
        if origin != Origin::Exemplars {
            others.push(best.candidate.with_start(|p| p.allot = Allot::Proportional));
        }
        self.pick(&others, Some(best))
    }

    /// The best of some dimensions; dropped features and shorter embeddings have to be clearly better.
    fn dimensions(&mut self, chosen: &Candidate, typical: &[Dimensions]) -> Result<Trial, TrainError> {
        let is_plain = |c: &Candidate| c.dimensions.dim == typical[0].dim && c.dimensions.is_dense();
        let candidates = typical.iter().map(|d| self.with_default_training(chosen, d));
        let (plain, special): (Vec<Candidate>, Vec<Candidate>) = candidates.partition(is_plain);
        let first = if plain.is_empty() { None } else { Some(self.pick(&plain, None)?) };
        match first {
            Some(first) if special.is_empty() => Ok(first),
            first => self.pick(&special, first),
        }
    }

    /// Hill climbing: the neighbors of the best dimensions that were not tried yet, [`CLIMBS`] times.
    fn climb(&mut self, mut best: Trial, all: &[Dimensions], mut seen: Vec<Dimensions>) -> Result<Trial, TrainError> {
        let climbs = if self.options.quick { 1 } else { CLIMBS };
        for _ in 0..climbs {
            let mut near = neighbors(all, &best.candidate.dimensions);
            near.retain(|d| !seen.contains(d));
            let candidates: Vec<Candidate> =
                near.iter().map(|d| self.with_default_training(&best.candidate, d)).collect();
            let found = self.pick(&candidates, Some(best))?;
            if found == best {
                break;
            }
            best = found;
            seen.extend(near);
        }
        Ok(best)
    }

    /// The candidate with other dimensions, and with the default training of those if it is trained.
    fn with_default_training(&self, candidate: &Candidate, dimensions: &Dimensions) -> Candidate {
        let Start::Centers(before) = candidate.start else { return *candidate };
        let seed = self.options.seed;
        let closed = Candidate::closed_form(*dimensions, candidate.numeric, seed).with_start(|p| {
            let (projected, centers, dim) = (p.projected, p.centers, p.dim);
            *p = closed_form::Params { projected, centers, dim, ..before };
        });
        let closed = Candidate { target: candidate.target, ..closed };
        if candidate.training.is_some() { self.schedule().short(closed) } else { closed }
    }

    /// The candidate with other dimensions and the training that was chosen for it.
    pub(super) fn resized(&self, candidate: &Candidate, dimensions: &Dimensions) -> Candidate {
        let own = self.with_default_training(candidate, dimensions);
        let training = own.training.zip(candidate.training).map(|(own, chosen)| {
            let train::Params { steps, keep, .. } = own;
            train::Params { steps, keep, ..chosen }
        });
        Candidate { training, ..own }
    }

    /// The best linear model of these dimensions, after short training.
    pub(super) fn linear(&mut self, all: &[Dimensions], numeric: Numeric) -> Result<Candidate, TrainError> {
        let (options, schedule) = (self.options, self.schedule());
        let candidate = |d: &Dimensions| {
            let closed = Candidate::closed_form(*d, numeric, options.seed);
            // Another method's map drops features by training only.
            if options.train || d.kept < d.features { schedule.short(closed) } else { closed }
        };
        let candidates: Vec<Candidate> = all.iter().map(candidate).collect();
        let best = self.pick(&candidates, None)?;
        Ok(self.training(best)?.candidate)
    }

    /// Parameters of training: augmentation, learning rate, label smoothing.
    fn training(&mut self, best: Trial) -> Result<Trial, TrainError> {
        if best.candidate.training.is_none() {
            return Ok(best);
        }
        let mut augmented = NOISES.map(|noise| best.candidate.with_training(|p| p.noise = noise)).to_vec();
        if self.prepared.samples.shifts.is_some() {
            augmented.push(best.candidate.with_training(|p| p.shift = SHIFT));
        }
        let best = self.pick(&augmented, Some(best))?;
        if self.options.quick {
            return Ok(best);
        }
        let rates = RATES.map(|factor| best.candidate.with_training(|p| p.rate *= factor));
        let best = self.pick(&rates, Some(best))?;
        let smoothings = SMOOTHINGS.map(|smoothing| best.candidate.with_training(|p| p.smoothing = smoothing));
        self.pick(&smoothings, Some(best))
    }

    /// Quickly evaluates candidates and returns the best, or `before` unless that is clearly worse.
    pub(super) fn pick(&mut self, candidates: &[Candidate], before: Option<Trial>) -> Result<Trial, TrainError> {
        let tried = self.trials.len();
        self.run.step("comparing candidates", tried, tried + candidates.len())?;
        let over = self.is_over();
        if let Some(before) = before.filter(|_| over || candidates.is_empty()) {
            return Ok(before);
        }
        // Without time, the first candidate is the choice.
        let candidates = if over { &candidates[..candidates.len().min(1)] } else { candidates };
        let found = self.quick(candidates)?;
        let failure = found.iter().rev().find_map(|trial| trial.as_ref().err().cloned());
        let winner = found.into_iter().flatten().reduce(Trial::or_better);
        match (before, winner) {
            (None, Some(winner)) => Ok(winner),
            (Some(before), Some(winner)) => Ok(before.or_clearly_better(winner, self.held_out())),
            (Some(before), None) => Ok(before),
            (None, None) => Err(failure.unwrap_or_else(TrainError::no_candidates)),
        }
    }
}
