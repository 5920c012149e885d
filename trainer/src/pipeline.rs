//! Stages, a method and a head, fitted together; and from a fixed fit to its model file.

use crate::compile::quantize::{self, Options, QuantizeError, Quantized, quantize};
use crate::compile::{Export, ExportError};
use crate::config::{Common, FixedFit, Input, Numeric, WindowChoice};
use crate::dataset::Dataset;
use crate::error::FitError;
use crate::linalg::{Csr, Mat};
use crate::memory;
use crate::methods::{Method, Registry};
use crate::model::head::HeadChoice;
use crate::model::provenance::info;
use crate::model::{Fitted, ModelFile, inputs_of};
use crate::preprocess::{Components, Pool, Scaling, Stage, Window, principal_axes, sparse_axes};
use crate::run::Run;
use crate::train::TrainError;
use nearmark_format::{Info, ModelBuf};
use std::borrow::Cow;

/// What to do with rows, from the sensor to the class. Absent stages cost nothing.
#[derive(Debug, Clone, Copy)]
pub struct Pipeline<'a> {
    /// Statistics of a sensor window.
    pub window: Option<Window>,
    /// Sums over blocks of an image.
    pub pool: Option<Pool>,
    /// Scaling.
    pub scaling: Scaling,
    /// Principal axes.
    pub pca: Option<Components>,
    /// The method.
    pub method: &'a dyn Method,
    /// The head; by default the method's own, which is the class means except for plain k-NN.
    pub head: Option<HeadChoice>,
}

impl<'a> Pipeline<'a> {
    /// The method behind automatic scaling, with its own head.
    #[must_use]
    pub fn new(method: &'a dyn Method) -> Self {
        Self { window: None, pool: None, scaling: Scaling::Auto, pca: None, method, head: None }
    }

    /// Fits with all cores and nobody watching.
    ///
    /// # Errors
    /// As [`fit_with`](Self::fit_with).
    pub fn fit(&self, data: &Dataset) -> Result<Fitted, FitError> {
        self.fit_with(data, &Run::default())
    }

    /// Learns every stage on these rows, then the method, then the head.
    ///
    /// # Errors
    /// [`FitError`] of the first stage that cannot be fitted.
    pub fn fit_with(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError> {
        if !data.is_labelled() && self.method.needs_labels() {
            let others = Registry::default().unlabelled().collect::<Vec<_>>().join(", ");
            return Err(FitError::NeedsLabels { method: self.method.name(), others });
        }
        memory::check(self.method, data.len(), memory::available())?;
        if let Some(rows) = data.sparse_rows() {
            return self.fit_sparse(data, rows, run);
        }
        if data.are_similarities() {
            return self.fit_similarities(data, run);
        }
        let threads = run.thread_count();
        let mut stages = Vec::new();
        let mut rows = Cow::Borrowed(data.rows());
        let mut add = |stage: Stage, rows: &mut Cow<'_, Mat>| -> Result<(), FitError> {
            *rows = Cow::Owned(stage.apply(rows, threads)?);
            stages.push(stage);
            Ok(())
        };
        run.step("stages", 0, 1)?;
        for stage in self.window.map(Stage::Window).into_iter().chain(self.pool.map(Stage::Pool)) {
            add(stage, &mut rows)?;
        }
        let notes = self.scaling.notes(&rows, data.labels());
        if let Some(scale) = self.scaling.fit(&rows, data.labels()) {
            add(Stage::Scale(scale), &mut rows)?;
        }
        if let Some(components) = self.pca {
            let axes = principal_axes(&rows, components, threads)?;
            add(Stage::Project(axes.projection()), &mut rows)?;
        }
        let fitted = self.method.fit_with(&data.with_rows(rows.into_owned())?, run)?;
        self.finish(fitted.behind(stages, data).with_notes(notes))
    }

    /// The same on sparse rows, whose zeros stay as they are until principal axes, if any, make few columns of many.
    fn fit_sparse(&self, data: &Dataset, rows: &Csr, run: &Run<'_>) -> Result<Fitted, FitError> {
        if self.window.is_some() || self.pool.is_some() {
            let method = if self.pool.is_some() { "pooling" } else { "window statistics" };
            return Err(FitError::Sparse { method, rows: data.len(), columns: data.width() });
        }
        run.step("stages", 0, 1)?;
        let mut stages = Vec::new();
        let mut notes = Vec::new();
        let mut rows = Cow::Borrowed(rows);
        match self.scaling.fit_sparse(&rows)? {
            Some(scale) => {
                rows = Cow::Owned(scale.apply_sparse(rows.into_owned()));
                stages.push(Stage::Scale(scale));
            }
            None if self.scaling == Scaling::Auto => notes.push("sparse rows are not scaled".to_owned()),
            None => {}
        }
        let prepared = match self.pca {
            Some(components) => {
                let (axes, coordinates, said) = sparse_axes(&rows, components, run.thread_count())?;
                notes.extend(said);
                stages.push(Stage::Project(axes.projection()));
                data.with_rows(coordinates)?
            }
            None => data.with_sparse(rows.into_owned()),
        };
        self.finish(self.method.fit_with(&prepared, run)?.with_notes(notes).behind(stages, data))
    }

    /// A fit on a kernel matrix, whose values no stage may change.
    fn fit_similarities(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError> {
        let stages = [
            (self.window.is_some(), "window statistics"),
            (self.pool.is_some(), "pooling"),
            (!matches!(self.scaling, Scaling::Auto | Scaling::None), "scaling"),
            (self.pca.is_some(), "pca"),
        ];
        if let Some((_, stage)) = stages.into_iter().find(|(given, _)| *given) {
            return Err(FitError::SimilaritiesChanged { stage });
        }
        self.finish(self.method.fit_with(data, run)?.behind(Vec::new(), data))
    }

    fn finish(&self, fitted: Fitted) -> Result<Fitted, FitError> {
        match self.head {
            Some(head) => fitted.with_head(head),
            None => Ok(fitted),
        }
    }
}

/// The model file of a fit whose choices are all made, the fit in f64, and what integers did to it.
pub(crate) fn fit_and_export(
    fit: &FixedFit,
    data: &Dataset,
    run: &Run<'_>,
    complete: impl FnOnce(&mut Info),
) -> Result<(ModelFile, Fitted, Option<quantize::Report>), TrainError> {
    let (mut model, fitted) = fit_model(fit, data, run, complete)?;
    let mut report = None;
    // Where the numbers are yet to be chosen, floats stand for them.
    if fit.common.numeric == Numeric::I8 {
        let quantized = quantized(fit, &model, data)?;
        (model, report) = (quantized.model, Some(quantized.report));
    }
    Ok((ModelFile::encode(&model).map_err(ExportError::from)?, fitted, report))
}

/// The model in floats.
pub(crate) fn fit_model(
    fit: &FixedFit,
    data: &Dataset,
    run: &Run<'_>,
    complete: impl FnOnce(&mut Info),
) -> Result<(ModelBuf, Fitted), TrainError> {
    let common = &fit.common;
    let method = common.build_method()?;
    let pipeline = fit.pipeline(method.as_ref())?;
    let fitted = pipeline.fit_with(data, run)?;
    let mut info = info(&pipeline, data, &fitted);
    common.describe(&mut info, data);
    complete(&mut info);
    let export =
        Export { keep_embedding: fit.keep_embedding, names: common.names, info: Some(info), ..Export::default() };
    Ok((export.model(&fitted)?.model, fitted))
}

/// Integers for the model of these rows.
pub(crate) fn quantized(fit: &FixedFit, model: &ModelBuf, data: &Dataset) -> Result<Quantized, QuantizeError> {
    let rows = inputs_of(model.info.as_ref(), model.inputs, data.rows());
    quantize(model, &rows, Options { keep_embedding: fit.keep_embedding, ..Options::default() })
}

impl FixedFit {
    /// The stages, this method and the head, to be fitted.
    pub(crate) fn pipeline<'a>(&self, method: &'a dyn Method) -> Result<Pipeline<'a>, TrainError> {
        let input = self.common.input;
        let window = match input {
            Input::Series(series) if series.window == WindowChoice::Stats => Some(series.statistics(series.segments)?),
            _ => None,
        };
        let pool = if let Input::Image(image) = input { image.pooling()? } else { None };
        Ok(Pipeline { window, pool, scaling: self.common.scale, pca: self.pca, method, head: self.head })
    }
}

impl Common {
    /// Adds to the provenance what the configuration knows.
    pub(crate) fn describe(&self, info: &mut Info, data: &Dataset) {
        info.seed = self.seed;
        if !self.names {
            // The device does without them; whoever evaluates the model needs them.
            info.class_names = data.class_names().to_vec();
        }
        // Raw windows have no stage that states their order.
        info.interleaved = matches!(self.input, Input::Series(series) if series.interleaved);
    }
}
