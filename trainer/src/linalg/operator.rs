//! Matrices that are known by their products: dense, sparse, or centered without touching their zeros.
//!
//! The top singular vectors of such a matrix come from a randomized block Krylov iteration on the smaller of its two
//! Gram matrices, neither of which is ever formed unless it is small.

use super::subspace::{Goal, is_few, iterate};
use super::{LinalgError, Mat, column_means, gram_tn, mul, mul_tn, scale_columns, top_eig};

/// Sides up to which the smaller Gram matrix is formed: 18 MB, and solved to the last digit within a second.
pub(crate) const GRAM_SIDE: usize = 1500;
/// Residual, relative to the largest squared singular value. What an embedding loses by it is of second order, 1e-14.
const TOLERANCE: f64 = 1e-7;
/// Products with the Gram matrix. Rows without any structure have no separated singular vectors: there the iteration ends
/// here, with vectors that are as good as any others, and reports its residual.
const PRODUCTS: usize = 32;
/// Columns of the Krylov space: with more, Rayleigh–Ritz takes longer than the products with sparse rows (50 axes of 10 000
/// rows: 18 s with 960 columns).
const SPACE: usize = 400;

/// A matrix that can be multiplied from both sides.
pub(crate) trait Operator: Sync {
    /// Rows and columns.
    fn shape(&self) -> (usize, usize);

    /// `A · x`.
    fn times(&self, x: &Mat, threads: usize) -> Mat;

    /// `Aᵀ · y`.
    fn transposed_times(&self, y: &Mat, threads: usize) -> Mat;

    /// The smaller Gram matrix: `AAᵀ` if there are more columns than rows, else `AᵀA`.
    fn gram(&self, threads: usize) -> Mat {
        let (rows, columns) = self.shape();
        let gram = gram_times(self, &Mat::identity(rows.min(columns), rows.min(columns)), threads);
        (&gram + gram.transpose()) * 0.5
    }
}

/// The smaller Gram matrix of `a` times `x`.
fn gram_times<A: Operator + ?Sized>(a: &A, x: &Mat, threads: usize) -> Mat {
    let (rows, columns) = a.shape();
    if columns > rows {
        a.times(&a.transposed_times(x, threads), threads)
    } else {
        a.transposed_times(&a.times(x, threads), threads)
    }
}

impl Operator for Mat {
    fn shape(&self) -> (usize, usize) {
        self.shape()
    }

    fn times(&self, x: &Mat, threads: usize) -> Mat {
        mul(self, x, threads)
    }

    fn transposed_times(&self, y: &Mat, threads: usize) -> Mat {
        mul_tn(self, y, threads)
    }

    fn gram(&self, threads: usize) -> Mat {
        if self.ncols() > self.nrows() { gram_tn(&self.transpose(), threads) } else { gram_tn(self, threads) }
    }
}

/// The largest singular values of a matrix with their vectors.
#[derive(Debug, Clone)]
pub(crate) struct TopSvd {
    /// Left vectors, one column per value.
    pub(crate) u: Mat,
    /// Singular values, largest first; those that are rounding noise are left out.
    pub(crate) s: Vec<f64>,
    /// Right vectors.
    pub(crate) v: Mat,
    /// The residual of the worst pair, relative to the largest squared value, if the iteration was cut short.
    pub(crate) cut_short: Option<f64>,
}

impl TopSvd {
    /// What to tell people of an iteration that was cut short.
    pub(crate) fn cut_short_note(&self) -> Option<String> {
        let residual = self.cut_short?;
        Some(format!(
            "the last of {} axes are approximate (residual {residual:.0e}): the rows have no more distinct directions",
            self.s.len()
        ))
    }
}

/// The `count` largest singular values of `a` and their vectors.
///
/// # Errors
/// [`LinalgError::NoConvergence`] as in [`top_eig`].
pub(crate) fn top_svd(a: &dyn Operator, count: usize, threads: usize) -> Result<TopSvd, LinalgError> {
    svd_within(a, count, GRAM_SIDE, threads)
}

/// As [`top_svd`], forming Gram matrices of at most so many rows.
fn svd_within(a: &dyn Operator, count: usize, gram_side: usize, threads: usize) -> Result<TopSvd, LinalgError> {
    let (rows, columns) = a.shape();
    let side = rows.min(columns);
    let count = count.min(side);
    let wide = columns > rows;
    let (eig, cut_short) = if side <= gram_side || !is_few(side, count) {
        (top_eig(&a.gram(threads), count, threads)?, None)
    } else {
        let goal = Goal { count, tolerance: TOLERANCE, products: PRODUCTS, columns: SPACE };
        let (eig, residual) = iterate(side, &goal, threads, |x| gram_times(a, x, threads))?;
        (eig, (residual > TOLERANCE).then_some(residual))
    };
    // A squared singular value below 1e-12 of the largest is rounding noise.
    let eig = eig.above(1e-12);
    let s: Vec<f64> = eig.values.iter().map(|value| value.sqrt()).collect();
    let other = if wide { a.transposed_times(&eig.vectors, threads) } else { a.times(&eig.vectors, threads) };
    let other = scale_columns(other, |j| 1.0 / s[j]);
    let (u, v) = if wide { (eig.vectors, other) } else { (other, eig.vectors) };
    Ok(TopSvd { u, s, v, cut_short })
}

/// A matrix whose columns' means have been removed, without changing it: `A − 1·meanᵀ`.
pub(crate) struct Centered<'a> {
    matrix: &'a dyn Operator,
    mean: Vec<f64>,
}

impl<'a> Centered<'a> {
    /// Centers `matrix`, whose columns have these means.
    pub(crate) fn new(matrix: &'a dyn Operator, mean: Vec<f64>) -> Self {
        Self { matrix, mean }
    }
}

impl Operator for Centered<'_> {
    fn shape(&self) -> (usize, usize) {
        self.matrix.shape()
    }

    fn times(&self, x: &Mat, threads: usize) -> Mat {
        let mut product = self.matrix.times(x, threads);
        for (mut column, x) in product.column_iter_mut().zip(x.column_iter()) {
            let shift: f64 = x.iter().zip(&self.mean).map(|(x, mean)| x * mean).sum();
            column.add_scalar_mut(-shift);
        }
        product
    }

    fn transposed_times(&self, y: &Mat, threads: usize) -> Mat {
        let mut product = self.matrix.transposed_times(y, threads);
        let rows = y.nrows() as f64;
        for (mut column, sum) in product.column_iter_mut().zip(column_means(y)) {
            for (value, mean) in column.iter_mut().zip(&self.mean) {
                *value -= rows * sum * mean;
            }
        }
        product
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{random, shift_columns, sym_eig};

    /// A matrix with ten strong directions in noise.
    fn structured(rows: usize, columns: usize) -> Mat {
        let strong =
            random(rows, 10, 1) * Mat::from_diagonal(&nalgebra::DVector::from_fn(10, |i, _| 3.0 - 0.2 * i as f64));
        strong * random(10, columns, 2) + random(rows, columns, 3) * 0.1
    }

    #[test]
    fn the_iteration_finds_what_the_gram_matrix_has() -> Result<(), LinalgError> {
        for (rows, columns) in [(300, 400), (400, 300)] {
            let a = structured(rows, columns);
            let svd = svd_within(&a, 10, 0, 2)?;
            assert_eq!((svd.s.len(), svd.cut_short), (10, None));
            let eig = sym_eig(&a.gram(2))?;
            for (s, value) in svd.s.iter().zip(&eig.values) {
                assert!((s * s / value - 1.0).abs() < 1e-12, "{s} {value}");
            }
            assert!((mul(&a, &svd.v, 1) - scale_columns(svd.u, |j| svd.s[j])).amax() < 1e-4 * svd.s[0]);
        }
        Ok(())
    }

    #[test]
    fn small_matrices_are_solved_exactly_and_rank_limits_the_count() -> Result<(), LinalgError> {
        let a = random(30, 4, 5);
        let svd = top_svd(&a, 10, 1)?;
        assert_eq!(svd.s.len(), 4);
        let rebuilt = &svd.u * Mat::from_diagonal(&svd.s.clone().into()) * svd.v.transpose();
        assert!((rebuilt - &a).amax() < 1e-12);
        let eig = sym_eig(&(a.transpose() * &a))?;
        assert!((svd.s[3] * svd.s[3] - eig.values[3]).abs() < 1e-12);
        Ok(())
    }

    #[test]
    fn centering_by_products_is_centering() {
        let a = random(20, 7, 0).add_scalar(3.0);
        let mean = column_means(&a);
        let centered = Centered::new(&a, mean.clone());
        let direct = shift_columns(a.clone(), &mean);
        let (x, y) = (random(7, 3, 1), random(20, 3, 2));
        assert!((centered.times(&x, 1) - &direct * x).amax() < 1e-12);
        assert!((centered.transposed_times(&y, 1) - direct.transpose() * y).amax() < 1e-12);
    }
}
