//! Choices one after the other: width, start, shape and descent.

use super::candidate::{Setting, Start, Trial};
use super::closed_form::{self, Allot, Directions, Origin};
use super::comparison::Search;
use super::space;
use super::space::size::{Numeric, Shape};
use super::train;
use crate::error::FitError;

/// Factors of the root mean square distance to try as the kernel's width.
const WIDTHS: [f64; 5] = [0.25, 0.35, 0.5, 0.7, 1.0];

/// Rounds of looking around the best shape.
const CLIMBS: usize = 2;

impl Search<'_> {
    /// The best kernel model of these shapes by short descents.
    pub(super) fn kernel(&mut self, all: &[Shape], numeric: Numeric) -> Result<Trial, FitError> {
        let shapes = space::spread(all);
        let (origin, seed) = (self.origin, self.seed);
        let Some(middle) = shapes.get(shapes.len() / 2) else {
            return Err(FitError::TooFewRows { name: "shapes", needed: 1, rows: 0 });
        };
        let middle = Setting::closed(*middle, numeric, seed).start(|p| p.origin = origin);
        let widths = WIDTHS.map(|sigma| middle.start(|p| p.sigma = sigma));
        let best = self.best(&widths, None)?;
        let mut others = vec![best.setting.start(|p| p.directions = Directions::Lda)];
        if origin != Origin::Exemplars {
            others.push(best.setting.start(|p| p.allot = Allot::Proportional));
        }
        let best = self.best(&others, Some(best))?;
        let chosen = if self.refines { self.short(best.setting) } else { best.setting };
        if self.is_late() {
            return Ok(Trial { setting: chosen, ..best });
        }
        // Dropped features and fewer coordinates have to be worth it.
        let (plain, special): (Vec<&Shape>, Vec<&Shape>) =
            shapes.iter().partition(|s| s.dim == shapes[0].dim && s.is_whole());
        let plain: Vec<Setting> = plain.iter().map(|shape| self.reshaped(&chosen, shape)).collect();
        let special: Vec<Setting> = special.iter().map(|shape| self.reshaped(&chosen, shape)).collect();
        let first = if plain.is_empty() { None } else { Some(self.best(&plain, None)?) };
        let mut best = match first {
            Some(first) if special.is_empty() => first,
            first => self.best(&special, first)?,
        };
        // What is best without a descent is too wide with one.
        let narrower = [0.5, 0.7].map(|factor| best.setting.start(|p| p.sigma *= factor));
        best = self.best(&narrower, Some(best))?;
        let mut seen = shapes;
        for _ in 0..CLIMBS {
            let near: Vec<Shape> =
                space::neighbors(all, &best.setting.shape).into_iter().filter(|shape| !seen.contains(shape)).collect();
            let settings: Vec<Setting> = near.iter().map(|shape| self.reshaped(&best.setting, shape)).collect();
            let found = self.best(&settings, Some(best))?;
            if found == best {
                break;
            }
            best = found;
            seen.extend(near);
        }
        self.descents(best)
    }

    /// The same setting with another shape.
    pub(super) fn reshaped(&self, setting: &Setting, shape: &Shape) -> Setting {
        let Start::Centers(before) = setting.start else { return *setting };
        let closed = Setting::closed(*shape, setting.numeric, self.seed).start(|p| {
            let (projected, centers, dim) = (p.projected, p.centers, p.dim);
            *p = closed_form::Params { projected, centers, dim, ..before };
        });
        let closed = Setting { guide: setting.guide, ..closed };
        if setting.refine.is_some() { self.short(closed) } else { closed }
    }

    /// The same with the descent that was chosen for it.
    pub(super) fn remade(&self, setting: &Setting, shape: &Shape) -> Setting {
        let own = self.reshaped(setting, shape);
        let descent = |(own, chosen): (train::Params, train::Params)| {
            let train::Params { steps, keep, .. } = own;
            train::Params { steps, keep, ..chosen }
        };
        Setting { refine: own.refine.zip(setting.refine).map(descent), ..own }
    }

    /// The best linear model of these shapes by short descents.
    pub(super) fn linear(&mut self, shapes: &[Shape], numeric: Numeric) -> Result<Setting, FitError> {
        let settings: Vec<Setting> = shapes
            .iter()
            .map(|shape| {
                let closed = Setting::closed(*shape, numeric, self.seed);
                if self.refines || shape.kept < shape.features { self.short(closed) } else { closed }
            })
            .collect();
        let best = self.best(&settings, None)?;
        Ok(self.descents(best)?.setting)
    }

    /// Settings of the descent, one after the other.
    fn descents(&mut self, mut best: Trial) -> Result<Trial, FitError> {
        if best.setting.refine.is_none() {
            return Ok(best);
        }
        let with = |best: &Trial, change: &dyn Fn(&mut train::Params)| best.setting.descent(change);
        let mut disturbed = [0.6, 0.3].map(|noise| with(&best, &|p| p.noise = noise)).to_vec();
        if self.prepared.samples.can_shift() {
            disturbed.push(with(&best, &|p| p.shift = 1));
        }
        best = self.best(&disturbed, Some(best))?;
        let rates = [0.15, 0.4, 2.5].map(|factor| with(&best, &|p| p.rate *= factor));
        best = self.best(&rates, Some(best))?;
        let smoothings = [0.0, 0.05, 0.1].map(|smoothing| with(&best, &|p| p.smoothing = smoothing));
        self.best(&smoothings, Some(best))
    }
}
