//! A float model becomes an integer model, for devices without a float unit.
//!
//! ```no_run
//! use nearmark_train::{Pipeline, compile::{self, quantize}, dataset::synthetic, methods::cmvda::Cmvda};
//!
//! let data = synthetic::moons(50, 0.1, 0);
//! let original = compile::model(&Pipeline::new(&Cmvda::default()).fit(&data)?)?.model;
//! let quantized = quantize::quantize(&original, data.rows(), quantize::Options::default())?;
//! println!("{}", quantized.report);
//! assert!(quantized.compare(&original, &data)?.agreement() > 0.99); // by the runtime, as on the board
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How
//! Stage by stage, as `FORMAT.md` defines the INT profile. Every stage is chosen for the integers that the stages before
//! it really deliver: the calibration rows run through the quantized stages as they will on the device.
//!
//! | stage | becomes | what makes up for the loss |
//! |---|---|---|
//! | samples | as the sensor gives them; floats i16 | |
//! | input quantization | u8 or i8 | the next weights take in step and zero of each feature |
//! | projection | i8 per output | rounding with feedback; the bias keeps sums right on average |
//! | centers | u8 in the projected vector's scale | a turn that makes the features equally wide; the readout is fitted again to these very centers |
//! | readout | i16 or i8 per coordinate | rounding with feedback |
//! | means, prototypes, radii | i16, u32 | |
//!
//! Ranges, ridge and the readout's type are chosen by the error of the embedding on calibration rows that the choice was
//! not built with. Multipliers are made exact by moving the unit they stand for. That no sum overflows is computed from
//! the finished weights, for every sample of the type, and stated in the report.

mod build;
#[cfg(test)]
mod cases;
pub(crate) mod convolution;
mod feature_map;
mod head;
mod input;
mod integers;
pub mod learned;
mod plan;
mod project;
mod readout;
mod reference;
mod report;
mod rotate;
mod rounding;
pub(crate) mod scales;
mod tables;
#[cfg(test)]
mod tests;

pub use report::{Bound, Comparison, Cut, Report};

use crate::error::DataError;
use crate::linalg::{LinalgError, Mat, column_means, evenly_rows, shift_columns};
use crate::model::HostError;
use crate::preprocess::Grid;
use build::Source;
use input::{After, InputScales};
use learned::Learned;
use nearmark_format::{EncodeError, ModelBuf};
use plan::Plan;

/// Calibration rows looked at; more would take longer and change nothing.
const ROWS: usize = 3000;

/// How the readout's weights are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReadoutWidth {
    /// 8 bits where that costs nothing on calibration rows, else 16.
    #[default]
    Auto,
    /// 16 bits.
    I16,
    /// 8 bits.
    I8,
}

/// How weights are rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rounding {
    /// After training: with feedback, ranges from calibration rows, and the readout fitted again to rounded values.
    #[default]
    PostTraining,
    /// As quantization-aware training rounded them: to nearest, ranges from the centers, 8-bit readout, nothing fitted
    /// again. What was trained is what is stored.
    AsTrained,
}

/// How to quantize.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Options {
    /// How the readout's weights are stored.
    pub readout: ReadoutWidth,
    /// Keep zero of the embedding where it is, even where a bias could bring its middle there.
    pub keep_embedding: bool,
    /// How weights are rounded.
    pub rounding: Rounding,
    /// One range for all features of the input, even where a range each, at four bytes, would be more exact.
    pub one_range: bool,
    /// The factor and the offset by which float samples become integers, where thresholds of counts were chosen for
    /// them; by default from the range of the calibration rows.
    pub samples: Option<(f32, f32)>,
}

/// A model that integers cannot express. Messages name a parameter; by [`describe`](Self::describe), a tool names its flag.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", self.describe(&str::to_owned))]
#[non_exhaustive]
pub enum QuantizeError {
    /// A stage that the INT profile does not have.
    Unsupported {
        /// The stage.
        stage: &'static str,
        /// What to do, other than to keep floats.
        hint: &'static str,
    },
    /// The model is one of integers already.
    #[error("only a model of the F32 profile can be quantized")]
    NotF32,
    /// A sum that 32 bits cannot be proved to hold.
    Overflow {
        /// The stage.
        stage: &'static str,
        /// The largest magnitude.
        largest: i128,
    },
    /// Numbers for which the stage has no scale.
    Range {
        /// The stage.
        stage: &'static str,
        /// What is the matter.
        why: &'static str,
    },
    /// Rows that do not fit the model.
    #[error("calibration: {0}")]
    Data(#[from] DataError),
    /// The model has no form in f64 to start from.
    #[error(transparent)]
    Host(#[from] HostError),
    /// A factorization failed.
    #[error("quantizing: {0}")]
    Linalg(#[from] LinalgError),
    /// The format refused the model.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

impl QuantizeError {
    /// The message, with every parameter written as `name` gives it.
    #[must_use]
    pub fn describe(&self, name: &dyn Fn(&str) -> String) -> String {
        let keep = format!("keep {} f32", name("numeric"));
        match self {
            Self::Unsupported { stage, hint } => format!("{stage} has no integer form: {hint}, or {keep}"),
            Self::Overflow { stage, largest } => format!("{stage}: sums may reach {largest}, beyond 32 bits; {keep}"),
            Self::Range { stage, why } => format!("{stage}: {why}; {keep}"),
            // These name no parameter.
            Self::NotF32 | Self::Data(_) | Self::Host(_) | Self::Linalg(_) | Self::Encode(_) => self.to_string(),
        }
    }
}

/// A model of the INT profile, and what it cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantized {
    /// The model.
    pub model: ModelBuf,
    /// What it cost.
    pub report: Report,
}

/// Quantizes a folded F32 model. `rows` are training rows, in the units in which the model takes them.
///
/// # Errors
/// [`QuantizeError`] naming the stage that integers cannot express, and what to do.
pub fn quantize(model: &ModelBuf, rows: &Mat, options: Options) -> Result<Quantized, QuantizeError> {
    quantize_learned(model, rows, options, None)
}

/// The same with the steps that training learned, for [`Rounding::AsTrained`].
pub(crate) fn quantize_learned(
    model: &ModelBuf,
    rows: &Mat,
    options: Options,
    learned: Option<Learned>,
) -> Result<Quantized, QuantizeError> {
    if model.int.is_some() {
        return Err(QuantizeError::NotF32);
    }
    if rows.nrows() == 0 {
        return Err(DataError::NoRows.into());
    }
    if rows.ncols() != model.inputs {
        return Err(DataError::Width { expected: model.inputs, got: rows.ncols() }.into());
    }
    let (source, rows) = Source::new(model, &evenly_rows(rows, ROWS), options, learned)?;
    let plan = match options.rounding {
        Rounding::PostTraining => Plan::best(&source, &rows, options)?,
        Rounding::AsTrained => Plan::as_trained(options),
    };
    let mut built = source.build(&rows, plan)?;
    if let Some(info) = &mut built.model.info {
        info.params.push(("numeric".to_owned(), "i8".to_owned()));
        info.params.sort();
    }
    let (z, labels) = built.embed(&rows)?;
    let kept = labels.iter().zip(&rows.real.labels).filter(|(a, b)| a == b).count();
    let spread = shift_columns(rows.real.z.clone(), &column_means(&rows.real.z)).norm();
    let report = Report {
        rows: labels.len(),
        agreement: kept as f64 / labels.len() as f64,
        embedding: if spread > 0.0 { (z - &rows.real.z).norm() / spread } else { 0.0 },
        readout: built.model.readout.as_ref().map(|readout| readout.weights.num()),
        cut: built.cut,
        bounds: built.bounds,
        shift: built.coordinates.shift,
        bytes: (core_bytes(model)?, core_bytes(&built.model)?),
    };
    Ok(Quantized { model: built.model, report })
}

/// The bytes that the features of a folded F32 model become before its first weights, by calibration rows; and the mean of
/// those bytes.
///
/// # Errors
/// [`QuantizeError`] naming what integers cannot express.
pub(crate) fn input_grid(model: &ModelBuf, rows: &Mat, per_feature: bool) -> Result<(Grid, Vec<f64>), QuantizeError> {
    let rows = evenly_rows(rows, ROWS);
    let scales = InputScales::new(model, &rows, None)?;
    let mut model = scales.in_integers(model, None)?;
    let (raw, _) = integers::geometry(&model, &integers::samples(&model, &rows))?;
    let grid = scales.quantize(&mut model, &raw, After::Absorbs, per_feature, 0.0)?;
    Ok((grid, column_means(&integers::input(&model, &raw).0)))
}

fn core_bytes(model: &ModelBuf) -> Result<usize, EncodeError> {
    Ok(ModelBuf { info: None, ..model.clone() }.encode()?.len())
}
