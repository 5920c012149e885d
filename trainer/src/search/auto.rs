//! Automatic choices of a fixed fit, on training rows alone: statistics of windows, method, its settings, numbers.

use crate::config::{FixedFit, Input, MethodChoice, Numeric, Series, WindowChoice};
use crate::dataset::{Dataset, split};
use crate::error::FitError;
use crate::evaluate::evaluate;
use crate::methods::{MethodEntry, Registry, SettingError};
use crate::model::head::HeadChoice;
use crate::pipeline::{fit_and_export, fit_model, quantized};
use crate::run::Run;
use crate::search::TrainError;
use crate::search::holdouts::{BothHoldouts, HoldOuts};
use crate::search::splits::sample;
use crate::statistics::mean_and_error;
use crate::train::tune_params::{Trial, tune};

/// The methods compared, favorite first: each later one must beat the best so far by more than one standard error.
const CANDIDATES: [&str; 6] = ["cmvda", "lda", "dple", "kdple", "nsse", "ebek"];

/// Rows that a choice looks at; more would take longer and seldom decide otherwise.
const ROWS: usize = 2000;
/// Folds of cross-validation: few, since every candidate is fitted once per fold.
const FOLDS: usize = 3;
/// The share of rows held out for the choice between floats and integers: of 2000 rows 500, so that one standard error
/// is at most 2.3 points.
const HELD_OUT: f64 = 0.25;

/// One alternative that was tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// What was tried, in a few words.
    pub name: String,
    /// Mean accuracy over the folds; `None` where it could not be fitted.
    pub accuracy: Option<f64>,
    /// Standard error of that mean.
    pub error: f64,
    /// Why it could not be fitted.
    pub failure: Option<String>,
}

/// A fit with nothing left open, and how the choices were made.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Decided {
    pub(crate) fit: FixedFit,
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) tuning: Vec<Trial>,
    pub(crate) recordings: Option<BothHoldouts>,
    pub(crate) notes: Vec<String>,
}

/// Makes every choice that the fit leaves open.
pub(crate) fn decide(fit: &FixedFit, data: &Dataset, run: &Run<'_>) -> Result<Decided, TrainError> {
    let mut decided = Decided::new(fit);
    if !data.is_labelled() {
        decided.without_labels();
        return Ok(decided);
    }
    if !decided.is_open() {
        return Ok(decided);
    }
    let hold_outs = HoldOuts::of(data, fit.common.input, run);
    decided.choose(hold_outs.data(), run)?;
    decided.compare_hold_outs(&hold_outs, run)?;
    Ok(decided)
}

impl Decided {
    fn new(fit: &FixedFit) -> Self {
        let (candidates, tuning, notes) = (Vec::new(), Vec::new(), Vec::new());
        Self { fit: fit.clone(), candidates, tuning, recordings: None, notes }
    }

    /// The window of a series whose statistics are left open.
    fn open_window(&self) -> Option<Series> {
        let Input::Series(series) = self.fit.common.input else { return None };
        (series.window == WindowChoice::Auto).then_some(series)
    }

    /// Whether anything is left to choose.
    fn is_open(&self) -> bool {
        let FixedFit { common, tune_params, .. } = &self.fit;
        self.open_window().is_some() || common.method.entry.is_none() || *tune_params || common.numeric == Numeric::Auto
    }

    /// Makes one choice after the other.
    fn choose(&mut self, data: &Dataset, run: &Run<'_>) -> Result<(), TrainError> {
        if let Some(series) = self.open_window() {
            self.choose_window(series, data, run)?;
        }
        if self.fit.common.method.entry.is_none() {
            self.choose_method(data, run)?;
        }
        if self.fit.tune_params {
            let tuned = tune(&self.fit, data, run)?;
            (self.fit, self.tuning) = (tuned.fit, tuned.trials);
            self.notes.push(tuned.note);
        }
        if self.fit.common.numeric == Numeric::Auto {
            self.choose_numeric(data, run)?;
        }
        Ok(())
    }

    /// What was chosen, by both kinds of hold-outs where like rows lie together in the file.
    fn compare_hold_outs(&mut self, hold_outs: &HoldOuts<'_>, run: &Run<'_>) -> Result<(), TrainError> {
        let accuracy = |data: &Dataset| -> Result<f64, TrainError> {
            let some = sample(data, ROWS, self.fit.common.seed);
            Ok(mean_and_error(&cross_validate(&self.fit, some.as_ref().unwrap_or(data), &run.quiet())?).0)
        };
        if hold_outs.are_in_doubt() {
            run.step("comparing hold-outs", 0, 1)?;
            self.recordings = hold_outs.both(accuracy(hold_outs.data())?, accuracy)?;
        }
        Ok(())
    }

    /// Rows without labels are items, and nothing can be compared.
    fn without_labels(&mut self) {
        if self.fit.head.is_none() {
            self.fit.head = Some(HeadChoice::Items);
        }
        if let Input::Series(series) = self.fit.common.input
            && series.window == WindowChoice::Auto
        {
            self.fit.common.input = Input::Series(Series { window: WindowChoice::None, ..series });
            self.notes.push("raw windows: without labels nothing shows whether statistics would be better".to_owned());
        }
    }

    /// Whether windows become statistics.
    fn choose_window(&mut self, series: Series, data: &Dataset, run: &Run<'_>) -> Result<(), TrainError> {
        // Statistics come first: they are fewer inputs, so raw windows have to be clearly better.
        let choices = [(WindowChoice::Stats, "window statistics"), (WindowChoice::None, "raw windows")];
        let fits = choices.map(|(window, name)| {
            let mut fit = self.fit.clone();
            fit.common.input = Input::Series(Series { window, ..series });
            fit.common.method.entry.get_or_insert(Registry::DEFAULT_METHOD);
            (name, fit)
        });
        let best = self.best_of("windows", &fits, data, run)?;
        let (window, name) = choices[best];
        self.fit.common.input = Input::Series(Series { window, ..series });
        self.notes.push(format!("{name} chosen by cross-validation"));
        Ok(())
    }

    fn choose_method(&mut self, data: &Dataset, run: &Run<'_>) -> Result<(), TrainError> {
        let registry = Registry::default();
        // Settings of no method in particular are for those that have them.
        let (mut usable, mut refused): (Vec<(&str, FixedFit)>, Option<SettingError>) = (Vec::new(), None);
        for name in CANDIDATES {
            let fit = self.with_method(registry.find(name)?);
            match fit.common.build_method() {
                Ok(_) => usable.push((name, fit)),
                Err(error) => drop(refused.get_or_insert(error)),
            }
        }
        if let (true, Some(error)) = (usable.is_empty(), refused) {
            return Err(error.into());
        }
        let best = self.best_of("methods", &usable, data, run)?;
        self.fit = usable.swap_remove(best).1;
        self.notes.push(format!("method {} chosen by cross-validation", self.fit.common.method.name()));
        Ok(())
    }

    fn with_method(&self, entry: MethodEntry) -> FixedFit {
        let mut fit = self.fit.clone();
        fit.common.method = MethodChoice { entry: Some(entry), ..fit.common.method };
        fit
    }

    /// Floats or integers, everything else being decided.
    fn choose_numeric(&mut self, data: &Dataset, run: &Run<'_>) -> Result<(), TrainError> {
        self.fit.common.numeric = Numeric::F32;
        let held = split::stratified(data, HELD_OUT, self.fit.common.seed);
        if held.test.is_empty() {
            self.notes.push("numeric: too few rows to hold any out, so floats were kept".to_owned());
            return Ok(());
        }
        let (train, test) = held.apply(data);
        let (model, _) = fit_model(&self.fit, &train, run, |_| {})?;
        let found = match quantized(&self.fit, &model, &train) {
            Ok(quantized) => quantized.compare(&model, &test)?,
            Err(error) => {
                self.notes.push(format!("floats kept: {error}"));
                return Ok(());
            }
        };
        let mut chosen = "floats";
        if found.loss() <= found.error() {
            (self.fit.common.numeric, chosen) = (Numeric::I8, "integers");
        }
        let (loss, error, rows) = (100.0 * found.loss(), 100.0 * found.error(), found.rows);
        let lost = format!("integers lose {loss:.2} ± {error:.2} points on {rows} held-out rows");
        self.notes.push(format!("{chosen} chosen: {lost}"));
        Ok(())
    }

    /// The index of the best by cross-validation: the first, unless a later one is better by more than a standard error.
    fn best_of(
        &mut self,
        step: &'static str,
        fits: &[(&str, FixedFit)],
        data: &Dataset,
        run: &Run<'_>,
    ) -> Result<usize, TrainError> {
        let some = sample(data, ROWS, self.fit.common.seed);
        let rows = some.as_ref().unwrap_or(data);
        if rows.class_counts().contains(&1) {
            self.notes.push(format!("{step}: a class has a single row, so nothing was compared"));
            return Ok(0);
        }
        let mut best: Option<(usize, f64)> = None;
        let mut first_error = None;
        // Progress of the fits within would make a bar jump; it shows the candidates instead.
        let quiet = run.quiet();
        for (i, (name, fit)) in fits.iter().enumerate() {
            run.step(step, i, fits.len())?;
            let mut candidate = Candidate { name: (*name).to_owned(), accuracy: None, error: 0.0, failure: None };
            match cross_validate(fit, rows, &quiet) {
                Ok(scores) => {
                    let (mean, error) = mean_and_error(&scores);
                    let error = error.unwrap_or(0.0);
                    if best.is_none_or(|(_, leader)| mean > leader + error) {
                        best = Some((i, mean));
                    }
                    (candidate.accuracy, candidate.error) = (Some(mean), error);
                }
                Err(error) if error.is_cancelled() => return Err(error),
                Err(error) => {
                    candidate.failure = Some(error.to_string());
                    first_error.get_or_insert(error);
                }
            }
            self.candidates.push(candidate);
        }
        match (best, first_error) {
            (Some((best, _)), _) => Ok(best),
            (None, Some(error)) => Err(error),
            (None, None) => Ok(0),
        }
    }
}

/// The accuracy on every fold, of model files run by the runtime.
fn cross_validate(fit: &FixedFit, data: &Dataset, run: &Run<'_>) -> Result<Vec<f64>, TrainError> {
    let folds = split::folds(data, FOLDS, fit.common.seed).map_err(FitError::from)?;
    let accuracy = |fold: &split::Split| {
        let (train, test) = fold.apply(data);
        let (model, ..) = fit_and_export(fit, &train, run, |_| {})?;
        Ok(evaluate(&model, &test)?.accuracy())
    };
    folds.iter().map(accuracy).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::quantize::QuantizeError;
    use crate::config::Common;
    use crate::dataset::synthetic::{blobs, moons};
    use crate::preprocess::Scaling;

    fn open() -> FixedFit {
        let common = Common { numeric: Numeric::F32, ..Common::default() };
        FixedFit { common, ..FixedFit::default() }
    }

    #[test]
    fn the_favorite_stays_unless_another_is_clearly_better() -> Result<(), TrainError> {
        // A line cannot separate the moons: LDA asked first must give way to a kernel.
        let mut decided = Decided::new(&open());
        let registry = Registry::default();
        let mut fits = Vec::new();
        for name in ["lda", "cmvda", "kda"] {
            fits.push((name, decided.with_method(registry.find(name)?)));
        }
        assert_eq!(decided.best_of("methods", &fits, &moons(60, 0.1, 0), &Run::default())?, 1);
        assert_eq!(decided.candidates.len(), 3);
        Ok(())
    }

    #[test]
    fn a_class_of_one_row_leaves_the_favorite() -> Result<(), TrainError> {
        let data = blobs(2, 5, 3, 1.0, 0).select(&[0, 2, 4, 1]);
        let decided = decide(&open(), &data, &Run::default())?;
        assert_eq!((decided.fit.common.method.name(), decided.candidates.len()), ("cmvda", 0));
        assert!(decided.notes[0].contains("single row"), "{:?}", decided.notes);
        Ok(())
    }

    #[test]
    fn a_setting_of_one_method_narrows_the_choice() -> Result<(), TrainError> {
        let mut fit = open();
        fit.common.method.settings = [("mu1".to_owned(), "200".to_owned())].into();
        let decided = decide(&fit, &blobs(2, 10, 3, 1.0, 0), &Run::default())?;
        assert_eq!((decided.fit.common.method.name(), decided.candidates.len()), ("nsse", 1));
        fit.common.method.settings = [("no_such".to_owned(), "200".to_owned())].into();
        let error = decide(&fit, &blobs(2, 10, 3, 1.0, 0), &Run::default()).map(|_| ()).map_err(|e| e.to_string());
        assert!(matches!(error, Err(text) if text.starts_with("cmvda takes no no_such")));
        Ok(())
    }

    #[test]
    fn integers_are_chosen_where_they_cost_nothing_and_floats_where_there_are_none() -> Result<(), TrainError> {
        let data = blobs(3, 60, 8, 0.5, 0);
        let mut fit = FixedFit::default();
        fit.common.numeric = Numeric::Auto;
        let decided = decide(&fit, &data, &Run::default())?;
        assert_eq!(decided.fit.common.numeric, Numeric::I8, "{:?}", decided.notes);
        fit.common.scale = Scaling::Unit;
        let decided = decide(&fit, &data, &Run::default())?;
        assert_eq!(decided.fit.common.numeric, Numeric::F32);
        let notes = decided.notes;
        assert!(notes.iter().any(|note| note.contains("unit length has no integer form")), "{notes:?}");
        fit.common.numeric = Numeric::I8;
        let refused = fit_and_export(&fit, &data, &Run::default(), |_| {});
        assert!(matches!(refused, Err(TrainError::Quantize(QuantizeError::Unsupported { .. }))));
        Ok(())
    }
}
