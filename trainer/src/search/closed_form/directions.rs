//! Directions to project rows on.

use super::{Directions, Params};
use crate::dataset::Dataset;
use crate::error::FitError;
use crate::linalg::{Mat, column_means, gram_tn, mul, scale_rows, shift_columns, sym_geneig};
use crate::preprocess::{Components, Projection, principal_axes};
use crate::run::Run;

/// Added to the scatter within classes, relative to its mean diagonal.
const SHRINKAGE: f64 = 0.003;

/// `u = P(x − mean)`, with features that never vary left out exactly.
pub(in crate::search) fn project(data: &Dataset, params: &Params, run: &Run<'_>) -> Result<Projection, FitError> {
    let (rows, threads) = (data.rows(), run.thread_count());
    let count = params.projected.min(rows.ncols()).min(rows.nrows());
    let pca = |count| match principal_axes(rows, Components::Count(count), threads) {
        Err(FitError::DimTooLarge { max, .. }) => principal_axes(rows, Components::Count(max), threads),
        found => found,
    };
    let pca = pca(count)?;
    let mut axes = match params.directions {
        Directions::Pca => pca.axes,
        Directions::Lda => {
            let all: Vec<usize> = (0..data.width()).collect();
            let between = Scatter::new(data, threads).directions(&all)?;
            let between = between.columns(0, between.ncols().min(pca.axes.ncols())).into_owned();
            // The directions that LDA cannot tell apart are filled up by variance, the first of it as long as a
            // direction within the classes.
            let rest = pca.axes.columns(0, pca.axes.ncols() - between.ncols()) / pca.variances[0].sqrt();
            Mat::from_fn(between.nrows(), between.ncols() + rest.ncols(), |i, j| {
                if j < between.ncols() { between[(i, j)] } else { rest[(i, j - between.ncols())] }
            })
        }
    };
    leave_out_constants(&mut axes, rows);
    let variances = mul(rows, &axes, threads).column_iter().map(|column| column.variance()).sum::<f64>();
    let variance = variances / axes.ncols() as f64;
    let weights = axes.transpose() / variance.sqrt();
    let bias = &weights * nalgebra::DVector::from_column_slice(&pca.mean);
    Ok(Projection { weights, bias: bias.iter().map(|b| -b).collect() })
}

/// Weights of zero for features that never vary.
fn leave_out_constants(axes: &mut Mat, rows: &Mat) {
    for (j, column) in rows.column_iter().enumerate() {
        if column.iter().all(|v| *v == column[0]) {
            axes.row_mut(j).fill(0.0);
        }
    }
}

/// How rows scatter within classes and between them.
pub(in crate::search) struct Scatter {
    within: Mat,
    between: Mat,
    directions: usize,
}

impl Scatter {
    pub(in crate::search) fn new(data: &Dataset, threads: usize) -> Self {
        let means = data.class_means(data.rows());
        let mut rows = data.rows().clone();
        for (mut row, &label) in rows.row_iter_mut().zip(data.labels()) {
            row -= means.row(label);
        }
        let within = gram_tn(&rows, threads) / data.len() as f64;
        let shares: Vec<f64> = data.class_counts().iter().map(|&n| (n as f64 / data.len() as f64).sqrt()).collect();
        let between = scale_rows(shift_columns(means, &column_means(data.rows())), &shares);
        Self { within, between: gram_tn(&between, threads), directions: data.classes() - 1 }
    }

    /// LDA's directions on some features: `S_b v = λ (S_w + shrinkage) v`, as many as classes less one.
    pub(in crate::search) fn directions(&self, kept: &[usize]) -> Result<Mat, FitError> {
        let part = |m: &Mat| Mat::from_fn(kept.len(), kept.len(), |i, j| m[(kept[i], kept[j])]);
        let mut within = part(&self.within);
        let level = (within.trace() / kept.len().max(1) as f64 * SHRINKAGE).max(f64::MIN_POSITIVE);
        within.iter_mut().step_by(kept.len() + 1).for_each(|d| *d += level);
        let found = sym_geneig(&part(&self.between), within).map_err(FitError::at("discriminant directions"))?;
        Ok(found.truncated(self.directions.min(kept.len())).vectors)
    }
}
