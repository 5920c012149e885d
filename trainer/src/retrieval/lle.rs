//! LLE: coordinates in which every row is the same mixture of its neighbors as among the rows.
//!
//! # Idea
//! Roweis and Saul 2000: weights that rebuild each row from its neighbors, then coordinates that keep the weights.
//!
//! # Steps
//! 1. [`weights`]: for row `x` with neighbors `x_j`, the `w` that minimizes `‖x − Σ w_j x_j‖²` with `Σ w_j = 1`, from the
//!    Gram matrix of the differences, with a ridge of 1e-3 of its trace: there are more neighbors than dimensions of the
//!    surface they lie on, and the paper has the same remedy.
//! 2. `M = (I − W)ᵀ(I − W)`; the coordinates are its weakest eigenvectors but the constant one.
//!
//! # Out of sample
//! None: the coordinates are eigenvectors of a matrix of all rows.

use super::{Embedder, Embedding, IN_SAMPLE, Placed, SystemEntry};
use crate::error::FitError;
use crate::linalg::{Cholesky, Mat, gram_tn, sym_eig};
use crate::memory::matrices;
use crate::methods::SettingsParser;
use crate::neighbors::{Neighbor, nearest_others};
use crate::parallel;
use crate::run::Run;

/// The ridge of step 1, relative to the trace.
const RIDGE: f64 = 1e-3;

#[derive(Debug, Clone, Copy, PartialEq)]
struct Lle {
    dim: usize,
    neighbors: usize,
}

pub(super) const LLE: SystemEntry = SystemEntry {
    name: "lle",
    description: "locally linear embedding, in-sample only",
    no_model: IN_SAMPLE,
    from_settings: |dim, settings| Box::new(Lle::new(dim, settings)),
};

impl Lle {
    fn new(mut dim: usize, settings: &mut SettingsParser) -> Self {
        // The paper's examples take 12.
        let mut neighbors = 12;
        settings.count("dim", &mut dim);
        settings.count("k", &mut neighbors);
        Self { dim, neighbors }
    }
}

impl Embedder for Lle {
    fn in_sample_only(&self) -> bool {
        true
    }

    fn memory(&self, rows: usize) -> u64 {
        // I − W, M, and what the decomposition needs.
        matrices(5, rows)
    }

    fn embed(&self, rows: &Mat, _queries: Option<&Mat>, _seed: u64, run: &Run<'_>) -> Result<Embedding, FitError> {
        let (n, threads) = (rows.nrows(), run.thread_count());
        if self.neighbors >= n {
            return Err(FitError::TooFewRows { name: "k", needed: self.neighbors + 1, rows: n });
        }
        if self.dim >= n {
            return Err(FitError::DimTooLarge { dim: self.dim, max: n - 1 });
        }
        run.step("neighbors", 0, 1)?;
        let lists = nearest_others(rows, self.neighbors, threads);
        let weights = parallel::map(threads, n, |i| weights(rows, i, &lists[i]));
        let mut rest = Mat::identity(n, n);
        for (i, (list, weights)) in lists.iter().zip(weights).enumerate() {
            for (neighbor, weight) in list.iter().zip(weights?) {
                rest[(i, neighbor.row)] = -weight;
            }
        }
        run.step("eigenvectors", 0, 1)?;
        let eig = sym_eig(&gram_tn(&rest, threads)).map_err(FitError::at("eigenvectors of the weights"))?;
        // Largest first: the last one is constant.
        let z = eig.vectors.columns(n - 1 - self.dim, self.dim).into_owned();
        Ok(Embedding::Real(Placed { rows: z, queries: None }))
    }
}

/// The weights that rebuild row `i` from its neighbors; they sum to one.
fn weights(rows: &Mat, i: usize, list: &[Neighbor]) -> Result<Vec<f64>, FitError> {
    let own = rows.row(i);
    let differences = Mat::from_fn(rows.ncols(), list.len(), |c, j| rows[(list[j].row, c)] - own[c]);
    let mut gram = gram_tn(&differences, 1);
    let trace = gram.trace();
    // Neighbors that all equal the row rebuild it with any weights: equal ones.
    let ridge = if trace > 0.0 { RIDGE * trace } else { 1.0 };
    for j in 0..list.len() {
        gram[(j, j)] += ridge;
    }
    let factor = Cholesky::factor(gram).map_err(FitError::at("weights of the neighbors"))?;
    let solution = factor.solve(Mat::from_element(list.len(), 1, 1.0));
    let sum = solution.sum();
    Ok(solution.iter().map(|weight| weight / sum).collect())
}
