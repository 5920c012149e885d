//! EBEK: a few training rows, the exemplars, span an embedding that keeps all kernel values.
//!
//! # Idea
//! Choose `m` rows that are far from parallel in feature space, and give every row coordinates `w` in their span
//! such that inner products are kept as well as `m` dimensions can: `min ‖K − WᵀW‖`. The axes are then made of
//! real rows, which one can look at (Elbagoury et al. 2016).
//!
//! # Steps
//! 1. [`choose_exemplars`]: Gram–Schmidt over the columns of `K`, i.e. a pivoted Cholesky factorization.
//! 2. The top `m` eigenpairs `K = VΛVᵀ`; `W = Λ^½Vᵀ` attains the optimum, whatever the exemplars.
//! 3. A new row, from the exemplars' kernel values `k_E(x)` only: `z = R⁻ᵀk_E(x)` with `K_EE = RᵀR` (`Nystrom`), or the
//!    least-squares fit of `W` on `k_E` (`LeastSquares`); or from all rows, `z = Λ^{-½}Vᵀk(x)` (`Full`).
//!
//! # Model shape
//! Kernel expansion whose centers are the exemplars (all rows for `Full`); a linear map for the linear kernel.
//!
//! # Where we differ from the paper
//! Algorithm 2 stops early and projects on columns instead of residuals; here it runs until `m` exemplars are
//! found. `ε` bounds the cosine between an exemplar and the span of those before; where no row meets it, the one
//! with the largest residual is taken, and a note says so. Algorithm 3's congruence is the inverse Cholesky
//! factor. "SVD of K" taken literally would keep `K²`: `K` itself is decomposed.

use super::{Checked, Dataset, Dim, FitError, Fitted, MethodEntry, MethodParams, Run, SettingsParser};
use crate::kernel::{Kernel, KernelChoice, Sigma, cross, gram};
use crate::linalg::{Cholesky, Eig, Mat, column, gram_tn, mul, mul_tn, scale_columns, solve_spd, top_eig};
use crate::memory::matrices;
use crate::model::map::{Basis, Map};
use crate::rng::Rng;

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
    /// Largest cosine between an exemplar and the span of those before.
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

    fn memory(&self, rows: usize) -> u64 {
        // The linear kernel goes through the matrix of all pairs of columns where that is smaller.
        if self.kernel == KernelChoice::Linear { 0 } else { matrices(1, rows) }
    }

    fn fit(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError> {
        let threads = run.thread_count();
        let rows = data.rows();
        data.require_classes(1)?;
        if self.exemplars > data.len() {
            return Err(FitError::TooFewRows { name: "exemplars", needed: self.exemplars, rows: data.len() });
        }
        let mut notes = Vec::new();
        let kernel = self.kernel.resolve(rows, threads)?;
        run.step("exemplars", 0, 1)?;
        let exemplars = choose_exemplars(kernel, rows, self, &mut notes)?;
        run.step("eigenvectors", 0, 1)?;
        let eig = top_pairs(kernel, rows, self.exemplars, threads)?;
        if eig.len() < self.exemplars {
            return Err(FitError::DimTooLarge { dim: self.exemplars, max: eig.len() });
        }
        // Rows of Wᵀ are the training coordinates.
        let w = scale_columns(eig.vectors.clone(), |j| eig.values[j].sqrt());

        let chosen = rows.select_rows(&exemplars);
        let basis = Basis::Centers { kernel, centers: chosen.clone() };
        let fitted = match self.extension {
            Extension::Full => {
                let readout = scale_columns(eig.vectors, |j| 1.0 / eig.values[j].sqrt());
                Fitted::new(data, Map::mapped(Basis::Centers { kernel, centers: rows.clone() }, readout), w)
            }
            Extension::Nystrom => {
                let r = Cholesky::factor(gram(kernel, &chosen, threads)).map_err(FitError::at("exemplar kernel"))?;
                let readout = r.solve_lower_transposed(Mat::identity(self.exemplars, self.exemplars));
                Fitted::from_map(data, Map::mapped(basis, readout), run)
            }
            Extension::LeastSquares => {
                let k = cross(kernel, rows, &chosen, threads);
                let normal = gram_tn(&k, threads);
                let (readout, ridge) = solve_spd(|| normal.clone(), 0.0, &mul_tn(&k, &w, threads))
                    .map_err(FitError::at("least squares on the exemplars"))?;
                notes.extend(super::raised_ridge("the least-squares problem", 0.0, ridge));
                let embedding = mul(&k, &readout, threads);
                Fitted::new(data, Map::mapped(basis, readout), embedding)
            }
        };
        Ok(fitted.with_spectrum(eig.values).with_exemplars(exemplars).with_notes(notes))
    }
}

/// Rows whose images are far from parallel (step 1).
pub(crate) fn choose_exemplars(
    kernel: Kernel,
    rows: &Mat,
    p: &Params,
    notes: &mut Vec<String>,
) -> Result<Vec<usize>, FitError> {
    let n = rows.nrows();
    let size: Vec<f64> = (0..n).map(|i| self_kernel(kernel, rows, i)).collect();
    let mut order: Vec<usize> = (0..n).collect();
    if p.order == Order::Random {
        Rng::new(p.seed).shuffle(&mut order);
    }
    let mut residual = size.clone();
    let relative = |residual: &[f64], i: usize| if size[i] > 0.0 { residual[i] / size[i] } else { 0.0 };
    // cos ≤ ε between a row and a span means that at least 1 − ε² of its length is left over.
    let enough = 1.0 - p.epsilon * p.epsilon;
    let mut factor: Vec<Vec<f64>> = Vec::new();
    let mut chosen: Vec<usize> = Vec::new();
    let mut relaxed = 0;
    while chosen.len() < p.exemplars {
        let largest = || (0..n).reduce(|a, b| if relative(&residual, b) > relative(&residual, a) { b } else { a });
        let next = match p.order {
            Order::Pivot => largest(),
            Order::Random | Order::Scan => {
                let fits = |i: &usize| relative(&residual, *i) >= enough && !chosen.contains(i);
                order.iter().copied().find(fits).or_else(largest)
            }
        };
        let Some(e) = next.filter(|&e| relative(&residual, e) > 1e-12) else {
            return Err(FitError::DimTooLarge { dim: p.exemplars, max: chosen.len() });
        };
        relaxed += usize::from(relative(&residual, e) < enough);
        // One step of Cholesky: what exemplar e explains of every row, beyond those before it.
        let mut l: Vec<f64> = column(&cross(kernel, rows, &rows.rows(e, 1).into_owned(), 1), 0).to_vec();
        for before in &factor {
            let own = before[e];
            l.iter_mut().zip(before).for_each(|(l, b)| *l -= own * b);
        }
        let root = residual[e].sqrt();
        for (l, residual) in l.iter_mut().zip(&mut residual) {
            *l /= root;
            *residual = (*residual - *l * *l).max(0.0);
        }
        residual[e] = 0.0;
        factor.push(l);
        chosen.push(e);
    }
    if relaxed > 0 {
        notes.push(format!("epsilon {} relaxed for {relaxed} of {} exemplars", p.epsilon, p.exemplars));
    }
    Ok(chosen)
}

/// `k(x_i, x_i)`.
fn self_kernel(kernel: Kernel, rows: &Mat, i: usize) -> f64 {
    match kernel {
        Kernel::Gaussian { .. } | Kernel::Laplacian { .. } => 1.0,
        Kernel::Polynomial { gamma, offset, degree } => {
            (gamma * rows.row(i).norm_squared() + offset).powi(degree as i32)
        }
        Kernel::Linear => rows.row(i).norm_squared(),
    }
}

/// The top eigenpairs of `K`; for the linear kernel through the smaller of `XXᵀ` and `XᵀX`.
fn top_pairs(kernel: Kernel, rows: &Mat, count: usize, threads: usize) -> Result<Eig, FitError> {
    let failed = FitError::at("eigenvectors of the kernel matrix");
    if kernel == Kernel::Linear && rows.ncols() < rows.nrows() {
        let eig = top_eig(&gram_tn(rows, threads), count.min(rows.ncols()), threads).map_err(failed)?.above(1e-12);
        let vectors = scale_columns(mul(rows, &eig.vectors, threads), |j| 1.0 / eig.values[j].sqrt());
        return Ok(Eig { values: eig.values, vectors });
    }
    Ok(top_eig(&gram(kernel, rows, threads), count, threads).map_err(failed)?.above(1e-12))
}

#[cfg(test)]
mod tests;
