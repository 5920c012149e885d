//! Compact models as files: what is compared last is what will be written.

use super::candidate::Setting;
use super::core::{Core, drop_unused};
use super::error::CompactError;
use super::space::size::Numeric;
use super::task::{Options, Task};
use super::train::InputGrid;
use crate::compile::quantize::{self, ReadoutWidth, Rounding, quantize};
use crate::compile::{Export, ExportError};
use crate::dataset::Dataset;
use crate::evaluate::{EvalError, predict};
use crate::linalg::Mat;
use crate::preprocess::{Grid, Scale, Stage};
use nearmark_format::{AlignedBuf, ModelBuf, Num};

/// Rows that integers are calibrated by.
const CALIBRATION: usize = 3000;

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

    /// The model of these numbers in floats, without the features that it does not look at.
    fn floats(&self, core: &Core, setting: &Setting) -> Result<ModelBuf, CompactError> {
        let mut model = self.export.model(&core.fitted(self.stages, self.data))?.model;
        match (&mut model.project, setting.shape.nonzeros) {
            (Some(projection), Some(_)) => projection.sparse = true,
            _ => drop_unused(&mut model, setting.numeric),
        }
        Ok(model)
    }

    /// What input quantization will make of prepared rows; none where integers cannot express the model.
    pub(super) fn input_grid(&self, core: &Core, calibration: &Mat, setting: &Setting) -> Option<InputGrid> {
        let model = self.floats(core, setting).ok()?;
        let (grid, means) = quantize::input_grid(&model, calibration, setting.shape.door).ok()?;
        let exact = model.input != Num::F32 && model.window.is_none() && grid.step.iter().all(|step| *step == 1.0);
        let features = core.shape().features;
        let (mul, add) = match self.stages.last() {
            Some(Stage::Scale(Scale::Uniform { mul, add })) => (vec![*mul; features], vec![*add; features]),
            Some(Stage::Scale(Scale::Features { mul, add })) => (mul.clone(), add.clone()),
            _ => (vec![1.0; features], vec![0.0; features]),
        };
        // Features that are left out have no weights, so that any grid does.
        let mut wide = Grid { step: vec![0.0; features], shift: vec![0.0; features], low: grid.low };
        let kept = model.select.clone().unwrap_or_else(|| vec![true; features]);
        let mut mean = vec![0.0; features];
        for (i, j) in (0..features).filter(|&j| kept[j]).enumerate() {
            (wide.step[j], wide.shift[j]) = (mul[j] * grid.step[i], mul[j] * grid.shift[i] + add[j]);
            mean[j] = wide.step[j] * means[i] + wide.shift[j];
        }
        Some(InputGrid { grid: wide, mean, exact })
    }

    /// The model of these numbers in the form that a setting asks for; `calibration` are rows before all stages.
    ///
    /// # Errors
    /// [`CompactError`] when the device cannot run it.
    pub(super) fn write(&self, core: &Core, calibration: &Mat, setting: &Setting) -> Result<File, CompactError> {
        // What training rounded is stored as it was rounded.
        let trained = setting.refine.is_some();
        let rounding = if trained { Rounding::AsTrained } else { Rounding::PostTraining };
        self.rounded(core, calibration, setting, rounding)
    }

    /// The same with weights rounded in one way or the other.
    pub(super) fn rounded(
        &self,
        core: &Core,
        calibration: &Mat,
        setting: &Setting,
        rounding: Rounding,
    ) -> Result<File, CompactError> {
        let model = self.floats(core, setting)?;
        if setting.numeric == Numeric::F32 {
            return Ok(File { model, report: None });
        }
        let one_range = rounding == Rounding::AsTrained && !setting.shape.door;
        let mut options = quantize::Options { readout: ReadoutWidth::I8, rounding, one_range, ..Default::default() };
        let mut found = quantize(&model, calibration, options)?;
        if self.flash.is_some_and(|most| found.report.bytes.1 > most) {
            // A range per feature is a luxury.
            options.one_range = true;
            found = quantize(&model, calibration, options)?;
        }
        Ok(File { model: found.model, report: Some(found.report) })
    }

    /// Rows before all stages that integers are calibrated by.
    pub(super) fn calibration(&self, rows: &[usize]) -> Mat {
        self.rows(rows, CALIBRATION)
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
    let bytes = ModelBuf { info: None, ..model.clone() }.encode().map_err(ExportError::from)?;
    let aligned = AlignedBuf::from(bytes.as_slice());
    let model = nearmark::Model::from_bytes(&aligned).map_err(EvalError::from)?;
    let found = predict(&model, rows)?;
    Ok(found.iter().zip(labels).filter(|(found, label)| usize::from(found.class().0) == *label).count())
}
