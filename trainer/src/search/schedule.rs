//! How long descents are.

use super::candidate::Setting;
use super::comparison::Search;
use super::splits::FEW;
use super::train;
use super::train::prune::Keep;

/// Rows seen by a final descent, counting every time, within [`PASSES`].
const SEEN: usize = 3_600_000;
/// Passes of a final descent of many rows, fewest and most.
const PASSES: (usize, usize) = (30, 200);
/// Passes of fewer rows than [`FEW`], and of fewer than [`MANY`].
const FEWER: (usize, usize) = (60, 100);
/// Multiplications that all short descents of a search may take together, and one final descent.
const WORK: (f64, f64) = (1.5e12, 1e12);
/// Short descents of a search, about.
const DESCENTS: f64 = 30.0;
/// Rows above which a descent takes larger steps on larger minibatches.
const MANY: usize = 10_000;
/// Passes of a run that only compares, relative to a final one: of few rows and of many.
const GLANCE: (f64, f64) = (0.4, 0.2);

impl Search<'_> {
    /// A short descent from a closed form.
    pub(super) fn short(&self, closed: Setting) -> Setting {
        let whole = self.whole_from(closed);
        let glance = if self.prepared.data.len() < FEW { GLANCE.0 } else { GLANCE.1 };
        let share = glance.min(self.allowed(&whole, WORK.0 / DESCENTS / self.parts.len() as f64));
        whole.descent(|p| p.steps = ((p.steps as f64 * share) as usize).max(1))
    }

    /// A whole descent with the settings of a short one.
    pub(super) fn whole(&self, short: Setting) -> Setting {
        match short.refine {
            None => short,
            Some(params) => {
                let steps = self.whole_from(short.unrefined()).refine.map_or(0, |p| p.steps);
                Setting { refine: Some(train::Params { steps, ..params }), ..short }
            }
        }
    }

    /// A quarter of a whole descent, where that is long: longer is not better if the rows to come differ from those at
    /// hand.
    pub(super) fn brief(&self, short: Setting) -> Option<Setting> {
        let many = self.prepared.data.len() >= FEW;
        short.refine.filter(|_| many)?;
        Some(self.whole(short).descent(|p| p.steps = (p.steps / 4).max(1)))
    }

    /// A whole descent from a closed form, with settings yet to be chosen.
    fn whole_from(&self, closed: Setting) -> Setting {
        let rows = self.prepared.data.len();
        let many = rows > MANY;
        let batch = if rows > 3 * MANY { 256 } else { 64 << usize::from(many) };
        let passes = self.passes.unwrap_or(match rows {
            0..FEW => FEWER.0,
            FEW..MANY => FEWER.1,
            _ => (SEEN / rows).clamp(PASSES.0, PASSES.1),
        });
        let shape = closed.shape;
        let params = train::Params {
            steps: (passes * rows / batch).max(1),
            batch,
            rate: if many { 0.1 } else { 0.04 },
            smoothing: if many { 0.0 } else { 0.1 },
            noise: 0.0,
            shift: 0,
            keep: Keep::of(&shape),
            numeric: closed.numeric,
            seed: self.seed,
        };
        let whole = Setting { refine: Some(params), ..closed };
        let share = self.allowed(&whole, WORK.1);
        whole.descent(|p| p.steps = ((p.steps as f64 * share) as usize).max(1))
    }

    /// The share of a descent that so many multiplications allow, at most all of it.
    fn allowed(&self, setting: &Setting, work: f64) -> f64 {
        let rows = self.prepared.data.len();
        let closed = setting.unrefined().work(rows);
        ((work - closed) / (setting.work(rows) - closed)).clamp(0.01, 1.0)
    }
}
