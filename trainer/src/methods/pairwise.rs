//! What the pairwise methods share: coordinates, and the best axes for a pair of graphs.
//!
//! DPLE, LPP, LFDA and LDE all maximize `vᵀΦᵀAΦv` under `vᵀ(ΦᵀBΦ + regularization)v = 1` for matrices `A` and `B` made from
//! graphs; only the graphs differ. `Φ` are the centered rows, or for the kernel forms the coordinates of
//! kernel PCA, where `KBK`, indefinite in floating point, never appears.

use super::features::{FeatureChoice, KernelAxes};
use super::{Dataset, FitError, Fitted, Run, raised_ridge};
use crate::kernel::KernelChoice;
use crate::linalg::{
    Eig, LinalgError, Mat, column_means, mul, mul_tn, scale_columns, scale_rows, shift_columns, sym_geneig,
};
use crate::memory::matrices;
use crate::model::map::{Basis, Map};
use crate::preprocess::{Components, principal_axes};

/// Bytes that a kernel form holds at once in matrices of all pairs of rows: kernel, coordinates, readout, the two products
/// with graphs, and the pair of matrices whose eigenvectors are sought, with what their decomposition needs.
pub(super) fn memory(kernel: Option<KernelChoice>, rows: usize) -> u64 {
    if kernel.is_some() { matrices(12, rows) } else { 0 }
}

/// Coordinates of the training rows, and how a new row gets its own.
pub(super) struct Coordinates {
    /// `Φ`: training rows × coordinates.
    pub(super) phi: Mat,
    kind: Kind,
    /// What the user should know of the axes.
    notes: Vec<String>,
}

/// Where the mean variance of the columns is more than so many times what four fifths of them have at most, columns are
/// of different units.
///
/// Pixels, spectra and principal coordinates stay below (MNIST 1.3 times the median, isolet 1.1, ORL after PCA 6.4), and
/// their regularization is relative to the mean, as published. A column in another unit lifts the mean alone, and the
/// others would be lost to the ridge: raw wine, one of whose columns counts in hundreds, has 1400. There, columns with so
/// many times that variance are brought down to it.
const OTHER_UNIT: f64 = 10.0;
/// Columns with less than this share of that variance are not counted: appending some must not weaken the regularization.
const COUNTED: f64 = 1e-3;

enum Kind {
    /// `φ(x) = F(x − mean)` with a factor for each column, or its principal coordinates where there are more columns than
    /// rows; so many columns count.
    Linear { mean: Vec<f64>, factors: Vec<f64>, axes: Option<Mat>, counted: usize },
    /// Kernel PCA.
    Kernel { basis: Basis, readout: Mat },
}

impl Coordinates {
    /// Centered rows without a kernel, kernel-PCA coordinates with one.
    pub(super) fn new(kernel: Option<KernelChoice>, data: &Dataset, run: &Run<'_>) -> Result<Self, FitError> {
        let threads = run.thread_count();
        let Some(kernel) = kernel else {
            let rows = data.rows();
            let mean = column_means(rows);
            let centered = shift_columns(rows.clone(), &mean);
            if centered.norm_squared() <= 1e-24 * rows.norm_squared() {
                return Err(FitError::AllRowsEqual { rows: data.len() });
            }
            let sums: Vec<f64> = centered.column_iter().map(|column| column.norm_squared()).collect();
            let (factors, counted) = factors(&sums);
            let scaled = scale_columns(centered, |j| factors[j]);
            if data.width() > data.len() {
                // Directions in which no row varies cannot matter; leaving them out keeps the problem small.
                let pca = principal_axes(&scaled, Components::Variance(1.0), threads)?;
                let phi = mul(&scaled, &pca.axes, threads);
                let kind = Kind::Linear { mean, factors, axes: Some(pca.axes), counted };
                return Ok(Self { phi, kind, notes: Vec::new() });
            }
            let kind = Kind::Linear { mean, factors, axes: None, counted };
            return Ok(Self { phi: scaled, kind, notes: Vec::new() });
        };
        let axes = KernelAxes::new(kernel, FeatureChoice::Exact, data, None, 0, run)?;
        // The small axes stay, though single precision hardly follows them: two moons need them (93 against 56 % without those
        // below 1e-6 of the first). A fit reports where the model's answers differ.
        let phi = scale_columns(axes.u, |j| axes.values[j].sqrt());
        Ok(Self { phi, kind: Kind::Kernel { basis: axes.basis, readout: axes.readout }, notes: Vec::new() })
    }

    /// The number of coordinates, which is the most axes there can be.
    pub(super) fn len(&self) -> usize {
        self.phi.ncols()
    }

    /// The eigenpairs of `ΦᵀAΦ v = λ (ΦᵀBΦ + regularization) v`, given `AΦ` and `BΦ`, and the matrix on the right.
    ///
    /// Without a kernel the regularization is `ridge` times a typical diagonal entry of `ΦᵀBΦ`; with one it is `ridge`
    /// times `scale`, the size of `B` itself, because kernel coordinates have a spectrum that falls to nothing.
    ///
    /// A direction in which rows hardly vary gets `λ ≈ 0`. It comes last only if `A` has no negative eigenvalue, which the
    /// caller sees to: DPLE and LFDA add a multiple of `B` to it.
    pub(super) fn axes(
        &mut self,
        a_phi: &Mat,
        b_phi: &Mat,
        ridge: f64,
        scale: f64,
        run: &Run<'_>,
    ) -> Result<Eig, FitError> {
        run.step("axes", 0, 1)?;
        let threads = run.thread_count();
        let a = symmetric(&mul_tn(&self.phi, a_phi, threads));
        let build = || symmetric(&mul_tn(&self.phi, b_phi, threads));
        let mut b = build();
        let trace = b.trace();
        let asked = ridge * self.typical(trace, scale);
        // Without any ridge a direction in which no row varies would make the right side singular.
        let mut used = asked.max(1e-12 * trace / b.nrows() as f64);
        let eig = loop {
            for i in 0..b.nrows() {
                b[(i, i)] += used;
            }
            match sym_geneig(&a, b) {
                Err(LinalgError::NotPositiveDefinite(_)) if used < trace => used *= 10.0,
                found => break found.map_err(FitError::at("axes of the pairwise problem"))?,
            }
            b = build();
        };
        self.notes.extend(raised_ridge("the pairwise problem", asked, used));
        Ok(eig)
    }

    /// The share of a quadratic form's trace that a typical column has; kernel coordinates have none, and take `scale`.
    pub(super) fn typical(&self, trace: f64, scale: f64) -> f64 {
        match &self.kind {
            Kind::Linear { counted, .. } => trace / *counted as f64,
            Kind::Kernel { .. } => scale,
        }
    }

    /// The model with the map `z = Vᵀ φ(x)`.
    pub(super) fn fitted(self, data: &Dataset, v: &Mat, spectrum: Vec<f64>, threads: usize) -> Fitted {
        let embedding = mul(&self.phi, v, threads);
        let map = match self.kind {
            Kind::Linear { mean, factors, axes, .. } => {
                let weights = axes.map_or_else(|| v.clone(), |axes| mul(&axes, v, threads));
                Map::linear(&scale_rows(weights, &factors), &mean)
            }
            Kind::Kernel { basis, readout } => Map::mapped(basis, mul(&readout, v, threads)),
        };
        Fitted::new(data, map, embedding).with_spectrum(spectrum).with_notes(self.notes)
    }
}

/// What brings columns of other units down to the others, see [`OTHER_UNIT`], and the number of columns that count, given
/// every column's sum of squares about its mean, of which one at least is not zero.
pub(super) fn factors(sums: &[f64]) -> (Vec<f64>, usize) {
    let total: f64 = sums.iter().sum();
    // What rounding leaves of a constant.
    let mut varying: Vec<f64> = sums.iter().copied().filter(|&sum| sum > 1e-24 * total).collect();
    varying.sort_unstable_by(f64::total_cmp);
    let common = varying[(varying.len() - 1) * 4 / 5];
    let counted = varying.iter().filter(|&&sum| sum > COUNTED * common).count();
    if total <= OTHER_UNIT * common * counted as f64 {
        return (vec![1.0; sums.len()], counted);
    }
    let factor = |&sum: &f64| if sum > OTHER_UNIT * common { (common / sum).sqrt() } else { 1.0 };
    (sums.iter().map(factor).collect(), counted)
}

/// Removes the asymmetry of rounding.
fn symmetric(m: &Mat) -> Mat {
    (m + m.transpose()) * 0.5
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::synthetic::blobs;
    use crate::graph::{Graph, between_classes_mul};
    use crate::kernel::Sigma;

    #[test]
    fn axes_are_orthonormal_in_the_constraint() -> Result<(), FitError> {
        let data = blobs(3, 12, 5, 1.0, 0);
        let run = Run::default();
        for kernel in [None, Some(KernelChoice::Gaussian(Sigma::Mean))] {
            let mut c = Coordinates::new(kernel, &data, &run)?;
            let graph = Graph::nearest(data.rows(), 4, 1, |_, _, _| 1.0);
            let b_phi = graph.laplacian_mul(&c.phi, 1);
            let eig = c.axes(&between_classes_mul(&data, &c.phi), &b_phi, 0.1, 2.0, &run)?;
            let mut b = c.phi.tr_mul(&b_phi);
            let amount = if kernel.is_some() { 0.2 } else { 0.1 * b.trace() / 5.0 };
            assert!((c.typical(b.trace(), 2.0) * 0.1 - amount).abs() < 1e-9 * amount);
            b += Mat::identity(c.len(), c.len()) * amount;
            let w = &eig.vectors;
            assert!((w.transpose() * b * w - Mat::identity(c.len(), c.len())).amax() < 1e-8);
        }
        Ok(())
    }

    #[test]
    fn wide_rows_give_the_same_axes_as_narrow_ones() -> Result<(), Box<dyn std::error::Error>> {
        // Appending columns of zeros changes nothing but the path taken.
        let data = blobs(3, 12, 5, 1.0, 0);
        let wide = data.with_rows(data.rows().clone().resize_horizontally(40, 0.0))?;
        let run = Run::default();
        let spectrum = |data: &Dataset| -> Result<Vec<f64>, FitError> {
            let mut c = Coordinates::new(None, data, &run)?;
            let graph = Graph::nearest(data.rows(), 4, 1, |_, _, _| 1.0);
            Ok(c.axes(&between_classes_mul(data, &c.phi), &graph.laplacian_mul(&c.phi, 1), 1e-3, 1.0, &run)?.values)
        };
        let (narrow, wide) = (spectrum(&data)?, spectrum(&wide)?);
        for (a, b) in narrow.iter().zip(&wide) {
            assert!((a - b).abs() < 1e-9 * narrow[0]);
        }
        Ok(())
    }
}
