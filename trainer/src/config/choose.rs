//! Automatic choices, by cross-validation on training rows alone.

use super::words::WindowChoice;
use super::{Recipe, RecipeError};
use crate::dataset::{Dataset, split};
use crate::error::FitError;
use crate::run::Run;

/// The methods that `auto` weighs, the first being favored: each later one must beat the best so far by more than one
/// standard error.
pub const CANDIDATES: [&str; 6] = ["cmvda", "lda", "dple", "kdple", "nsse", "ebek"];

/// Rows that a choice looks at; more would take longer and seldom decide otherwise.
const ROWS: usize = 2000;

/// One way that was tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// What was tried, in a word or two.
    pub name: String,
    /// Mean accuracy over the folds; none where it could not be fitted.
    pub accuracy: Option<f64>,
    /// Standard error of that mean.
    pub error: f64,
    /// Why it could not be fitted.
    pub failure: Option<String>,
}

/// Decides whether windows become statistics.
pub(super) fn window(
    recipe: &mut Recipe,
    data: &Dataset,
    run: &Run<'_>,
    notes: &mut Vec<String>,
    tried: &mut Vec<Candidate>,
) -> Result<(), RecipeError> {
    if recipe.series.is_none() {
        recipe.window = WindowChoice::None;
        return Ok(());
    }
    let rows = sample(data, recipe.seed);
    // Statistics come first: they are fewer inputs, so raw windows have to be clearly better.
    let method = if recipe.method == "auto" { "cmvda".to_owned() } else { recipe.method.clone() };
    let ways = [(WindowChoice::Stats, "window statistics"), (WindowChoice::None, "raw windows")];
    let recipes = ways.map(|(window, name)| (name, Recipe { window, method: method.clone(), ..recipe.clone() }));
    let best = weigh("windows", &recipes, &rows, run, notes, tried)?;
    recipe.window = ways[best].0;
    notes.push(format!("{} chosen by cross-validation", ways[best].1));
    Ok(())
}

/// Decides on a method.
pub(super) fn method(
    recipe: &mut Recipe,
    data: &Dataset,
    run: &Run<'_>,
    notes: &mut Vec<String>,
    tried: &mut Vec<Candidate>,
) -> Result<(), RecipeError> {
    let rows = sample(data, recipe.seed);
    let recipes = CANDIDATES.map(|name| (name, Recipe { method: name.to_owned(), ..recipe.clone() }));
    // Parameters said of no method in particular serve those that know them.
    let usable: Vec<(&str, Recipe)> = recipes.into_iter().filter(|(_, recipe)| recipe.method().is_ok()).collect();
    if usable.is_empty() {
        let error = Recipe { method: CANDIDATES[0].to_owned(), ..recipe.clone() }.method().err();
        return Err(error.map_or_else(|| RecipeError::Contradiction("no method to choose".to_owned()), Into::into));
    }
    let best = weigh("methods", &usable, &rows, run, notes, tried)?;
    usable[best].0.clone_into(&mut recipe.method);
    notes.push(format!("method {} chosen by cross-validation", recipe.method));
    Ok(())
}

/// At most [`ROWS`] rows, every class in proportion.
fn sample(data: &Dataset, seed: u64) -> Dataset {
    if data.len() <= ROWS {
        return data.clone();
    }
    data.select(&split::sample(data, ROWS as f64 / data.len() as f64, seed).test)
}

/// The index of the best: the first, unless a later one is better by more than a standard error.
fn weigh(
    step: &'static str,
    recipes: &[(&str, Recipe)],
    rows: &Dataset,
    run: &Run<'_>,
    notes: &mut Vec<String>,
    tried: &mut Vec<Candidate>,
) -> Result<usize, RecipeError> {
    if rows.class_counts().contains(&1) {
        notes.push(format!("{step}: a class has a single row, so nothing was compared"));
        return Ok(0);
    }
    let mut best: Option<(usize, f64)> = None;
    let mut first_error = None;
    // Progress of the fits within would make a bar jump; it tells of the candidates instead.
    let quiet = run.quiet();
    for (i, (name, recipe)) in recipes.iter().enumerate() {
        run.step(step, i, recipes.len())?;
        let candidate = match recipe.folds(rows, &quiet) {
            Ok(scores) => {
                let (mean, error) = mean_and_error(&scores);
                if best.is_none_or(|(_, leader)| mean > leader + error) {
                    best = Some((i, mean));
                }
                Candidate { name: (*name).to_owned(), accuracy: Some(mean), error, failure: None }
            }
            Err(RecipeError::Fit(FitError::Cancelled)) => return Err(FitError::Cancelled.into()),
            Err(error) => {
                let failure = Some(error.to_string());
                first_error.get_or_insert(error);
                Candidate { name: (*name).to_owned(), accuracy: None, error: 0.0, failure }
            }
        };
        tried.push(candidate);
    }
    match (best, first_error) {
        (Some((best, _)), _) => Ok(best),
        (None, Some(error)) => Err(error),
        (None, None) => Ok(0),
    }
}

fn mean_and_error(scores: &[f64]) -> (f64, f64) {
    let count = scores.len() as f64;
    let mean = scores.iter().sum::<f64>() / count;
    let variance = scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    (mean, (variance / count).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::synthetic::{blobs, moons};

    #[test]
    fn the_favorite_stays_unless_another_is_clearly_better() -> Result<(), RecipeError> {
        // A line cannot separate the moons: LDA asked first must give way to a kernel.
        let data = moons(60, 0.1, 0);
        let recipes = ["lda", "cmvda", "kda"].map(|name| (name, Recipe { method: name.into(), ..Recipe::default() }));
        let (mut notes, mut tried) = (Vec::new(), Vec::new());
        assert_eq!(weigh("methods", &recipes, &data, &Run::default(), &mut notes, &mut tried)?, 1);
        assert_eq!(tried.len(), 3);
        Ok(())
    }

    #[test]
    fn a_class_of_one_row_leaves_the_favorite() -> Result<(), RecipeError> {
        let data = blobs(2, 5, 3, 1.0, 0).select(&[0, 2, 4, 1]);
        let auto = Recipe { method: "auto".into(), ..Recipe::default() };
        let (recipe, tried, notes) = auto.decided(&data, &Run::default())?;
        assert_eq!((recipe.method.as_str(), tried.len()), ("cmvda", 0));
        assert!(notes[0].contains("single row"), "{notes:?}");
        Ok(())
    }

    #[test]
    fn a_parameter_of_one_method_narrows_the_choice() -> Result<(), RecipeError> {
        let set = [("mu1".to_owned(), "200".to_owned())].into();
        let auto = Recipe { method: "auto".into(), set, ..Recipe::default() };
        let (recipe, tried, _) = auto.decided(&blobs(2, 10, 3, 1.0, 0), &Run::default())?;
        assert_eq!((recipe.method.as_str(), tried.len()), ("nsse", 1));
        Ok(())
    }
}
