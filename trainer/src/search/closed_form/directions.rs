//! Directions to project rows on: PCA or LDA.

use super::{Directions, Params};
use crate::dataset::Dataset;
use crate::error::FitError;
use crate::linalg::{Mat, column_means, gram_tn, mul, scale_rows, shift_columns, sym_geneig};
use crate::preprocess::{Components, Projection, principal_axes};
use crate::run::Run;

/// Ridge on the scatter within classes, relative to its mean diagonal: features that depend on each other make it
/// singular. Small enough to leave the directions of independent features alone.
const SHRINKAGE: f64 = 0.003;

/// `u = P(x − mean)`, with weights of exactly zero for features that never vary.
pub(super) fn project(data: &Dataset, params: &Params, run: &Run<'_>) -> Result<Projection, FitError> {
    let (rows, threads) = (data.rows(), run.thread_count());
    let count = params.projected.min(rows.ncols()).min(rows.nrows());
    let pca = match principal_axes(rows, Components::Count(count), threads) {
        Err(FitError::DimTooLarge { max, .. }) => principal_axes(rows, Components::Count(max), threads)?,
        found => found?,
    };
    let mut axes = match params.directions {
        Directions::Pca => pca.axes,
        Directions::Lda => {
            let all: Vec<usize> = (0..data.width()).collect();
            let between = Scatter::new(data, threads).directions(&all)?;
            let between = between.columns(0, between.ncols().min(pca.axes.ncols())).into_owned();
            // LDA has fewer directions than classes; the rest are by variance, scaled so that the first of them has
            // variance 1, as LDA's have within the classes.
            let rest = pca.axes.columns(0, pca.axes.ncols() - between.ncols()) / pca.variances[0].sqrt();
            Mat::from_fn(between.nrows(), between.ncols() + rest.ncols(), |i, j| {
                if j < between.ncols() { between[(i, j)] } else { rest[(i, j - between.ncols())] }
            })
        }
    };
    for (j, _) in rows.column_iter().enumerate().filter(|(_, column)| column.iter().all(|v| *v == column[0])) {
        axes.row_mut(j).fill(0.0);
    }
    let variances = mul(rows, &axes, threads).column_iter().map(|column| column.variance()).sum::<f64>();
    let variance = variances / axes.ncols() as f64;
    let weights = axes.transpose() / variance.sqrt();
    let bias = &weights * nalgebra::DVector::from_column_slice(&pca.mean);
    Ok(Projection { weights, bias: bias.iter().map(|b| -b).collect() })
}

/// Scatter within classes and between them.
pub(super) struct Scatter {
    within: Mat,
    between: Mat,
    directions: usize,
}

impl Scatter {
    pub(super) fn new(data: &Dataset, threads: usize) -> Self {
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
    pub(super) fn directions(&self, kept: &[usize]) -> Result<Mat, FitError> {
        let part = |m: &Mat| Mat::from_fn(kept.len(), kept.len(), |i, j| m[(kept[i], kept[j])]);
        let mut within = part(&self.within);
        let level = (within.trace() / kept.len().max(1) as f64 * SHRINKAGE).max(f64::MIN_POSITIVE);
        within.iter_mut().step_by(kept.len() + 1).for_each(|d| *d += level);
        let found = sym_geneig(&part(&self.between), within).map_err(FitError::at("discriminant directions"))?;
        Ok(found.truncated(self.directions.min(kept.len())).vectors)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::PARAMS;
    use super::*;

    /// Three points on a line along the first feature; the second never varies.
    #[test]
    fn projected_values_have_mean_0_and_variance_1() -> Result<(), Box<dyn std::error::Error>> {
        let data = Dataset::from_ids(Mat::from_row_slice(3, 2, &[1.0, 7.0, 3.0, 7.0, 5.0, 7.0]), &[0, 0, 1])?;
        for directions in [Directions::Pca, Directions::Lda] {
            let params = Params { directions, projected: 1, ..PARAMS };
            let found = project(&data, &params, &Run::default())?;
            assert_eq!(found.weights[(0, 1)], 0.0);
            // The variance of 1, 3 and 5 is 8/3.
            assert!((found.weights[(0, 0)].abs() - (3.0_f64 / 8.0).sqrt()).abs() < 1e-9, "{}", found.weights);
            assert!((found.weights[(0, 0)] * 3.0 + found.bias[0]).abs() < 1e-9);
        }
        Ok(())
    }
}
