//! Ridge regression from features to classes, with the ridge that has the least leave-one-out error.

use crate::linalg::{Cholesky, LinalgError, Mat, column_means, gram_tn, mul, mul_nt, mul_tn, shift_columns, sym_eig};

/// Ridges to choose among: half a decade apart, in units of the squared sum of a standardized feature.
const ALPHAS: (i32, i32) = (-4, 8);
/// Eigenvalues below this share of the largest are rounding noise.
const NOISE: f64 = 1e-7;
/// What a row may at least be left of itself in the leave-one-out error.
const LEFT: f64 = 1e-6;
/// Standard deviation that features have at least, as a share of their range: those that hardly vary on the training rows
/// would otherwise get large weights for little.
const LEAST_DEVIATION: f64 = 0.02;

/// `scores = features · weights + bias`.
#[derive(Debug, Clone)]
pub(super) struct Ridge {
    /// Features × classes.
    pub(super) weights: Mat,
    pub(super) bias: Vec<f64>,
}

/// What a class's own rows have, and the others: 1 and −1.
pub(super) fn targets(labels: &[usize], classes: usize) -> Mat {
    Mat::from_fn(labels.len(), classes, |i, c| if labels[i] == c { 1.0 } else { -1.0 })
}

impl Ridge {
    /// The regression of features in 0..=1 on the classes; `some` are the rows by which the ridge is chosen.
    pub(super) fn fit(features: &Mat, targets: &Mat, some: &[usize], threads: usize) -> Result<Self, LinalgError> {
        let means = column_means(features);
        let n = features.nrows() as f64;
        let deviation = |(j, mean): (usize, &f64)| {
            let variance = features.column(j).iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
            variance.sqrt().max(LEAST_DEVIATION)
        };
        let deviations: Vec<f64> = means.iter().enumerate().map(deviation).collect();
        let mut a = shift_columns(features.clone(), &means);
        for (mut column, deviation) in a.column_iter_mut().zip(&deviations) {
            column /= *deviation;
        }
        let level = column_means(targets);
        let b = shift_columns(targets.clone(), &level);
        let alpha = best_alpha(&a.select_rows(some), &b.select_rows(some))?;
        let mut weights = solve(&a, &b, alpha, threads)?;
        for (mut row, deviation) in weights.row_iter_mut().zip(&deviations) {
            row /= *deviation;
        }
        let at_means = Mat::from_row_slice(1, means.len(), &means) * &weights;
        let bias = level.iter().zip(at_means.iter()).map(|(level, at)| level - at).collect();
        Ok(Self { weights, bias })
    }
}

/// The ridge with the least leave-one-out error, by the eigenvectors of the smaller Gram matrix.
pub(super) fn best_alpha(a: &Mat, b: &Mat) -> Result<f64, LinalgError> {
    let a = &shift_columns(a.clone(), &column_means(a));
    let b = &shift_columns(b.clone(), &column_means(b));
    let n = a.nrows();
    let (values, vectors) = if n <= a.ncols() {
        let eig = sym_eig(&mul_nt(a, a, 1))?.above(NOISE);
        (eig.values, eig.vectors)
    } else {
        let eig = sym_eig(&gram_tn(a, 1))?.above(NOISE);
        let mut vectors = mul(a, &eig.vectors, 1);
        for (mut column, value) in vectors.column_iter_mut().zip(&eig.values) {
            column /= value.sqrt();
        }
        (eig.values, vectors)
    };
    let projected = mul_tn(&vectors, b, 1);
    let squares = vectors.map(|v| v * v);
    let error = |alpha: f64| {
        let shrunk = nalgebra::DVector::from_iterator(values.len(), values.iter().map(|w| w / (w + alpha)));
        let leverage = &squares * &shrunk;
        let mut explained = projected.clone();
        for (mut row, s) in explained.row_iter_mut().zip(shrunk.iter()) {
            row *= *s;
        }
        let mut rest = b - mul(&vectors, &explained, 1);
        for (mut row, h) in rest.row_iter_mut().zip(leverage.iter()) {
            row /= (1.0 - h - 1.0 / n as f64).max(LEFT);
        }
        rest.norm_squared()
    };
    let alphas = (ALPHAS.0..=ALPHAS.1).map(|k| libm::pow(10.0, f64::from(k) / 2.0));
    let best = alphas.map(|alpha| (error(alpha), alpha)).reduce(|a, b| if b.0 < a.0 { b } else { a });
    Ok(best.map_or(1.0, |(_, alpha)| alpha))
}

/// The regression of centered columns, by the smaller of both Gram matrices.
fn solve(a: &Mat, b: &Mat, alpha: f64, threads: usize) -> Result<Mat, LinalgError> {
    let raised = |mut gram: Mat| {
        let side = gram.nrows();
        gram.iter_mut().step_by(side + 1).for_each(|d| *d += alpha);
        Cholesky::factor(gram)
    };
    if a.nrows() <= a.ncols() {
        Ok(mul_tn(a, &raised(mul_nt(a, a, threads))?.solve(b.clone()), threads))
    } else {
        Ok(raised(gram_tn(a, threads))?.solve(mul_tn(a, b, threads)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::random;

    #[test]
    fn leave_one_out_is_what_leaving_one_out_gives() -> Result<(), LinalgError> {
        // The ridge found by the formula is the best by really fitting without each row.
        for (rows, width) in [(12, 30), (30, 4)] {
            let a = shift_columns(random(rows, width, 1), &column_means(&random(rows, width, 1)));
            let noise = random(rows, 1, 2);
            let b = Mat::from_fn(rows, 1, |i, _| a[(i, 0)] + 0.5 * noise[(i, 0)]);
            let b = shift_columns(b.clone(), &column_means(&b));
            let left_out = |alpha: f64| -> Result<f64, LinalgError> {
                let mut sum = 0.0;
                for out in 0..rows {
                    let (rest, targets) = (a.clone().remove_row(out), b.clone().remove_row(out));
                    let (means, level) = (column_means(&rest), column_means(&targets));
                    let w = solve(&shift_columns(rest, &means), &shift_columns(targets, &level), alpha, 1)?;
                    let row = shift_columns(a.rows(out, 1).into_owned(), &means);
                    sum += ((&row * w)[(0, 0)] + level[0] - b[(out, 0)]).powi(2);
                }
                Ok(sum)
            };
            let best = left_out(best_alpha(&a, &b)?)?;
            for k in ALPHAS.0..=ALPHAS.1 {
                let other = left_out(libm::pow(10.0, f64::from(k) / 2.0))?;
                assert!(best <= other * (1.0 + 1e-6), "{rows} × {width}: {best} {other}");
            }
        }
        Ok(())
    }

    #[test]
    fn scores_follow_the_classes() -> Result<(), LinalgError> {
        let labels: Vec<usize> = (0..60).map(|i| i % 3).collect();
        let noise = random(60, 3, 4);
        let features = Mat::from_fn(60, 3, |i, j| f64::from(u8::from(labels[i] == j)) * 0.5 + 0.02 * noise[(i, j)]);
        let all: Vec<usize> = (0..60).collect();
        let ridge = Ridge::fit(&features, &targets(&labels, 3), &all, 1)?;
        let scores = &features * &ridge.weights;
        for (i, label) in labels.iter().enumerate() {
            let score = |c: usize| scores[(i, c)] + ridge.bias[c];
            assert!((0..3).all(|c| c == *label || score(c) < score(*label)));
        }
        Ok(())
    }
}
