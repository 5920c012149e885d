//! The model before quantization: what its stages make of the calibration rows, in f64.

use super::QuantizeError;
use crate::linalg::Mat;
use crate::model::HostModel;
use nearmark_format::{FeatureMap, Kernel, ModelBuf};

/// Calibration rows at every stage that the quantizer looks at.
#[derive(Debug, Clone)]
pub(super) struct Reference {
    /// Behind scaling and projection.
    pub(super) projected: Mat,
    /// The embedding.
    pub(super) z: Mat,
    /// The classes.
    pub(super) labels: Vec<usize>,
}

impl Reference {
    pub(super) fn new(model: &ModelBuf, rows: &Mat) -> Result<Self, QuantizeError> {
        if let FeatureMap::Centers { kernel: Kernel::Polynomial { .. }, .. } = model.feature_map {
            return Err(QuantizeError::Unsupported { stage: "the polynomial kernel", hint: "take a Gaussian" });
        }
        let host = HostModel::of(model)?;
        let projected = host.prepare(rows, 1)?.into_owned();
        let z = host.map.apply(&projected, 1);
        let labels = host.head.classify(&z);
        Ok(Self { projected, z, labels })
    }

    /// Some of the rows.
    pub(super) fn select(&self, indices: &[usize]) -> Self {
        Self {
            projected: self.projected.select_rows(indices),
            z: self.z.select_rows(indices),
            labels: indices.iter().map(|&i| self.labels[i]).collect(),
        }
    }
}
