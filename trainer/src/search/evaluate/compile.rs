//! A candidate's numbers as a model file, and the runtime's answers to it.

use crate::compile::ExportError;
use crate::compile::quantize::learned::Learned;
use crate::compile::quantize::{self, ReadoutWidth, Rounding, quantize_learned};
use crate::linalg::{Mat, evenly};
use crate::model::tensor;
use crate::preprocess::{Grid, Projection, Scale, Stage};
use crate::search::candidate::Memo;
use crate::search::train::InputGrid;
use crate::search::{
    Candidate, CompactModel, Dimensions, Inputs, Limits, Numeric, Smallest, Task, TrainError, drop_unused,
};
use nearmark_format::{FeatureMap, ModelBuf, Num};

/// Rows for calibrating integers: the extremes of more rows rarely move a range, and every candidate is calibrated on
/// every fold.
const CALIBRATION: usize = 3000;

/// A model ready to be encoded.
#[derive(Debug, Clone, PartialEq)]
pub struct CompiledModel {
    /// The model.
    pub model: ModelBuf,
    /// What quantization did to it; none for floats.
    pub report: Option<quantize::Report>,
}

/// How models of one candidate become model files.
pub(in crate::search) struct Compiler<'a> {
    pub(in crate::search) task: &'a Task<'a>,
    pub(in crate::search) preprocessing: &'a [Stage],
    /// What the file has to keep.
    pub(in crate::search) limits: Limits,
    pub(in crate::search) candidate: Candidate,
    /// The task's rows that models are fitted to, and what candidates on them share.
    pub(in crate::search) rows: &'a [usize],
    pub(in crate::search) memo: &'a Memo,
}

impl Compiler<'_> {
    /// Rows before preprocessing, for calibrating integers.
    fn calibration(&self) -> Mat {
        self.task.data.rows().select_rows(&evenly(self.rows, CALIBRATION))
    }

    /// The model in floats, without the features that it does not use.
    fn floats(&self, model: &CompactModel) -> Result<ModelBuf, TrainError> {
        let dimensions = model.dimensions();
        let mut model = self.task.export.model(&model.fitted(self.preprocessing, self.task.data))?.model;
        match (&mut model.project, self.candidate.dimensions.nonzeros) {
            (Some(projection), Some(_)) => projection.sparse = true,
            _ if self.drops_features(dimensions) => drop_unused(&mut model),
            _ => {}
        }
        Ok(model)
    }

    /// Whether a file of a model of these dimensions is shorter with a mask of the features that it uses, and keeps the
    /// limits: to gather features takes more instructions than to copy all of them.
    fn drops_features(&self, dimensions: Dimensions) -> bool {
        let inputs = Inputs::new(self.task.data, self.preprocessing, dimensions.features, self.task.export.names);
        let own_ranges = self.candidate.dimensions.own_ranges;
        let (dimensions, numeric) = (Dimensions { own_ranges, ..dimensions }, self.candidate.numeric);
        dimensions.drops_features(&inputs, numeric) && self.limits.admit(&dimensions, &inputs, numeric)
    }

    /// What input quantization will make of preprocessed rows.
    pub(in crate::search) fn input_grid(&self, model: &CompactModel) -> Result<InputGrid, TrainError> {
        let (features, own_ranges) = (model.dimensions().features, self.candidate.dimensions.own_ranges);
        let model = self.floats(model)?;
        let sparse = model.project.as_ref().is_some_and(|projection| projection.sparse);
        let key = (model.select.clone(), own_ranges, sparse);
        self.memo.grids.get_or_insert(key, || self.grid_of(&model, features))
    }

    /// The grid of a folded model; it depends on the features that the model uses and not on its weights.
    fn grid_of(&self, model: &ModelBuf, features: usize) -> Result<InputGrid, TrainError> {
        let own_ranges = self.candidate.dimensions.own_ranges;
        let (own, means) = quantize::input_grid(model, &self.calibration(), own_ranges)?;
        let exact = model.input != Num::F32 && model.window.is_none() && own.step.iter().all(|step| *step == 1.0);
        // The model has its scaling folded into its weights; training has it before them.
        let (mul, add) = match self.preprocessing.last() {
            Some(Stage::Scale(Scale::Uniform { mul, add })) => (vec![*mul; features], vec![*add; features]),
            Some(Stage::Scale(Scale::Features { mul, add })) => (mul.clone(), add.clone()),
            _ => (vec![1.0; features], vec![0.0; features]),
        };
        // Features that are not used have no weights, so that any grid does.
        let mut grid = Grid { step: vec![0.0; features], shift: vec![0.0; features], low: own.low };
        let mut mean = vec![0.0; features];
        let used = model.select.clone().unwrap_or_else(|| vec![true; features]);
        for (i, j) in (0..features).filter(|&j| used[j]).enumerate() {
            (grid.step[j], grid.shift[j]) = (mul[j] * own.step[i], mul[j] * own.shift[i] + add[j]);
            mean[j] = grid.step[j] * means[i] + grid.shift[j];
        }
        Ok(InputGrid { grid, mean, exact })
    }

    /// The model in the form that the candidate asks for.
    pub(in crate::search) fn compile(&self, model: &CompactModel) -> Result<CompiledModel, TrainError> {
        // What was trained is what is stored.
        let trained = self.candidate.training.is_some();
        self.rounded(model, if trained { Rounding::AsTrained } else { Rounding::PostTraining })
    }

    /// The same with weights rounded in one way or the other.
    pub(in crate::search) fn rounded(
        &self,
        model: &CompactModel,
        rounding: Rounding,
    ) -> Result<CompiledModel, TrainError> {
        let compact = model;
        let model = self.floats(compact)?;
        if self.candidate.numeric == Numeric::F32 {
            self.require_flash(model.spec().map_err(ExportError::from)?.core_len())?;
            return Ok(CompiledModel { model, report: None });
        }
        let one_range = rounding == Rounding::AsTrained && !self.candidate.dimensions.own_ranges;
        let mut options = quantize::Options { readout: ReadoutWidth::I8, rounding, one_range, ..Default::default() };
        let calibration = self.calibration();
        let learned = if compact.steps.is_some() && rounding == Rounding::AsTrained {
            learned(compact, &model, &self.input_grid(compact)?.grid, None)
        } else {
            None
        };
        let mut found = quantize_learned(&model, &calibration, options, learned.clone())?;
        if self.limits.flash.is_some_and(|most| found.report.bytes.1 > most) {
            // A range per feature is the one thing that the quantizer may add beyond the candidate's dimensions.
            options.one_range = true;
            found = quantize_learned(&model, &calibration, options, learned)?;
        }
        self.require_flash(found.report.bytes.1)?;
        Ok(CompiledModel { model: found.model, report: Some(found.report) })
    }

    /// Refuses a file that is longer than its limit: dimensions are chosen by computed lengths, and a file that differed
    /// from them must not pass.
    fn require_flash(&self, bytes: usize) -> Result<(), TrainError> {
        if self.limits.flash.is_none_or(|most| bytes <= most) {
            return Ok(());
        }
        let limits = Box::new(Limits { flash: self.limits.flash, ..Limits::default() });
        Err(TrainError::Budget { limits, smallest: Smallest { flash: bytes, ..Smallest::default() } })
    }
}

/// The learned steps of a compact model that became this folded model, behind this input and filters of these steps.
pub(in crate::search) fn learned(
    compact: &CompactModel,
    model: &ModelBuf,
    input: &Grid,
    filters: Option<Vec<Vec<f64>>>,
) -> Option<Learned> {
    let steps = compact.steps.as_ref()?;
    let FeatureMap::Centers { values, .. } = &model.feature_map else { return None };
    let folded = tensor::matrix(values, compact.centers.ncols());
    let middle = folded.row(0).iter().zip(compact.centers.row(0).iter()).map(|(to, from)| to - from).collect();
    let Projection { weights, bias } = &compact.projection;
    let constant = |i: usize| {
        let unit = steps.projection[i];
        let of = |(w, (step, shift)): (&f64, (&f64, &f64))| {
            // A feature that never varies is part of the constant as it is.
            let weight = |w: f64| steps.widths.projection.byte(w * step, unit) * unit / step;
            if *step == 0.0 { w * shift } else { weight(*w) * shift }
        };
        bias[i] + weights.row(i).iter().zip(input.step.iter().zip(&input.shift)).map(of).sum::<f64>()
    };
    let constants = (0..bias.len()).map(constant).collect();
    Some(Learned { steps: steps.clone(), middle, constants, filters })
}
