//! Runs a [`Config`]: automatic choices, fit, model file, hold-out.

pub(crate) mod tune_params;

use crate::config::{AUTO, Config, ConfigError, Numeric};
use crate::dataset::{Dataset, split};
use crate::error::{FitError, ParamError};
use crate::evaluate::{Evaluation, evaluate, predict};
use crate::linalg::evenly_rows;
use crate::model::{Fitted, ModelFile};
use crate::pipeline::fit_and_export;
use crate::run::Run;
use crate::search::Limits;
use crate::search::auto::{self, Decided};
use crate::search::explore::{Exploration, explore, refuse_without_rows};
use crate::search::holdouts::{BothHoldouts, HoldOuts};
use nearmark_format::Info;

pub use crate::search::{TrainError, auto::Candidate, explore::Budgeted};
pub use tune_params::Trial;

/// Rows kept away from a fit, and how it did on them.
#[derive(Debug, Clone, PartialEq)]
pub struct Holdout {
    /// Rows that the evaluated model was fitted on.
    pub trained_on: usize,
    /// How it did on the others, through the runtime.
    pub evaluation: Evaluation,
    /// What integers cost, where the model has them.
    pub integers: Option<Cost>,
    /// Accuracy on both kinds of hold-outs, where like rows lie together in the file; of a fixed fit only, since a budget
    /// search has both of its own.
    pub recordings: Option<BothHoldouts>,
}

/// A model in integers beside the same model in f64, on the same rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// Accuracy in f64.
    pub accuracy_f64: f64,
    /// The share of rows to which both give the same class.
    pub agreement: f64,
}

/// A model and how it came about.
#[derive(Debug, Clone)]
pub struct Trained {
    /// The model file, provenance included.
    pub model: ModelFile,
    /// The fit in f64.
    pub fitted: Fitted,
    /// The configuration with every automatic choice made; a budget search makes its own, which `budgeted` has.
    pub config: Config,
    /// What was tried where there was a choice.
    pub candidates: Vec<Candidate>,
    /// Every trial of tuned settings, in order.
    pub tuning: Vec<Trial>,
    /// Accuracy on both kinds of hold-outs, where choices were made and like rows lie together in the file.
    pub recordings: Option<BothHoldouts>,
    /// How a model within limits was found.
    pub budgeted: Option<Budgeted>,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// Makes every automatic choice, fits and exports.
///
/// # Errors
/// [`TrainError`] naming the parameter, class, row or stage at fault.
pub fn train(config: &Config, data: &Dataset, run: &Run<'_>) -> Result<Trained, TrainError> {
    train_with(config, data, run, |_| {})
}

/// As [`train`], letting `complete` add to the provenance what only the caller knows: scores and feature names.
///
/// # Errors
/// As [`train`].
pub fn train_with(
    config: &Config,
    data: &Dataset,
    run: &Run<'_>,
    complete: impl FnOnce(&mut Info),
) -> Result<Trained, TrainError> {
    check(config, data)?;
    let fit = match config {
        Config::Budget(search) => {
            let (trained, found) = explore(search, data, &Exploration::default(), run, complete)?;
            return Ok(Trained { budgeted: Some(found), ..trained });
        }
        Config::Fixed(fit) => fit,
    };
    let Decided { fit, candidates, tuning, recordings, mut notes } = auto::decide(fit, data, run)?;
    let complete = |info: &mut Info| {
        recordings.iter().for_each(|both| both.record(info));
        complete(info);
    };
    let (model, fitted, report) = fit_and_export(&fit, data, run, complete)?;
    notes.extend(fitted.notes().iter().cloned());
    match report {
        Some(report) => notes.push(format!("integers: {report}")),
        None => notes.extend(precision_note(&model, &fitted, data)?),
    }
    let config = Config::Fixed(fit);
    Ok(Trained { model, fitted, config, candidates, tuning, recordings, budgeted: None, notes })
}

/// Training rows on which a model's answers are compared with the fit's: enough to see one in two hundred.
const COMPARED: usize = 500;

/// Reports training rows to which the model, in single precision, gives another class than the fit does in double.
///
/// A few are rounding at the border between classes; more of them, and the fit is ill-conditioned.
fn precision_note(model: &ModelFile, fitted: &Fitted, data: &Dataset) -> Result<Option<String>, TrainError> {
    if !data.is_labelled() || data.sparse_rows().is_some() || data.are_similarities() {
        return Ok(None);
    }
    let rows = evenly_rows(data.rows(), COMPARED);
    let found = predict(model, &rows)?;
    let other = found
        .iter()
        .zip(fitted.classify(&rows).map_err(FitError::from)?)
        .filter(|(a, b)| usize::from(a.class().0) != *b)
        .count();
    let few = rows.nrows() / 200;
    Ok((other > few).then(|| {
        let all = rows.nrows();
        format!("{other} of {all} training rows have another class in single precision than in double: try a narrower kernel")
    }))
}

/// A configuration with nothing left open, and how its choices were made.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The configuration with every automatic choice of a fixed fit replaced by what the rows recommend. A budget search
    /// makes its choices all at once, later.
    pub config: Config,
    /// What was tried where there was a choice.
    pub candidates: Vec<Candidate>,
    /// Every trial of tuned settings, in order.
    pub tuning: Vec<Trial>,
    /// Accuracy on both kinds of hold-outs, where choices were made and like rows lie together in the file.
    pub recordings: Option<BothHoldouts>,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// Makes every automatic choice of a fixed fit.
///
/// # Errors
/// As [`train`].
pub fn decide(config: &Config, data: &Dataset, run: &Run<'_>) -> Result<Decision, TrainError> {
    check(config, data)?;
    match config {
        Config::Fixed(fit) => {
            let Decided { fit, candidates, tuning, recordings, notes } = auto::decide(fit, data, run)?;
            Ok(Decision { config: Config::Fixed(fit), candidates, tuning, recordings, notes })
        }
        Config::Budget(search) => {
            search.check_method()?;
            let (config, candidates) = (config.clone(), Vec::new());
            Ok(Decision { config, candidates, tuning: Vec::new(), recordings: None, notes: Vec::new() })
        }
    }
}

/// Fits on all but a share of every class and evaluates on that share; where rows of one recording lie together in the
/// file, on blocks of the file.
///
/// # Errors
/// As [`train`], and when the share leaves nothing to evaluate on.
pub fn hold_out(config: &Config, data: &Dataset, share: f64, run: &Run<'_>) -> Result<Holdout, TrainError> {
    ParamError::check(share > 0.0 && share < 1.0, "holdout", "above 0 and below 1", share)?;
    if !data.is_labelled() {
        return Err(ConfigError::refused("holdout", "without labels there is no accuracy to measure").into());
    }
    let hold_outs = HoldOuts::of(data, config.common().input, run);
    let seed = config.common().seed;
    let split = split::stratified(hold_outs.data(), share, seed);
    if split.test.is_empty() {
        let reason = format!("{share} of {} rows is not a single row", data.len());
        return Err(ConfigError::refused("holdout", reason).into());
    }
    let (train_rows, test_rows) = split.apply(data);
    let trained = train(config, &train_rows, run)?;
    let evaluation = evaluate(&trained.model, &test_rows)?;
    let integers = trained.model.is_integer().then(|| trained.cost(&test_rows)).transpose()?;
    let other = |grouped: &Dataset| -> Result<f64, TrainError> {
        let (train_rows, test_rows) = split::stratified(grouped, share, seed).apply(data);
        Ok(evaluate(&train(config, &train_rows, run)?.model, &test_rows)?.accuracy())
    };
    let is_fixed = matches!(config, Config::Fixed(_));
    let recordings = if is_fixed { hold_outs.both(evaluation.accuracy(), other)? } else { None };
    Ok(Holdout { trained_on: train_rows.len(), evaluation, integers, recordings })
}

/// What can be refused before any work is done.
fn check(config: &Config, data: &Dataset) -> Result<(), TrainError> {
    if config.limits().is_some() {
        refuse_without_rows(data)?;
    }
    config.common().check(data)?;
    if data.is_labelled() { Ok(data.require_classes(1)?) } else { Ok(without_labels(config)?) }
}

/// Refuses what compares accuracies: there are none without labels.
fn without_labels(config: &Config) -> Result<(), ConfigError> {
    let refused = |parameter: &'static str, what: &str| {
        Err(ConfigError::refused(parameter, format!("{what} compares accuracies, which takes labels")))
    };
    if let Config::Budget(search) = config {
        let Limits { flash, ram, .. } = search.limits;
        let parameter = if flash.is_some() {
            "flash"
        } else if ram.is_some() {
            "ram"
        } else {
            "insns"
        };
        return refused(parameter, "a budget search");
    }
    if matches!(config, Config::Fixed(fit) if fit.tune_params) {
        return refused("tune_params", "tuning");
    }
    match config.common() {
        common if common.method.entry.is_none() => refused("method", AUTO),
        common if common.numeric == Numeric::Auto => refused("numeric", AUTO),
        _ => Ok(()),
    }
}

impl Trained {
    /// The model file beside the fit in f64 on these rows.
    fn cost(&self, rows: &Dataset) -> Result<Cost, TrainError> {
        let found = predict(&self.model, rows.rows())?;
        let exact = self.fitted.classify(rows.rows()).map_err(FitError::from)?;
        let agreed = found.iter().zip(&exact).filter(|(found, exact)| usize::from(found.class().0) == **exact).count();
        let accuracy_f64 = self.fitted.accuracy(rows).map_err(FitError::from)?;
        Ok(Cost { accuracy_f64, agreement: agreed as f64 / rows.len() as f64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::convert::tests::config;
    use crate::dataset::synthetic::blobs;

    #[test]
    fn the_same_config_gives_the_same_bytes_for_any_number_of_threads() -> Result<(), TrainError> {
        let data = blobs(3, 30, 6, 1.0, 0);
        let auto = config("method=auto")?;
        let one = train(&auto, &data, &Run::default().threads(1))?;
        let two = train(&auto, &data, &Run::default().threads(2))?;
        assert_eq!(one.model, two.model);
        // The choices it made give the very same model.
        assert_eq!(train(&one.config, &data, &Run::default())?.model, one.model);
        Ok(())
    }

    #[test]
    fn rows_of_another_shape_are_refused_before_any_work() -> Result<(), ConfigError> {
        let data = blobs(2, 5, 6, 1.0, 0);
        let wrong = config("series=2x4")?;
        let error = train(&wrong, &data, &Run::default()).map(|_| ()).map_err(|error| error.to_string());
        assert_eq!(error, Err("series: 2x4 makes 8 values, but rows have 6".to_owned()));
        Ok(())
    }

    #[test]
    fn a_budget_search_refuses_a_method_that_keeps_every_row() -> Result<(), ConfigError> {
        let knn = config("flash=2k method=knn")?;
        let error = decide(&knn, &blobs(2, 5, 6, 1.0, 0), &Run::default()).map(|_| ()).map_err(|e| e.to_string());
        assert_eq!(error, Err("method: knn keeps every row; within a budget take another, like auto".to_owned()));
        Ok(())
    }

    #[test]
    fn rows_without_labels_are_fitted_as_items_or_refused_by_name() -> Result<(), TrainError> {
        let data = Dataset::unlabelled(blobs(3, 20, 6, 1.0, 0).rows().clone()).map_err(FitError::from)?;
        let takes = ["ebek", "knn", "pca", "kpca", "keca", "lpp"];
        for entry in crate::methods::Registry::default().entries() {
            let name = entry.name;
            let trained = train(&config(&format!("method={name}"))?, &data, &Run::default());
            if takes.contains(&name) {
                let model = trained?.model;
                assert_eq!((model.items(), model.has_classes()), (Some(60), false), "{name}");
                let found = crate::evaluate::nearest(&model, data.rows(), 1, &Run::default())?;
                assert!(found.iter().zip(0..).all(|(found, row)| found[0].id() == row), "{name}");
            } else {
                let error = trained.map(|_| ()).map_err(|error| error.to_string());
                let expected = format!("{name} needs labels; these take rows without: {}", takes.join(", "));
                assert_eq!(error, Err(expected));
            }
        }
        Ok(())
    }

    #[test]
    fn what_compares_accuracies_takes_labels() -> Result<(), TrainError> {
        let data = Dataset::unlabelled(blobs(2, 10, 4, 1.0, 0).rows().clone()).map_err(FitError::from)?;
        for (text, parameter) in [
            ("method=auto", "method"),
            ("method=pca numeric=auto", "numeric"),
            ("ram=1k", "ram"),
            ("method=kpca tune_params=true", "tune_params"),
        ] {
            let error = train(&config(text)?, &data, &Run::default()).map(|_| ()).map_err(|error| error.to_string());
            let message = error.err().unwrap_or_default();
            assert!(message.starts_with(&format!("{parameter}: ")) && message.contains("takes labels"), "{message}");
        }
        assert!(hold_out(&config("method=pca")?, &data, 0.2, &Run::default()).is_err());
        Ok(())
    }

    #[test]
    fn a_hold_out_evaluates_rows_that_the_fit_has_not_seen() -> Result<(), TrainError> {
        let data = blobs(3, 40, 6, 0.5, 0);
        let held = hold_out(&Config::default(), &data, 0.25, &Run::default())?;
        assert_eq!((held.trained_on, held.evaluation.rows()), (90, 30));
        assert!(held.evaluation.accuracy() > 0.8);
        assert!(hold_out(&Config::default(), &data, 0.001, &Run::default()).is_err());
        assert_eq!(held.integers, None);
        let integers = config("numeric=i8")?;
        let cost = hold_out(&integers, &data, 0.25, &Run::default())?.integers;
        assert!(cost.is_some_and(|cost| cost.agreement > 0.95 && cost.accuracy_f64 > 0.8), "{cost:?}");
        Ok(())
    }

    #[test]
    fn integers_are_as_accurate_as_floats_and_a_quarter_of_the_size() -> Result<(), TrainError> {
        let data = blobs(3, 60, 8, 0.8, 0);
        let fit = |numeric| {
            let config = config(&format!("features=nystrom:40 names=false numeric={numeric}"))?;
            train(&config, &data, &Run::default())
        };
        let (floats, integers) = (fit("f32")?, fit("i8")?);
        assert!(integers.model.bytes().len() * 2 < floats.model.bytes().len());
        let accuracy = |model: &ModelFile| evaluate(model, &data).map(|found| found.accuracy());
        assert!((accuracy(&integers.model)? - accuracy(&floats.model)?).abs() < 0.02);
        Ok(())
    }

    #[test]
    fn rows_that_change_class_in_single_precision_are_reported() -> Result<(), TrainError> {
        // The kernel matrix of a very wide kernel is nearly constant: what tells rows apart is lost in f32.
        let data = crate::dataset::synthetic::moons(60, 0.15, 0);
        let note = |text: &str| -> Result<Option<String>, TrainError> {
            let notes = train(&config(text)?, &data, &Run::default())?.notes;
            Ok(notes.into_iter().find(|note| note.contains("another class in single precision")))
        };
        assert_eq!(note("method=cmvda")?, None);
        let wide = note("method=cmvda sigma=30x ridge=0")?.unwrap_or_default();
        assert!(wide.contains(" of 120 training rows have ") && wide.ends_with("try a narrower kernel"), "{wide}");
        // Integers have a report of their own.
        assert_eq!(note("method=cmvda numeric=i8")?, None);
        Ok(())
    }
}
