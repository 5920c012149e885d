//! Cholesky solves, and the ridge that keeps them safe.

use super::{LinalgError, Mat, view, view_mut};
use faer::Par;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};

/// The factor `L` of a positive definite `a = L Lᵀ`.
#[derive(Debug, Clone)]
pub(crate) struct Cholesky {
    /// `L` in the lower triangle; the upper is never read.
    l: Mat,
}

impl Cholesky {
    /// Factors in the memory of `a`, of which only the lower triangle is read.
    pub(crate) fn factor(mut a: Mat) -> Result<Self, LinalgError> {
        let params = faer::Spec::default();
        let mut memory = MemBuffer::new(factor::cholesky_in_place_scratch::<f64>(a.nrows(), Par::Seq, params));
        let stack = MemStack::new(&mut memory);
        match factor::cholesky_in_place(view_mut(&mut a), factor::LltRegularization::default(), Par::Seq, stack, params)
        {
            // A pivot that is NaN passes faer's comparison; nothing built on it would be finite.
            Ok(_) if a.diagonal().iter().all(|v| v.is_finite()) => Ok(Self { l: a }),
            Ok(_) => Err(LinalgError::NotPositiveDefinite(0)),
            Err(factor::LltError::NonPositivePivot { index }) => Err(LinalgError::NotPositiveDefinite(index)),
        }
    }

    /// The factor `l` itself, a lower triangle with a positive diagonal.
    pub(crate) fn from_lower(l: Mat) -> Self {
        Self { l }
    }

    /// `a⁻¹ b`.
    pub(crate) fn solve(&self, b: Mat) -> Mat {
        self.solve_lower_transposed(self.solve_lower(b))
    }

    /// `L⁻¹ b`.
    pub(crate) fn solve_lower(&self, mut b: Mat) -> Mat {
        solve_lower_triangular_in_place(view(&self.l), view_mut(&mut b), Par::Seq);
        b
    }

    /// `L⁻ᵀ b`.
    pub(crate) fn solve_lower_transposed(&self, mut b: Mat) -> Mat {
        solve_upper_triangular_in_place(view(&self.l).transpose(), view_mut(&mut b), Par::Seq);
        b
    }
}

/// Solves `(a + ridge·I) x = b`; where that is not positive definite, the ridge grows tenfold from
/// `1e-12` of the mean diagonal until it is. Returns the solution and the ridge that was used.
///
/// `build` is called anew for each attempt, since a factorization destroys its input and a second copy of a
/// large matrix costs more than making it again.
///
/// # Errors
/// [`LinalgError::NotPositiveDefinite`] when even a ridge of the size of the matrix does not help.
pub fn solve_spd(mut build: impl FnMut() -> Mat, ridge: f64, b: &Mat) -> Result<(Mat, f64), LinalgError> {
    let mut used = ridge;
    loop {
        let mut a = build();
        let size = a.diagonal().mean().abs();
        for i in 0..a.nrows() {
            a[(i, i)] += used;
        }
        match Cholesky::factor(a) {
            Ok(l) => return Ok((l.solve(b.clone()), used)),
            Err(error) if used >= size => return Err(error),
            Err(_) => used = (10.0 * used).max(1e-12 * size).max(f64::MIN_POSITIVE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_a_system_done_by_hand() -> Result<(), LinalgError> {
        let l = Cholesky::factor(Mat::from_row_slice(2, 2, &[4.0, 2.0, 2.0, 5.0]))?;
        let x = l.solve(Mat::from_row_slice(2, 1, &[8.0, 12.0]));
        assert!((x - Mat::from_row_slice(2, 1, &[1.0, 2.0])).amax() < 1e-14);
        Ok(())
    }

    #[test]
    fn indefinite_matrices_are_refused() {
        assert!(Cholesky::factor(Mat::from_row_slice(2, 2, &[1.0, 2.0, 2.0, 1.0])).is_err());
    }

    #[test]
    fn a_singular_system_gets_a_ridge() -> Result<(), LinalgError> {
        let ones = Mat::from_element(3, 3, 1.0);
        let (x, ridge) = solve_spd(|| ones.clone(), 0.0, &Mat::from_element(3, 1, 1.0))?;
        assert!(ridge > 0.0 && ridge < 1e-6, "{ridge}");
        assert!((x.sum() - 1.0).abs() < 1e-6);
        Ok(())
    }
}
