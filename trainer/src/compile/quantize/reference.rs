//! The model before quantization: what its stages make of the calibration rows, in f64.

use super::QuantizeError;
use crate::linalg::Mat;
use crate::model::HostModel;
use crate::preprocess::{Scale, Stage};
use nearmark_format::{FeatureMap, Kernel, ModelBuf};

/// Calibration rows at every stage that the quantizer looks at.
#[derive(Debug, Clone)]
pub(super) struct Reference {
    /// As given.
    pub(super) rows: Mat,
    /// Multiplier and offset of every feature behind window, pool and selection.
    pub(super) scale: (Vec<f64>, Vec<f64>),
    /// Behind scaling and projection.
    pub(super) projected: Mat,
    /// The embedding.
    pub(super) z: Mat,
    /// The classes.
    pub(super) labels: Vec<usize>,
}

impl Reference {
    pub(super) fn new(model: &ModelBuf, rows: Mat) -> Result<Self, QuantizeError> {
        if let FeatureMap::Centers { kernel: Kernel::Polynomial { .. }, .. } = model.feature_map {
            let hint = "take a Gaussian, or keep f32";
            return Err(QuantizeError::Unsupported { stage: "the polynomial kernel", hint });
        }
        let host = HostModel::of(model)?;
        let scale = scale(&host, model.features())?;
        let projected = host.prepare(&rows, 1)?.into_owned();
        let z = host.map.apply(&projected, 1);
        let labels = host.head.classify(&z);
        Ok(Self { rows, scale, projected, z, labels })
    }

    /// Some of the rows.
    pub(super) fn select(&self, indices: &[usize]) -> Self {
        Self {
            rows: self.rows.select_rows(indices),
            scale: self.scale.clone(),
            projected: self.projected.select_rows(indices),
            z: self.z.select_rows(indices),
            labels: indices.iter().map(|&i| self.labels[i]).collect(),
        }
    }
}

/// Multiplier and offset of every feature.
pub(super) fn scale(host: &HostModel, width: usize) -> Result<(Vec<f64>, Vec<f64>), QuantizeError> {
    let scale = host.stages.iter().find_map(|stage| if let Stage::Scale(scale) = stage { Some(scale) } else { None });
    match scale {
        None => Ok((vec![1.0; width], vec![0.0; width])),
        Some(Scale::Uniform { mul, add }) => Ok((vec![*mul; width], vec![*add; width])),
        Some(Scale::Features { mul, add }) => Ok((mul.clone(), add.clone())),
        Some(Scale::Unit) => {
            Err(QuantizeError::Unsupported { stage: "scaling to unit length", hint: "scale otherwise, or keep f32" })
        }
    }
}
