//! A candidate's numbers as a model file, and the runtime's answers to it.

use crate::compile::quantize::{self, ReadoutWidth, quantize};
use crate::compile::{Export, ExportError};
use crate::dataset::Dataset;
use crate::evaluate::{EvalError, predict};
use crate::linalg::Mat;
use crate::preprocess::Stage;
use crate::search::candidate::Candidate;
use crate::search::compact_model::{CompactModel, drop_unused};
use crate::search::error::SearchError;
use crate::search::space::dimensions::Numeric;
use crate::search::task::{Options, Task};
use nearmark_format::{AlignedBuf, ModelBuf};

/// A model ready to be encoded.
#[derive(Debug, Clone, PartialEq)]
pub struct CompiledModel {
    /// The model.
    pub model: ModelBuf,
    /// What quantization did to it; none for floats.
    pub report: Option<quantize::Report>,
}

/// How candidates become model files.
#[derive(Debug, Clone, Copy)]
pub(in crate::search) struct Compiler<'a> {
    /// Stages before the projection.
    pub(in crate::search) preprocessing: &'a [Stage],
    /// Rows before those stages.
    pub(in crate::search) data: &'a Dataset,
    export: &'a Export,
    /// Bytes that the file may have.
    pub(in crate::search) flash: Option<usize>,
}

impl<'a> Compiler<'a> {
    /// For a task with one of its preprocessings.
    pub(in crate::search) fn new(task: &Task<'a>, preprocessing: &'a [Stage], options: &Options) -> Self {
        Self { preprocessing, data: task.data, export: task.export, flash: options.limits.flash }
    }

    /// The model in the form that a candidate asks for; `calibration` are rows before preprocessing.
    ///
    /// # Errors
    /// [`SearchError`] when the device cannot run it.
    pub(in crate::search) fn compile(
        &self,
        model: &CompactModel,
        calibration: &Mat,
        candidate: &Candidate,
    ) -> Result<CompiledModel, SearchError> {
        let mut model = self.export.model(&model.fitted(self.preprocessing, self.data))?.model;
        match (&mut model.project, candidate.dimensions.nonzeros) {
            (Some(projection), Some(_)) => projection.sparse = true,
            _ => drop_unused(&mut model, candidate.numeric),
        }
        if candidate.numeric == Numeric::F32 {
            return Ok(CompiledModel { model, report: None });
        }
        let mut options = quantize::Options { readout: ReadoutWidth::I8, ..quantize::Options::default() };
        let mut found = quantize(&model, calibration, options)?;
        if self.flash.is_some_and(|most| found.report.bytes.1 > most) {
            // A range per feature is the one thing that the quantizer may add beyond the candidate's dimensions.
            options.one_range = true;
            found = quantize(&model, calibration, options)?;
        }
        Ok(CompiledModel { model: found.model, report: Some(found.report) })
    }

    /// At most so many of these rows before preprocessing, evenly.
    pub(in crate::search) fn rows(&self, rows: &[usize], most: usize) -> Mat {
        let count = rows.len().min(most);
        let evenly: Vec<usize> = (0..count).map(|i| rows[i * rows.len() / count]).collect();
        self.data.rows().select_rows(&evenly)
    }
}

/// How many rows the runtime classifies correctly.
pub(super) fn count_correct(
    model: &ModelBuf,
    rows: &Mat,
    labels: impl Iterator<Item = usize>,
) -> Result<usize, SearchError> {
    let bytes = ModelBuf { info: None, ..model.clone() }.encode().map_err(ExportError::from)?;
    let aligned = AlignedBuf::from(bytes.as_slice());
    let model = nearmark::Model::from_bytes(&aligned).map_err(EvalError::from)?;
    let found = predict(&model, rows)?;
    Ok(found.iter().zip(labels).filter(|(found, label)| usize::from(found.class().0) == *label).count())
}
