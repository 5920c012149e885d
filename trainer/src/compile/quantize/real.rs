//! The model before quantization: what its stages make of the calibration rows, in double precision.

use super::{QuantizeError, device, tensor};
use crate::kernel::{Kernel, cross};
use crate::linalg::Mat;
use crate::model::head::Head;
use crate::model::map::Basis;
use crate::preprocess;
use nearmark_format::{FeatureMap, ModelBuf, Scale};
use std::f64::consts::TAU;

/// Calibration rows at every stage that the quantizer looks at.
#[derive(Debug, Clone)]
pub(super) struct Real {
    /// As given.
    pub(super) rows: Mat,
    /// Behind window, pool and selection.
    pub(super) features: Mat,
    /// Behind scaling and projection.
    pub(super) projected: Mat,
    /// The embedding.
    pub(super) z: Mat,
    /// The classes.
    pub(super) labels: Vec<usize>,
}

impl Real {
    pub(super) fn new(model: &ModelBuf, rows: Mat) -> Result<Self, QuantizeError> {
        let features = features(model, &rows)?;
        let (mul, add) = scale(model)?;
        let scaled = Mat::from_fn(features.nrows(), features.ncols(), |i, j| features[(i, j)] * mul[j] + add[j]);
        let projected = match &model.project {
            None => scaled,
            Some(p) => {
                let weights = tensor::matrix(&p.values, scaled.ncols());
                preprocess::Projection { weights, bias: or_zeros(&p.bias, p.outputs) }.apply(&scaled, 1)
            }
        };
        let mapped = mapped(model, &projected)?;
        let z = match &model.readout {
            None => mapped,
            Some(readout) => {
                let mut z = crate::linalg::mul(&mapped, &tensor::matrix(&readout.weights, model.dim), 1);
                let bias = or_zeros(&readout.bias, model.dim);
                z.column_iter_mut().zip(&bias).for_each(|(mut column, b)| column.add_scalar_mut(*b));
                z
            }
        };
        let labels = head(model, 1.0).classify(&z);
        Ok(Self { rows, features, projected, z, labels })
    }

    /// Some of the rows.
    pub(super) fn select(&self, indices: &[usize]) -> Self {
        Self {
            rows: self.rows.select_rows(indices),
            features: self.features.select_rows(indices),
            projected: self.projected.select_rows(indices),
            z: self.z.select_rows(indices),
            labels: indices.iter().map(|&i| self.labels[i]).collect(),
        }
    }
}

pub(super) fn or_zeros(values: &[f32], len: usize) -> Vec<f64> {
    if values.is_empty() { vec![0.0; len] } else { values.iter().map(|&v| v.into()).collect() }
}

/// Multiplier and offset of every feature.
pub(super) fn scale(model: &ModelBuf) -> Result<(Vec<f64>, Vec<f64>), QuantizeError> {
    let width = model.features();
    match &model.scale {
        Scale::None => Ok((vec![1.0; width], vec![0.0; width])),
        Scale::Uniform { mul, add } => Ok((vec![f64::from(*mul); width], vec![f64::from(*add); width])),
        Scale::Features { mul, add } => Ok((or_zeros(mul, width), or_zeros(add, width))),
        Scale::Unit => {
            Err(QuantizeError::Unsupported { stage: "scaling to unit length", hint: "scale otherwise, or keep f32" })
        }
        Scale::IntFeatures { .. } => Err(QuantizeError::NotF32),
    }
}

fn features(model: &ModelBuf, rows: &Mat) -> Result<Mat, QuantizeError> {
    let gathered = match (model.shape, model.window, model.pool) {
        (Some(shape), Some(window), _) => {
            let segments = usize::from(window.segments);
            let (channels, steps) = (shape.channels as usize, shape.cols as usize);
            let all = preprocess::Window::new(channels, steps, segments, window.interleaved)?.apply(rows)?;
            let asked: Vec<usize> = (0..all.ncols()).filter(|j| window.stats >> (j % 5) & 1 == 1).collect();
            all.select_columns(&asked)
        }
        (Some(shape), None, Some(pool)) => {
            let (tall, wide) = (shape.rows as usize, shape.cols as usize);
            let (by, across) = (usize::from(pool.rows), usize::from(pool.cols));
            let mut sums = Mat::zeros(rows.nrows(), model.pooled());
            for (pixel, column) in rows.column_iter().enumerate() {
                let (plane, row, col) = (pixel / (tall * wide), pixel / wide % tall, pixel % wide);
                let mut sum = sums.column_mut((plane * (tall / by) + row / by) * (wide / across) + col / across);
                sum += column;
            }
            sums
        }
        _ => rows.clone(),
    };
    Ok(match &model.select {
        None => gathered,
        Some(mask) => {
            let kept: Vec<usize> = (0..mask.len()).filter(|&j| mask[j]).collect();
            gathered.select_columns(&kept)
        }
    })
}

fn mapped(model: &ModelBuf, x: &Mat) -> Result<Mat, QuantizeError> {
    Ok(match &model.feature_map {
        FeatureMap::None => x.clone(),
        FeatureMap::Centers { kernel, values } => cross(kernel_of(*kernel)?, x, &tensor::matrix(values, x.ncols()), 1),
        FeatureMap::Random { gamma, weights, phases, .. } => {
            let weights = tensor::matrix(weights, x.ncols()) * (TAU * f64::from(*gamma));
            let phases = phases.iter().map(|&p| TAU * f64::from(p)).collect();
            Basis::Random { weights, phases, seeded: None }.feature_map(x, 1)
        }
        FeatureMap::Seeded { gamma, count, seed, law } => {
            let (weights, phases) = device::seeded(*seed, *law, *count, x.ncols());
            let weights = Mat::from_row_iterator(*count as usize, x.ncols(), weights.into_iter().map(f64::from));
            let phases = phases.into_iter().map(|p| TAU * f64::from(p) * f64::exp2(-32.0)).collect();
            Basis::Random { weights: weights * (TAU * f64::from(*gamma)), phases, seeded: None }.feature_map(x, 1)
        }
    })
}

fn kernel_of(kernel: nearmark_format::Kernel) -> Result<Kernel, QuantizeError> {
    match kernel {
        nearmark_format::Kernel::Gaussian { gamma } => Ok(Kernel::Gaussian { gamma: gamma.into() }),
        nearmark_format::Kernel::Laplacian { gamma } => Ok(Kernel::Laplacian { gamma: gamma.into() }),
        nearmark_format::Kernel::Polynomial { .. } => {
            Err(QuantizeError::Unsupported { stage: "the polynomial kernel", hint: "take a Gaussian, or keep f32" })
        }
    }
}

/// The head over coordinates in which a unit vector has the length `one`.
pub(super) fn head(model: &ModelBuf, one: f64) -> Head {
    match &model.head {
        nearmark_format::Head::Unit => Head::Means(Mat::identity(model.classes, model.dim) * one),
        nearmark_format::Head::Means(values) => Head::Means(tensor::matrix(values, model.dim)),
        nearmark_format::Head::Prototypes { k, values, counts } => Head::Prototypes {
            values: tensor::matrix(values, model.dim),
            counts: counts.iter().map(|&c| c.into()).collect(),
            k: usize::from(*k),
        },
    }
}
