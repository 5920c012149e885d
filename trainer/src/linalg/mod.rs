//! The whole vocabulary of linear algebra that the methods speak.
//!
//! Matrices are nalgebra's; factorizations and products run on faer, which is level with LAPACK. This module
//! promises what solvers leave open, so that the same data give the same bytes: eigenvalues come largest
//! first, each vector's entry of largest magnitude is positive, faer always runs sequentially (its threaded
//! solvers change bits) and our own threads only ever split the output.

pub(crate) mod csr;
mod eig;
mod gradients;
mod mul;
mod operator;
mod single;
mod solve;
mod subspace;

pub(crate) use csr::SparseOperator;
pub use csr::{Csr, CsrError};
pub use eig::{Eig, sym_eig};
pub(crate) use eig::{orthonormal, random_orthonormal, sym_geneig, thin_svd};
pub(crate) use gradients::ridge_regression;
pub use mul::{gram_tn, mul_tn};
pub(crate) use mul::{mul, mul_nt, row_products};
pub(crate) use operator::{Centered, GRAM_SIDE, Operator, top_svd};
pub(crate) use single::{gram_nt_f32, gram_tn_f32};
pub(crate) use solve::Cholesky;
pub use solve::solve_spd;
pub(crate) use subspace::is_few;
pub use subspace::top_eig;

/// Rows are samples, columns are features.
pub type Mat = nalgebra::DMatrix<f64>;

/// A solver's refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LinalgError {
    /// Cholesky met a pivot that is not positive.
    #[error("matrix is not positive definite (pivot {0})")]
    NotPositiveDefinite(usize),
    /// An eigenvalue or singular value iteration did not settle.
    #[error("eigenvalue iteration did not converge")]
    NoConvergence,
}

/// A view for faer, without a copy.
fn view(m: &Mat) -> faer::MatRef<'_, f64> {
    faer::MatRef::from_column_major_slice(m.as_slice(), m.nrows(), m.ncols())
}

/// A writable view for faer.
fn view_mut(m: &mut Mat) -> faer::MatMut<'_, f64> {
    let (rows, cols) = m.shape();
    faer::MatMut::from_column_major_slice_mut(m.as_mut_slice(), rows, cols)
}

/// A matrix of ours with the values of one of faer's.
fn owned(m: faer::MatRef<'_, f64>) -> Mat {
    Mat::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)])
}

/// Column `j` of `m`, which lies in one piece.
pub(crate) fn column(m: &Mat, j: usize) -> &[f64] {
    let rows = m.nrows();
    &m.as_slice()[j * rows..(j + 1) * rows]
}

/// Multiplies column `j` of `m` by `factor(j)`.
pub(crate) fn scale_columns(mut m: Mat, factor: impl Fn(usize) -> f64) -> Mat {
    for (j, mut column) in m.column_iter_mut().enumerate() {
        column *= factor(j);
    }
    m
}

/// Multiplies row `i` of `m` by `factor[i]`.
pub(crate) fn scale_rows(mut m: Mat, factor: &[f64]) -> Mat {
    for mut column in m.column_iter_mut() {
        for (value, f) in column.iter_mut().zip(factor) {
            *value *= f;
        }
    }
    m
}

/// The mean of every column.
pub(crate) fn column_means(m: &Mat) -> Vec<f64> {
    m.column_iter().map(|c| c.sum() / m.nrows() as f64).collect()
}

/// Subtracts `shift[j]` from column `j`.
pub(crate) fn shift_columns(mut m: Mat, shift: &[f64]) -> Mat {
    for (mut column, s) in m.column_iter_mut().zip(shift) {
        column.add_scalar_mut(-s);
    }
    m
}

/// `m ← HmH` with `H = I − 11ᵀ/N`, the means of columns and rows of a symmetric matrix removed; returns those means.
pub(crate) fn center_both(m: &mut Mat) -> Vec<f64> {
    let means = column_means(m);
    let overall = means.iter().sum::<f64>() / means.len() as f64;
    for (mut column, mean) in m.column_iter_mut().zip(&means) {
        for (value, other) in column.iter_mut().zip(&means) {
            // The same sum in both triangles: what is symmetric stays so to the last bit.
            *value -= mean + other - overall;
        }
    }
    means
}

/// At most so many of these, evenly spread.
pub(crate) fn evenly<T: Copy>(all: &[T], most: usize) -> Vec<T> {
    let count = all.len().min(most);
    (0..count).map(|i| all[i * all.len() / count]).collect()
}

/// At most so many rows, evenly spread: files are often sorted by class.
pub(crate) fn evenly_rows(rows: &Mat, most: usize) -> Mat {
    let all: Vec<usize> = (0..rows.nrows()).collect();
    rows.select_rows(&evenly(&all, most))
}

/// Copies the lower triangle onto the upper.
pub(crate) fn mirror_lower(m: &mut Mat) {
    // Tile by tile: a plain double loop strides through memory and costs more than the kernel itself.
    const TILE: usize = 32;
    let n = m.nrows();
    for j0 in (0..n).step_by(TILE) {
        for i0 in (j0..n).step_by(TILE) {
            for j in j0..n.min(j0 + TILE) {
                for i in i0.max(j + 1)..n.min(i0 + TILE) {
                    m[(j, i)] = m[(i, j)];
                }
            }
        }
    }
}

/// Standard normal entries.
#[cfg(test)]
pub(crate) fn random(rows: usize, cols: usize, seed: u64) -> Mat {
    let mut rng = crate::rng::Rng::new(seed);
    Mat::from_fn(rows, cols, |_, _| rng.normal())
}
