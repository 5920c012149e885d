//! The stages before kernel or readout as one affine map, and its operator norm.

use crate::linalg::{Mat, scale_columns, scale_rows, thin_svd};
use crate::preprocess::{Scale, Stage};

/// Pooling, selection, scaling, projection.
#[derive(Debug, Clone)]
pub(super) struct Preprocessing {
    /// Values per block that pooling sums; 1 without pooling.
    block: usize,
    /// Factor of every kept feature, where they are scaled.
    mul: Option<Vec<f64>>,
    project: Option<Mat>,
    outputs: usize,
    norm: f64,
}

impl Preprocessing {
    /// Of stages with so many features after pooling and selection; `None` where a stage is not an affine map, or the
    /// SVD does not converge.
    pub(super) fn of(stages: &[Stage], features: usize) -> Option<Self> {
        let mut found = Self { block: 1, mul: None, project: None, outputs: features, norm: 1.0 };
        for stage in stages {
            match stage {
                Stage::Pool(pool) => found.block = pool.block().0 * pool.block().1,
                Stage::Select(_) => {}
                Stage::Scale(Scale::Uniform { mul, .. }) => found.mul = Some(vec![*mul; features]),
                Stage::Scale(Scale::Features { mul, .. }) => found.mul = Some(mul.clone()),
                Stage::Project(project) => {
                    found.outputs = project.weights.nrows();
                    found.project = Some(project.weights.clone());
                }
                Stage::Window(_) | Stage::Scale(Scale::Unit) | Stage::Round(_) => return None,
            }
        }
        found.norm = found.block_norm() * found.linear_norm()?;
        Some(found)
    }

    /// Number of output values.
    pub(super) fn outputs(&self) -> usize {
        self.outputs
    }

    /// Terms in the longest sum that makes up an output value: they bound its rounding error.
    pub(super) fn terms(&self) -> usize {
        let block = if self.block > 1 { self.block } else { 0 };
        block + self.project.as_ref().map_or(0, Mat::ncols) + self.outputs
    }

    /// The operator norm: the most by which the length of a change of the input can grow.
    pub(super) fn norm(&self) -> f64 {
        self.norm
    }

    /// The operator norm of pooling. Blocks do not overlap, so a sum over `k` values has norm `√k` whatever follows,
    /// and the norm of the product is the product of the norms.
    fn block_norm(&self) -> f64 {
        (self.block as f64).sqrt()
    }

    /// The norm of scaling and projection together.
    fn linear_norm(&self) -> Option<f64> {
        match (&self.project, &self.mul) {
            (None, None) => Some(1.0),
            (None, Some(mul)) => Some(mul.iter().fold(0.0, |most: f64, m| most.max(m.abs()))),
            (Some(weights), mul) => {
                let weights = scale_columns(weights.clone(), |j| mul.as_ref().map_or(1.0, |mul| mul[j]));
                thin_svd(&weights).ok()?.s.first().copied()
            }
        }
    }

    /// A linear readout over its outputs, as one over the input: columns have the lengths that they have there.
    ///
    /// The rows of a block are all alike; one stands for them, times the root of their number.
    pub(super) fn pull_back(&self, readout: &Mat, threads: usize) -> Mat {
        let mut back = match &self.project {
            Some(weights) => crate::linalg::mul_tn(weights, readout, threads),
            None => readout.clone(),
        };
        if let Some(mul) = &self.mul {
            back = scale_rows(back, mul);
        }
        back * self.block_norm()
    }
}
