//! The stages before kernel or readout as one affine map, and its operator norm.

use crate::linalg::{LinalgError, Mat, mul_tn, scale_columns, scale_rows, thin_svd};
use crate::preprocess::{Scale, Stage};

/// Pooling, selection, scaling, projection.
#[derive(Debug, Clone)]
pub(super) struct Preprocessing {
    /// The operator norm of pooling. Blocks do not overlap, so a sum over `k` values has norm `√k` whatever follows, and
    /// the norm of the product is the product of the norms.
    block_norm: f64,
    /// Factor of every kept feature, where they are scaled.
    mul: Option<Vec<f64>>,
    project: Option<Mat>,
    /// Terms in the longest sum that makes up an output value: they bound its rounding error.
    pub(super) terms: usize,
    /// The operator norm: the most by which the length of a change of the input can grow.
    pub(super) norm: f64,
}

impl Preprocessing {
    /// Of stages with so many features after pooling and selection; `None` where a stage is not an affine map.
    pub(super) fn of(stages: &[Stage], features: usize) -> Result<Option<Self>, LinalgError> {
        let (mut block, mut mul, mut project) = (1, None, None);
        for stage in stages {
            match stage {
                Stage::Pool(pool) => block = pool.block().0 * pool.block().1,
                Stage::Select(_) => {}
                Stage::Scale(Scale::Uniform { mul: m, .. }) => mul = Some(vec![*m; features]),
                Stage::Scale(Scale::Features { mul: m, .. }) => mul = Some(m.clone()),
                Stage::Project(projection) => project = Some(projection.weights.clone()),
                Stage::Window(_)
                | Stage::Counts(_)
                | Stage::Convolution(_)
                | Stage::Scale(Scale::Unit)
                | Stage::Round(_) => return Ok(None),
            }
        }
        let linear_norm = match (&project, &mul) {
            (None, None) => 1.0,
            (None, Some(mul)) => mul.iter().fold(0.0, |most: f64, m| most.max(m.abs())),
            (Some(weights), mul) => {
                let weights = scale_columns(weights.clone(), |j| mul.as_ref().map_or(1.0, |mul| mul[j]));
                // Without outputs there is nothing to grow.
                thin_svd(&weights)?.s.first().map_or(0.0, |largest| *largest)
            }
        };
        let outputs = project.as_ref().map_or(features, Mat::nrows);
        let terms = if block > 1 { block } else { 0 } + project.as_ref().map_or(0, Mat::ncols) + outputs;
        let block_norm = (block as f64).sqrt();
        Ok(Some(Self { block_norm, mul, project, terms, norm: block_norm * linear_norm }))
    }

    /// A linear readout over its outputs, as one over the input: columns have the lengths that they have there.
    ///
    /// The rows of a block are all alike; one stands for them, times the root of their number.
    pub(super) fn pull_back(&self, readout: &Mat, threads: usize) -> Mat {
        let mut back = match &self.project {
            Some(weights) => mul_tn(weights, readout, threads),
            None => readout.clone(),
        };
        if let Some(mul) = &self.mul {
            back = scale_rows(back, mul);
        }
        back * self.block_norm
    }
}
