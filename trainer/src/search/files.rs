//! Compact models as files: what is compared last is what will be written.

use super::candidate::Setting;
use super::core::{Core, drop_unused};
use super::error::CompactError;
use super::space::size::Numeric;
use super::task::{Options, Task};
use crate::compile::quantize::{self, ReadoutWidth, quantize};
use crate::compile::{Export, ExportError};
use crate::dataset::Dataset;
use crate::evaluate::predict;
use crate::linalg::Mat;
use crate::model::ModelFile;
use crate::preprocess::Stage;
use nearmark_format::ModelBuf;

/// A model ready to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct File {
    /// The model.
    pub model: ModelBuf,
    /// What integers cost.
    pub report: Option<quantize::Report>,
}

/// How models are written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Writer<'a> {
    /// Stages before the projection.
    pub(super) stages: &'a [Stage],
    /// Rows before those stages.
    pub(super) data: &'a Dataset,
    /// How to export.
    pub(super) export: &'a Export,
    /// Bytes that the core may have.
    pub(super) flash: Option<usize>,
}

impl<'a> Writer<'a> {
    /// For a task behind one of its fronts.
    pub(super) fn new(task: &Task<'a>, stages: &'a [Stage], options: &Options) -> Self {
        Self { stages, data: task.data, export: task.export, flash: options.limits.flash }
    }

    /// The model of these numbers in the form that a setting asks for; `calibration` are rows before all stages.
    ///
    /// # Errors
    /// [`CompactError`] when the device cannot run it.
    pub(super) fn write(&self, core: &Core, calibration: &Mat, setting: &Setting) -> Result<File, CompactError> {
        let mut model = self.export.model(&core.fitted(self.stages, self.data))?.model;
        match (&mut model.project, setting.shape.nonzeros) {
            (Some(projection), Some(_)) => projection.sparse = true,
            _ => drop_unused(&mut model, setting.numeric),
        }
        if setting.numeric == Numeric::F32 {
            return Ok(File { model, report: None });
        }
        let mut options = quantize::Options { readout: ReadoutWidth::I8, ..quantize::Options::default() };
        let mut found = quantize(&model, calibration, options)?;
        if self.flash.is_some_and(|most| found.report.bytes.1 > most) {
            // A range per feature is a luxury.
            options.one_range = true;
            found = quantize(&model, calibration, options)?;
        }
        Ok(File { model: found.model, report: Some(found.report) })
    }

    /// Rows of these numbers before all stages.
    pub(super) fn rows(&self, rows: &[usize], most: usize) -> Mat {
        let count = rows.len().min(most);
        let evenly: Vec<usize> = (0..count).map(|i| rows[i * rows.len() / count]).collect();
        self.data.rows().select_rows(&evenly)
    }
}

/// How many of the rows the runtime finds the class of.
pub(super) fn right(model: &ModelBuf, rows: &Mat, labels: impl Iterator<Item = usize>) -> Result<usize, CompactError> {
    let file = ModelFile::encode(model).map_err(ExportError::from)?;
    let found = predict(&file, rows)?;
    Ok(found.iter().zip(labels).filter(|(found, label)| usize::from(found.class().0) == *label).count())
}
