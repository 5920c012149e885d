//! From a recipe to a model file.

use super::error::RecipeError;
use super::words::WindowChoice;
use super::{Budgeted, Candidate, Numeric, Recipe, choose, numeric};
use crate::compile::quantize::Report;
use crate::compile::{Export, ExportError};
use crate::dataset::{Dataset, split};
use crate::error::FitError;
use crate::evaluate::{Evaluation, evaluate, predict};
use crate::model::provenance::info;
use crate::model::{Fitted, ModelFile};
use crate::pipeline::Pipeline;
use crate::run::Run;
use nearmark_format::ModelBuf;

/// Rows kept away from a fit, and how it did on them.
#[derive(Debug, Clone, PartialEq)]
pub struct Holdout {
    /// Rows that the measured model was fitted on.
    pub trained_on: usize,
    /// How it did on the others, through the runtime.
    pub evaluation: Evaluation,
    /// What integers cost, where the model has them.
    pub integers: Option<Cost>,
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
    /// The recipe with every automatic choice made.
    pub recipe: Recipe,
    /// What was tried where there was a choice.
    pub candidates: Vec<Candidate>,
    /// How a model within limits was found.
    pub budgeted: Option<Budgeted>,
    /// What the user should know.
    pub notes: Vec<String>,
}

impl Trained {
    /// The model file beside the fit in f64 on these rows.
    fn cost(&self, rows: &Dataset) -> Result<Cost, RecipeError> {
        let found = predict(&self.model, rows.rows())?;
        let exact = self.fitted.classify(rows.rows()).map_err(FitError::from)?;
        let agreed = found.iter().zip(&exact).filter(|(found, exact)| usize::from(found.class().0) == **exact).count();
        let accuracy_f64 = self.fitted.accuracy(rows).map_err(FitError::from)?;
        Ok(Cost { accuracy_f64, agreement: agreed as f64 / rows.len() as f64 })
    }
}

impl Recipe {
    /// Makes every automatic choice, fits and exports.
    ///
    /// # Errors
    /// [`RecipeError`] naming the setting, class, row or stage at fault.
    pub fn train(&self, data: &Dataset, run: &Run<'_>) -> Result<Trained, RecipeError> {
        self.train_with(data, run, |_| {})
    }

    /// As [`train`](Self::train), letting `complete` add to the provenance what only the caller knows: scores and
    /// feature names.
    ///
    /// # Errors
    /// As [`train`](Self::train).
    pub fn train_with(
        &self,
        data: &Dataset,
        run: &Run<'_>,
        complete: impl FnOnce(&mut nearmark_format::Info),
    ) -> Result<Trained, RecipeError> {
        if self.is_limited() {
            return self.compacted(data, run, complete);
        }
        let (recipe, candidates, mut notes) = self.decided(data, run)?;
        let (model, fitted, report) = recipe.fit_and_export(data, run, complete)?;
        notes.extend(fitted.notes().iter().cloned());
        notes.extend(report.map(|report| format!("integers: {report}")));
        Ok(Trained { model, fitted, recipe, candidates, budgeted: None, notes })
    }

    /// The same recipe with `auto` replaced by what the rows recommend.
    ///
    /// # Errors
    /// As [`train`](Self::train).
    pub fn decided(&self, data: &Dataset, run: &Run<'_>) -> Result<(Self, Vec<Candidate>, Vec<String>), RecipeError> {
        self.check(data)?;
        let mut recipe = self.clone();
        let (mut tried, mut notes) = (Vec::new(), Vec::new());
        if self.is_limited() {
            // The search within limits decides everything at once.
            return Ok((recipe, tried, notes));
        }
        if recipe.window == WindowChoice::Auto {
            choose::window(&mut recipe, data, run, &mut notes, &mut tried)?;
        }
        if recipe.method == "auto" {
            choose::method(&mut recipe, data, run, &mut notes, &mut tried)?;
        }
        if recipe.numeric == Numeric::Auto {
            numeric::choose(&mut recipe, data, run, &mut notes)?;
        }
        Ok((recipe, tried, notes))
    }

    /// Fits on all but a share of every class and measures on that share.
    ///
    /// # Errors
    /// As [`train`](Self::train), and when the share leaves nothing to measure on.
    pub fn hold_out(&self, data: &Dataset, share: f64, run: &Run<'_>) -> Result<Holdout, RecipeError> {
        crate::ParamError::check(share > 0.0 && share < 1.0, "holdout", "above 0 and below 1", share)?;
        let split = split::stratified(data, share, self.seed);
        if split.test.is_empty() {
            let text = format!("a hold-out of {share} of {} rows holds no row", data.len());
            return Err(RecipeError::Contradiction(text));
        }
        let (train, test) = split.apply(data);
        let trained = self.train(&train, run)?;
        let evaluation = evaluate(&trained.model, &test)?;
        let integers = trained.model.is_integer().then(|| trained.cost(&test)).transpose()?;
        Ok(Holdout { trained_on: train.len(), evaluation, integers })
    }

    /// What can be told before any work is done.
    pub(super) fn check(&self, data: &Dataset) -> Result<(), RecipeError> {
        let no = |text: String| Err(RecipeError::Contradiction(text));
        if self.is_limited() {
            self.check_limited()?;
        } else if self.method != "auto" {
            self.method()?;
        }
        if self.window == WindowChoice::Stats && self.series.is_none() {
            return no("window statistics need the shape of a row: --series CHANNELSxSTEPS".to_owned());
        }
        if self.pool != 1 && self.image.is_none() {
            return no("pooling needs the shape of a row: --image ROWSxCOLUMNS".to_owned());
        }
        for (size, what) in [(self.series, "series"), (self.image, "image")] {
            if let Some(size) = size
                && size.0 * size.1 != data.width()
            {
                return no(format!("--{what} {size} makes {} values, but rows have {}", size.0 * size.1, data.width()));
            }
        }
        self.window()?;
        self.pool()?;
        Ok(data.require_classes(1)?)
    }

    fn fit_and_export(
        &self,
        data: &Dataset,
        run: &Run<'_>,
        complete: impl FnOnce(&mut nearmark_format::Info),
    ) -> Result<(ModelFile, Fitted, Option<Report>), RecipeError> {
        let (mut model, fitted) = self.fit_model(data, run, complete)?;
        let mut report = None;
        // Where the numbers are yet to be chosen, floats stand for them.
        if self.numeric == Numeric::I8 {
            let quantized = self.quantized(&model, data)?;
            (model, report) = (quantized.model, Some(quantized.report));
        }
        Ok((ModelFile::encode(&model).map_err(ExportError::from)?, fitted, report))
    }

    /// The model in floats.
    pub(super) fn fit_model(
        &self,
        data: &Dataset,
        run: &Run<'_>,
        complete: impl FnOnce(&mut nearmark_format::Info),
    ) -> Result<(ModelBuf, Fitted), RecipeError> {
        let method = self.method()?;
        let pipeline = Pipeline {
            window: if self.window == WindowChoice::Stats { self.window()? } else { None },
            pool: self.pool()?,
            scaling: self.scale,
            pca: self.pca,
            method: method.as_ref(),
            head: self.head,
        };
        let fitted = pipeline.fit_with(data, run)?;
        let mut info = info(&pipeline, data, &fitted);
        self.tell(&mut info, data);
        complete(&mut info);
        let export =
            Export { keep_embedding: self.keep_embedding, names: self.names, info: Some(info), ..Export::default() };
        Ok((export.model(&fitted)?.model, fitted))
    }

    /// Adds to the provenance what the recipe knows.
    pub(super) fn tell(&self, info: &mut nearmark_format::Info, data: &Dataset) {
        info.seed = self.seed;
        if !self.names {
            // The device does without them; whoever measures the model needs them.
            info.class_names = data.class_names().to_vec();
        }
        // Raw windows have no stage that stores the order of channels.
        info.interleaved = self.interleaved && self.series.is_some();
    }

    /// Mean accuracy over three folds, one value each, measured through the runtime.
    pub(super) fn folds(&self, data: &Dataset, run: &Run<'_>) -> Result<Vec<f64>, RecipeError> {
        let folds = split::folds(data, 3, self.seed).map_err(FitError::from)?;
        folds
            .iter()
            .map(|fold| {
                let (train, test) = fold.apply(data);
                let (model, ..) = self.fit_and_export(&train, run, |_| {})?;
                Ok(evaluate(&model, &test)?.accuracy())
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Size;
    use crate::dataset::synthetic::blobs;

    #[test]
    fn the_same_recipe_gives_the_same_bytes_for_any_number_of_threads() -> Result<(), RecipeError> {
        let data = blobs(3, 30, 6, 1.0, 0);
        let recipe = Recipe { method: "auto".to_owned(), ..Recipe::default() };
        let one = recipe.train(&data, &Run::default().threads(1))?;
        let two = recipe.train(&data, &Run::default().threads(2))?;
        assert_eq!(one.model, two.model);
        // The recipe that it settled on makes the very same model.
        assert_eq!(one.recipe.train(&data, &Run::default())?.model, one.model);
        Ok(())
    }

    #[test]
    fn contradictions_are_told_before_any_work() {
        let data = blobs(2, 5, 6, 1.0, 0);
        let told = |recipe: Recipe| recipe.train(&data, &Run::default()).map(|_| ()).map_err(|e| e.to_string());
        let wrong = Recipe { series: Some(Size(2, 4)), ..Recipe::default() };
        assert_eq!(told(wrong), Err("--series 2x4 makes 8 values, but rows have 6".to_owned()));
        let lonely = Recipe { pool: 2, ..Recipe::default() };
        assert_eq!(told(lonely), Err("pooling needs the shape of a row: --image ROWSxCOLUMNS".to_owned()));
    }

    #[test]
    fn a_hold_out_measures_rows_that_the_fit_has_not_seen() -> Result<(), RecipeError> {
        let data = blobs(3, 40, 6, 0.5, 0);
        let held = Recipe::default().hold_out(&data, 0.25, &Run::default())?;
        assert_eq!((held.trained_on, held.evaluation.rows()), (90, 30));
        assert!(held.evaluation.accuracy() > 0.8);
        assert!(Recipe::default().hold_out(&data, 0.001, &Run::default()).is_err());
        assert_eq!(held.integers, None);
        let integers = Recipe { numeric: Numeric::I8, ..Recipe::default() };
        let cost = integers.hold_out(&data, 0.25, &Run::default())?.integers;
        assert!(cost.is_some_and(|cost| cost.agreement > 0.95 && cost.accuracy_f64 > 0.8), "{cost:?}");
        Ok(())
    }
}
