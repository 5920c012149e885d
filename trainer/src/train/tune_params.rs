//! Tunes a method's settings on training rows, one setting after the other.
//!
//! The papers set their constants so: a range of values for each, and repeated hold-outs of training rows. A sweep goes
//! through the settings that the method declares ([`Method::tunable`]); each is set to the value with the best accuracy
//! while the others stay. Sweeps are repeated until one changes nothing. Every trial is fitted and evaluated on the same
//! hold-outs, as a model file run by the runtime, and a value has to beat the present one by more than noise: with equal
//! accuracy, defaults stay.

use crate::config::FixedFit;
use crate::dataset::Dataset;
use crate::dataset::split::{self, Split};
use crate::error::{DataError, FitError};
use crate::evaluate::predict_all;
use crate::methods::{Method, Settings, Tunable};
use crate::pipeline::fit_and_export;
use crate::run::Run;
use crate::search::TrainError;
use crate::search::splits::sample;
use crate::{memory, parallel, statistics};
use std::collections::BTreeMap;

/// Rows that tuning looks at; more would take longer and seldom decide otherwise.
const ROWS: usize = 2000;
/// The share of every class that is held out.
const HELD_OUT: f64 = 0.3;
/// Hold-outs: together they test about 1.5 times as many rows as there are.
const REPEATS: u64 = 5;
/// Sweeps at most; the second mostly changes nothing.
const ROUNDS: usize = 4;
/// Standard errors by which a value has to beat the present one: rows are held out more than once, so that one is too few.
const NOISE: f64 = 1.5;

/// One choice of settings, and how it did.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// Every setting that is tuned, with the value tried.
    pub params: Settings,
    /// Mean accuracy over the hold-outs; `None` where it could not be fitted.
    pub accuracy: Option<f64>,
    /// Standard error of that mean.
    pub standard_error: f64,
    /// The sweep it belongs to; 0 for the settings at the start.
    pub round: usize,
    /// Why it could not be fitted.
    pub failure: Option<String>,
    /// Whether these are the settings of the final fit.
    pub chosen: bool,
}

/// A fit with tuned settings.
pub(crate) struct Tuned {
    pub(crate) fit: FixedFit,
    pub(crate) trials: Vec<Trial>,
    pub(crate) note: String,
}

/// Tunes the settings of this fit that are not given.
///
/// # Errors
/// [`DataError::ClassTooSmall`] when no row can be held out; the error of the settings at the start if these cannot be
/// fitted.
pub(crate) fn tune(fit: &FixedFit, data: &Dataset, run: &Run<'_>) -> Result<Tuned, TrainError> {
    let mut fit = FixedFit { tune_params: false, ..fit.clone() };
    let method = fit.common.build_method()?;
    let given = &fit.common.method.settings;
    let mut tunable = method.tunable(data.classes(), data.len().min(ROWS));
    tunable.retain(|setting| !given.contains_key(setting.key));
    if tunable.is_empty() {
        let note = format!("{} has no settings left to tune", method.name());
        return Ok(Tuned { fit, trials: Vec::new(), note });
    }
    let mut tuner = Tuner::new(&fit, data, &tunable, run)?;
    let mut best = tuner.try_settings(given.clone(), 0)?;
    if let Some(error) = tuner.first_error.take() {
        return Err(error);
    }
    for round in 1..=ROUNDS {
        let before = best;
        for setting in &tunable {
            best = tuner.sweep(setting, best, round)?;
        }
        if best == before {
            break;
        }
    }
    let Tuner { mut trials, settings, .. } = tuner;
    trials[best].chosen = true;
    fit.common.method.settings.clone_from(&settings[best]);
    let chosen: Vec<String> = trials[best].params.iter().map(|(key, value)| format!("{key} {value}")).collect();
    let note = format!("tuned in {} trials of {REPEATS} hold-outs: {}", trials.len(), chosen.join(", "));
    Ok(Tuned { fit, trials, note })
}

/// The rows, their hold-outs, and what was tried on them.
struct Tuner<'a> {
    fit: FixedFit,
    rows: Dataset,
    splits: Vec<Split>,
    tunable: &'a [Tunable],
    run: Run<'a>,
    /// Fits that may run side by side.
    at_once: usize,
    trials: Vec<Trial>,
    /// Each trial's settings, and for every held-out row of all hold-outs whether its class was found.
    settings: Vec<Settings>,
    found: Vec<Option<Vec<bool>>>,
    /// Trials by every parameter of their method: what is the same need not be fitted twice.
    known: BTreeMap<Vec<(&'static str, String)>, usize>,
    first_error: Option<TrainError>,
}

impl<'a> Tuner<'a> {
    fn new(fit: &FixedFit, data: &Dataset, tunable: &'a [Tunable], run: &Run<'a>) -> Result<Self, TrainError> {
        let seed = fit.common.seed;
        let rows = sample(data, ROWS, seed).unwrap_or_else(|| data.clone());
        let split = |repeat: u64| split::stratified(&rows, HELD_OUT, seed.wrapping_add(repeat << 32));
        let splits: Vec<Split> = (0..REPEATS).map(split).collect();
        if splits[0].test.is_empty() {
            let class = rows.class_names()[0].clone();
            return Err(FitError::from(DataError::ClassTooSmall { class, rows: 1, needed: 2 }).into());
        }
        let needed = fit.common.build_method()?.memory(splits[0].train.len());
        let at_once = run.thread_count().min(memory::at_once(needed, memory::available()));
        Ok(Self {
            fit: fit.clone(),
            rows,
            splits,
            tunable,
            run: *run,
            at_once,
            trials: Vec::new(),
            settings: Vec::new(),
            found: Vec::new(),
            known: BTreeMap::new(),
            first_error: None,
        })
    }

    /// The best value of one setting, the others as they are: the trial to go on from.
    fn sweep(&mut self, setting: &Tunable, present: usize, round: usize) -> Result<usize, TrainError> {
        let mut best = present;
        for value in &setting.values {
            let mut settings = self.settings[present].clone();
            settings.insert(setting.key.to_owned(), value.clone());
            let trial = self.try_settings(settings, round)?;
            if self.trials[trial].accuracy > self.trials[best].accuracy {
                best = trial;
            }
        }
        Ok(if self.is_better(best, present) { best } else { present })
    }

    /// Whether a trial beats another by more than noise, row by row.
    fn is_better(&self, trial: usize, than: usize) -> bool {
        let (Some(found), Some(other)) = (&self.found[trial], &self.found[than]) else { return false };
        let pairs = || found.iter().zip(other);
        let won = pairs().filter(|(found, other)| **found && !**other).count() as f64;
        let lost = pairs().filter(|(found, other)| !**found && **other).count() as f64;
        won - lost > NOISE * (won + lost).sqrt()
    }

    /// Fits these settings on every hold-out, unless that was done before: the number of the trial.
    fn try_settings(&mut self, settings: Settings, round: usize) -> Result<usize, TrainError> {
        let mut fit = self.fit.clone();
        fit.common.method.settings.clone_from(&settings);
        let method = fit.common.build_method()?;
        let key = method.params();
        if let Some(&trial) = self.known.get(&key) {
            return Ok(trial);
        }
        let trial = self.trials.len();
        let planned = 1 + self.tunable.iter().map(|setting| setting.values.len()).sum::<usize>() * round.max(1);
        self.run.step("tuning", trial, planned.max(trial + 1))?;
        let quiet = self.run.quiet().threads(1);
        let results = parallel::map(self.at_once, self.splits.len(), |i| self.classify(&fit, &self.splits[i], &quiet));
        let params = self.tunable.iter().map(|setting| setting.key);
        let params = params.map(|key| (key.to_owned(), value(key, &settings, method.as_ref()))).collect();
        let mut report = Trial { params, accuracy: None, standard_error: 0.0, round, failure: None, chosen: false };
        match results.into_iter().collect::<Result<Vec<_>, _>>() {
            Ok(found) => {
                let (mean, error) = mean_and_error(&found);
                (report.accuracy, report.standard_error) = (Some(mean), error);
                self.found.push(Some(found.concat()));
            }
            Err(error) if error.is_cancelled() => return Err(error),
            Err(error) => {
                report.failure = Some(error.to_string());
                self.first_error.get_or_insert(error);
                self.found.push(None);
            }
        }
        self.trials.push(report);
        self.settings.push(settings);
        self.known.insert(key, trial);
        Ok(trial)
    }

    /// Whether the class of each held-out row is found by the runtime.
    fn classify(&self, fit: &FixedFit, split: &Split, run: &Run<'_>) -> Result<Vec<bool>, TrainError> {
        let (kept, held) = split.apply(&self.rows);
        let (model, ..) = fit_and_export(fit, &kept, run, |_| {})?;
        let answers = predict_all(&model, &held)?;
        Ok(answers.iter().zip(held.labels()).map(|(answer, label)| usize::from(answer.class().0) == *label).collect())
    }
}

/// The value of a setting: as given, else the method's own.
fn value(key: &str, settings: &Settings, method: &dyn Method) -> String {
    if let Some(value) = settings.get(key) {
        return value.clone();
    }
    let params = method.params();
    let own = |name: &str| params.iter().find(|(own, _)| *own == name).map(|(_, value)| value.as_str());
    // A kernel is recorded with its width.
    let width = || own("kernel")?.split_once(", sigma ").map(|(_, width)| width);
    own(key).or_else(width).unwrap_or("auto").to_owned()
}

/// Mean accuracy over the hold-outs, and its standard error.
fn mean_and_error(found: &[Vec<bool>]) -> (f64, f64) {
    let accuracy = |found: &Vec<bool>| found.iter().filter(|found| **found).count() as f64 / found.len() as f64;
    let scores: Vec<f64> = found.iter().map(accuracy).collect();
    let (mean, error) = statistics::mean_and_error(&scores);
    (mean, error.unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::convert::tests::config;
    use crate::config::{Config, ConfigError};
    use crate::dataset::synthetic::{blobs, moons};
    use crate::train::{decide, train};

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    #[test]
    fn a_width_that_is_wrong_is_replaced_and_equals_keep_the_default() -> Outcome {
        // A kernel as wide as the set is a line to the moons; half the mean distance is not.
        let data = moons(60, 0.15, 0);
        let found = decide(&config("method=cmvda ridge=0.1 tune_params=true")?, &data, &Run::default())?;
        let chosen: Vec<&Trial> = found.tuning.iter().filter(|trial| trial.chosen).collect();
        assert_eq!(chosen.len(), 1);
        assert_eq!(found.tuning[0].params["sigma"], "0.71x", "the default comes first");
        assert_eq!(chosen[0].params["sigma"], "0.5x", "{:?}", found.tuning);
        assert_eq!(found.config.common().method.settings.get("sigma").map(String::as_str), Some("0.5x"));
        assert!(chosen[0].accuracy > found.tuning[0].accuracy, "{:?}", found.tuning);
        assert!(found.tuning.iter().all(|trial| trial.params.len() == 1), "the ridge is given");
        // Every value separates these: nothing beats the default.
        let found = decide(&config("method=cmvda tune_params=true")?, &blobs(3, 20, 4, 0.01, 0), &Run::default())?;
        assert!(found.tuning[0].chosen && found.config.common().method.settings.is_empty());
        assert_eq!(found.tuning.len(), 1 + 4 + 3, "one sweep, the default's own values not fitted twice");
        Ok(())
    }

    #[test]
    fn a_tuned_model_is_fitted_again_without_tuning_to_the_byte() -> Outcome {
        let data = blobs(4, 24, 5, 3.0, 0);
        for method in ["nsse", "cmvda", "dple", "kdple", "kda"] {
            let tuned =
                train(&config(&format!("method={method} tune_params=true"))?, &data, &Run::default().threads(1))?;
            assert!(!tuned.tuning.is_empty(), "{method}");
            let Config::Fixed(fit) = &tuned.config else { return Err("a fixed fit".into()) };
            assert!(!fit.tune_params);
            let again = train(&tuned.config, &data, &Run::default().threads(3))?;
            assert_eq!(again.model, tuned.model, "{method}");
            let other =
                train(&config(&format!("method={method} tune_params=true"))?, &data, &Run::default().threads(3))?;
            assert_eq!(other.tuning, tuned.tuning, "{method}: threads do not matter");
        }
        Ok(())
    }

    #[test]
    fn sweeps_go_on_until_nothing_changes() -> Outcome {
        // Eight stripes of alternating classes: the default is too wide and too smooth for them. With the ridge of the first
        // sweep every width is tried again, in the second.
        let mut rng = crate::Rng::new(0);
        let rows = crate::linalg::Mat::from_fn(160, 1, |_, _| 8.0 * rng.uniform());
        let labels: Vec<usize> = rows.iter().map(|x| *x as usize % 2).collect();
        let data = Dataset::from_ids(rows, &labels)?;
        let found = decide(&config("method=cmvda tune_params=true")?, &data, &Run::default())?;
        let first = &found.tuning[0];
        let chosen = found.tuning.iter().find(|trial| trial.chosen).ok_or("nothing chosen")?;
        assert!(first.params.iter().all(|(key, value)| chosen.params[key] != *value), "{chosen:?}");
        assert!(chosen.accuracy > first.accuracy.map(|accuracy| accuracy + 0.2), "{chosen:?}");
        let again: Vec<&Trial> = found.tuning.iter().filter(|trial| trial.round == 2).collect();
        assert!(again.iter().any(|trial| trial.params["ridge"] == chosen.params["ridge"]), "{:?}", found.tuning);
        // The second sweep changes nothing, so that there is no third.
        assert_eq!((chosen.round, found.tuning.iter().map(|trial| trial.round).max()), (1, Some(2)));
        // The settings of another method.
        let found = decide(&config("method=dple tune_params=true")?, &blobs(4, 20, 5, 3.0, 2), &Run::default())?;
        let keys: Vec<&str> = found.tuning[0].params.keys().map(String::as_str).collect();
        assert_eq!(keys, ["balance", "dim", "heat", "k"]);
        Ok(())
    }

    #[test]
    fn groups_are_held_out_whole() -> Outcome {
        // Every group has a place of its own, and classes differ little: a fit that has seen the group knows it.
        let data = blobs(2, 40, 3, 1.0, 0);
        let groups: Vec<String> = (0..80).map(|i| (i / 8).to_string()).collect();
        let grouped = data.clone().with_groups(&groups)?;
        let Config::Fixed(fit) = config("method=cmvda tune_params=true")? else { return Err("a fixed fit".into()) };
        let tunable = fit.common.build_method()?.tunable(2, 80);
        let run = Run::default();
        let tuner = Tuner::new(&fit, &grouped, &tunable, &run)?;
        for split in &tuner.splits {
            let group = |row: &usize| groups[*row].clone();
            let held: Vec<String> = split.test.iter().map(group).collect();
            assert!(split.train.iter().all(|row| !held.contains(&group(row))));
        }
        Ok(())
    }

    #[test]
    fn what_cannot_be_tuned_is_refused() -> Result<(), ConfigError> {
        let refusal = |text: &str| config(text).map(|_| ()).map_err(|error| error.to_string());
        let lda = refusal("method=lda tune_params=true");
        assert!(
            matches!(&lda, Err(text) if text.starts_with("tune_params: lda has no settings to tune; these methods have: nsse, cmvca, cmvda")),
            "{lda:?}"
        );
        assert_eq!(
            refusal("method=kda sigma=mean tune_params=true"),
            Err("tune_params: every setting of kda that can be tuned is given: sigma".to_owned())
        );
        assert_eq!(
            refusal("flash=2k tune_params=true"),
            Err("tune_params: a budget search chooses its own settings; leave it out".to_owned())
        );
        let one = blobs(3, 1, 2, 1.0, 0);
        let error = train(&config("method=cmvda tune_params=true")?, &one, &Run::default());
        let error = error.map(|_| ()).map_err(|error| error.to_string());
        assert_eq!(error, Err("class 0 has 1 rows, 2 are needed".to_owned()));
        Ok(())
    }
}
