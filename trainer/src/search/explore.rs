//! Runs a budget search: from its configuration to a task of the search, and from what was found to a model file.

use super::budget::evaluated_on;
use super::cache::TrialCache;
use super::closed_form::Origin;
use super::holdouts::HoldOuts;
use super::preprocessing::candidates;
use super::train::images;
use super::{
    Candidate, ConvolutionTask, CountsTask, Deadline, FinalEvaluation, Kinds, Layers, Options, SearchResult, Start,
    Task, TrainError, Variant, fit,
};
use crate::compile::{Export, ExportError};
use crate::config::{
    BudgetSearch, Common, Config, ConfigError, ConvolutionChoice, Image, Input, Numeric, Size, WindowChoice,
};
use crate::dataset::Dataset;
use crate::methods::{Registry, Settings};
use crate::model::ModelFile;
use crate::model::provenance::{TRAINING, UNTRAINED, record};
use crate::preprocess::Stage;
use crate::preprocess::counts::Shape;
use crate::run::Run;
use crate::train::Trained;
use nearmark_format::Info;

/// Candidates of successive halving at every size: three rounds of a third each, 27 to 9 to 3 to 1.
const ARMS: usize = 27;
/// Methods with kernels whose embeddings are tried beside class indicators, one of each family. On digits, kdple is taken
/// at 2 kB and nsse at 4 and 16 kB.
const ALTERNATIVES: [&str; 3] = ["nsse", "kdple", "cmvca"];

/// How a model within limits was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Budgeted {
    /// The chosen candidate, and how its files did on held-out rows.
    pub evaluation: FinalEvaluation,
    /// Mean smoothed cross-entropy before and after training; `None` for a closed form.
    pub objective: Option<(f64, f64)>,
    /// How many candidates were evaluated.
    pub tried: usize,
    /// The method whose embedding the model learned.
    pub method: String,
}

/// How far to search beyond one choice after the other.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Exploration<'a> {
    /// Whether to try successive halving, the embeddings of other methods, and floats even where integers cost nothing.
    pub(crate) thorough: bool,
    /// Trials of earlier searches.
    pub(crate) cache: Option<&'a TrialCache>,
    /// When to stop.
    pub(crate) deadline: Option<&'a Deadline>,
}

/// Searches within the limits. `complete` adds to the provenance what only the caller knows.
pub(crate) fn explore(
    search: &BudgetSearch,
    data: &Dataset,
    exploration: &Exploration<'_>,
    run: &Run<'_>,
    complete: impl FnOnce(&mut Info),
) -> Result<(Trained, Budgeted), TrainError> {
    search.check_method()?;
    let common = &search.common;
    refuse_without_rows(data)?;
    common.check(data)?;
    let hold_outs = HoldOuts::of(data, common.input, run);
    let data = hold_outs.data();
    let mut options = options(search);
    // The sizes of a long search are the ladder.
    options.ladder = !search.quick && !exploration.thorough && exploration.deadline.is_none();
    let mut alternatives = Vec::new();
    if exploration.thorough {
        (options.arms, options.floats) = (ARMS, options.numeric.is_none());
        // A method that was named has no alternatives.
        if common.method.entry.is_none() {
            for name in ALTERNATIVES {
                alternatives.push(Registry::default().find(name)?.build(&Settings::new(), 0)?);
            }
        }
    }
    let method = search.target_embedding()?;
    let mut notes = Vec::new();
    let image = match common.input {
        Input::Series(_) => None,
        Input::Image(image) => Some((image.size.0, image.size.1)),
        Input::Table => images::guess(data),
    };
    if let (Input::Table, Some((rows, cols))) = (common.input, image) {
        notes.push(format!("rows look like images of {} pixels and are tried as such", Size(rows, cols)));
    }
    let (stages, mut names): (Vec<Vec<Stage>>, Vec<String>) = candidates(common, data, image, run)?.into_iter().unzip();
    let counts = counts_of(common);
    let export = Export { names: common.names, exemplars: false, ..Export::default() };
    let own_cache = TrialCache::in_memory();
    let cache = Some(exploration.cache.unwrap_or(&own_cache));
    let (deadline, method) = (exploration.deadline, method.as_deref());
    let convolution = convolution_of(search, image);
    let alternatives = alternatives.as_slice();
    let task =
        Task { counts, convolution, image, method, alternatives, cache, deadline, ..Task::new(data, &stages, &export) };
    // The work of a longer search depends on its deadline.
    let run = &if exploration.thorough || exploration.deadline.is_some() { run.uncounted() } else { *run };
    let found = fit(&task, &options, run)?;
    let accuracy = found.evaluation.trial.accuracy;
    // Convolutions would have to be trained again for a second figure.
    let recordings = if found.convolution.is_some() {
        None
    } else {
        hold_outs.both(accuracy, |data| {
            run.step("comparing hold-outs", 0, 1)?;
            evaluated_on(&Task { data, ..task }, &options, &found, &run.quiet())
        })?
    };
    if counts.is_some() {
        names.push(found.counts.map_or("counts of fixed convolutions", Variant::name).to_owned());
    }
    if convolution.is_some() {
        names.push("learned convolutions".to_owned());
    }
    let name = found.convolution.clone().unwrap_or_else(|| names[found.preprocessing].clone());
    if names.len() > 1 {
        notes.push(format!("{name} chosen among {}", names.join(", ")));
    }
    notes.extend(found.file.report.as_ref().map(|report| format!("integers: {report}")));
    let candidate = &found.evaluation.trial.candidate;
    let (method, own) = match (task.methods()[candidate.target], candidate.start) {
        (Some(method), _) => (method.name(), method.params()),
        (None, Start::Linear(_)) => ("lda", Vec::new()),
        (None, Start::Centers(_)) => ("cmvda", Vec::new()),
    };
    let mut params = described(&found, &name);
    params.extend(own);
    let mut info = record(method, params, common.seed, data);
    info.scores.push(("held-out accuracy".to_owned(), accuracy));
    if let Some(both) = &recordings {
        both.record(&mut info);
    }
    common.describe(&mut info, data);
    complete(&mut info);
    let SearchResult { file, fitted, evaluation, objective, trials, .. } = found;
    let mut model = file.model;
    model.info = Some(info);
    let model = ModelFile::encode(&model).map_err(ExportError::from)?;
    let budgeted = Budgeted { evaluation, objective, tried: trials.len(), method: method.to_owned() };
    let (config, candidates) = (Config::Budget(search.clone()), Vec::new());
    let tuning = Vec::new();
    Ok((Trained { model, fitted, config, candidates, tuning, recordings, budgeted: None, notes }, budgeted))
}

/// Images that convolutions are tried on.
fn convolution_of(search: &BudgetSearch, image: Option<(usize, usize)>) -> Option<ConvolutionTask> {
    let pooled = matches!(search.common.input, Input::Image(Image { pool, .. }) if pool > 1);
    let (layers, only) = match search.convolution {
        ConvolutionChoice::None => return None,
        ConvolutionChoice::Auto => (Layers::Any, false),
        ConvolutionChoice::One => (Layers::One, true),
        ConvolutionChoice::Two => (Layers::Two, true),
    };
    let (rows, cols) = image.filter(|_| only || !pooled)?;
    Some(ConvolutionTask { images: (1, rows, cols), layers, only })
}

/// Windows of which counts are tried.
fn counts_of(common: &Common) -> Option<CountsTask> {
    let Input::Series(series) = common.input else { return None };
    let Size(channels, steps) = series.size;
    let window = Shape { channels, steps, interleaved: series.interleaved };
    let only = series.window == WindowChoice::Counts;
    (only || series.window == WindowChoice::Auto).then_some(CountsTask { window, only })
}

/// A search computes with rows that have all their values.
pub(crate) fn refuse_without_rows(data: &Dataset) -> Result<(), ConfigError> {
    let reason = if data.sparse_rows().is_some() {
        "a budget search would fill in the zeros of sparse rows; name a method, and leave the limits out"
    } else if data.are_similarities() {
        "a budget search places centers among rows, which a kernel matrix does not have; leave the limits out"
    } else {
        return Ok(());
    };
    Err(ConfigError::refused("flash", reason))
}

impl BudgetSearch {
    /// Refuses a method whose model grows with the rows.
    pub(crate) fn check_method(&self) -> Result<(), ConfigError> {
        if self.common.method.name() == "knn" {
            let reason = "knn keeps every row; within a budget take another, like auto";
            return Err(ConfigError::refused("method", reason));
        }
        Ok(())
    }
}

fn options(search: &BudgetSearch) -> Options {
    let method = search.common.method.name();
    let own_centers = if method == "ebek" { Origin::Exemplars } else { Origin::default() };
    Options {
        numeric: match search.common.numeric {
            Numeric::F32 => Some(super::Numeric::F32),
            Numeric::I8 => Some(super::Numeric::I8),
            Numeric::Auto => None,
        },
        kinds: match method {
            crate::config::AUTO => Kinds::All,
            "lda" => Kinds::Linear,
            _ => Kinds::Kernel,
        },
        origin: search.centers.unwrap_or(own_centers),
        train: search.refine,
        passes: search.passes,
        quick: search.quick,
        seed: search.common.seed,
        ..Options::within(search.limits)
    }
}

/// What was found as parameters by name.
fn described(found: &SearchResult, preprocessing: &str) -> Vec<(&'static str, String)> {
    let Candidate { dimensions: shape, start, training, .. } = &found.evaluation.trial.candidate;
    let mut params = vec![("kept features", format!("{} of {}", shape.kept, shape.features))];
    let mut add = |name: &'static str, value: String| params.push((name, value));
    add("dim", shape.dim.to_string());
    if let Start::Centers(start) = start {
        let sparse = shape.nonzeros.map_or(String::new(), |count| format!(" by {count} weights"));
        add("projected", format!("{}{sparse}", shape.projected));
        add("centers", format!("{} {:?}", shape.centers, start.origin).to_lowercase());
        add("start", format!("{:?}", start.directions).to_lowercase());
        add("sigma", format!("{:.3}x", start.sigma));
    }
    match training {
        None => add(TRAINING, UNTRAINED.to_owned()),
        Some(p) => {
            add(TRAINING, format!("{} steps of {} rows at learning rate {:.3}", p.steps, p.batch, p.rate));
            add("label smoothing", p.smoothing.to_string());
            add("noise", p.noise.to_string());
            add("shift", p.shift.to_string());
        }
    }
    add("preprocessing", preprocessing.to_owned());
    if let Some((before, after)) = found.objective {
        add("objective", format!("cross-entropy over class distances {before:.4} -> {after:.4}"));
    }
    params
}
