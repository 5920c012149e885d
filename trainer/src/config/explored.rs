//! What a search within limits found, and the model file made of it.

use super::error::RecipeError;
use super::{Recipe, Trained};
use crate::compile::ExportError;
use crate::dataset::Dataset;
use crate::model::{ModelFile, provenance::record};
use crate::search::{Candidate, FinalEvaluation, SearchResult, Start};
use nearmark_format::Info;

/// How a model within limits was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Budgeted {
    /// The chosen candidate, and how its files did on held-out rows.
    pub evaluation: FinalEvaluation,
    /// Mean smoothed cross-entropy before and after training; none for a closed form.
    pub objective: Option<(f64, f64)>,
    /// How many candidates were tried.
    pub tried: usize,
}

/// What a search within limits found.
pub(crate) struct Explored {
    pub(crate) found: SearchResult,
    /// The method that the model learned from, with its parameters.
    pub(super) method: (String, Vec<(&'static str, String)>),
    pub(super) preprocessing: String,
    pub(super) notes: Vec<String>,
}

impl Explored {
    /// The method's name.
    #[cfg(feature = "tune")]
    pub(crate) fn method(&self) -> &str {
        &self.method.0
    }

    /// The model file, with its provenance.
    pub(crate) fn trained(
        self,
        recipe: &Recipe,
        data: &Dataset,
        complete: impl FnOnce(&mut Info),
    ) -> Result<Trained, RecipeError> {
        let Self { found, method: (method, own), preprocessing, mut notes } = self;
        notes.extend(found.file.report.as_ref().map(|report| format!("integers: {report}")));
        let mut params = described(&found.evaluation.trial.candidate);
        params.push(("preprocessing", preprocessing));
        params.extend(found.objective.map(|(before, after)| {
            ("objective", format!("cross-entropy over class distances {before:.4} -> {after:.4}"))
        }));
        params.extend(own);
        let mut info = record(&method, params, recipe.seed, data);
        info.scores.push(("held-out accuracy".to_owned(), found.evaluation.trial.accuracy));
        recipe.tell(&mut info, data);
        complete(&mut info);
        let mut model = found.file.model;
        model.info = Some(info);
        let model = ModelFile::encode(&model).map_err(ExportError::from)?;
        let budgeted = Budgeted { evaluation: found.evaluation, objective: found.objective, tried: found.trials.len() };
        let (recipe, candidates) = (recipe.clone(), Vec::new());
        Ok(Trained { model, fitted: found.fitted, recipe, candidates, budgeted: Some(budgeted), notes })
    }
}

/// A candidate as parameters by name.
fn described(candidate: &Candidate) -> Vec<(&'static str, String)> {
    let shape = &candidate.dimensions;
    let mut params = vec![("kept features", format!("{} of {}", shape.kept, shape.features))];
    let mut add = |name: &'static str, value: String| params.push((name, value));
    add("dim", shape.dim.to_string());
    if let Start::Centers(start) = &candidate.start {
        let sparse = shape.nonzeros.map_or(String::new(), |count| format!(" by {count} weights"));
        add("projected", format!("{}{sparse}", shape.projected));
        add("centers", format!("{} {:?}", shape.centers, start.origin).to_lowercase());
        add("start", format!("{:?}", start.directions).to_lowercase());
        add("sigma", format!("{:.3}x", start.sigma));
    }
    match &candidate.training {
        None => add("training", "none".to_owned()),
        Some(p) => {
            add("training", format!("{} steps of {} rows at learning rate {:.3}", p.steps, p.batch, p.rate));
            add("label smoothing", p.smoothing.to_string());
            add("noise", p.noise.to_string());
            add("shift", p.shift.to_string());
        }
    }
    params
}
