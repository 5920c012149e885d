//! Choices one after the other: width, start, shape and descent.

use super::closed::{self, Allot, Directions, Origin};
use super::refine;
use super::search::Search;
use super::setting::{Setting, Start, Trial};
use super::shapes;
use super::size::{Numeric, Shape};
use crate::error::FitError;

/// Factors of the root mean square distance to try as the kernel's width.
const WIDTHS: [f64; 5] = [0.25, 0.35, 0.5, 0.7, 1.0];

impl Search<'_> {
    /// The best kernel model of these shapes by short descents.
    pub(super) fn kernel(&mut self, all: &[Shape], numeric: Numeric) -> Result<Setting, FitError> {
        let shapes = shapes::spread(all);
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
        let chosen = self.best(&others, Some(best))?.setting;
        let chosen = if self.refines { self.short(chosen) } else { chosen };
        if self.is_late() {
            return Ok(chosen);
        }
        // Dropped features and fewer coordinates have to be worth it.
        let (plain, special): (Vec<&Shape>, Vec<&Shape>) =
            shapes.iter().partition(|s| s.dim == shapes[0].dim && s.kept == s.features);
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
        let near = shapes::neighbors(all, &best.setting.shape);
        let near = near.iter().filter(|shape| !shapes.contains(shape));
        let near: Vec<Setting> = near.map(|shape| self.reshaped(&best.setting, shape)).collect();
        best = self.best(&near, Some(best))?;
        self.descents(best)
    }

    /// The same setting with another shape.
    pub(super) fn reshaped(&self, setting: &Setting, shape: &Shape) -> Setting {
        let Start::Centers(before) = setting.start else { return *setting };
        let closed = Setting::closed(*shape, setting.numeric, self.seed).start(|p| {
            let (projected, centers, dim) = (p.projected, p.centers, p.dim);
            *p = closed::Params { projected, centers, dim, ..before };
        });
        let closed = Setting { guide: setting.guide, ..closed };
        if setting.refine.is_some() { self.short(closed) } else { closed }
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
        self.descents(best)
    }

    /// Settings of the descent, one after the other.
    fn descents(&mut self, mut best: Trial) -> Result<Setting, FitError> {
        if best.setting.refine.is_none() {
            return Ok(best.setting);
        }
        let with = |best: &Trial, change: &dyn Fn(&mut refine::Params)| best.setting.descent(change);
        let mut disturbed = [0.6, 0.3].map(|noise| with(&best, &|p| p.noise = noise)).to_vec();
        if self.prepared.samples.can_shift() {
            disturbed.push(with(&best, &|p| p.shift = 1));
        }
        best = self.best(&disturbed, Some(best))?;
        let rates = [0.15, 0.4, 2.5].map(|factor| with(&best, &|p| p.rate *= factor));
        best = self.best(&rates, Some(best))?;
        let smoothings = [0.0, 0.05, 0.1].map(|smoothing| with(&best, &|p| p.smoothing = smoothing));
        Ok(self.best(&smoothings, Some(best))?.setting)
    }
}
