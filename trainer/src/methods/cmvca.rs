//! CMVCA: kernel axes that keep class means apart; with its siblings kernel PCA and kernel ECA.
//!
//! # Idea
//! Kernel PCA keeps the loudest axes; kernel ECA those on which the mean of all rows is long; CMVCA those that
//! carry most of the squared distance between class means, so that a quiet axis that separates classes wins
//! (Iosifidis, "Class mean vector component analysis").
//!
//! # Steps
//! 1. Eigenpairs of the kernel matrix, `K = UΛUᵀ`, exactly or through Nyström or random features.
//! 2. Every axis gets a score: `λ_d` (kPCA), `λ_d (u_dᵀ1)²` (kECA), `2 λ_d Σ_k p_k (u_dᵀe_k − u_dᵀe)²` (CMVCA), where
//!    `e_k` averages class k, `e` averages all rows and `p_k` is the share of class k.
//! 3. The `dim` best axes embed a row as `λ_d^{-½} u_dᵀ k(x)`.
//!
//! # Model shape
//! Kernel expansion with one center per training row or landmark, or random features.
//!
//! # Where we differ from the paper
//! Axes with `λ ≤ 1e-10 λ₁` are dropped first: their root would amplify rounding noise. Kernel PCA is uncentered
//! here, as in the paper's comparison.

use super::features::{FeatureChoice, KernelAxes};
use super::{Checked, Dataset, Dim, FitError, Fitted, MethodEntry, MethodParams, Run, SettingsParser};
use crate::kernel::{KernelChoice, Sigma};
use crate::linalg::Mat;
use crate::model::map::Map;

/// What makes an axis worth keeping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    /// The distance between class means along it: CMVCA.
    ClassMeans,
    /// The variance along it: kernel PCA.
    Variance,
    /// The length of the overall mean along it: kernel ECA.
    Entropy,
}

/// Parameters of CMVCA, kernel PCA and kernel ECA.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// Which axes to keep.
    pub score: Score,
    /// How many; by default twice the number of classes, ten without labels.
    pub dim: Dim,
    /// The kernel; by default Gaussian with `σ = σ̄`.
    pub kernel: KernelChoice,
    /// The feature map.
    pub features: FeatureChoice,
    /// Seed of landmarks and random features.
    pub seed: u64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            score: Score::ClassMeans,
            dim: Dim::Auto,
            kernel: KernelChoice::Gaussian(Sigma::Mean),
            features: FeatureChoice::Auto,
            seed: 0,
        }
    }
}

/// CMVCA, kernel PCA or kernel ECA.
pub type Cmvca = Checked<Params>;

pub(super) const CMVCA: MethodEntry = MethodEntry::of::<Params>("cmvca", "kernel axes that keep class means apart");

pub(super) const KPCA: MethodEntry =
    MethodEntry::new("kpca", "kernel PCA: kernel axes of largest variance", |settings| {
        settings.method(Params { score: Score::Variance, ..Params::default() })
    });

pub(super) const KECA: MethodEntry = MethodEntry::new("keca", "kernel entropy component analysis", |settings| {
    settings.method(Params { score: Score::Entropy, ..Params::default() })
});

impl MethodParams for Params {
    fn name(&self) -> &'static str {
        match self.score {
            Score::ClassMeans => CMVCA.name,
            Score::Variance => KPCA.name,
            Score::Entropy => KECA.name,
        }
    }

    fn settings(&mut self, settings: &mut SettingsParser) {
        settings.dim(&mut self.dim);
        settings.kernel(&mut self.kernel);
        settings.features(&mut self.features);
        settings.seed(&mut self.seed);
    }

    fn uses_seed(&self, rows: usize) -> bool {
        !self.features.is_exact(rows)
    }

    fn needs_labels(&self) -> bool {
        self.score == Score::ClassMeans
    }

    fn memory(&self, rows: usize) -> u64 {
        // Kernel PCA finds its few axes without the others; the rest decompose the whole matrix.
        let count = if self.score == Score::Variance { 1 } else { 5 };
        self.features.memory(count, rows)
    }

    fn takes_sparse(&self) -> bool {
        self.features.takes_sparse(self.kernel)
    }

    fn takes_similarities(&self) -> bool {
        self.features.takes_similarities(self.kernel)
    }

    fn fit(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError> {
        if self.needs_labels() {
            data.require_classes(1)?;
        }
        data.require_any_classes()?;
        let mut notes: Vec<String> = super::unsupervised_note(self.dim, data).into_iter().collect();
        let choice = self.features.resolve(data.len(), &mut notes);
        // Kernel PCA knows the best axes without seeing the rest of the spectrum.
        let top = match (self.score, self.dim) {
            (Score::Variance, Dim::Auto) => Some(super::unsupervised_dim(data).min(data.len())),
            (Score::Variance, Dim::Count(dim)) => Some(dim.min(data.len())),
            _ => None,
        };
        let axes = KernelAxes::new(self.kernel, choice, data, top, self.seed, run)?;
        if axes.dropped > 0 {
            notes.push(format!("{} axes dropped: their eigenvalues are rounding noise", axes.dropped));
        }
        let scores = scores(self.score, &axes.values, &axes.u, data);
        let dim = self.dim.resolve(super::unsupervised_dim(data), axes.values.len())?;
        // Best first; of equals the one with the larger eigenvalue.
        let mut best: Vec<usize> = (0..scores.len()).collect();
        best.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        best.truncate(dim);
        let mut embedding = axes.u.select_columns(&best);
        for (mut column, &axis) in embedding.column_iter_mut().zip(&best) {
            column *= axes.values[axis].sqrt();
        }
        let map = Map::mapped(axes.basis, axes.readout.select_columns(&best));
        let spectrum = best.iter().map(|&axis| scores[axis]).collect();
        Ok(Fitted::new(data, map, embedding).with_spectrum(spectrum).with_exemplars(axes.landmarks).with_notes(notes))
    }

    fn nested_axes(&self, fitted: &Fitted, dim: usize) -> Option<Mat> {
        Some(fitted.first_axes(dim))
    }
}

/// The score of every axis (step 2).
fn scores(score: Score, values: &[f64], u: &Mat, data: &Dataset) -> Vec<f64> {
    let counts = data.class_counts();
    let n = data.len() as f64;
    let means = data.class_means(u);
    let of_axis = |(axis, &value): (usize, &f64)| {
        let overall = u.column(axis).sum() / n;
        match score {
            Score::Variance => value,
            Score::Entropy => value * (overall * n).powi(2),
            Score::ClassMeans => {
                let apart =
                    |(class, &count): (usize, &usize)| count as f64 / n * (means[(class, axis)] - overall).powi(2);
                2.0 * value * counts.iter().enumerate().map(apart).sum::<f64>()
            }
        }
    };
    values.iter().enumerate().map(of_axis).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::synthetic::blobs;
    use crate::methods::Method;

    #[test]
    fn a_quiet_axis_that_separates_classes_wins() -> Result<(), Box<dyn std::error::Error>> {
        // Loud noise along x, the class along y: kernel PCA sees x first, CMVCA sees y first.
        let rows = Mat::from_row_slice(4, 2, &[10.0, 1.0, -10.0, 1.0, 10.0, -1.0, -10.0, -1.0]);
        let data = Dataset::from_ids(rows, &[0, 0, 1, 1])?;
        let fit = |score| {
            let kernel = KernelChoice::Linear;
            Cmvca::new(Params { score, kernel, dim: Dim::Count(1), ..Params::default() })?.fit(&data)
        };
        let first = |fitted: &Fitted| fitted.embedding().column(0).iter().map(|v| v.abs()).fold(0.0, f64::max);
        assert!((first(&fit(Score::Variance)?) - 10.0).abs() < 1e-9);
        assert!((first(&fit(Score::ClassMeans)?) - 1.0).abs() < 1e-9);
        Ok(())
    }

    #[test]
    fn all_axes_keep_every_inner_product() -> Result<(), Box<dyn std::error::Error>> {
        let data = blobs(3, 10, 4, 1.0, 0);
        let method = Cmvca::new(Params { dim: Dim::All, ..Params::default() })?;
        let z = method.fit(&data)?.embedding().clone();
        let kernel = Params::default().kernel.resolve(data.rows(), 1)?;
        let k = crate::kernel::gram(kernel, data.rows(), 1);
        assert!((&z * z.transpose() - k).amax() < 1e-8);
        Ok(())
    }

    #[test]
    fn the_map_repeats_the_training_embedding() -> Result<(), Box<dyn std::error::Error>> {
        let data = blobs(3, 30, 4, 1.0, 1);
        let choices =
            [FeatureChoice::Exact, FeatureChoice::Nystrom(40), FeatureChoice::KMeans(40), FeatureChoice::Random(50)];
        for features in choices {
            let fitted = Cmvca::new(Params { features, ..Params::default() })?.fit(&data)?;
            let again = fitted.embed(data.rows())?;
            assert!((again - fitted.embedding()).amax() < 1e-9, "{features:?}");
        }
        Ok(())
    }
}
