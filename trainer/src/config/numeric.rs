//! Floats or integers: said, or chosen on rows held out.

use super::words::WordError;
use super::{Recipe, RecipeError};
use crate::compile::quantize::{self, Options, QuantizeError, quantize};
use crate::dataset::{Dataset, split};
use crate::run::Run;
use nearmark_format::ModelBuf;
use std::fmt::{self, Display};
use std::str::FromStr;

/// The share of rows held out for the choice.
const SHARE: f64 = 0.25;

/// In what numbers the device computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Numeric {
    /// Single precision.
    #[default]
    F32,
    /// Integers: a quarter of the bytes, and fast without a float unit.
    I8,
    /// Integers, if rows held out lose less by them than one standard error.
    Auto,
}

impl FromStr for Numeric {
    type Err = WordError;

    fn from_str(text: &str) -> Result<Self, WordError> {
        match text {
            "f32" => Ok(Self::F32),
            "i8" => Ok(Self::I8),
            "auto" => Ok(Self::Auto),
            _ => Err(WordError { expected: "f32, i8 or auto", got: text.to_owned() }),
        }
    }
}

impl Display for Numeric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F32 => "f32",
            Self::I8 => "i8",
            Self::Auto => "auto",
        })
    }
}

impl Recipe {
    /// Integers for the model of these rows.
    pub(super) fn quantized(&self, model: &ModelBuf, data: &Dataset) -> Result<quantize::Quantized, QuantizeError> {
        quantize(model, data.rows(), Options { keep_embedding: self.keep_embedding, ..Options::default() })
    }
}

/// Decides between floats and integers, the rest of the recipe being decided.
pub(super) fn choose(
    recipe: &mut Recipe,
    data: &Dataset,
    run: &Run<'_>,
    notes: &mut Vec<String>,
) -> Result<(), RecipeError> {
    recipe.numeric = Numeric::F32;
    let held = split::stratified(data, SHARE, recipe.seed);
    if held.test.is_empty() {
        notes.push("numeric: too few rows to hold any out, so floats were kept".to_owned());
        return Ok(());
    }
    let (train, test) = held.apply(data);
    let (model, _) = recipe.fit_model(&train, run, |_| {})?;
    let quantized = match recipe.quantized(&model, &train) {
        Ok(quantized) => quantized,
        Err(error) => {
            notes.push(format!("floats kept: {error}"));
            return Ok(());
        }
    };
    let found = quantized.compare(&model, &test)?;
    let (loss, error) = (100.0 * found.loss(), 100.0 * found.error());
    if found.loss() <= found.error() {
        recipe.numeric = Numeric::I8;
    }
    let chosen = if recipe.numeric == Numeric::I8 { "integers" } else { "floats" };
    let rows = found.rows;
    notes.push(format!("{chosen} chosen: integers lose {loss:.2} ± {error:.2} points on {rows} rows held out"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::synthetic::blobs;
    use crate::evaluate::evaluate;
    use crate::methods::features::FeatureChoice;
    use crate::model::ModelFile;
    use crate::preprocess::Scaling;

    #[test]
    fn integers_are_as_good_as_said_and_a_quarter_of_the_size() -> Result<(), RecipeError> {
        let data = blobs(3, 60, 8, 0.8, 0);
        let floats = Recipe { features: Some(FeatureChoice::Nystrom(40)), names: false, ..Recipe::default() };
        let integers = Recipe { numeric: Numeric::I8, ..floats.clone() };
        let (floats, integers) = (floats.train(&data, &Run::default())?, integers.train(&data, &Run::default())?);
        assert!(integers.model.bytes().len() * 2 < floats.model.bytes().len());
        let accuracy = |model: &ModelFile| evaluate(model, &data).map(|found| found.accuracy());
        assert!((accuracy(&integers.model)? - accuracy(&floats.model)?).abs() < 0.02);
        Ok(())
    }

    #[test]
    fn auto_takes_integers_where_they_cost_nothing_and_floats_where_there_are_none() -> Result<(), RecipeError> {
        let data = blobs(3, 60, 8, 0.5, 0);
        let auto = Recipe { numeric: Numeric::Auto, ..Recipe::default() };
        let trained = auto.train(&data, &Run::default())?;
        assert_eq!(trained.recipe.numeric, Numeric::I8, "{:?}", trained.notes);
        let unit = Recipe { scale: Scaling::Unit, ..auto.clone() };
        let (recipe, _, notes) = unit.decided(&data, &Run::default())?;
        assert_eq!(recipe.numeric, Numeric::F32);
        assert!(notes.iter().any(|note| note.contains("unit length has no integer form")), "{notes:?}");
        let refused = Recipe { numeric: Numeric::I8, ..unit }.train(&data, &Run::default());
        assert!(matches!(refused, Err(RecipeError::Quantize(QuantizeError::Unsupported { .. }))));
        Ok(())
    }
}
