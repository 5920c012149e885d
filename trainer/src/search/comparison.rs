//! Settings compared on held-out training rows.

use super::candidate::{Guide, Setting, Trial};
use super::closed_form::Origin;
use super::core::Core;
use super::files::Writer;
use super::ledger::Ledger;
use super::space::size::Numeric;
use super::splits::{Part, Prepared, guide, parts};
use super::train::fake_quant;
use crate::error::FitError;
use crate::methods::Method;
use crate::parallel;
use crate::preprocess::Stage;
use crate::run::Run;

/// Values beyond which fits take turns: two copies of them would be more than a gigabyte.
pub(super) const LARGE: usize = 1 << 26;
/// By how many standard errors of an accuracy a setting has to be better than the one before it: what wins by a row or
/// two wins by luck.
const CLEARLY: f64 = 0.25;

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
    pub(super) parts: Vec<Part>,
    pub(super) trials: Vec<Trial>,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        prepared: &'a Prepared,
        methods: Vec<Option<&'a dyn Method>>,
        writer: Writer<'a>,
        seed: u64,
        run: Run<'a>,
    ) -> Result<Self, FitError> {
        let parts = parts(prepared, &methods, &[0], seed, &run)?;
        let (origin, trials) = (Origin::default(), Vec::new());
        let ledger = None;
        Ok(Self { prepared, methods, ledger, writer, origin, passes: None, refines: true, seed, run, parts, trials })
    }

    /// Tries settings on the same rows and returns the best, or the one `before` unless that is clearly worse.
    pub(super) fn best(&mut self, settings: &[Setting], before: Option<Trial>) -> Result<Trial, FitError> {
        self.run.step("comparing settings", self.trials.len(), self.trials.len() + settings.len())?;
        let late = self.is_late();
        if let Some(before) = before.filter(|_| late || settings.is_empty()) {
            return Ok(before);
        }
        let settings = if late { &settings[..settings.len().min(1)] } else { settings };
        let (trials, failure) = self.tried(settings)?;
        let trials: Vec<Trial> = trials.into_iter().flatten().collect();
        let held = self.held();
        let winner = trials.into_iter().reduce(ahead);
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
        let (prepared, writer) = (self.prepared, &self.writer);
        let samples = &prepared.samples;
        let found = self.all("rounded", settings, |part, setting, run| {
            let rows = writer.calibration(&part.train);
            let grids = |core: &Core| writer.input_grid(core, &rows, setting);
            let (core, _) = setting.build(&part.ground(samples, setting.guide, &grids), run)?;
            let input = if setting.numeric == Numeric::I8 { grids(&core) } else { None };
            let labels = part.held.iter().map(|&row| samples.label(row));
            let right = fake_quant::correct(
                &fake_quant::host(&core, input.as_ref()),
                &prepared.data.rows().select_rows(&part.held),
                labels,
            );
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

    /// Whether all time is up.
    pub(super) fn is_late(&self) -> bool {
        self.ledger.is_some_and(Ledger::is_late)
    }

    /// Whether the time for more than a plain fit is up.
    pub(super) fn is_over(&self) -> bool {
        self.ledger.is_some_and(Ledger::is_over)
    }

    /// Has every method embed the rows of every part, beyond the first.
    pub(super) fn learn_rivals(&mut self) -> Result<(), FitError> {
        for part in &mut self.parts {
            for (i, method) in self.methods.iter().enumerate().skip(1) {
                part.learn(i, guide(*method, &part.data, self.seed, &self.run)?);
            }
        }
        Ok(())
    }

    /// What a method says of the rows of the first part.
    pub(super) fn guide(&self, method: usize) -> &Guide {
        self.parts.first().map_or(&Guide::Classes, |part| part.guide(method))
    }

    /// The sum over all parts of what `f` counts, for every setting; what the ledger knows is not counted again.
    pub(super) fn all<E: Send>(
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
        let found = parallel::map(fits, settings.len() * folds, |i| {
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
            Stage::Scale(scale) => format!("{scale:?}"),
            Stage::Project(_) | Stage::Select(_) | Stage::Round(_) => "project".to_owned(),
        });
        let guide = self.methods[setting.guide].map_or(String::new(), |m| format!("{} {:?}", m.name(), m.params()));
        let held = (part.held.len(), part.held.iter().fold(0, |sum: u64, &row| sum.wrapping_mul(31) + row as u64));
        format!("{round} {held:?} {:?} {guide} {setting:?}", stages.collect::<Vec<_>>())
    }

    /// Rows held out, over all parts.
    pub(super) fn held(&self) -> f64 {
        self.parts.iter().map(|part| part.held.len()).sum::<usize>() as f64
    }
}

/// The later trial if it is better by more than luck would have it.
pub(super) fn clearly_ahead(before: Trial, later: Trial, held: f64) -> Trial {
    if later.accuracy > before.accuracy + CLEARLY * deviation(before.accuracy, held) { later } else { before }
}

/// Standard error of an accuracy over so many rows.
pub(super) fn deviation(accuracy: f64, held: f64) -> f64 {
    (accuracy * (1.0 - accuracy) / held).sqrt()
}

/// The later trial if it is better.
pub(super) fn ahead(before: Trial, later: Trial) -> Trial {
    if later.accuracy > before.accuracy { later } else { before }
}

#[cfg(test)]
mod tests {
    use super::super::space::size::{Numeric, Shape};
    use super::*;
    use crate::compile::Export;
    use crate::dataset::synthetic::blobs;
    use crate::preprocess::Scaling;
    use crate::search::Samples;

    /// A search's memory would take one for the other.
    #[test]
    fn measurements_behind_different_scalings_have_different_names() -> Result<(), FitError> {
        let data = blobs(2, 20, 3, 1.0, 0);
        let prepared = Prepared { samples: Samples::new(&data), data: data.clone() };
        let export = Export::default();
        let (features, projected, dim) = (3, 1, 1);
        let shape = Shape {
            features,
            kept: 3,
            nonzeros: None,
            projected,
            centers: 0,
            dim,
            classes: 2,
            unit: false,
            door: false,
        };
        let name = |scaling: Scaling| -> Result<String, FitError> {
            let stages: Vec<Stage> = scaling.fit(data.rows()).map(Stage::Scale).into_iter().collect();
            let writer = Writer { stages: &stages, data: &data, export: &export, flash: None };
            let search = Search::new(&prepared, vec![None], writer, 0, Run::default())?;
            Ok(search.name("rounded", &search.parts[0], &Setting::closed(shape, Numeric::I8, 0)))
        };
        assert_ne!(name(Scaling::Range)?, name(Scaling::Standard)?);
        assert_eq!(name(Scaling::Range)?, name(Scaling::Range)?);
        Ok(())
    }
}
