//! Eigenproblems and their relatives, with our rules for order and sign.

use super::{Cholesky, LinalgError, Mat, owned, view};
use crate::rng::Rng;
use faer::Par;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd;

/// Eigenvalues, largest first, and their vectors as columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Eig {
    /// Eigenvalues, largest first.
    pub values: Vec<f64>,
    /// Column `j` belongs to `values[j]`; its entry of largest magnitude is positive.
    pub vectors: Mat,
}

impl Eig {
    /// Keeps the first `count` pairs.
    pub(crate) fn truncated(mut self, count: usize) -> Self {
        let count = count.min(self.values.len());
        self.values.truncate(count);
        self.vectors = self.vectors.columns(0, count).into_owned();
        self
    }

    /// Keeps the pairs above `relative` times the largest value: what lies below is rounding noise.
    pub(crate) fn above(self, relative: f64) -> Self {
        let floor = relative * self.values.first().copied().unwrap_or(0.0).max(0.0);
        let count = self.values.iter().take_while(|&&v| v > floor).count();
        self.truncated(count)
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }
}

/// All eigenpairs of a symmetric matrix, of which only the lower triangle is read.
///
/// # Errors
/// [`LinalgError::NoConvergence`], which finite matrices do not meet in practice.
pub fn sym_eig(a: &Mat) -> Result<Eig, LinalgError> {
    let n = a.nrows();
    let mut vectors = Mat::zeros(n, n);
    let mut ascending = faer::diag::Diag::zeros(n);
    let params = faer::Spec::default();
    let scratch = evd::self_adjoint_evd_scratch::<f64>(n, evd::ComputeEigenvectors::Yes, Par::Seq, params);
    let mut memory = MemBuffer::new(scratch);
    evd::self_adjoint_evd(
        view(a),
        ascending.as_mut(),
        Some(super::view_mut(&mut vectors)),
        Par::Seq,
        MemStack::new(&mut memory),
        params,
    )
    .map_err(|_| LinalgError::NoConvergence)?;
    let ascending = ascending.column_vector();
    let values = (0..n).rev().map(|i| ascending[i]).collect();
    for j in 0..n / 2 {
        vectors.swap_columns(j, n - 1 - j);
    }
    fix_signs(&mut vectors);
    Ok(Eig { values, vectors })
}

/// Solves `a v = λ b v` with `vᵀ b v = 1`, for symmetric `a` and positive definite `b`.
pub(crate) fn sym_geneig(a: &Mat, b: Mat) -> Result<Eig, LinalgError> {
    // b = L Lᵀ turns the pencil into L⁻¹ a L⁻ᵀ u = λ u, v = L⁻ᵀ u.
    let l = Cholesky::factor(b)?;
    let half = l.solve_lower(a.clone()).transpose();
    let eig = sym_eig(&l.solve_lower(half))?;
    let mut vectors = l.solve_lower_transposed(eig.vectors);
    fix_signs(&mut vectors);
    Ok(Eig { values: eig.values, vectors })
}

/// A thin singular value decomposition `a = u diag(s) vᵀ`, largest value first.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Svd {
    /// Left vectors, one column per value.
    pub(crate) u: Mat,
    /// Singular values, largest first.
    pub(crate) s: Vec<f64>,
    /// Right vectors, one column per value; each one's entry of largest magnitude is positive.
    pub(crate) v: Mat,
}

/// The thin SVD of any matrix.
pub(crate) fn thin_svd(a: &Mat) -> Result<Svd, LinalgError> {
    let svd = view(a).thin_svd().map_err(|_| LinalgError::NoConvergence)?;
    let diagonal = svd.S().column_vector();
    let s = (0..diagonal.nrows()).map(|i| diagonal[i]).collect();
    let (mut u, mut v) = (owned(svd.U()), owned(svd.V()));
    for j in 0..v.ncols() {
        if sign_of_largest(v.column(j).iter()) < 0.0 {
            v.column_mut(j).neg_mut();
            u.column_mut(j).neg_mut();
        }
    }
    Ok(Svd { u, s, v })
}

/// An orthonormal basis of the columns of `a` (Householder QR).
pub(crate) fn orthonormal(a: &Mat) -> Mat {
    owned(view(a).qr().compute_thin_Q().as_ref())
}

/// The first `count` vectors of a random orthonormal basis of `R^size`.
///
/// Householder's first vectors do not depend on the columns to come, and columns are drawn in order: more vectors of the
/// same seed begin with those of fewer.
pub(crate) fn random_orthonormal(size: usize, count: usize, seed: u64) -> Mat {
    let mut rng = Rng::new(seed);
    orthonormal(&Mat::from_fn(size, count, |_, _| rng.normal()))
}

/// Turns each vector so that its entry of largest magnitude is positive.
pub(super) fn fix_signs(vectors: &mut Mat) {
    for mut column in vectors.column_iter_mut() {
        if sign_of_largest(column.iter()) < 0.0 {
            column.neg_mut();
        }
    }
}

/// The entry of largest magnitude, the first of equals.
fn sign_of_largest<'a>(values: impl Iterator<Item = &'a f64>) -> f64 {
    values.fold(0.0_f64, |best, &v| if v.abs() > best.abs() { v } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_by_two_has_known_eigenvectors() -> Result<(), LinalgError> {
        let eig = sym_eig(&Mat::from_row_slice(2, 2, &[2.0, 1.0, 1.0, 2.0]))?;
        assert!((eig.values[0] - 3.0).abs() < 1e-14 && (eig.values[1] - 1.0).abs() < 1e-14);
        let h = 0.5_f64.sqrt();
        assert!((eig.vectors[(0, 0)] - h).abs() < 1e-14 && (eig.vectors[(1, 0)] - h).abs() < 1e-14);
        assert!((eig.vectors[(0, 1)] + eig.vectors[(1, 1)]).abs() < 1e-14);
        Ok(())
    }

    #[test]
    fn generalized_vectors_are_b_orthonormal() -> Result<(), LinalgError> {
        let a = Mat::from_row_slice(3, 3, &[1.0, 2.0, 0.0, 2.0, -1.0, 1.0, 0.0, 1.0, 3.0]);
        let b = Mat::from_row_slice(3, 3, &[4.0, 1.0, 0.0, 1.0, 3.0, 0.5, 0.0, 0.5, 2.0]);
        let eig = sym_geneig(&a, b.clone())?;
        let w = &eig.vectors;
        assert!((w.transpose() * &b * w - Mat::identity(3, 3)).amax() < 1e-12);
        let residual = &a * w - &b * w * Mat::from_diagonal(&eig.values.clone().into());
        assert!(residual.amax() < 1e-12);
        Ok(())
    }

    #[test]
    fn svd_puts_the_matrix_together_again() -> Result<(), LinalgError> {
        let a = Mat::from_row_slice(3, 2, &[1.0, 2.0, 3.0, 4.0, 5.0, 7.0]);
        let svd = thin_svd(&a)?;
        let rebuilt = &svd.u * Mat::from_diagonal(&svd.s.clone().into()) * svd.v.transpose();
        assert!((rebuilt - a).amax() < 1e-13);
        Ok(())
    }
}
