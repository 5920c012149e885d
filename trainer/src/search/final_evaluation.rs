//! The last word on settings: their model files, by the runtime, on rows that chose nothing before.

use super::candidate::{Setting, Trial};
use super::comparison::{Search, ahead, clearly_ahead, deviation};
use super::core::Core;
use super::error::CompactError;
use super::files;
use super::splits::{FEW, parts};
use super::train::fake_quant;
use crate::error::FitError;

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
        deviation(self.exact, self.rows.max(1) as f64)
    }

    /// This one, unless the other is better; clearly so, if it is larger.
    pub(super) fn or_better(self, other: Self) -> Self {
        let bytes = |v: &Self| v.trial.setting.shape.bytes(v.trial.setting.numeric);
        let larger = bytes(&other) > bytes(&self);
        let choose = |a, b| if larger { clearly_ahead(a, b, self.rows as f64) } else { ahead(a, b) };
        if choose(self.trial, other.trial) == self.trial { self } else { other }
    }
}

impl Search<'_> {
    /// The last word: whole descents against none, as model files, on other splits than those that flatter what was
    /// chosen by them. A larger one has to be clearly better than a smaller one; the first of equals wins.
    pub(super) fn last_word(&mut self, settings: &[Setting]) -> Result<Verdict, CompactError> {
        let before = std::mem::take(&mut self.parts);
        let verdict = self.judge(settings);
        self.parts = before;
        verdict
    }

    fn judge(&mut self, settings: &[Setting]) -> Result<Verdict, CompactError> {
        let wanted: Vec<usize> = settings.iter().map(|setting| setting.guide).collect();
        let rounds = if self.prepared.data.len() < FEW { 1..=2 } else { 1..=1 };
        for round in rounds {
            let seed = self.seed.wrapping_add(round);
            self.parts.extend(parts(self.prepared, &self.methods, &wanted, seed, &self.run)?);
        }
        self.run.step("comparing finalists", 0, settings.len())?;
        let (prepared, writer) = (self.prepared, &self.writer);
        let found = self.all("file", settings, |part, setting, run| -> Result<[usize; 2], CompactError> {
            let rows = writer.calibration(&part.train);
            let grids = |core: &Core| writer.input_grid(core, &rows, setting);
            let (core, _) = setting.build(&part.ground(&prepared.samples, setting.guide, &grids), run)?;
            let file = writer.write(&core, &rows, setting)?;
            let labels = || part.held.iter().map(|&row| prepared.samples.label(row));
            let right = files::right(&file.model, &writer.rows(&part.held, usize::MAX), labels())?;
            let exact = fake_quant::correct(&core.host(), &prepared.data.rows().select_rows(&part.held), labels());
            Ok([right, exact])
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
        verdicts.into_iter().reduce(Verdict::or_better).ok_or(failure.unwrap_or(none))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::space::size::{Numeric, Shape};

    fn verdict(centers: usize, accuracy: f64) -> Verdict {
        let (features, kept, projected, dim, classes) = (16, 16, 8, 4, 4);
        let shape = Shape { features, kept, nonzeros: None, projected, centers, dim, classes, unit: true, door: false };
        let trial = Trial { setting: Setting::closed(shape, Numeric::I8, 0), accuracy };
        Verdict { trial, exact: accuracy, rows: 10_000 }
    }

    #[test]
    fn a_larger_model_has_to_be_clearly_better() {
        // A standard error is 0.3 points here, and a quarter of it is asked for.
        let small = verdict(8, 0.9);
        assert_eq!(small.or_better(verdict(16, 0.9005)), small);
        assert_eq!(small.or_better(verdict(16, 0.901)), verdict(16, 0.901));
        assert_eq!(small.or_better(verdict(8, 0.9005)), verdict(8, 0.9005));
        assert_eq!(verdict(16, 0.9).or_better(verdict(8, 0.9005)), verdict(8, 0.9005));
        assert_eq!(small.or_better(verdict(8, 0.9)), small);
    }
}
