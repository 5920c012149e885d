//! The stages before kernel or readout as one affine map, and its operator norm.

use super::matrix;
use crate::linalg::{Mat, scale_rows, thin_svd};
use crate::preprocess::Projection;
use nearmark_format::{ModelBuf, Pool, Scale, Shape};

/// Pooling, selection, scaling, projection.
#[derive(Debug, Clone)]
pub(super) struct Preprocessing {
    pool: Option<(Shape, Pool)>,
    /// Features kept, where some are not.
    kept: Option<Vec<usize>>,
    /// Factor and shift of every kept feature, where they are scaled.
    scale: Option<(Vec<f64>, Vec<f64>)>,
    project: Option<Projection>,
    outputs: usize,
    norm: f64,
}

impl Preprocessing {
    /// `None` where a stage is not an affine map, or the SVD does not converge.
    pub(super) fn of(model: &ModelBuf) -> Option<Self> {
        if model.window.is_some() {
            return None;
        }
        let width = model.features();
        let wide = |values: &[f32]| values.iter().map(|&v| f64::from(v)).collect::<Vec<f64>>();
        let scale = match &model.scale {
            Scale::None => None,
            Scale::Uniform { mul, add } => Some((vec![f64::from(*mul); width], vec![f64::from(*add); width])),
            Scale::Features { mul, add } => Some((wide(mul), wide(add))),
            Scale::IntFeatures { .. } | Scale::Unit => return None,
        };
        let project = match &model.project {
            None => None,
            Some(project) => {
                let mut bias = wide(&project.bias);
                bias.resize(project.outputs, 0.0);
                Some(Projection { weights: matrix(&project.values, width)?, bias })
            }
        };
        let kept = model.select.as_ref().map(|mask| (0..mask.len()).filter(|&i| mask[i]).collect());
        let outputs = project.as_ref().map_or(width, |project| project.weights.nrows());
        let mut stages = Self { pool: model.shape.zip(model.pool), kept, scale, project, outputs, norm: 1.0 };
        stages.norm = stages.block_norm() * stages.linear_norm()?;
        Some(stages)
    }

    /// Number of output values.
    pub(super) fn outputs(&self) -> usize {
        self.outputs
    }

    /// Terms in the longest sum that makes up an output value: they bound its rounding error.
    pub(super) fn terms(&self) -> usize {
        let block = self.pool.map_or(0, |(_, pool)| usize::from(pool.rows) * usize::from(pool.cols));
        block + self.project.as_ref().map_or(0, |project| project.weights.ncols()) + self.outputs
    }

    /// The operator norm: the most by which the length of a change of the input can grow.
    pub(super) fn norm(&self) -> f64 {
        self.norm
    }

    /// The operator norm of pooling. Blocks do not overlap, so a sum over `k` values has norm `√k` whatever follows,
    /// and the norm of the product is the product of the norms.
    fn block_norm(&self) -> f64 {
        self.pool.map_or(1.0, |(_, pool)| (f64::from(pool.rows) * f64::from(pool.cols)).sqrt())
    }

    /// The norm of scaling and projection together.
    fn linear_norm(&self) -> Option<f64> {
        match (&self.project, &self.scale) {
            (None, None) => Some(1.0),
            (None, Some((mul, _))) => Some(mul.iter().fold(0.0, |most: f64, m| most.max(m.abs()))),
            (Some(project), scale) => {
                let mut weights = project.weights.clone();
                for (j, mut column) in weights.column_iter_mut().enumerate() {
                    column *= scale.as_ref().map_or(1.0, |(mul, _)| mul[j]);
                }
                thin_svd(&weights).ok()?.s.first().copied()
            }
        }
    }

    /// Applies the stages to rows.
    pub(super) fn apply(&self, rows: &Mat, threads: usize) -> Mat {
        let mut rows = match self.pool {
            Some((shape, pool)) => block_sums(rows, shape, pool),
            None => rows.clone(),
        };
        if let Some(kept) = &self.kept {
            rows = rows.select_columns(kept);
        }
        if let Some((mul, add)) = &self.scale {
            for ((mut column, m), a) in rows.column_iter_mut().zip(mul).zip(add) {
                column.apply(|v| *v = *v * m + a);
            }
        }
        match &self.project {
            Some(project) => project.apply(&rows, threads),
            None => rows,
        }
    }

    /// A linear readout over its outputs, as one over the input: columns have the lengths that they have there.
    ///
    /// The rows of a block are all alike; one stands for them, times the root of their number.
    pub(super) fn pull_back(&self, readout: &Mat, threads: usize) -> Mat {
        let mut back = match &self.project {
            Some(project) => crate::linalg::mul_tn(&project.weights, readout, threads),
            None => readout.clone(),
        };
        if let Some((mul, _)) = &self.scale {
            back = scale_rows(back, mul);
        }
        back * self.block_norm()
    }
}

fn block_sums(rows: &Mat, shape: Shape, pool: Pool) -> Mat {
    let (height, width) = (shape.rows as usize, shape.cols as usize);
    let (tall, wide) = (height / usize::from(pool.rows), width / usize::from(pool.cols));
    let mut out = Mat::zeros(rows.nrows(), shape.channels as usize * tall * wide);
    for (pixel, column) in rows.column_iter().enumerate() {
        let (plane, row, col) = (pixel / (height * width), pixel / width % height, pixel % width);
        let target = (plane * tall + row / usize::from(pool.rows)) * wide + col / usize::from(pool.cols);
        let mut sums = out.column_mut(target);
        sums += column;
    }
    out
}
