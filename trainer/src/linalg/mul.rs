//! Matrix products, cut into blocks of output columns that do not depend on the number of threads.

use super::{Mat, view};
use crate::parallel;
use faer::{Accum, MatMut, MatRef, Par};

/// Columns of the output that one piece of work computes.
const BLOCK: usize = 256;

/// `a · b`.
pub(crate) fn mul(a: &Mat, b: &Mat, threads: usize) -> Mat {
    product(view(a), view(b), threads)
}

/// `aᵀ · b`.
#[must_use]
pub fn mul_tn(a: &Mat, b: &Mat, threads: usize) -> Mat {
    product(view(a).transpose(), view(b), threads)
}

/// `a · bᵀ`.
pub(crate) fn mul_nt(a: &Mat, b: &Mat, threads: usize) -> Mat {
    product(view(a), view(b).transpose(), threads)
}

/// `aᵀ · a`, exactly symmetric, at half the cost of the product.
#[must_use]
pub fn gram_tn(a: &Mat, threads: usize) -> Mat {
    let n = a.ncols();
    let mut out = Mat::zeros(n, n);
    let a = view(a);
    parallel::each(threads, out.as_mut_slice().chunks_mut((n * BLOCK).max(1)).collect(), |i, chunk| {
        let (start, cols) = (i * BLOCK, chunk.len() / n);
        let block = MatMut::from_column_major_slice_mut(chunk, n, cols);
        let lower = block.subrows_mut(start, n - start);
        let (left, right) = (a.subcols(start, n - start), a.subcols(start, cols));
        faer::linalg::matmul::matmul(lower, Accum::Replace, left.transpose(), right, 1.0, Par::Seq);
    });
    super::mirror_lower(&mut out);
    out
}

/// Inner products of the rows of `a` from `first` on with rows of `b` from `start` on, written to the rows
/// from `first` on of `out`, a block of whole columns of a matrix with as many rows as `a`.
pub(crate) fn row_products(a: &Mat, first: usize, b: &Mat, start: usize, out: &mut [f64]) {
    let rows = a.nrows();
    let count = out.len() / rows.max(1);
    let block = MatMut::from_column_major_slice_mut(out, rows, count);
    let dst = block.subrows_mut(first, rows - first);
    let (left, right) = (view(a).subrows(first, rows - first), view(b).subrows(start, count));
    faer::linalg::matmul::matmul(dst, Accum::Replace, left, right.transpose(), 1.0, Par::Seq);
}

/// `a · b` of views.
pub(super) fn product(a: MatRef<'_, f64>, b: MatRef<'_, f64>, threads: usize) -> Mat {
    assert_eq!(a.ncols(), b.nrows(), "inner dimensions of a product agree");
    let (rows, cols) = (a.nrows(), b.ncols());
    let mut out = Mat::zeros(rows, cols);
    // A product with few columns is cut by rows of the left factor instead: its columns are too few to share.
    if cols < BLOCK {
        let parts = parallel::map(threads, rows.div_ceil(1024), |i| {
            let start = i * 1024;
            let count = 1024.min(rows - start);
            let mut part = Mat::zeros(count, cols);
            let dst = super::view_mut(&mut part);
            faer::linalg::matmul::matmul(dst, Accum::Replace, a.subrows(start, count), b, 1.0, Par::Seq);
            part
        });
        for (i, part) in parts.into_iter().enumerate() {
            out.rows_mut(i * 1024, part.nrows()).copy_from(&part);
        }
        return out;
    }
    parallel::each(threads, out.as_mut_slice().chunks_mut((rows * BLOCK).max(1)).collect(), |i, chunk| {
        let count = chunk.len() / rows;
        let dst = MatMut::from_column_major_slice_mut(chunk, rows, count);
        faer::linalg::matmul::matmul(dst, Accum::Replace, a, b.subcols(i * BLOCK, count), 1.0, Par::Seq);
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::random;

    #[test]
    fn products_agree_with_nalgebra() {
        let (a, b) = (random(70, 30, 0), random(30, 600, 1));
        assert!((mul(&a, &b, 2) - &a * &b).amax() < 1e-12);
        assert!((mul_tn(&a, &a, 2) - a.transpose() * &a).amax() < 1e-12);
        assert!((mul_nt(&b.transpose(), &a, 2) - b.transpose() * a.transpose()).amax() < 1e-12);
        assert!((gram_tn(&b, 2) - b.transpose() * &b).amax() < 1e-12);
    }

    #[test]
    fn bytes_do_not_depend_on_threads() {
        let a = random(3000, 40, 2);
        let b = random(40, 700, 3);
        assert_eq!(mul(&a, &b, 1), mul(&a, &b, 3));
        assert_eq!(mul_tn(&a, &a, 1), mul_tn(&a, &a, 4));
        assert_eq!(gram_tn(&b, 1), gram_tn(&b, 2));
    }
}
