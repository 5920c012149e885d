//! The top eigenpairs of a large positive semidefinite matrix.
//!
//! Block subspace iteration, sharpened by a Chebyshev filter: between two Rayleigh–Ritz steps the block is
//! multiplied by a polynomial of the matrix that stays small on `[0, θ]` and grows fast above it, where `θ` is
//! the smallest Ritz value of the block. Blocks keep all copies of a repeated eigenvalue, which Lanczos-type
//! solvers lose, and a stopping test relative to `λ₁` ends on clustered spectra too.

use super::eig::{fix_signs, ritz};
use super::{Eig, LinalgError, Mat, mul, orthonormal, sym_eig};
use crate::rng::Rng;

/// Residual, relative to the largest eigenvalue, at which a pair counts as found.
const TOLERANCE: f64 = 1e-10;
/// Highest degree of the filter between two Rayleigh–Ritz steps.
const DEGREE: f64 = 12.0;
/// The most that a filter may amplify the first eigenvector: beyond, rounding drowns the others in it.
const AMPLIFICATION: f64 = 1e10;
/// Filter rounds before the full solver takes over.
const ROUNDS: usize = 100;

/// The `count` largest eigenpairs of a symmetric positive semidefinite matrix.
///
/// Falls back to [`sym_eig`] when a large part of the spectrum is asked for or the iteration does not settle.
///
/// # Errors
/// [`LinalgError::NoConvergence`] as in [`sym_eig`].
pub fn top_eig(a: &Mat, count: usize, threads: usize) -> Result<Eig, LinalgError> {
    let n = a.nrows();
    // A few more than asked for, so that the last ones settle too; products go by four columns at a time.
    let block = (count + (count / 2).max(8)).next_multiple_of(4);
    if n < 200 || block * 5 > n {
        return Ok(sym_eig(a)?.truncated(count));
    }
    let mut rng = Rng::new(0);
    let mut basis = orthonormal(&Mat::from_fn(n, block, |_, _| rng.normal()));
    for _ in 0..ROUNDS {
        let image = mul(a, &basis, threads);
        let (values, vectors, image) = ritz(&basis, &image, threads)?;
        let largest = values[0].max(f64::MIN_POSITIVE);
        let worst = (0..count).map(|j| (image.column(j) - vectors.column(j) * values[j]).norm()).fold(0.0, f64::max);
        if worst <= TOLERANCE * largest {
            let mut eig = Eig { values, vectors }.truncated(count);
            fix_signs(&mut eig.vectors);
            return Ok(eig);
        }
        let edge = values[block - 1].max(1e-14 * largest);
        basis = orthonormal(&filter(a, vectors, &image, edge, largest, threads));
    }
    Ok(sym_eig(a)?.truncated(count))
}

/// Applies the scaled Chebyshev polynomial of the interval `[0, edge]`; `image` is `a · block`.
fn filter(a: &Mat, block: Mat, image: &Mat, edge: f64, largest: f64, threads: usize) -> Mat {
    // t(a) = (a − c)/c maps [0, edge] onto [−1, 1]; the running scale keeps the top value near one
    // (Zhou, Saad, Tiago & Chelikowsky 2006, algorithm 3.2).
    let c = edge / 2.0;
    let first = c / (largest - c);
    let steepness = ((1.0 / first).max(1.0) + ((1.0 / first).powi(2) - 1.0).max(0.0).sqrt()).max(1.0 + 1e-6);
    let degree = (AMPLIFICATION.ln() / steepness.ln()).clamp(2.0, DEGREE) as usize;
    let mut sigma = first;
    let mut previous = block;
    let mut current = (image - &previous * c) * (sigma / c);
    for _ in 2..=degree {
        let next_sigma = 1.0 / (2.0 / first - sigma);
        let mut next = mul(a, &current, threads);
        next.zip_zip_apply(&current, &previous, |y, x, p| {
            *y = (*y - c * x) * (2.0 * next_sigma / c) - sigma * next_sigma * p;
        });
        previous = std::mem::replace(&mut current, next);
        sigma = next_sigma;
    }
    current
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `Q diag(values) Qᵀ` with a random basis.
    fn with_spectrum(values: &[f64]) -> Mat {
        let n = values.len();
        let mut rng = Rng::new(3);
        let q = orthonormal(&Mat::from_fn(n, n, |_, _| rng.normal()));
        &q * Mat::from_diagonal(&values.to_vec().into()) * q.transpose()
    }

    #[test]
    fn top_pairs_agree_with_the_full_solver() -> Result<(), LinalgError> {
        let values: Vec<f64> = (0..300).map(|i| 1.0 / f64::from(i + 1)).collect();
        let a = with_spectrum(&values);
        let (top, full) = (top_eig(&a, 12, 2)?, sym_eig(&a)?);
        for j in 0..12 {
            assert!((top.values[j] - full.values[j]).abs() < 1e-12);
            assert!((top.vectors.column(j) - full.vectors.column(j)).amax() < 1e-7);
        }
        Ok(())
    }

    #[test]
    fn one_value_far_above_the_rest_does_not_drown_them() -> Result<(), LinalgError> {
        // An uncentered kernel matrix looks like this, and a steep filter would lose all but the first vector.
        let values: Vec<f64> = (0..300).map(|i| if i == 0 { 1e4 } else { 1.0 / f64::from(i) }).collect();
        let top = top_eig(&with_spectrum(&values), 12, 1)?;
        for (got, expected) in top.values.iter().zip(&values) {
            assert!((got - expected).abs() < 1e-8, "{:?}", top.values);
        }
        let v = &top.vectors;
        assert!((v.transpose() * v - Mat::identity(12, 12)).amax() < 1e-12);
        Ok(())
    }

    #[test]
    fn repeated_and_clustered_values_are_all_found() -> Result<(), LinalgError> {
        let mut values = vec![1e-3; 300];
        values[..6].copy_from_slice(&[2.0, 1.0, 1.0, 1.0, 1.0, 0.5]);
        let top = top_eig(&with_spectrum(&values), 10, 1)?;
        let expected = [2.0, 1.0, 1.0, 1.0, 1.0, 0.5, 1e-3, 1e-3, 1e-3, 1e-3];
        for (got, expected) in top.values.iter().zip(expected) {
            assert!((got - expected).abs() < 1e-10, "{:?}", top.values);
        }
        Ok(())
    }
}
