//! Ridge regression by conjugate gradients: for matrices that are known by their products alone.

use super::{Mat, Operator};
use crate::error::FitError;
use crate::run::Run;

/// Length of the gradient, relative to the first, at which a column counts as solved.
const TOLERANCE: f64 = 1e-8;
/// Products with the matrix at most. Rows of text with the default ridge take 30 to 150.
const PRODUCTS: usize = 400;

/// The solution of a ridge regression.
#[derive(Debug)]
pub(crate) struct Regression {
    /// Columns of the matrix × targets.
    pub(crate) weights: Mat,
    /// The longest gradient, relative to the first, if the iteration was cut short.
    cut_short: Option<f64>,
}

impl Regression {
    /// What to tell people of an iteration that was cut short.
    pub(crate) fn note(&self) -> Option<String> {
        let left = self.cut_short?;
        Some(format!(
            "conjugate gradients stopped after {PRODUCTS} steps at {left:.0e} of the first gradient: raise the ridge"
        ))
    }
}

/// Minimizes `‖A·weights − targets‖² + ridge·‖weights‖²` for every column of the targets (CGLS).
///
/// # Errors
/// [`FitError::Cancelled`].
pub(crate) fn ridge_regression(
    a: &dyn Operator,
    targets: &Mat,
    ridge: f64,
    run: &Run<'_>,
) -> Result<Regression, FitError> {
    let threads = run.thread_count();
    let squares = |m: &Mat| -> Vec<f64> { m.column_iter().map(|column| column.norm_squared()).collect() };
    let mut weights = Mat::zeros(a.shape().1, targets.ncols());
    let mut left = targets.clone();
    let mut direction = a.transposed_times(&left, threads);
    let mut gradient = squares(&direction);
    let first = gradient.clone();
    let worst = |gradient: &[f64]| -> f64 {
        let shares = gradient.iter().zip(&first).map(|(now, first)| if *first > 0.0 { now / first } else { 0.0 });
        shares.fold(0.0, f64::max).sqrt()
    };
    for done in 0..PRODUCTS {
        run.step("conjugate gradients", done, PRODUCTS)?;
        if worst(&gradient) <= TOLERANCE {
            return Ok(Regression { weights, cut_short: None });
        }
        let image = a.times(&direction, threads);
        let curvature = squares(&image).into_iter().zip(squares(&direction)).map(|(image, own)| image + ridge * own);
        for (j, curvature) in curvature.enumerate() {
            // A column that is solved has no direction left.
            let step = if curvature > 0.0 { gradient[j] / curvature } else { 0.0 };
            weights.column_mut(j).axpy(step, &direction.column(j), 1.0);
            left.column_mut(j).axpy(-step, &image.column(j), 1.0);
        }
        let mut next = a.transposed_times(&left, threads);
        next -= &weights * ridge;
        let lengths = squares(&next);
        for (j, length) in lengths.iter().enumerate() {
            let turn = if gradient[j] > 0.0 { length / gradient[j] } else { 0.0 };
            next.column_mut(j).axpy(turn, &direction.column(j), 1.0);
        }
        (direction, gradient) = (next, lengths);
    }
    let cut_short = Some(worst(&gradient)).filter(|worst| *worst > TOLERANCE);
    Ok(Regression { weights, cut_short })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{gram_tn, mul_tn, random, solve_spd};

    #[test]
    fn the_solution_is_that_of_the_normal_equations() -> Result<(), Box<dyn std::error::Error>> {
        for (rows, columns) in [(60, 20), (20, 60)] {
            let (a, mut targets) = (random(rows, columns, 0), random(rows, 3, 1));
            targets.column_mut(1).fill(0.0);
            let solved = ridge_regression(&a, &targets, 0.3, &Run::default())?;
            assert!(solved.note().is_none());
            let (expected, _) = solve_spd(|| gram_tn(&a, 1), 0.3, &mul_tn(&a, &targets, 1))?;
            assert!((&solved.weights - expected).amax() < 1e-7);
            assert_eq!(solved.weights.column(1).amax(), 0.0);
        }
        Ok(())
    }
}
