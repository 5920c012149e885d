//! Settings compared on held-out training rows, one choice after the other.

use super::closed::{Allot, Directions, Origin};
use super::error::CompactError;
use super::files::{self, Writer};
use super::ledger::Ledger;
use super::parts::{FEW, Part, Prepared, parts};
use super::refine;
use super::setting::{Guide, Setting, Start, Trial};
use super::shapes;
use super::size::{Numeric, Shape};
use crate::error::FitError;
use crate::methods::Method;
use crate::par;
use crate::run::Run;
use crate::stages::Stage;

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
/// Factors of the root mean square distance to try as the kernel's width.
const WIDTHS: [f64; 5] = [0.25, 0.35, 0.5, 0.7, 1.0];
/// Passes of a run that only compares, relative to a final one: of few rows and of many.
const GLANCE: (f64, f64) = (0.4, 0.2);
/// Values beyond which fits take turns: two copies of them would be more than a gigabyte.
pub(super) const LARGE: usize = 1 << 26;
/// By how many standard errors of an accuracy a setting has to be better than the one before it: what wins by a row or
/// two wins by luck.
const CLEARLY: f64 = 0.25;
/// Rows that integers are calibrated by.
const CALIBRATION: usize = 3000;

/// Splits, and what was tried on them.
pub(super) struct Search<'a> {
    pub(super) prepared: &'a Prepared,
    /// The task's method and its rivals.
    pub(super) methods: Vec<Option<&'a dyn Method>>,
    pub(super) ledger: Option<&'a dyn Ledger>,
    pub(super) writer: Writer<'a>,
    pub(super) origin: Origin,
    pub(super) passes: Option<usize>,
    pub(super) refines: bool,
    pub(super) seed: u64,
    pub(super) run: Run<'a>,
    parts: Vec<Part>,
    pub(super) trials: Vec<Trial>,
}

/// How a model file does on rows held out, and how its numbers did before they were stored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// The trial.
    pub trial: Trial,
    /// Accuracy in f64.
    pub exact: f64,
    /// Rows that judged.
    pub rows: usize,
}

impl Verdict {
    /// Standard error of an accuracy like this.
    #[must_use]
    pub fn error(&self) -> f64 {
        (self.exact * (1.0 - self.exact) / self.rows.max(1) as f64).sqrt()
    }
}

impl<'a> Search<'a> {
    pub(super) fn new(
        prepared: &'a Prepared,
        methods: Vec<Option<&'a dyn Method>>,
        writer: Writer<'a>,
        seed: u64,
        run: Run<'a>,
    ) -> Result<Self, FitError> {
        let parts = parts(prepared, &methods, seed, &run)?;
        let (origin, trials) = (Origin::default(), Vec::new());
        let ledger = None;
        Ok(Self { prepared, methods, ledger, writer, origin, passes: None, refines: true, seed, run, parts, trials })
    }

    /// Tries settings on the same rows and returns the best, or the one `before` unless that is clearly worse.
    pub(super) fn best(&mut self, settings: &[Setting], before: Option<Trial>) -> Result<Trial, FitError> {
        self.run.step("comparing settings", self.trials.len(), self.trials.len() + settings.len())?;
        let over = self.is_over();
        if let Some(before) = before.filter(|_| over || settings.is_empty()) {
            return Ok(before);
        }
        let settings = if over { &settings[..settings.len().min(1)] } else { settings };
        let (trials, failure) = self.tried(settings)?;
        let trials: Vec<Trial> = trials.into_iter().flatten().collect();
        let held = self.held();
        let winner = trials.into_iter().reduce(ahead(0.0));
        match (before, winner, failure) {
            (None, Some(winner), _) => Ok(winner),
            (Some(before), Some(winner), _) => Ok(clearly_ahead(before, winner, held)),
            (Some(before), None, _) => Ok(before),
            (None, None, failure) => {
                Err(failure.unwrap_or(FitError::TooFewRows { name: "settings", needed: 1, rows: 0 }))
            }
        }
    }

    /// How each setting does; none where it cannot be fitted.
    pub(super) fn each(&mut self, settings: &[Setting]) -> Result<Vec<Option<Trial>>, FitError> {
        Ok(self.tried(settings)?.0)
    }

    /// The same, with the last error.
    fn tried(&mut self, settings: &[Setting]) -> Result<(Vec<Option<Trial>>, Option<FitError>), FitError> {
        let samples = &self.prepared.samples;
        let found = self.all("rounded", settings, |part, setting, run| {
            let guide = &part.guides[setting.guide];
            let (core, _) = setting.build(&part.data, samples, &part.train, guide, run)?;
            let classes = refine::classify(&core, samples, &part.held, setting.numeric, run.thread_count());
            let right = classes.iter().zip(&part.held).filter(|(class, row)| **class == samples.label(**row)).count();
            Ok([right, right])
        });
        let held = self.held();
        let (mut trials, mut failure) = (Vec::new(), None);
        for (&setting, right) in settings.iter().zip(found) {
            trials.push(match right {
                Ok([right, _]) => Some(Trial { setting, accuracy: right as f64 / held }),
                Err(FitError::Cancelled) => return Err(FitError::Cancelled),
                // What cannot be fitted is no candidate; the others may be.
                Err(error) => {
                    failure = Some(error);
                    None
                }
            });
        }
        self.trials.extend(trials.iter().flatten());
        Ok((trials, failure))
    }

    /// Whether time is up.
    pub(super) fn is_over(&self) -> bool {
        self.ledger.is_some_and(Ledger::is_over)
    }

    /// What a method says of the rows of the first part.
    pub(super) fn guide(&self, method: usize) -> &Guide {
        self.parts.first().and_then(|part| part.guides.get(method)).unwrap_or(&Guide::Classes)
    }

    /// The sum over all parts of what `f` counts, for every setting; what the ledger knows is not counted again.
    fn all<E: Send>(
        &self,
        round: &str,
        settings: &[Setting],
        f: impl Fn(&Part, &Setting, &Run<'_>) -> Result<[usize; 2], E> + Sync,
    ) -> Vec<Result<[usize; 2], E>> {
        let folds = self.parts.len();
        // Whole fits side by side share cores better than the steps of one, but each has a copy of its rows.
        let values: usize = self.parts.iter().map(|part| part.data.rows().len()).sum();
        let threads = self.run.thread_count();
        let (fits, within) = if values > LARGE { (1, threads) } else { (threads, 1) };
        let alone = self.run.quiet().threads(within);
        let found = par::map(fits, settings.len() * folds, |i| {
            let (part, setting) = (&self.parts[i % folds], settings[i / folds].for_fold(i % folds));
            let name = self.ledger.map(|_| self.name(round, part, &setting));
            let known = self.ledger.zip(name.as_ref()).and_then(|(ledger, name)| ledger.known(name));
            if let Some(known) = known {
                return Ok(known);
            }
            let found = f(part, &setting, &alone)?;
            if let (Some(ledger), Some(name)) = (self.ledger, name) {
                ledger.note(&name, found);
            }
            Ok(found)
        });
        let mut found = found.into_iter();
        let mut sum = || {
            let mut own = found.by_ref().take(folds).collect::<Vec<_>>().into_iter();
            own.try_fold([0, 0], |sum, part| part.map(|part| [sum[0] + part[0], sum[1] + part[1]]))
        };
        settings.iter().map(|_| sum()).collect()
    }

    /// The name of a measurement: everything that it depends on, beside the data set itself.
    fn name(&self, round: &str, part: &Part, setting: &Setting) -> String {
        let stages = self.writer.stages.iter().map(|stage| match stage {
            Stage::Window(window) => format!("{window:?}"),
            Stage::Pool(pool) => format!("{pool:?}"),
            Stage::Scale(_) => "scale".to_owned(),
            Stage::Project(_) => "project".to_owned(),
        });
        let guide = self.methods[setting.guide].map_or(String::new(), |m| format!("{} {:?}", m.name(), m.params()));
        let held = (part.held.len(), part.held.iter().fold(0, |sum: u64, &row| sum.wrapping_mul(31) + row as u64));
        format!("{round} {held:?} {:?} {guide} {setting:?}", stages.collect::<Vec<_>>())
    }

    /// Rows held out, over all parts.
    pub(super) fn held(&self) -> f64 {
        self.parts.iter().map(|part| part.held.len()).sum::<usize>() as f64
    }

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
            *p = super::closed::Params { projected, centers, dim, ..before };
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

    /// The last word: whole descents against none, as model files, on other splits than those that flatter what was
    /// chosen by them. The first of equals wins.
    pub(super) fn last_word(&mut self, settings: &[Setting]) -> Result<Verdict, CompactError> {
        let before = std::mem::take(&mut self.parts);
        let verdict = self.judge(settings);
        self.parts = before;
        verdict
    }

    fn judge(&mut self, settings: &[Setting]) -> Result<Verdict, CompactError> {
        self.parts = parts(self.prepared, &self.methods, self.seed.wrapping_add(1), &self.run)?;
        if self.prepared.data.len() < FEW {
            self.parts.extend(parts(self.prepared, &self.methods, self.seed.wrapping_add(2), &self.run)?);
        }
        self.run.step("comparing finalists", 0, settings.len())?;
        let (prepared, writer) = (self.prepared, &self.writer);
        let found = self.all("file", settings, |part, setting, run| -> Result<[usize; 2], CompactError> {
            let guide = &part.guides[setting.guide];
            let (core, _) = setting.build(&part.data, &prepared.samples, &part.train, guide, run)?;
            let file = writer.write(&core, &writer.rows(&part.train, CALIBRATION), setting.numeric)?;
            let labels = || part.held.iter().map(|&row| prepared.samples.label(row));
            let right = files::right(&file.model, &writer.rows(&part.held, usize::MAX), labels())?;
            let exact = core.classify(&prepared.data.rows().select_rows(&part.held), run.thread_count());
            Ok([right, exact.into_iter().zip(labels()).filter(|(found, label)| found == label).count()])
        });
        let rows = self.held();
        let (mut verdicts, mut failure) = (Vec::new(), None);
        for (&setting, right) in settings.iter().zip(found) {
            match right {
                Ok([right, exact]) => verdicts.push(Verdict {
                    trial: Trial { setting, accuracy: right as f64 / rows },
                    exact: exact as f64 / rows,
                    rows: rows as usize,
                }),
                Err(CompactError::Fit(FitError::Cancelled)) => return Err(FitError::Cancelled.into()),
                Err(error) => failure = Some(error),
            }
        }
        self.trials.extend(verdicts.iter().map(|verdict| verdict.trial));
        let none = CompactError::Fit(FitError::TooFewRows { name: "settings", needed: 1, rows: 0 });
        let better = |a: Verdict, b: Verdict| if b.trial.accuracy > a.trial.accuracy { b } else { a };
        verdicts.into_iter().reduce(better).ok_or(failure.unwrap_or(none))
    }

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
                Setting { refine: Some(refine::Params { steps, ..params }), ..short }
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
        let params = refine::Params {
            steps: (passes * rows / batch).max(1),
            batch,
            rate: if many { 0.1 } else { 0.04 },
            smoothing: if many { 0.0 } else { 0.1 },
            noise: 0.0,
            shift: 0,
            keep: (shape.kept < shape.features).then_some(shape.kept),
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

/// The later trial if it is better by more than luck would have it.
pub(super) fn clearly_ahead(before: Trial, later: Trial, held: f64) -> Trial {
    let deviation = (before.accuracy * (1.0 - before.accuracy) / held).sqrt();
    ahead(CLEARLY * deviation)(before, later)
}

/// The later trial if it is better by more than a margin.
fn ahead(margin: f64) -> impl Fn(Trial, Trial) -> Trial {
    move |best: Trial, trial: Trial| if trial.accuracy > best.accuracy + margin { trial } else { best }
}
