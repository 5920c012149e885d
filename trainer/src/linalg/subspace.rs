//! The top eigenpairs of a large positive semidefinite matrix.
//!
//! Block Krylov with Rayleigh–Ritz: the space of `B, AB, A²B, …` from a random block `B`, and in it the best
//! approximations of the eigenvectors. The block is wider than the number of pairs asked for, so that it holds a part
//! of every copy of a repeated eigenvalue, which Lanczos with single vectors loses. Every image `A·basis` is kept:
//! residuals are measured, not estimated, and a space that is full starts again from its best vectors. The stopping
//! test is relative to `λ₁`, which ends on clustered spectra too.

use super::eig::fix_signs;
use super::mul::product;
use super::{Eig, LinalgError, Mat, mul, orthonormal, sym_eig, view};
use crate::rng::Rng;
use faer::MatRef;

/// Residual, relative to the largest eigenvalue, at which a pair counts as found.
const TOLERANCE: f64 = 1e-10;
/// Blocks that a space holds at most.
const DEPTH: usize = 16;
/// Blocks from one Rayleigh–Ritz step to the next.
const STRIDE: usize = 2;
/// Products with the matrix before the full solver takes over.
const PRODUCTS: usize = 300;

/// The `count` largest eigenpairs of a symmetric positive semidefinite matrix.
///
/// Falls back to [`sym_eig`] when a large part of the spectrum is asked for or the iteration does not settle.
///
/// # Errors
/// [`LinalgError::NoConvergence`] as in [`sym_eig`].
pub fn top_eig(a: &Mat, count: usize, threads: usize) -> Result<Eig, LinalgError> {
    if !is_few(a.nrows(), count) {
        return Ok(sym_eig(a)?.truncated(count));
    }
    let goal = Goal { count, tolerance: TOLERANCE, products: PRODUCTS, columns: usize::MAX };
    let (eig, residual) = iterate(a.nrows(), &goal, threads, |block| mul(a, block, threads))?;
    if residual <= TOLERANCE { Ok(eig) } else { Ok(sym_eig(a)?.truncated(count)) }
}

/// Whether so many pairs of a matrix with so many rows are few enough for an iteration.
pub(crate) fn is_few(n: usize, count: usize) -> bool {
    n >= 200 && depth(n, block(count)) >= 3
}

/// A few more than asked for, so that the last ones settle too; products go by four columns at a time.
fn block(count: usize) -> usize {
    (count + (count / 5).max(4)).next_multiple_of(4)
}

/// Blocks that the space of a matrix with `n` rows holds.
fn depth(n: usize, block: usize) -> usize {
    DEPTH.min(n / (2 * block))
}

/// What an iteration is to reach, and when it gives up.
pub(super) struct Goal {
    /// Pairs asked for.
    pub(super) count: usize,
    /// Residual, relative to the largest eigenvalue.
    pub(super) tolerance: f64,
    /// Most products with the matrix.
    pub(super) products: usize,
    /// Columns of the space, as far as four blocks allow.
    pub(super) columns: usize,
}

/// The top eigenpairs of a positive semidefinite matrix with `n` rows that is known by its products, and the largest
/// residual relative to the first eigenvalue: above the tolerance if the iteration has given up.
pub(super) fn iterate(
    n: usize,
    goal: &Goal,
    threads: usize,
    multiply: impl Fn(&Mat) -> Mat,
) -> Result<(Eig, f64), LinalgError> {
    let block = block(goal.count);
    let depth = depth(n, block).min((goal.columns / block).max(4));
    let mut rng = Rng::new(0);
    let mut space = Space::new(n, depth * block);
    let mut outside = Mat::from_fn(n, block, |_, _| rng.normal());
    for done in 1.. {
        outside = space.grow(&multiply, &outside, threads);
        let full = space.len == depth * block;
        if !full && done % STRIDE != 0 && done < goal.products {
            continue;
        }
        let best = space.ritz(block, threads)?;
        let worst = best.residuals.column_iter().take(goal.count).map(|r| r.norm()).fold(0.0, f64::max);
        let residual = worst / best.values[0].max(f64::MIN_POSITIVE);
        // What is not a number never becomes one.
        if residual <= goal.tolerance || done >= goal.products || residual.is_nan() {
            let mut eig = Eig { values: best.values, vectors: best.vectors }.truncated(goal.count);
            fix_signs(&mut eig.vectors);
            return Ok((eig, residual));
        }
        if full {
            outside = space.restart(best);
        }
    }
    Err(LinalgError::NoConvergence)
}

/// An orthonormal basis, its image under the matrix, and the matrix seen in it.
struct Space {
    basis: Mat,
    image: Mat,
    /// `basisᵀ · image`, the lower triangle.
    projected: Mat,
    /// Columns in use.
    len: usize,
}

/// The best approximations of eigenpairs in a space, largest value first.
struct Ritz {
    values: Vec<f64>,
    vectors: Mat,
    image: Mat,
    /// `image − vectors · values`
    residuals: Mat,
}

impl Space {
    fn new(rows: usize, most: usize) -> Self {
        Self { basis: Mat::zeros(rows, most), image: Mat::zeros(rows, most), projected: Mat::zeros(most, most), len: 0 }
    }

    fn used(m: &Mat, len: usize) -> MatRef<'_, f64> {
        view(m).subcols(0, len)
    }

    /// Adds the directions of `outside`, and returns the part of their image that lies outside in turn.
    fn grow(&mut self, multiply: impl Fn(&Mat) -> Mat, outside: &Mat, threads: usize) -> Mat {
        let (start, count) = (self.len, outside.ncols());
        // Directions that are short beside the space come out of the first step slanted; the second sets them right.
        let mut block = orthonormal(outside);
        let within = product(Self::used(&self.basis, start).transpose(), view(&block), threads);
        block -= product(Self::used(&self.basis, start), view(&within), threads);
        let block = orthonormal(&block);
        let image = multiply(&block);
        self.basis.columns_mut(start, count).copy_from(&block);
        self.image.columns_mut(start, count).copy_from(&image);
        self.len += count;
        let within = product(Self::used(&self.basis, self.len).transpose(), view(&image), threads);
        self.projected.view_mut((start, 0), (count, self.len)).copy_from(&within.transpose());
        image - product(Self::used(&self.basis, self.len), view(&within), threads)
    }

    /// The `count` largest pairs (Rayleigh–Ritz).
    fn ritz(&self, count: usize, threads: usize) -> Result<Ritz, LinalgError> {
        let small = sym_eig(&self.projected.view((0, 0), (self.len, self.len)).into_owned())?.truncated(count);
        let turned = |m: &Mat| product(Self::used(m, self.len), view(&small.vectors), threads);
        let (vectors, image) = (turned(&self.basis), turned(&self.image));
        let mut residuals = image.clone();
        for ((mut residual, vector), value) in residuals.column_iter_mut().zip(vectors.column_iter()).zip(&small.values)
        {
            residual.axpy(-value, &vector, 1.0);
        }
        Ok(Ritz { values: small.values, vectors, image, residuals })
    }

    /// Keeps these vectors only, and returns the directions in which they want to grow.
    fn restart(&mut self, best: Ritz) -> Mat {
        self.len = best.values.len();
        self.basis.columns_mut(0, self.len).copy_from(&best.vectors);
        self.image.columns_mut(0, self.len).copy_from(&best.image);
        self.projected.fill(0.0);
        for (i, &value) in best.values.iter().enumerate() {
            self.projected[(i, i)] = value;
        }
        best.residuals
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::random;

    /// `Q diag(values) Qᵀ` with a random basis.
    fn with_spectrum(values: &[f64]) -> Mat {
        let q = orthonormal(&random(values.len(), values.len(), 3));
        &q * Mat::from_diagonal(&values.to_vec().into()) * q.transpose()
    }

    /// The top eigenvalues are these, and their vectors are orthonormal.
    fn check(top: &Eig, expected: &[f64], tolerance: f64) {
        for (got, expected) in top.values.iter().zip(expected) {
            assert!((got - expected).abs() < tolerance, "{:?}", top.values);
        }
        let (v, count) = (&top.vectors, top.len());
        assert!((v.transpose() * v - Mat::identity(count, count)).amax() < 1e-12);
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
        assert_eq!(top.len(), 12);
        check(&top, &values, 1e-8);
        Ok(())
    }

    #[test]
    fn repeated_and_clustered_values_are_all_found() -> Result<(), LinalgError> {
        let mut values = vec![1e-3; 300];
        values[..6].copy_from_slice(&[2.0, 1.0, 1.0, 1.0, 1.0, 0.5]);
        let top = top_eig(&with_spectrum(&values), 10, 1)?;
        let expected = [2.0, 1.0, 1.0, 1.0, 1.0, 0.5, 1e-3, 1e-3, 1e-3, 1e-3];
        check(&top, &expected, 1e-10);
        Ok(())
    }

    #[test]
    fn as_many_copies_as_asked_for_are_found_and_so_is_what_lies_in_no_image() -> Result<(), LinalgError> {
        // Every vector is in one of two eigenspaces: the Krylov space is exhausted after two blocks.
        let mut values = vec![0.0; 300];
        values[..20].fill(1.0);
        for count in [20, 24] {
            let top = top_eig(&with_spectrum(&values), count, 1)?;
            assert_eq!(top.len(), count);
            check(&top, &values, 1e-10);
        }
        Ok(())
    }

    #[test]
    fn a_spectrum_that_hardly_falls_takes_restarts() -> Result<(), LinalgError> {
        let values: Vec<f64> = (0..500).map(|i| 1.0 - f64::from(i) / 600.0).collect();
        let a = with_spectrum(&values);
        let top = top_eig(&a, 10, 1)?;
        assert_eq!(top.len(), 10);
        check(&top, &values, 1e-10);
        assert_eq!(top, top_eig(&a, 10, 3)?);
        Ok(())
    }
}
