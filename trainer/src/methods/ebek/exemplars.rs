//! Which rows become exemplars: Algorithm 2 of the paper, repaired.

use super::{Order, Params};
use crate::kernel::{Kernel, cross};
use crate::linalg::{Cholesky, Mat, Operator, SparseOperator, column};
use crate::rng::Rng;

/// A residual below this share of a row's own kernel value is rounding noise: the row lies in the exemplars' span.
const NOISE: f64 = 1e-12;

/// Kernel values of the rows among each other.
pub(super) enum Similarities<'a> {
    /// All of them.
    Matrix(Mat),
    /// Inner products of rows, computed where they are needed.
    Linear(&'a dyn LinearRows),
}

/// Rows for a linear kernel.
pub(super) trait LinearRows: Operator {
    /// These rows with their zeros.
    fn dense_rows(&self, rows: &[usize]) -> Mat;

    /// The squared length of every row.
    fn squared_lengths(&self) -> Vec<f64>;
}

impl LinearRows for Mat {
    fn dense_rows(&self, rows: &[usize]) -> Mat {
        self.select_rows(rows)
    }

    fn squared_lengths(&self) -> Vec<f64> {
        self.row_iter().map(|row| row.norm_squared()).collect()
    }
}

impl LinearRows for SparseOperator<'_> {
    fn dense_rows(&self, rows: &[usize]) -> Mat {
        self.rows().dense(rows)
    }

    fn squared_lengths(&self) -> Vec<f64> {
        self.rows().squared_lengths()
    }
}

impl Similarities<'_> {
    /// `k(x_i, x_i)` of every row.
    fn own(&self) -> Vec<f64> {
        match self {
            Self::Matrix(k) => k.diagonal().iter().copied().collect(),
            Self::Linear(rows) => rows.squared_lengths(),
        }
    }

    /// Kernel values of all rows with these: one column each.
    pub(super) fn with(&self, rows: &[usize], threads: usize) -> Mat {
        match self {
            Self::Matrix(k) => k.select_columns(rows),
            Self::Linear(all) => all.times(&all.dense_rows(rows).transpose(), threads),
        }
    }
}

/// The exemplars in the order in which they were chosen.
#[derive(Debug)]
pub(super) struct Chosen {
    /// Their row numbers.
    pub(super) rows: Vec<usize>,
    /// Column `j` is what exemplar `j` explains of every row, beyond those before it: `K ≈ factor · factorᵀ`.
    factor: Vec<Vec<f64>>,
    /// The largest cosine of each with one before it.
    cosines: Vec<f64>,
}

impl Chosen {
    /// Keeps the first `count`.
    pub(super) fn truncate(&mut self, count: usize) {
        self.rows.truncate(count);
        self.factor.truncate(count);
        self.cosines.truncate(count);
    }

    /// How many of them are closer than ε to one before, since no row was left that is not.
    pub(super) fn too_close(&self, epsilon: f64) -> usize {
        self.cosines.iter().filter(|&&cosine| cosine > epsilon).count()
    }

    /// The largest cosine between two of them.
    pub(super) fn largest_cosine(&self) -> f64 {
        self.cosines.iter().copied().fold(0.0, f64::max)
    }

    /// `L` of `K_EE = L·Lᵀ`; the paper's `P` is `L⁻ᵀ`.
    pub(super) fn cholesky(&self) -> Cholesky {
        let count = self.rows.len();
        let entry = |i: usize, j: usize| if j <= i { self.factor[j][self.rows[i]] } else { 0.0 };
        Cholesky::from_lower(Mat::from_fn(count, count, entry))
    }
}

/// The exemplars of rows under this kernel; fewer than asked for where the rows span no more.
pub(crate) fn exemplars(kernel: Kernel, rows: &Mat, count: usize) -> Vec<usize> {
    // The best approximation of the kernel matrix, however close its rows are.
    let params = Params { exemplars: count, epsilon: 1.0, ..Params::default() };
    let own: Vec<f64> = match kernel {
        Kernel::Gaussian { .. } | Kernel::Laplacian { .. } => vec![1.0; rows.nrows()],
        Kernel::Polynomial { gamma, offset, degree } => {
            rows.row_iter().map(|row| (gamma * row.norm_squared() + offset).powi(degree as i32)).collect()
        }
        Kernel::Linear => rows.squared_lengths(),
        Kernel::Given => rows.diagonal().iter().copied().collect(),
    };
    choose(&own, |e| column(&cross(kernel, rows, &rows.rows(e, 1).into_owned(), 1), 0).to_vec(), &params).rows
}

/// The exemplars among rows with these similarities.
pub(super) fn choose_among(similarities: &Similarities<'_>, params: &Params, threads: usize) -> Chosen {
    let own = similarities.own();
    choose(&own, |e| column(&similarities.with(&[e], threads), 0).to_vec(), params)
}

/// Chooses rows whose images are far from parallel, given `k(x_i, x_i)` and the kernel values of all rows with one.
///
/// Gram–Schmidt over the columns of `K`: a pivoted Cholesky factorization.
fn choose(own: &[f64], column_of: impl Fn(usize) -> Vec<f64>, params: &Params) -> Chosen {
    let n = own.len();
    let mut order: Vec<usize> = (0..n).collect();
    if params.order == Order::Random {
        Rng::new(params.seed).shuffle(&mut order);
    }
    let mut residual = own.to_vec();
    let mut cosine = vec![0.0_f64; n];
    let mut chosen = Chosen { rows: Vec::new(), factor: Vec::new(), cosines: Vec::new() };
    while chosen.rows.len() < params.exemplars.min(n) {
        let relative = |i: usize| if own[i] > 0.0 { residual[i] / own[i] } else { 0.0 };
        let candidates = || order.iter().copied().filter(|&i| relative(i) > NOISE);
        let far = |i: &usize| cosine[*i] <= params.epsilon;
        let larger = |a: usize, b: usize| if relative(b) > relative(a) { b } else { a };
        let next = match params.order {
            Order::Pivot => candidates().filter(far).reduce(larger),
            Order::Random | Order::Scan => candidates().find(far),
        };
        let Some(e) = next.or_else(|| candidates().reduce(larger)) else { break };
        chosen.cosines.push(cosine[e]);
        let mut l = column_of(e);
        for ((cosine, k), own_i) in cosine.iter_mut().zip(&l).zip(own) {
            let size = (own_i * own[e]).sqrt();
            *cosine = cosine.max(if size > 0.0 { k.abs() / size } else { 0.0 });
        }
        // One step of Cholesky: what exemplar e explains of every row, beyond those before it.
        for before in &chosen.factor {
            let known = before[e];
            l.iter_mut().zip(before).for_each(|(l, b)| *l -= known * b);
        }
        let root = residual[e].sqrt();
        for (l, residual) in l.iter_mut().zip(&mut residual) {
            *l /= root;
            *residual = (*residual - *l * *l).max(0.0);
        }
        l[e] = root;
        residual[e] = 0.0;
        chosen.factor.push(l);
        chosen.rows.push(e);
    }
    chosen
}
