//! EBEK: a few training rows, the exemplars, span an embedding that keeps all kernel values.
//!
//! # Idea
//! Choose `m` rows that are far from parallel in feature space, and give every row coordinates `w` in their span
//! such that inner products are kept as well as `m` dimensions can: `min ‖K − WᵀW‖`. The axes are then made of
//! real rows, which one can look at (Elbagoury et al. 2016).
//!
//! # Steps
//! 1. [`choose_among`]: Gram–Schmidt over the columns of `K`, i.e. a pivoted Cholesky factorization.
//! 2. The top `m` eigenpairs `K = VΛVᵀ`; `W = Λ^½Vᵀ` attains the optimum, whatever the exemplars. The coordinates of every
//!    row in terms of the exemplars are `T = PΛ^½Vᵀ` with `P = R⁻¹`, `K_EE = RᵀR`, so that `K ≈ TᵀK_EE T`.
//! 3. A new row, from the exemplars' kernel values `k_E(x)` only: `z = R⁻ᵀk_E(x)` (`Nystrom`), or the
//!    least-squares fit of `W` on `k_E` (`LeastSquares`); or from all rows, `z = Λ^{-½}Vᵀk(x)` (`Full`).
//!
//! The linear kernel never forms `K`: [`top_svd`] of the rows themselves, randomized where both sides are large.
//!
//! # Model shape
//! Kernel expansion whose centers are the exemplars (all rows for `Full`); a linear map for the linear kernel.
//!
//! # Where we differ from the paper
//! Algorithm 2 stops early and projects on columns instead of residuals; here it runs until `m` exemplars are
//! found. `ε` bounds the cosine between every pair of exemplars; where no row meets it, the one with the largest
//! residual is taken, and a note says so. Algorithm 3's congruence is the inverse Cholesky factor. "SVD of K" taken
//! literally would keep `K²`: `K` itself is decomposed. If `m` is more than the rank of `K`, no further exemplars exist:
//! `W` is padded with zeros, as the paper does, and a note says so.

mod exemplars;

use super::{Checked, Dataset, Dim, FitError, Fitted, MethodEntry, MethodParams, Run, SettingsParser};
use crate::kernel::{Kernel, KernelChoice, Sigma, gram};
use crate::linalg::{
    Eig, GRAM_SIDE, Mat, SparseOperator, gram_tn, is_few, mul, mul_tn, scale_columns, solve_spd, top_eig, top_svd,
};
use crate::memory::matrices;
use crate::model::map::{Basis, Map};
use crate::preprocess::Projection;
pub(crate) use exemplars::exemplars;
use exemplars::{Chosen, LinearRows, Similarities, choose_among};

/// In which order rows are tried as exemplars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The row least explained by the exemplars so far.
    Pivot,
    /// A random order.
    Random,
    /// First come, first served: may stay within one class.
    Scan,
}

/// How a new row gets its coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extension {
    /// Its projection on the exemplars' span.
    Nystrom,
    /// The least-squares fit of the training coordinates on the exemplars' kernel values.
    LeastSquares,
    /// Its kernel values with all training rows: the best recall, and every row becomes a center.
    Full,
}

/// Parameters of EBEK.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// Number of exemplars, which is also the embedding's length.
    pub exemplars: usize,
    /// In which order rows are tried.
    pub order: Order,
    /// Largest cosine between two exemplars.
    pub epsilon: f64,
    /// How a new row gets its coordinates.
    pub extension: Extension,
    /// The kernel; by default Gaussian with `σ = σ̄`.
    pub kernel: KernelChoice,
    /// Seed of the random order.
    pub seed: u64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            exemplars: 20,
            order: Order::Pivot,
            epsilon: 0.95,
            extension: Extension::LeastSquares,
            kernel: KernelChoice::Gaussian(Sigma::Mean),
            seed: 0,
        }
    }
}

/// Exemplar-based kernel preserving embedding.
pub type Ebek = Checked<Params>;

pub(super) const EBEK: MethodEntry = MethodEntry::of::<Params>("ebek", "exemplar-based kernel preserving embedding");

impl MethodParams for Params {
    fn name(&self) -> &'static str {
        EBEK.name
    }

    fn settings(&mut self, settings: &mut SettingsParser) {
        let orders = [("pivot", Order::Pivot), ("random", Order::Random), ("scan", Order::Scan)];
        settings.choice("order", "pivot, random or scan", &orders, &mut self.order);
        let extensions = [("nystrom", Extension::Nystrom), ("ls", Extension::LeastSquares), ("full", Extension::Full)];
        settings.choice("extension", "nystrom, ls or full", &extensions, &mut self.extension);
        settings.count("exemplars", &mut self.exemplars);
        // The embedding is as long as there are exemplars.
        if let Some(Dim::Count(count)) = settings.take("dim", str::parse) {
            self.exemplars = count;
            settings.record("exemplars", count);
        }
        settings.share("epsilon", &mut self.epsilon);
        settings.kernel(&mut self.kernel);
        settings.seed(&mut self.seed);
    }

    fn uses_seed(&self, _rows: usize) -> bool {
        self.order == Order::Random
    }

    fn needs_labels(&self) -> bool {
        false
    }

    fn memory(&self, rows: usize) -> u64 {
        // The iteration keeps a space of at most sixteen blocks of vectors, and its image.
        let space = (2 * 16 * 8 * (self.exemplars + self.exemplars / 5 + 8) as u64).saturating_mul(rows as u64);
        if self.kernel == KernelChoice::Linear {
            // The smaller of the two Gram matrices, where it is formed at all.
            return matrices(1, rows.min(GRAM_SIDE)).saturating_add(space);
        }
        // With many exemplars all eigenvectors are computed: the matrix, they, and what the solver needs.
        matrices(if is_few(rows, self.exemplars) { 1 } else { 4 }, rows).saturating_add(space)
    }

    fn takes_sparse(&self) -> bool {
        self.kernel == KernelChoice::Linear
    }

    fn takes_similarities(&self) -> bool {
        self.kernel == KernelChoice::Precomputed
    }

    fn fit(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError> {
        data.require_any_classes()?;
        if let Some(rows) = data.sparse_rows() {
            return self.fit_linear(data, &SparseOperator::new(rows), run);
        }
        let (rows, threads) = (data.rows(), run.thread_count());
        let kernel = self.kernel.resolve(rows, threads)?;
        if kernel == Kernel::Linear {
            return self.fit_linear(data, rows, run);
        }
        run.step("kernel matrix", 0, 1)?;
        let preserved = self.preserve(&Similarities::Matrix(gram(kernel, rows, threads)), run)?;
        let centers = match self.extension {
            Extension::Full => rows.clone(),
            Extension::Nystrom | Extension::LeastSquares => {
                kernel.against(rows, &preserved.exemplars).select_rows(&preserved.exemplars)
            }
        };
        let map = Map::mapped(Basis::Centers { kernel, centers }, preserved.readout.clone());
        Ok(preserved.fitted(data, map))
    }
}

/// What is known of the rows once their kernel values are preserved.
struct Preserved {
    /// Row numbers of the exemplars.
    exemplars: Vec<usize>,
    /// The readout of kernel values with the exemplars, or for `Full` with all rows.
    readout: Mat,
    /// Coordinates of the training rows, as the map computes them.
    embedding: Mat,
    /// `T`: exemplars × training rows.
    coordinates: Mat,
    eigenvalues: Vec<f64>,
    notes: Vec<String>,
}

impl Preserved {
    fn fitted(self, data: &Dataset, map: Map) -> Fitted {
        Fitted::new(data, map, self.embedding)
            .with_spectrum(self.eigenvalues)
            .with_exemplars(self.exemplars)
            .with_coordinates(self.coordinates)
            .with_notes(self.notes)
    }
}

impl Params {
    /// A fit with the linear kernel: kernel values with rows are a linear map of the row.
    fn fit_linear(&self, data: &Dataset, rows: &dyn LinearRows, run: &Run<'_>) -> Result<Fitted, FitError> {
        let threads = run.thread_count();
        let preserved = self.preserve(&Similarities::Linear(rows), run)?;
        let weights = match self.extension {
            Extension::Full => rows.transposed_times(&preserved.readout, threads).transpose(),
            Extension::Nystrom | Extension::LeastSquares => {
                mul_tn(&preserved.readout, &rows.dense_rows(&preserved.exemplars), threads)
            }
        };
        let bias = vec![0.0; self.exemplars];
        Ok(preserved.fitted(data, Map::Linear(Projection { weights, bias })))
    }

    /// Steps 1 to 3 on kernel values, whatever they come from.
    fn preserve(&self, similarities: &Similarities<'_>, run: &Run<'_>) -> Result<Preserved, FitError> {
        let threads = run.thread_count();
        let mut notes = Vec::new();
        run.step("exemplars", 0, 1)?;
        let mut chosen = choose_among(similarities, self, threads);
        run.step("eigenvectors", 0, 1)?;
        let eig = top_pairs(similarities, chosen.rows.len(), threads, &mut notes)?;
        // Both find the rank of K; where it is a matter of rounding, the smaller counts.
        let rank = eig.len().min(chosen.rows.len());
        if rank == 0 {
            return Err(FitError::AllRowsEqual { rows: eig.vectors.nrows() });
        }
        chosen.truncate(rank);
        let eig = eig.truncated(rank);
        self.explain(&chosen, &mut notes);

        // Rows of Wᵀ are the training coordinates.
        let w = scale_columns(eig.vectors.clone(), |j| eig.values[j].sqrt());
        let l = chosen.cholesky();
        let coordinates = l.solve_lower_transposed(w.transpose());
        let (readout, embedding) = match self.extension {
            Extension::Full => (scale_columns(eig.vectors, |j| 1.0 / eig.values[j].sqrt()), w),
            Extension::Nystrom => {
                let readout = l.solve_lower_transposed(Mat::identity(rank, rank));
                let embedding = mul(&similarities.with(&chosen.rows, threads), &readout, threads);
                (readout, embedding)
            }
            Extension::LeastSquares => {
                let k = similarities.with(&chosen.rows, threads);
                let normal = gram_tn(&k, threads);
                let (readout, ridge) = solve_spd(|| normal.clone(), 0.0, &mul_tn(&k, &w, threads))
                    .map_err(FitError::at("least squares on the exemplars"))?;
                notes.extend(super::raised_ridge("the least-squares problem", 0.0, ridge));
                let embedding = mul(&k, &readout, threads);
                (readout, embedding)
            }
        };
        let pad = |m: Mat| m.resize_horizontally(self.exemplars, 0.0);
        let (readout, embedding, eigenvalues) = (pad(readout), pad(embedding), eig.values);
        Ok(Preserved { exemplars: chosen.rows, readout, embedding, coordinates, eigenvalues, notes })
    }

    /// Says what became of ε and of the number of exemplars.
    fn explain(&self, chosen: &Chosen, notes: &mut Vec<String>) {
        let (found, asked) = (chosen.rows.len(), self.exemplars);
        let too_close = chosen.too_close(self.epsilon);
        if too_close > 0 {
            notes.push(format!(
                "epsilon {} cannot be met: {too_close} of {found} exemplars are closer to another, the largest cosine is {:.4}",
                self.epsilon,
                chosen.largest_cosine()
            ));
        }
        if found < asked {
            notes.push(format!(
                "exemplars is {asked}, but the kernel matrix has rank {found}: {found} exemplars, and the other {} \
                 coordinates are zero",
                asked - found
            ));
        }
    }
}

/// The top eigenpairs of `K`; for the linear kernel from the singular vectors of the rows.
fn top_pairs(
    similarities: &Similarities<'_>,
    count: usize,
    threads: usize,
    notes: &mut Vec<String>,
) -> Result<Eig, FitError> {
    match similarities {
        Similarities::Matrix(k) => {
            let eig = top_eig(k, count, threads).map_err(FitError::at("eigenvectors of the kernel matrix"))?;
            Ok(eig.above(1e-12))
        }
        Similarities::Linear(rows) => {
            let svd = top_svd(*rows, count, threads).map_err(FitError::at("singular vectors of the rows"))?;
            notes.extend(svd.cut_short_note());
            Ok(Eig { values: svd.s.iter().map(|s| s * s).collect(), vectors: svd.u })
        }
    }
}

#[cfg(test)]
mod tests;
