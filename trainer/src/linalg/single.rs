//! Gram matrices of large matrices in single precision, which takes half the memory and half the time.

use super::Mat;
use crate::parallel;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

/// Columns of the output that one piece of work computes.
const BLOCK: usize = 128;

/// `aᵀ · a` of a matrix of so many rows, stored column by column.
pub(crate) fn gram_tn_f32(a: &[f32], rows: usize, threads: usize) -> Mat {
    let a = MatRef::from_column_major_slice(a, rows, a.len() / rows.max(1));
    gram(a.transpose(), a, threads)
}

/// `a · aᵀ` of the same.
pub(crate) fn gram_nt_f32(a: &[f32], rows: usize, threads: usize) -> Mat {
    let a = MatRef::from_column_major_slice(a, rows, a.len() / rows.max(1));
    gram(a, a.transpose(), threads)
}

/// The symmetric product of a matrix with its transpose: the lower triangle, copied onto the upper.
fn gram(left: MatRef<'_, f32>, right: MatRef<'_, f32>, threads: usize) -> Mat {
    let n = left.nrows();
    let mut out = Mat::zeros(n, n);
    parallel::each(threads, out.as_mut_slice().chunks_mut((n * BLOCK).max(1)).collect(), |i, chunk| {
        let (start, cols) = (i * BLOCK, chunk.len() / n);
        let rows = n - start;
        let mut block = vec![0.0_f32; rows * cols];
        let target = MatMut::from_column_major_slice_mut(&mut block, rows, cols);
        let (left, right) = (left.subrows(start, rows), right.subcols(start, cols));
        matmul(target, Accum::Replace, left, right, 1.0, Par::Seq);
        for (column, own) in chunk.chunks_mut(n).zip(block.chunks(rows)) {
            column[start..].iter_mut().zip(own).for_each(|(out, v)| *out = f64::from(*v));
        }
    });
    super::mirror_lower(&mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::random;

    #[test]
    fn both_products_agree_with_double_precision() {
        let a = random(150, 300, 3);
        let single: Vec<f32> = a.iter().map(|v| *v as f32).collect();
        assert!((gram_tn_f32(&single, 150, 2) - a.transpose() * &a).amax() < 1e-3);
        assert!((gram_nt_f32(&single, 150, 2) - &a * a.transpose()).amax() < 1e-3);
        assert_eq!(gram_tn_f32(&single, 150, 1), gram_tn_f32(&single, 150, 3));
    }
}
