//! What quantization cost, and what is proved of the result.

use super::{QuantizeError, Quantized};
use crate::compile::ExportError;
use crate::dataset::Dataset;
use crate::evaluate;
use crate::model::ModelFile;
use nearmark_format::{ModelBuf, Num};
use std::fmt::{self, Display};

/// The largest magnitude that a 32-bit sum of a stage can reach, for any sample whatever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    /// The stage.
    pub stage: &'static str,
    /// The largest magnitude: weights and bias against inputs at the end of their range.
    pub largest: i128,
}

impl Bound {
    /// Whether no sum can overflow.
    pub(super) const fn holds(&self) -> bool {
        self.largest < 1 << 31
    }

    pub(super) fn proved(self) -> Result<Self, QuantizeError> {
        if self.holds() { Ok(self) } else { Err(QuantizeError::Overflow { stage: self.stage, largest: self.largest }) }
    }
}

/// The share of a stage's values that calibration rows drive beyond their range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cut {
    /// The stage.
    pub stage: &'static str,
    /// Values cut, of all, in 0..=1.
    pub share: f64,
}

/// What quantization did, seen on calibration rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Calibration rows looked at.
    pub rows: usize,
    /// The share of them that keep their class.
    pub agreement: f64,
    /// Root mean square error of the embedding, relative to its own spread.
    pub embedding: f64,
    /// The type of the readout's weights; none without a readout.
    pub readout: Option<Num>,
    /// Values cut, by stage.
    pub cut: Vec<Cut>,
    /// Proofs that no sum overflows.
    pub bounds: Vec<Bound>,
    /// What the embedding was moved by: `real = raw · z_unit + shift`. All zero unless a bias is stored anyway.
    pub shift: Vec<f64>,
    /// Bytes in flash before and after.
    pub bytes: (usize, usize),
}

impl Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, after) = self.bytes;
        write!(f, "{before} → {after} bytes, {:.2} % of {} rows keep their class", 100.0 * self.agreement, self.rows)?;
        write!(f, ", embedding off by {:.2} %", 100.0 * self.embedding)?;
        for bound in &self.bounds {
            let bits = 31.0 - (bound.largest.max(1) as f64).log2();
            write!(f, ", {} below 2^31 by {bits:.1} bits", bound.stage)?;
        }
        for cut in self.cut.iter().filter(|cut| cut.share > 0.0) {
            write!(f, ", {:.3} % cut at the {}", 100.0 * cut.share, cut.stage)?;
        }
        Ok(())
    }
}

/// A model before and after quantization on labelled rows, by the runtime.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// Rows compared.
    pub rows: usize,
    /// Rows whose class the F32 model finds.
    pub correct_f32: usize,
    /// Rows whose class the INT model finds.
    pub correct_int: usize,
    /// Rows to which both give the same class.
    pub agreed: usize,
}

impl Comparison {
    /// The share of rows to which both give the same class.
    #[must_use]
    pub fn agreement(&self) -> f64 {
        self.agreed as f64 / self.rows as f64
    }

    /// Accuracy lost, in 0..=1; negative where integers do better.
    pub(crate) fn loss(&self) -> f64 {
        (self.correct_f32 as f64 - self.correct_int as f64) / self.rows as f64
    }

    /// Standard error of the loss: rows on which only one of the two is right, as a paired count.
    pub(crate) fn error(&self) -> f64 {
        ((self.rows - self.agreed) as f64).sqrt() / self.rows as f64
    }
}

impl Quantized {
    /// Classifies labelled rows with the model before (`original`) and after, through the runtime.
    ///
    /// # Errors
    /// [`ExportError`] when a model cannot be written or the rows do not fit it.
    pub fn compare(&self, original: &ModelBuf, data: &Dataset) -> Result<Comparison, ExportError> {
        let classes = |model: &ModelBuf| -> Result<Vec<usize>, ExportError> {
            let found = evaluate::predict(&ModelFile::encode(model)?, data.rows())?;
            Ok(found.iter().map(|prediction| usize::from(prediction.class().0)).collect())
        };
        let (before, after) = (classes(original)?, classes(&self.model)?);
        let count = |a: &[usize], b: &[usize]| a.iter().zip(b).filter(|(a, b)| a == b).count();
        Ok(Comparison {
            rows: data.len(),
            correct_f32: count(&before, data.labels()),
            correct_int: count(&after, data.labels()),
            agreed: count(&before, &after),
        })
    }
}
