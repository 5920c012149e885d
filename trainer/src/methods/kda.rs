//! KDA: Fisher's discriminant in the kernel's feature space.
//!
//! # Idea
//! Directions along which class means are far apart compared to the total scatter (Mika et al. 1999; Baudat and
//! Anouar 2000).
//!
//! # Steps
//! 1. `S_b v = μ (S_T + ridge·I) v` has rank C−1 and needs no N×N eigenproblem. With centered features `Φ`
//!    and scaled class indicators `T`, `S_T = ΦᵀΦ` and `S_b = ΦᵀTTᵀΦ`, so `v = (S_T + ridge)⁻¹ΦᵀT q`, where `q` are the
//!    eigenvectors of the C×C matrix `Q = TᵀΦ(S_T + ridge)⁻¹ΦᵀT`.
//! 2. In the dual, with the centered kernel matrix `K`: `α = (K + ridge)⁻¹ T q μ^{-½}`, by Cholesky.
//!
//! # Model shape
//! Kernel expansion with a bias, which takes up the centering; or random features.
//!
//! # Where we differ from the paper
//! The centered kernel matrix is singular along the vector of ones; since `T` has been centered too, adding any
//! multiple of `11ᵀ` changes nothing and makes Cholesky work without a ridge.

use super::discriminant::{best_axes, center_columns, centered_indicators};
use super::features::{FeatureChoice, Features};
use super::{Checked, Dataset, Dim, FitError, Fitted, MethodEntry, MethodParams, Run, SettingsParser, raised_ridge};
use crate::kernel::{KernelChoice, Sigma, gram};
use crate::linalg::{Mat, center_both, column_means, gram_tn, mul, mul_tn, shift_columns, solve_spd};
use crate::model::map::{Basis, Map};

/// Parameters of KDA.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// Number of axes; by default one less than classes, which is also the most there are.
    pub dim: Dim,
    /// The kernel; by default Gaussian with `σ = σ̄`.
    pub kernel: KernelChoice,
    /// Added to the total scatter; by default 0.01.
    pub ridge: f64,
    /// The feature map.
    pub features: FeatureChoice,
    /// Seed of landmarks and random features.
    pub seed: u64,
}

impl Default for Params {
    fn default() -> Self {
        let kernel = KernelChoice::Gaussian(Sigma::Mean);
        Self { dim: Dim::Auto, kernel, ridge: 0.01, features: FeatureChoice::Auto, seed: 0 }
    }
}

/// Kernel discriminant analysis.
pub type Kda = Checked<Params>;

pub(super) const KDA: MethodEntry = MethodEntry::of::<Params>("kda", "kernel discriminant analysis");

impl MethodParams for Params {
    fn name(&self) -> &'static str {
        KDA.name
    }

    fn settings(&mut self, settings: &mut SettingsParser) {
        settings.dim(&mut self.dim);
        settings.kernel(&mut self.kernel);
        settings.features(&mut self.features);
        settings.not_negative("ridge", &mut self.ridge);
        settings.seed(&mut self.seed);
    }

    fn uses_seed(&self, rows: usize) -> bool {
        !self.features.is_exact(rows)
    }

    fn memory(&self, rows: usize) -> u64 {
        self.features.memory(2, rows)
    }

    fn takes_sparse(&self) -> bool {
        self.features.takes_sparse(self.kernel)
    }

    fn takes_similarities(&self) -> bool {
        self.features.takes_similarities(self.kernel)
    }

    fn fit(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError> {
        let threads = run.thread_count();
        data.require_classes(1)?;
        let mut notes = Vec::new();
        let dim = self.dim.resolve(data.classes() - 1, (data.classes() - 1).min(data.len() - 1))?;
        let kernel = self.kernel.resolve_for(data, threads)?;
        let t = centered_indicators(data);
        match self.features.resolve(data.len(), &mut notes) {
            FeatureChoice::Auto | FeatureChoice::Exact => {
                run.step("kernel matrix", 0, 1)?;
                let mut k = gram(kernel, data.rows(), threads);
                let means = center_both(&mut k);
                run.step("discriminant", 0, 1)?;
                // The ones direction gets the mean of the diagonal, so that it does not spoil the condition.
                let ones = k.diagonal().mean() / data.len() as f64;
                let (alpha, ridge) =
                    solve_spd(|| k.add_scalar(ones), self.ridge, &t).map_err(FitError::at("discriminant"))?;
                notes.extend(raised_ridge("the kernel matrix", self.ridge, ridge));
                let (q, spectrum) = best_axes(&(&t - &alpha * ridge), &t, dim, threads)?;
                let alpha = center_columns(mul(&alpha, &q, threads));
                let bias = bias(&alpha, &means);
                let embedding = mul(&k, &alpha, threads);
                let basis = Basis::Centers { kernel, centers: data.rows().clone() };
                let map = Map::mapped_with_bias(basis, alpha, bias);
                Ok(Fitted::new(data, map, embedding).with_spectrum(spectrum).with_notes(notes))
            }
            choice => {
                let mut features = Features::new(kernel, choice, data, self.seed, run)?;
                run.step("discriminant", 0, 1)?;
                let means = column_means(&features.phi);
                features.phi = shift_columns(features.phi, &means);
                let right = mul_tn(&features.phi, &t, threads);
                let scatter = gram_tn(&features.phi, threads);
                let (b, ridge) =
                    solve_spd(|| scatter.clone(), self.ridge, &right).map_err(FitError::at("discriminant"))?;
                notes.extend(raised_ridge("the scatter of the features", self.ridge, ridge));
                let (q, spectrum) = best_axes(&mul(&features.phi, &b, threads), &t, dim, threads)?;
                let v = mul(&b, &q, threads);
                let embedding = mul(&features.phi, &v, threads);
                let bias = bias(&v, &means);
                let landmarks = features.landmarks.clone();
                let fitted = Fitted::new(data, features.into_map(&v, bias, threads), embedding);
                Ok(fitted.with_spectrum(spectrum).with_exemplars(landmarks).with_notes(notes))
            }
        }
    }

    fn nested_axes(&self, fitted: &Fitted, dim: usize) -> Option<Mat> {
        Some(fitted.first_axes(dim))
    }
}

/// `Aᵀ(φ(x) − mean)`: the second part is the bias.
fn bias(axes: &Mat, means: &[f64]) -> Vec<f64> {
    axes.column_iter().map(|a| -a.iter().zip(means).map(|(a, m)| a * m).sum::<f64>()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::synthetic::{blobs, moons};
    use crate::methods::Method;

    #[test]
    fn axes_have_unit_scatter() -> Result<(), Box<dyn std::error::Error>> {
        // vᵀ S_T v = 1 without a ridge, and axes are uncorrelated.
        let data = blobs(4, 15, 6, 1.0, 0);
        let kernel = KernelChoice::Gaussian(Sigma::Factor(0.5));
        let fitted = Kda::new(Params { ridge: 0.0, kernel, ..Params::default() })?.fit(&data)?;
        let z = fitted.embedding();
        assert!((z.transpose() * z - Mat::identity(3, 3)).amax() < 1e-8);
        assert!(column_means(z).iter().all(|m| m.abs() < 1e-10));
        assert!((fitted.embed(data.rows())? - z).amax() < 1e-8);
        Ok(())
    }

    #[test]
    fn nystrom_on_all_rows_is_exact() -> Result<(), Box<dyn std::error::Error>> {
        let (data, new) = (moons(30, 0.1, 0), moons(20, 0.1, 1));
        let fit = |features| Kda::new(Params { features, ..Params::default() })?.fit(&data);
        let (exact, nystrom) = (fit(FeatureChoice::Exact)?, fit(FeatureChoice::Nystrom(60))?);
        // An eigenvector's sign is free in the dual and in the primal alike.
        let (a, b) = (exact.embed(new.rows())?, nystrom.embed(new.rows())?);
        assert!((&a - &b).amax().min((&a + &b).amax()) < 1e-6);
        Ok(())
    }
}
