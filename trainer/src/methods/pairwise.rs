//! What the pairwise methods share: coordinates, and the best axes for a pair of graphs.
//!
//! DPLE, LPP, LFDA and LDE all maximize `vᵀΦᵀAΦv` under `vᵀ(ΦᵀBΦ + regularization)v = 1` for matrices `A` and `B` made from
//! graphs; only the graphs differ. `Φ` are the centered rows, or for the kernel forms the coordinates of
//! kernel PCA, where `KBK`, indefinite in floating point, never appears.

use super::features::{FeatureChoice, KernelAxes};
use super::{Dataset, FitError, Fitted, Run};
use crate::kernel::KernelChoice;
use crate::linalg::{Eig, Mat, column_means, mul, mul_tn, scale_columns, shift_columns, sym_geneig};
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
}

enum Kind {
    /// `φ(x) = x − mean`, or its principal coordinates where there are more columns than rows.
    Linear { mean: Vec<f64>, axes: Option<Mat>, width: usize },
    /// Kernel PCA.
    Kernel { basis: Basis, readout: Mat },
}

impl Coordinates {
    /// Centered rows without a kernel, kernel-PCA coordinates with one.
    pub(super) fn new(kernel: Option<KernelChoice>, data: &Dataset, run: &Run<'_>) -> Result<Self, FitError> {
        let threads = run.thread_count();
        let Some(kernel) = kernel else {
            let (rows, width) = (data.rows(), data.width());
            if width > data.len() {
                // Directions in which no row varies cannot matter; leaving them out keeps the problem small.
                let pca = principal_axes(rows, Components::Variance(1.0), threads)?;
                let phi = mul(&shift_columns(rows.clone(), &pca.mean), &pca.axes, threads);
                return Ok(Self { phi, kind: Kind::Linear { mean: pca.mean, axes: Some(pca.axes), width } });
            }
            let mean = column_means(rows);
            let phi = shift_columns(rows.clone(), &mean);
            if phi.norm_squared() <= 1e-24 * rows.norm_squared() {
                return Err(FitError::AllRowsEqual { rows: data.len() });
            }
            return Ok(Self { phi, kind: Kind::Linear { mean, axes: None, width } });
        };
        let axes = KernelAxes::new(kernel, FeatureChoice::Exact, data, None, 0, run)?;
        let phi = scale_columns(axes.u, |j| axes.values[j].sqrt());
        Ok(Self { phi, kind: Kind::Kernel { basis: axes.basis, readout: axes.readout } })
    }

    /// The number of coordinates, which is the most axes there can be.
    pub(super) fn len(&self) -> usize {
        self.phi.ncols()
    }

    /// The eigenpairs of `ΦᵀAΦ v = λ (ΦᵀBΦ + regularization) v`, given `AΦ` and `BΦ`, and the matrix on the right.
    ///
    /// Without a kernel the regularization is `ridge` times the mean diagonal of `ΦᵀBΦ`; with one it is `ridge` times
    /// `scale`, the size of `B` itself, because kernel coordinates have a spectrum that falls to nothing.
    pub(super) fn axes(
        &self,
        a_phi: &Mat,
        b_phi: &Mat,
        ridge: f64,
        scale: f64,
        run: &Run<'_>,
    ) -> Result<Eig, FitError> {
        run.step("axes", 0, 1)?;
        let threads = run.thread_count();
        let a = symmetric(&mul_tn(&self.phi, a_phi, threads));
        let mut b = symmetric(&mul_tn(&self.phi, b_phi, threads));
        let amount = match &self.kind {
            Kind::Linear { width, .. } => ridge * b.trace() / *width as f64,
            Kind::Kernel { .. } => ridge * scale,
        };
        for i in 0..b.nrows() {
            b[(i, i)] += amount.max(1e-12 * b.trace() / b.nrows() as f64);
        }
        sym_geneig(&a, b).map_err(FitError::at("axes of the pairwise problem"))
    }

    /// The model with the map `z = Vᵀ φ(x)`.
    pub(super) fn fitted(self, data: &Dataset, v: &Mat, spectrum: Vec<f64>, threads: usize) -> Fitted {
        let embedding = mul(&self.phi, v, threads);
        let map = match self.kind {
            Kind::Linear { mean, axes: None, .. } => Map::linear(v, &mean),
            Kind::Linear { mean, axes: Some(axes), .. } => Map::linear(&mul(&axes, v, threads), &mean),
            Kind::Kernel { basis, readout } => Map::mapped(basis, mul(&readout, v, threads)),
        };
        Fitted::new(data, map, embedding).with_spectrum(spectrum)
    }
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
            let c = Coordinates::new(kernel, &data, &run)?;
            let graph = Graph::nearest(data.rows(), 4, 1, |_, _, _| 1.0);
            let b_phi = graph.laplacian_mul(&c.phi, 1);
            let eig = c.axes(&between_classes_mul(&data, &c.phi), &b_phi, 0.1, 2.0, &run)?;
            let mut b = c.phi.tr_mul(&b_phi);
            let amount = if kernel.is_some() { 0.2 } else { 0.1 * b.trace() / 5.0 };
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
        let spectrum = |data: &Dataset, ridge: f64| -> Result<Vec<f64>, FitError> {
            let c = Coordinates::new(None, data, &run)?;
            let graph = Graph::nearest(data.rows(), 4, 1, |_, _, _| 1.0);
            Ok(c.axes(&between_classes_mul(data, &c.phi), &graph.laplacian_mul(&c.phi, 1), ridge, 1.0, &run)?.values)
        };
        let (narrow, wide) = (spectrum(&data, 1e-3)?, spectrum(&wide, 8e-3)?);
        for (a, b) in narrow.iter().zip(&wide) {
            assert!((a - b).abs() < 1e-9 * narrow[0]);
        }
        Ok(())
    }
}
