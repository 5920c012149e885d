//! What LDA, KDA and CMVDA share: class indicators, and rank C−1 problems solved through a C×C eigenproblem.

use super::{Dataset, FitError};
use crate::linalg::{Mat, column_means, mul_tn, scale_columns, shift_columns, sym_eig};

/// The class indicators, scaled to length one, in the first of so many columns.
pub(super) fn scaled_indicators(data: &Dataset, columns: usize) -> Mat {
    let counts = data.class_counts();
    let mut t = Mat::zeros(data.len(), columns);
    for (i, &label) in data.labels().iter().enumerate() {
        t[(i, label)] = 1.0 / (counts[label] as f64).sqrt();
    }
    t
}

/// The scaled class indicators, each column's mean removed.
pub(super) fn centered_indicators(data: &Dataset) -> Mat {
    center_columns(scaled_indicators(data, data.classes()))
}

/// Removes the mean of every column.
pub(super) fn center_columns(m: Mat) -> Mat {
    let means = column_means(&m);
    shift_columns(m, &means)
}

/// `q μ^{-½}` and `μ` for the `dim` largest eigenvalues of `Q = Tᵀ fit`.
pub(super) fn best_axes(fit: &Mat, t: &Mat, dim: usize, threads: usize) -> Result<(Mat, Vec<f64>), FitError> {
    let q = mul_tn(t, fit, threads);
    let eig = sym_eig(&((&q + q.transpose()) * 0.5)).map_err(FitError::at("discriminant"))?;
    let eig = eig.above(1e-12);
    if dim > eig.len() {
        return Err(FitError::DimTooLarge { dim, max: eig.len() });
    }
    let eig = eig.truncated(dim);
    Ok((scale_columns(eig.vectors, |j| 1.0 / eig.values[j].sqrt()), eig.values))
}
