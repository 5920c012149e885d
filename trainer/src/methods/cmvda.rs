//! CMVDA: every class gets an axis of its own, by kernel regression on class indicators.
//!
//! # Idea
//! Maximizing the distance between class mean vectors over the total scatter has a closed form: the optimal
//! training embedding is the matrix of scaled class indicators, and the map is the kernel regression that
//! produces it (Iosifidis, "Class mean vector discriminant analysis").
//!
//! # Steps
//! 1. Targets `T_ic = N_c^{-½}` for row i in class c, and zero else.
//! 2. Exact: `A = (K + ridge·I)⁻¹ T` by Cholesky; a row embeds as `Aᵀ k(x)`.
//!    Nyström or random features: `B = (ΦᵀΦ + ridge·I)⁻¹ Φᵀ T`; a row embeds as `Bᵀ φ(x)`.
//! 3. The nearest class mean decides.
//!
//! # Model shape
//! Kernel expansion with one center per training row or landmark, or random features.
//!
//! # Where we differ from the paper
//! It has no ridge; without one, overlapping classes lose ten points (92.8 against 79.3 % on UCI's
//! segment). More than C axes are completed within the classes (Helmert contrasts), which never changes
//! nearest-mean decisions; they come from the classes in turn. Fewer than C are the singular axes of the class means.
//!
//! # CMVDA-R
//! Equation 25: every orthonormal basis of `R^N` solves the eigenproblem of the whitened kernel matrix, so that the targets
//! may be columns of a random one. Only all N of them span the indicators, where decisions are CMVDA's; few random axes
//! know little of the classes (digits, 419 rows: 17.8 % with 10, 92.4 % with 300, 98.0 % with all). So the default is all,
//! up to 2000.

use super::discriminant::{center_columns, scaled_indicators};
use super::features::{FeatureChoice, Features};
use super::{
    Checked, Dataset, Dim, FitError, Fitted, MethodEntry, MethodParams, Run, SettingsParser, Tunable, raised_ridge,
};
use crate::dataset::class_means;
use crate::kernel::{KernelChoice, Sigma, gram_lower};
use crate::linalg::{LinalgError, Mat, gram_tn, mul, mul_tn, random_orthonormal, solve_spd, thin_svd};
use crate::model::map::{Basis, Map};

/// Parameters of CMVDA.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// Number of axes; by default the number of classes, for CMVDA-R that of rows, up to 2000.
    pub dim: Dim,
    /// The kernel; by default Gaussian with `σ = 0.71 σ̄`.
    pub kernel: KernelChoice,
    /// Added to the kernel matrix's diagonal; by default 0.01.
    pub ridge: f64,
    /// The feature map.
    pub features: FeatureChoice,
    /// Whether targets are a random orthonormal basis of all rows' space instead of class indicators: CMVDA-R.
    pub random_basis: bool,
    /// Seed of landmarks, random features and the random basis.
    pub seed: u64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            dim: Dim::Auto,
            kernel: KernelChoice::Gaussian(Sigma::Factor(0.71)),
            ridge: 0.01,
            features: FeatureChoice::Auto,
            random_basis: false,
            seed: 0,
        }
    }
}

/// Axes of CMVDA-R at most unless more are asked for: a fit holds, and a model stores, that many numbers per row.
const RANDOM_AXES: usize = 2000;

/// CMVDA, or CMVDA-R.
pub type Cmvda = Checked<Params>;

pub(super) const CMVDA: MethodEntry = MethodEntry::of::<Params>(
    "cmvda",
    "class mean vector discriminant analysis: kernel regression on class indicators",
);

pub(super) const CMVDA_R: MethodEntry = MethodEntry::new(
    "cmvda-r",
    "cmvda on a random orthonormal basis: meets cmvda with as many axes as rows",
    |settings| settings.method(Params { random_basis: true, ..Params::default() }),
);

impl MethodParams for Params {
    fn name(&self) -> &'static str {
        if self.random_basis { CMVDA_R.name } else { CMVDA.name }
    }

    fn settings(&mut self, settings: &mut SettingsParser) {
        settings.dim(&mut self.dim);
        settings.kernel(&mut self.kernel);
        settings.features(&mut self.features);
        settings.not_negative("ridge", &mut self.ridge);
        settings.seed(&mut self.seed);
    }

    fn uses_seed(&self, rows: usize) -> bool {
        self.random_basis || !self.features.is_exact(rows)
    }

    fn memory(&self, rows: usize) -> u64 {
        // CMVDA-R: targets, their basis, the solution and the embedding.
        let axes = match self.dim {
            _ if !self.random_basis => 0,
            Dim::Auto => rows.min(RANDOM_AXES),
            Dim::Count(count) => count,
            Dim::All => rows,
        } as u64;
        let random = axes.saturating_mul(4 * 8).saturating_mul(rows as u64);
        self.features.memory(1, rows).saturating_add(random)
    }

    fn takes_sparse(&self) -> bool {
        self.features.takes_sparse(self.kernel)
    }

    fn takes_similarities(&self) -> bool {
        self.features.takes_similarities(self.kernel)
    }

    fn tunable(&self, _classes: usize, _rows: usize) -> Vec<Tunable> {
        let ridges = Tunable::new("ridge", &["0.0001", "0.001", "0.01", "0.1"]);
        if self.kernel == KernelChoice::Linear { vec![ridges] } else { vec![Tunable::sigma(), ridges] }
    }

    fn fit(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError> {
        let threads = run.thread_count();
        data.require_classes(1)?;
        let mut notes = Vec::new();
        let auto = if self.random_basis { data.len().min(RANDOM_AXES) } else { data.classes() };
        let dim = self.dim.resolve(auto, data.len())?;
        let targets =
            if self.random_basis { random_orthonormal(data.len(), dim, self.seed) } else { targets(data, dim) };
        if self.random_basis && dim < data.len() {
            let n = data.len();
            notes.push(format!(
                "{dim} of {n} random axes, which know little of the classes; all {n} decide as cmvda does"
            ));
        }

        let (map, embedding, landmarks, ridge) = match self.features.resolve(data.len(), &mut notes) {
            FeatureChoice::Auto | FeatureChoice::Exact => {
                run.step("kernel regression", 0, 1)?;
                let (kernel, k) = self.kernel.resolve_with_gram(data.rows(), threads)?;
                let mut ready = Some(k);
                let build = || ready.take().unwrap_or_else(|| gram_lower(kernel, data.rows(), threads));
                let (a, ridge) = solve_spd(build, self.ridge, &targets).map_err(FitError::at("kernel regression"))?;
                // K A = T − ridge A: the training embedding needs no second kernel matrix.
                let embedding = &targets - &a * ridge;
                let basis = Basis::Centers { kernel, centers: data.rows().clone() };
                (Map::mapped(basis, a), embedding, Vec::new(), ridge)
            }
            choice => {
                let kernel = self.kernel.resolve_for(data, threads)?;
                let features = Features::new(kernel, choice, data, self.seed, run)?;
                run.step("ridge regression", 0, 1)?;
                let scatter = gram_tn(&features.phi, threads);
                let right = mul_tn(&features.phi, &targets, threads);
                let (b, ridge) =
                    solve_spd(|| scatter.clone(), self.ridge, &right).map_err(FitError::at("ridge regression"))?;
                let embedding = mul(&features.phi, &b, threads);
                let landmarks = features.landmarks.clone();
                (features.into_map(&b, vec![0.0; targets.ncols()], threads), embedding, landmarks, ridge)
            }
        };
        notes.extend(raised_ridge("the kernel matrix", self.ridge, ridge));
        let (map, embedding) =
            if dim < targets.ncols() { fewer_axes(data, dim, map, &embedding)? } else { (map, embedding) };
        Ok(Fitted::new(data, map, embedding).with_exemplars(landmarks).with_notes(notes))
    }

    fn nested_axes(&self, fitted: &Fitted, dim: usize) -> Option<Mat> {
        let classes = fitted.class_names().len();
        if self.random_basis || dim >= classes || fitted.dim() < classes {
            return Some(fitted.first_axes(dim));
        }
        // As the fit does it: all class axes first, then those of their means. Axes within classes come after.
        let embedding = fitted.embedding().columns(0, classes).into_owned();
        let axes = mean_axes(class_means(&embedding, fitted.labels(), classes), dim).ok()?;
        Some(axes.resize_vertically(fitted.dim(), 0.0))
    }
}

/// The scaled class indicators, completed by within-class contrasts when more than C axes are asked for.
fn targets(data: &Dataset, dim: usize) -> Mat {
    let classes = data.classes();
    let mut t = scaled_indicators(data, dim.max(classes));
    let rows = data.class_rows();
    // Helmert's contrasts: row j of a class against the mean of the rows before it. The first contrast of every class comes
    // before the second of any, so that a few extra axes favor no class.
    let contrasts = (1..data.len()).flat_map(|j| rows.iter().filter_map(move |rows| rows.get(..=j)));
    for (mut column, rows) in t.column_iter_mut().skip(classes).zip(contrasts) {
        let j = (rows.len() - 1) as f64;
        let scale = 1.0 / (j * (j + 1.0)).sqrt();
        for &row in rows {
            column[row] = scale;
        }
        column[rows[rows.len() - 1]] = -j * scale;
    }
    t
}

/// Keeps the `dim` axes along which the class means differ most.
fn fewer_axes(data: &Dataset, dim: usize, map: Map, embedding: &Mat) -> Result<(Map, Mat), FitError> {
    let axes = mean_axes(data.class_means(embedding), dim).map_err(FitError::at("axes of the class means"))?;
    Ok((map.rotated(&axes), embedding * &axes))
}

/// The `dim` axes along which these class means differ most.
fn mean_axes(means: Mat, dim: usize) -> Result<Mat, LinalgError> {
    Ok(thin_svd(&center_columns(means))?.v.columns(0, dim).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::synthetic::blobs;
    use crate::kernel::{cross, gram};
    use crate::linalg::sym_eig;
    use crate::methods::Method;

    #[test]
    fn it_is_regression_on_scaled_indicators() -> Result<(), Box<dyn std::error::Error>> {
        // With a full-rank K: z_c(x) = N_c^{-½} 1_cᵀ K⁻¹ k(x), here with the inverse taken through the spectrum.
        let (data, new) = (blobs(3, 12, 6, 1.0, 0), blobs(3, 5, 6, 1.0, 1));
        let choice = KernelChoice::Gaussian(Sigma::Factor(0.5));
        let fitted = Cmvda::new(Params { kernel: choice, ridge: 0.0, ..Params::default() })?.fit(&data)?;
        let kernel = choice.resolve(data.rows(), 1)?;
        let eig = sym_eig(&gram(kernel, data.rows(), 1))?;
        let inverse = Mat::from_diagonal(&eig.values.iter().map(|v| 1.0 / v).collect::<Vec<_>>().into());
        let k_inverse = &eig.vectors * inverse * eig.vectors.transpose();
        let z = cross(kernel, new.rows(), data.rows(), 1) * k_inverse * targets(&data, 3);
        assert!((fitted.embed(new.rows())? - z).amax() < 1e-8);
        Ok(())
    }

    #[test]
    fn targets_are_orthonormal_with_any_number_of_axes() {
        let data = blobs(3, 5, 2, 1.0, 0);
        for dim in [3, 4, 9, 15] {
            for t in [targets(&data, dim), random_orthonormal(15, dim, 4)] {
                assert!((t.transpose() * &t - Mat::identity(dim, dim)).amax() < 1e-12, "{dim}");
            }
        }
    }

    #[test]
    fn extra_axes_come_from_the_classes_in_turn() -> Result<(), Box<dyn std::error::Error>> {
        // Classes of 2, 4 and 3 rows have 1, 3 and 2 contrasts.
        let labels = [0, 0, 1, 1, 1, 1, 2, 2, 2];
        let data = Dataset::from_ids(Mat::from_fn(9, 1, |i, _| i as f64), &labels)?;
        let t = targets(&data, 9);
        let class_of = |j: usize| (0..9).find(|&i| t[(i, j)] != 0.0).map(|i| labels[i]);
        let classes: Vec<Option<usize>> = (3..9).map(class_of).collect();
        assert_eq!(classes, [0, 1, 2, 1, 2, 1].map(Some));
        Ok(())
    }

    #[test]
    fn nystrom_on_all_rows_is_exact() -> Result<(), Box<dyn std::error::Error>> {
        let (data, new) = (blobs(3, 20, 5, 1.5, 0), blobs(3, 5, 5, 1.5, 3));
        let fit = |features| Cmvda::new(Params { features, ..Params::default() })?.fit(&data);
        let exact = fit(FeatureChoice::Exact)?;
        let nystrom = fit(FeatureChoice::Nystrom(60))?;
        assert!((exact.embed(new.rows())? - nystrom.embed(new.rows())?).amax() < 1e-7);
        assert_eq!(nystrom.exemplars().len(), 60);
        Ok(())
    }

    #[test]
    fn decisions_do_not_depend_on_extra_axes() -> Result<(), Box<dyn std::error::Error>> {
        let (data, new) = (blobs(3, 30, 8, 2.0, 0), blobs(3, 40, 8, 2.0, 1));
        let base = Cmvda::new(Params { ridge: 0.0, ..Params::default() })?.fit(&data)?;
        for dim in [4, 10, 90] {
            let more = Cmvda::new(Params { dim: Dim::Count(dim), ridge: 0.0, ..Params::default() })?.fit(&data)?;
            assert_eq!(base.classify(new.rows())?, more.classify(new.rows())?, "{dim}");
        }
        Ok(())
    }

    #[test]
    fn a_random_basis_meets_cmvda_only_with_all_axes() -> Result<(), Box<dyn std::error::Error>> {
        let (data, new) = (blobs(5, 30, 8, 0.4, 0), blobs(5, 40, 8, 0.4, 0));
        let plain = Cmvda::new(Params { ridge: 0.0, ..Params::default() })?.fit(&data)?;
        let random = |dim| Cmvda::new(Params { random_basis: true, ridge: 0.0, dim, ..Params::default() })?.fit(&data);
        assert_eq!(random(Dim::Auto)?.dim(), 150);
        assert!(random(Dim::Auto)?.notes().is_empty());
        assert_eq!(plain.classify(new.rows())?, random(Dim::All)?.classify(new.rows())?);
        let few = random(Dim::Count(5))?;
        assert!(few.notes()[0].starts_with("5 of 150 random axes"), "{:?}", few.notes());
        let (few, all) = (few.accuracy(&new)?, plain.accuracy(&new)?);
        assert!(few < all - 0.3, "{few} against {all}");
        Ok(())
    }

    #[test]
    fn duplicate_rows_get_a_ridge_and_a_note() -> Result<(), Box<dyn std::error::Error>> {
        let once = blobs(2, 10, 3, 0.5, 0);
        let twice: Vec<usize> = (0..20).chain(0..20).collect();
        let fitted = Cmvda::new(Params { ridge: 0.0, ..Params::default() })?.fit(&once.select(&twice))?;
        assert!(fitted.notes()[0].contains("singular"), "{:?}", fitted.notes());
        assert_eq!(fitted.accuracy(&once)?, 1.0);
        Ok(())
    }

    #[test]
    fn fewer_axes_than_classes_still_tell_them_apart() -> Result<(), Box<dyn std::error::Error>> {
        let data = blobs(4, 20, 8, 0.3, 0);
        let fitted = Cmvda::new(Params { dim: Dim::Count(3), ..Params::default() })?.fit(&data)?;
        assert_eq!(fitted.dim(), 3);
        assert!((fitted.embed(data.rows())? - fitted.embedding()).amax() < 1e-9);
        assert!(fitted.accuracy(&data)? > 0.95);
        Ok(())
    }
}
