//! Certified radii: how far an input may move before the answer can change.
//!
//! # Idea
//! Nearest class mean compares `‖z−μ_b‖² − ‖z−μ_a‖² = 2 (μ_a−μ_b)ᵀ z + const`, which is linear in the embedding.
//! The embedding is linear in the kernel values, so this gap is a function of the kernel's Hilbert space, and
//! its slope there is known: nothing that moves a sample little can change the gap much.
//!
//! # Steps
//! 1. Readout `A` over Gaussian centers, Gram matrix `K`: `H = AᵀKA`; a direction `w` of the embedding has length
//!    `√(wᵀHw)` in the Hilbert space.
//! 2. Winner `a`, another class `b`, gap `g`, `w = μ_a−μ_b`: `t = g / 2√(wᵀHw)` is the distance in the Hilbert space
//!    within which the gap stays positive.
//! 3. Samples at distance `r` are `√(2 − 2e^(−γr²))` apart there, so `r = √(−ln(1 − t²/2) / γ)`, and no distance at
//!    all is enough when `t ≥ √2`.
//! 4. Pooling, selection, scaling and projection before the kernel stretch a change by at most their operator
//!    norm: `r` is divided by it. The smallest radius over all `b` is the certificate.
//!
//! A linear model needs no Hilbert space: with `V` the readout carried back to the input, `r = g / 2‖Vw‖`, which is
//! the exact distance to the border.
//!
//! # What is guaranteed
//! The predicted class stays the same for every change of the raw sample of smaller Euclidean norm;
//! a reject radius may still turn the answer into *unknown*. Steps 1–4 hold in exact arithmetic. The device
//! rounds, so a gap counts only as far as it exceeds the [rounding](Certifier::radius) of both its distances; where
//! nothing is left the radius is 0.

mod preprocessing;

use crate::error::DataError;
use crate::kernel::{self, Kernel};
use crate::linalg::{LinalgError, Mat, mul, mul_nt, mul_tn};
use crate::model::{Basis, Head, HostError, HostModel, Map, ModelFile};
use crate::run::Run;
use preprocessing::Preprocessing;

/// Rows of the Gram matrix, or samples, in memory at a time.
const BLOCK: usize = 1024;
/// Half the gap between 1 and the next float: what a rounding can be off by, relatively.
const ROUNDING: f64 = 1.0 / (1 << 24) as f64;

/// Why the radii of a model could not be prepared.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CertifyError {
    /// The model has no form in f64.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The norm of its projection could not be found.
    #[error("norm of the projection: {0}")]
    Norm(#[from] LinalgError),
}

/// Certified radii of one model.
#[derive(Debug, Clone)]
pub struct Certifier {
    host: HostModel,
    inputs: usize,
    preprocessing: Preprocessing,
    /// γ of the kernel; without one the readout takes the preprocessed values.
    gamma: Option<f64>,
    /// The readout's magnitudes, mapped values × dim, for the rounding.
    magnitudes: Mat,
    /// Classes × dim.
    means: Mat,
    /// `√(wᵀHw)` for every pair of classes.
    slopes: Mat,
    threads: usize,
}

impl Certifier {
    /// Prepares certificates for a model.
    ///
    /// `None` where there are none: heads of prototypes, window statistics, counts, scaling to unit length, other kernels than
    /// the Gaussian, random features, integer models.
    ///
    /// # Errors
    /// [`CertifyError`] when there would be certificates, but the model or its norm fails.
    pub fn new(file: &ModelFile) -> Result<Option<Self>, CertifyError> {
        let (model, threads) = (file.decode(), Run::default().thread_count());
        let host = match HostModel::of(&model) {
            Err(HostError::Integer) => return Ok(None),
            host => host?,
        };
        let (centers, readout) = match &host.map {
            Map::Identity { width } => (None, Mat::identity(*width, *width)),
            Map::Linear(map) => (None, map.weights.transpose()),
            Map::Mapped { basis: Basis::Centers { kernel: Kernel::Gaussian { gamma }, centers }, weights, .. } => {
                (Some((*gamma, centers)), weights.clone())
            }
            Map::Mapped { .. } => return Ok(None),
        };
        let Head::Means(means) = host.head.clone() else { return Ok(None) };
        let Some(preprocessing) = Preprocessing::of(&host.stages, model.features())? else { return Ok(None) };
        let h = if let Some((gamma, centers)) = centers {
            hilbert(gamma, centers, &readout, threads)
        } else {
            let back = preprocessing.pull_back(&readout, threads);
            mul_tn(&back, &back, threads)
        };
        let slopes = slopes(&mul_nt(&mul(&means, &h, threads), &means, threads));
        let magnitudes = readout.abs();
        let (inputs, gamma) = (model.inputs, centers.map(|(gamma, _)| gamma));
        Ok(Some(Self { host, inputs, preprocessing, gamma, magnitudes, means, slopes, threads }))
    }

    /// The radius around one sample, in the units of the raw input: no change of smaller Euclidean norm changes
    /// the predicted class.
    ///
    /// Infinite where no change can; 0 where rounding alone might, or the sample holds values that are not finite.
    /// Rounding is taken as `√n` roundings of the magnitudes summed, `n` the number of terms: what sums of that length
    /// show with independent errors (Higham and Mary, SIAM J. Sci. Comput. 41, 2019), not their worst case.
    ///
    /// # Errors
    /// [`DataError`] when the row has another length than the model's samples.
    pub fn radius(&self, row: &[f64]) -> Result<f64, DataError> {
        Ok(self.block(&Mat::from_row_slice(1, row.len(), row))?[0])
    }

    /// [`radius`](Self::radius) of every row.
    ///
    /// # Errors
    /// [`DataError`] when the rows have another length than the model's samples.
    pub fn radii(&self, rows: &Mat) -> Result<Vec<f64>, DataError> {
        let blocks = crate::parallel::blocks(rows.nrows(), BLOCK);
        let radii: Result<Vec<_>, _> =
            blocks.map(|(start, count)| self.block(&rows.rows(start, count).into_owned())).collect();
        Ok(radii?.concat())
    }

    fn block(&self, rows: &Mat) -> Result<Vec<f64>, DataError> {
        if rows.ncols() != self.inputs {
            return Err(DataError::Width { expected: self.inputs, got: rows.ncols() });
        }
        // What the device gets.
        let rows = rows.map(|v| f64::from(v as f32));
        let prepared = self.host.prepare(&rows, self.threads)?;
        let mapped = self.host.map.map_rows(&prepared, self.threads);
        // In f64 from the stored numbers, not by the runtime: the proof needs the model's exact gap, and counts the
        // runtime's rounding apart from it.
        let z = self.host.map.read_out(&mapped, self.threads);
        let sums = mul(&mapped.abs(), &self.magnitudes, self.threads);
        let radius = |i: usize| {
            let [z, sums] = [&z, &sums].map(|all| all.row(i).iter().copied().collect::<Vec<f64>>());
            // The runtime gets moved samples rounded to f32.
            let input = ROUNDING * rows.row(i).norm();
            (self.smallest(&z, &sums) - input).max(0.0)
        };
        Ok((0..rows.nrows()).map(radius).collect())
    }

    /// The smallest radius over all classes but the winner.
    fn smallest(&self, z: &[f64], sums: &[f64]) -> f64 {
        // Not by the head, which expands the square and loses digits of a small gap.
        let distance = |class: usize| self.means.row(class).iter().zip(z).map(|(m, z)| (z - m) * (z - m)).sum::<f64>();
        let distances: Vec<f64> = (0..self.means.nrows()).map(distance).collect();
        if !distances.iter().all(|d| d.is_finite()) {
            return 0.0;
        }
        let winner =
            (0..distances.len()).fold(0, |best, class| if distances[class] < distances[best] { class } else { best });
        let terms = (self.magnitudes.nrows() + self.preprocessing.terms) as f64;
        let (root, dim_root) = (terms.sqrt(), (z.len() as f64).sqrt());
        let mut smallest = f64::INFINITY;
        for class in (0..distances.len()).filter(|&class| class != winner) {
            let moved =
                (0..z.len()).map(|j| (self.means[(winner, j)] - self.means[(class, j)]).abs() * sums[j]).sum::<f64>();
            let rounding = ROUNDING * (2.0 * root * moved + dim_root * (distances[winner] + distances[class]));
            let gap = distances[class] - distances[winner] - rounding;
            // A gap that is not positive gives 0; so does one that is not a number.
            let t = if gap > 0.0 { gap / (2.0 * self.slopes[(winner, class)]) } else { 0.0 };
            smallest = smallest.min(self.reach(t));
        }
        smallest
    }

    /// The distance in input units that belongs to `t`.
    fn reach(&self, t: f64) -> f64 {
        match self.gamma {
            // The slope includes the preprocessing already.
            None => t,
            Some(_) if t * t >= 2.0 => f64::INFINITY,
            // log1p keeps the digits of small radii.
            Some(gamma) => (-libm::log1p(-t * t / 2.0) / gamma).sqrt() / self.preprocessing.norm,
        }
    }
}

/// `AᵀKA` for the Gaussian Gram matrix of the centers, a block of its rows at a time: the whole of it may not fit.
fn hilbert(gamma: f64, centers: &Mat, readout: &Mat, threads: usize) -> Mat {
    let mut h = Mat::zeros(readout.ncols(), readout.ncols());
    for (start, count) in crate::parallel::blocks(centers.nrows(), BLOCK) {
        let some = centers.rows(start, count).into_owned();
        let rows = mul(&kernel::cross(Kernel::Gaussian { gamma }, &some, centers, threads), readout, threads);
        h += mul_tn(&readout.rows(start, count).into_owned(), &rows, threads);
    }
    h
}

/// `√(wᵀHw)` for every `w = μ_a − μ_b`, from `MHMᵀ`.
fn slopes(g: &Mat) -> Mat {
    Mat::from_fn(g.nrows(), g.ncols(), |a, b| {
        let (own, other, cross) = (g[(a, a)], g[(b, b)], g[(a, b)].midpoint(g[(b, a)]));
        // Cancellation must not make a slope flatter than it is.
        let lost = f64::EPSILON * (g.nrows() as f64).max(16.0) * (own.abs() + other.abs());
        (own + other - 2.0 * cross + lost).max(0.0).sqrt()
    })
}

#[cfg(test)]
mod tests;
