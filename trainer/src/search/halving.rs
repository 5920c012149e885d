//! Successive halving: many settings for a short while, the best third of them for longer, and so on.

use super::candidate::{Setting, Start, Trial};
use super::closed_form::{Allot, Directions};
use super::comparison::Search;
use super::space::size::Shape;
use crate::error::FitError;
use crate::rng::Rng;

/// The share of settings that goes on, and by how much longer they are then tried.
const SHARE: usize = 3;
/// How long settings are tried at first, relative to a short descent.
const FIRST: f64 = 1.0 / 3.0;

impl Search<'_> {
    /// The best of so many variations of a setting, itself included, after as many rounds as it takes.
    pub(super) fn halving(&mut self, best: Setting, shapes: &[Shape], arms: usize) -> Result<Setting, FitError> {
        if best.refine.is_none() || arms == 0 {
            return Ok(best);
        }
        let mut rng = Rng::new(self.seed ^ 0x7475_6e65);
        let mut left: Vec<Setting> = vec![best];
        left.extend((1..arms).map(|_| self.varied(&best, shapes, &mut rng)));
        let mut share = FIRST;
        let mut round = 0;
        while left.len() > 1 {
            let steps = |setting: Setting| setting.descent(|p| p.steps = ((p.steps as f64 * share) as usize).max(1));
            self.run.step("halving", round, arms.ilog(SHARE) as usize + 1)?;
            let tried: Vec<Setting> = left.iter().copied().map(steps).collect();
            let Some(mut found) = self.ranked(&tried)? else { break };
            found.truncate(left.len().div_ceil(SHARE));
            left = found.into_iter().map(|place| left[place]).collect();
            (share, round) = (share * SHARE as f64, round + 1);
        }
        Ok(left.first().copied().unwrap_or(best))
    }

    /// Places in order of accuracy, the earlier first among equals; none if time is up.
    fn ranked(&mut self, settings: &[Setting]) -> Result<Option<Vec<usize>>, FitError> {
        if self.is_over() {
            return Ok(None);
        }
        let trials: Vec<Option<Trial>> = self.each(settings)?;
        let accuracy = |place: &usize| trials[*place].map_or(-1.0, |trial| trial.accuracy);
        let mut places: Vec<usize> = (0..settings.len()).collect();
        places.sort_by(|a, b| accuracy(b).total_cmp(&accuracy(a)));
        Ok(Some(places))
    }

    /// A setting at random, not far from a good one.
    fn varied(&self, best: &Setting, shapes: &[Shape], rng: &mut Rng) -> Setting {
        let mut setting = *best;
        if !shapes.is_empty() && rng.uniform() < 0.5 {
            setting = self.remade(best, &shapes[rng.below(shapes.len())]);
        }
        let mut factor = |most: f64| libm::exp((2.0 * rng.uniform() - 1.0) * libm::log(most));
        let (sigma, ridge, rate) = (factor(2.0), factor(100.0), factor(3.0));
        let mut pick = |values: &[f64]| values[rng.below(values.len())];
        let (smoothing, noise) = (pick(&[0.0, 0.02, 0.05, 0.1, 0.2]), pick(&[0.0, 0.2, 0.4, 0.6, 0.9]));
        let (lda, proportional, shift) = (pick(&[0.0, 1.0]), pick(&[0.0, 1.0]), pick(&[0.0, 1.0]));
        let images = self.prepared.samples.can_shift();
        if let Start::Centers(_) = setting.start {
            setting = setting.start(|p| {
                p.sigma *= sigma;
                p.ridge *= ridge;
                p.directions = if lda > 0.5 { Directions::Lda } else { Directions::Pca };
                p.allot = if proportional > 0.5 { Allot::Proportional } else { Allot::Equal };
            });
        }
        setting.descent(|p| {
            p.rate *= rate;
            (p.smoothing, p.noise) = (smoothing, noise);
            p.shift = usize::from(images && shift > 0.5);
        })
    }
}
