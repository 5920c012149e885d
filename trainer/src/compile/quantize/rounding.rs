//! Rounding with feedback: what one weight loses to its integer, those after it make good.
//!
//! Weights meet correlated values, neighboring pixels or overlapping kernels; so the error of one can be undone by
//! others. Weight after weight is rounded and the rest moved to where the sum of squared errors over the calibration
//! rows is least (Hassibi and Stork 1993; the triangular form is that of Frantar et al. 2022). Kernel readouts in closed
//! form need it most: large weights that cancel.

use crate::linalg::{Cholesky, LinalgError, Mat};

/// Beyond this many weights per sum the factors cost more than they are worth.
const LARGEST: usize = 1024;

/// The factor of one Gram matrix, for any number of columns of weights.
pub(super) struct Feedback {
    /// Row `i`, from `i + 1` on: what an error of weight `i` adds to those after it. Column-major, a column per weight.
    spread: Option<Mat>,
}

impl Feedback {
    /// No feedback: every weight becomes the integer next to it.
    pub(super) const fn none() -> Self {
        Self { spread: None }
    }

    /// For weights whose inputs have this Gram matrix; only its lower triangle is read.
    pub(super) fn new(gram: &Mat, damping: f64) -> Result<Self, LinalgError> {
        let n = gram.nrows();
        if n > LARGEST {
            return Ok(Self::none());
        }
        let level = gram.trace() / n as f64 * damping;
        let level = if level > 0.0 { level } else { 1.0 };
        // The upper factor U of the inverse, G⁻¹ = UᵀU, row by row: from the Cholesky factor of the reversed matrix,
        // which needs no inverse. Reversed G = L Lᵀ, so that G = U'U'ᵀ with U' upper and G⁻¹ = U'⁻ᵀU'⁻¹.
        let reversed = Mat::from_fn(n, n, |i, j| {
            let (i, j) = (n - 1 - i, n - 1 - j);
            gram[(i.max(j), i.min(j))] + if i == j { level } else { 0.0 }
        });
        let inverse = Cholesky::factor(reversed)?.solve_lower(Mat::identity(n, n));
        // Entry (i, j) of U'⁻¹, upper triangular; divided by its diagonal it is the effect of weight i on weight j.
        let at = |i: usize, j: usize| inverse[(n - 1 - i, n - 1 - j)];
        let spread = Mat::from_fn(n, n, |j, i| if j > i { at(i, j) / at(i, i) } else { 0.0 });
        Ok(Self { spread: Some(spread) })
    }

    /// Weights in units of their integers, rounded and kept within ± `limit`.
    pub(super) fn round(&self, weights: &[f64], limit: f64) -> Vec<f64> {
        let mut rest = weights.to_vec();
        for i in 0..rest.len() {
            let rounded = rest[i].round().clamp(-limit, limit);
            let error = rest[i] - rounded;
            rest[i] = rounded;
            if let Some(spread) = &self.spread {
                let column = crate::linalg::column(spread, i);
                rest[i + 1..].iter_mut().zip(&column[i + 1..]).for_each(|(w, s)| *w -= error * s);
            }
        }
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{gram_tn, mul};
    use crate::rng::Rng;

    #[test]
    fn what_one_weight_loses_its_neighbors_make_good() -> Result<(), LinalgError> {
        // Thirty inputs that are mixtures of five.
        let mut rng = Rng::new(2);
        let few = Mat::from_fn(400, 5, |_, _| rng.normal());
        let mix = Mat::from_fn(5, 30, |_, _| rng.normal());
        let rows = mul(&few, &mix, 1) + Mat::from_fn(400, 30, |_, _| 0.01 * rng.normal());
        let weights: Vec<f64> = (0..30).map(|_| 20.0 * rng.normal()).collect();
        let error = |rounded: &[f64]| {
            let gap = nalgebra::DVector::from_iterator(30, weights.iter().zip(rounded).map(|(w, r)| w - r));
            (&rows * gap).norm()
        };
        let plain: Vec<f64> = weights.iter().map(|w| w.round()).collect();
        let fed = Feedback::new(&gram_tn(&rows, 1), 1e-6)?.round(&weights, 127.0);
        assert!(fed.iter().all(|w| w.fract() == 0.0));
        assert!(error(&fed) < 0.3 * error(&plain), "{} {}", error(&fed), error(&plain));
        Ok(())
    }
}
