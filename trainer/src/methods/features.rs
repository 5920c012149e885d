//! Feature maps: coordinates `φ(x)` with `φ(x)ᵀφ(y) = k(x, y)`, exactly or nearly.
//!
//! *Exact* takes kernel-PCA coordinates, `K = UΛUᵀ`, `Φ = UΛ^½`. *Nyström* takes `K_Nm K_mm^{-½}` on `m` landmarks: rows
//! drawn evenly from the classes, or the centers that k-means finds. *Random features* take `√(2/m) cos(ωᵀx + φ)` with
//! `ω ~ N(0, 2γI)` (Rahimi and Recht 2007). The last two need `O(N·m)` memory and make kernel methods possible on a
//! hundred thousand rows.
//!
//! Random features are drawn by the generator that devices have, so that a model stores their seed and nothing of
//! them: a few bytes of flash in exchange for a step of the generator per weight and sample.

use super::{Dataset, FitError, ParamError, Run};
use crate::dataset::split::shuffled_classes;
use crate::kernel::{Kernel, KernelChoice, cross, gram_lower};
use crate::kmeans::kmeans;
use crate::linalg::{Eig, Mat, evenly_rows, gram_tn, mirror_lower, mul, mul_nt, scale_columns, sym_eig, top_eig};
use crate::memory::matrices;
use crate::model::map::seeded::Seeded;
use crate::model::map::{Basis, Map};
use crate::rng::Rng;
use nearmark_format::meta::code;

/// Rows up to which `Auto` is exact.
const EXACT_ROWS: usize = 5000;
/// Landmarks that `Auto` takes beyond.
const AUTO_LANDMARKS: usize = 1000;
/// Rows that k-means sees, evenly spread, and rows per center where that is more: its time grows with rows times
/// centers, and means of ten rows are landmarks as good as any.
const CLUSTERED_ROWS: usize = 4000;
const ROWS_PER_CENTER: usize = 10;
/// Eigenvalues below this share of the largest are rounding noise.
const NOISE: f64 = 1e-10;

/// Which feature map to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FeatureChoice {
    /// Exact up to 5000 rows, beyond that Nyström with 1000 landmarks, as a note states.
    #[default]
    Auto,
    /// All rows.
    Exact,
    /// This many landmark rows, drawn evenly from the classes.
    Nystrom(usize),
    /// This many landmarks, the centers of k-means; fewer where there are fewer distinct rows.
    KMeans(usize),
    /// This many random features from a seed, with weights like a normal's; Gaussian kernel only.
    Random(usize),
    /// The same with weights of ±1, which a device makes 32 at a time.
    Signs(usize),
}

impl FeatureChoice {
    /// Refuses counts of zero.
    pub(crate) fn check(self) -> Result<(), ParamError> {
        match self {
            Self::Auto | Self::Exact => Ok(()),
            Self::Nystrom(count) | Self::KMeans(count) | Self::Random(count) | Self::Signs(count) => {
                let rule = "at least 1 and at most 65532, which is what a model takes";
                ParamError::check((1..=65532).contains(&count), "features", rule, count as f64)
            }
        }
    }

    /// Whether features of this kernel are made from sparse rows without filling them in.
    pub(crate) fn takes_sparse(self, kernel: KernelChoice) -> bool {
        matches!((self, kernel), (Self::Random(_) | Self::Signs(_), KernelChoice::Gaussian(_)))
    }

    /// Whether a given kernel matrix is all that these features are made of.
    pub(crate) fn takes_similarities(self, kernel: KernelChoice) -> bool {
        kernel == KernelChoice::Precomputed && matches!(self, Self::Auto | Self::Exact | Self::Nystrom(_))
    }

    /// Whether so many rows make a kernel matrix of all of them.
    pub(crate) fn is_exact(self, rows: usize) -> bool {
        self == Self::Exact || self == Self::Auto && rows <= EXACT_ROWS
    }

    /// Bytes of a fit that makes so many kernel matrices of all rows, or else one of all features.
    pub(crate) fn memory(self, count: u64, rows: usize) -> u64 {
        match self {
            Self::Nystrom(features) | Self::KMeans(features) | Self::Random(features) | Self::Signs(features) => {
                let map = (8 * features as u64).saturating_mul(rows as u64);
                matrices(1, features).saturating_add(map)
            }
            _ if self.is_exact(rows) => matrices(count, rows),
            _ => 0,
        }
    }

    /// Decides what `Auto` means for this many rows, and says so if it is not `Exact`.
    pub(crate) fn resolve(self, rows: usize, notes: &mut Vec<String>) -> Self {
        match self {
            Self::Auto if self.is_exact(rows) => Self::Exact,
            Self::Auto => {
                notes.push(format!("{rows} rows: Nyström features on {AUTO_LANDMARKS} landmarks instead of exact"));
                Self::Nystrom(AUTO_LANDMARKS)
            }
            other => other,
        }
    }
}

impl std::fmt::Display for FeatureChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Auto => write!(f, "auto"),
            Self::Exact => write!(f, "exact"),
            Self::Nystrom(count) => write!(f, "nystrom:{count}"),
            Self::KMeans(count) => write!(f, "nystrom:{count}:kmeans"),
            Self::Random(count) => write!(f, "random:{count}"),
            Self::Signs(count) => write!(f, "signs:{count}"),
        }
    }
}

/// Coordinates of the training rows, and how a new row gets its own: `φ(x) = projectorᵀ feature map(x)`.
#[derive(Debug, Clone)]
pub(crate) struct Features {
    /// What maps a row.
    pub(crate) basis: Basis,
    /// Mapped values × coordinates.
    pub(crate) projector: Mat,
    /// `Φ`: training rows × coordinates.
    pub(crate) phi: Mat,
    /// Row numbers of the landmarks, if they are rows.
    pub(crate) landmarks: Vec<usize>,
}

impl Features {
    /// Makes the feature map for these rows.
    pub(crate) fn new(
        kernel: Kernel,
        choice: FeatureChoice,
        data: &Dataset,
        seed: u64,
        run: &Run<'_>,
    ) -> Result<Self, FitError> {
        let seeded = |law| Seeded { seed, law };
        match choice {
            FeatureChoice::Auto | FeatureChoice::Exact => {
                let k = gram_lower(kernel, data.rows(), run.thread_count());
                let axes = KernelAxes::of_matrix(kernel, &k, data.rows(), None, run)?;
                let phi = scale_columns(axes.u, |j| axes.values[j].sqrt());
                Ok(Self { basis: axes.basis, projector: axes.readout, phi, landmarks: Vec::new() })
            }
            FeatureChoice::Nystrom(count) | FeatureChoice::KMeans(count) if count > data.len() => {
                Err(FitError::TooFewRows { name: "nystrom", needed: count, rows: data.len() })
            }
            FeatureChoice::Nystrom(count) => {
                run.step("landmarks", 0, 1)?;
                let landmarks = landmarks(data, count, seed);
                let rows = kernel.against(data.rows(), &landmarks);
                Self::nystrom(kernel, rows.select_rows(&landmarks), landmarks, &rows, run)
            }
            FeatureChoice::KMeans(count) => {
                run.step("landmarks", 0, 1)?;
                let seen = evenly_rows(data.rows(), CLUSTERED_ROWS.max(ROWS_PER_CENTER * count));
                let centers = kmeans(&seen, count, &mut Rng::new(seed));
                Self::nystrom(kernel, centers, Vec::new(), data.rows(), run)
            }
            FeatureChoice::Random(count) => Self::random(kernel, count, data, seeded(code::LAW_BYTES), run),
            FeatureChoice::Signs(count) => Self::random(kernel, count, data, seeded(code::LAW_SIGNS), run),
        }
    }

    /// On these landmarks, which are the rows of these numbers unless k-means made them.
    fn nystrom(
        kernel: Kernel,
        centers: Mat,
        landmarks: Vec<usize>,
        rows: &Mat,
        run: &Run<'_>,
    ) -> Result<Self, FitError> {
        let threads = run.thread_count();
        let eig = sym_eig(&gram_lower(kernel, &centers, threads)).map_err(FitError::at("landmark kernel"))?;
        let eig = eig.above(1e-12);
        let root = scale_columns(eig.vectors.clone(), |j| 1.0 / eig.values[j].sqrt());
        let projector = mul_nt(&root, &eig.vectors, threads);
        run.step("landmark features", 0, 1)?;
        let phi = mul(&cross(kernel, rows, &centers, threads), &projector, threads);
        Ok(Self { basis: Basis::Centers { kernel, centers }, projector, phi, landmarks })
    }

    fn random(kernel: Kernel, count: usize, data: &Dataset, seeded: Seeded, run: &Run<'_>) -> Result<Self, FitError> {
        let Kernel::Gaussian { gamma } = kernel else {
            let rule = "exact or nystrom unless the kernel is gaussian";
            return Err(ParamError { name: "features", rule, got: count as f64 }.into());
        };
        run.step("random features", 0, 1)?;
        let basis = seeded.gaussian(gamma, count, data.width());
        let scale = (2.0 / count as f64).sqrt();
        let mut phi = basis.feature_map_of(data, run.thread_count());
        phi *= scale;
        Ok(Self { basis, projector: Mat::identity(count, count) * scale, phi, landmarks: Vec::new() })
    }

    /// The map `z = Vᵀ φ(x) + bias`.
    pub(crate) fn into_map(self, v: &Mat, bias: Vec<f64>, threads: usize) -> Map {
        Map::mapped_with_bias(self.basis, mul(&self.projector, v, threads), bias)
    }
}

/// Landmark rows, each class in proportion to its size, drawn by seed, in ascending order.
fn landmarks(data: &Dataset, count: usize, seed: u64) -> Vec<usize> {
    let classes = shuffled_classes(data, seed);
    // Ranking every row by its place within its class interleaves the classes evenly.
    let mut ranked: Vec<(f64, usize)> = classes
        .iter()
        .flat_map(|rows| rows.iter().enumerate().map(|(i, &row)| ((i as f64 + 0.5) / rows.len() as f64, row)))
        .collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut chosen: Vec<usize> = ranked.into_iter().take(count).map(|(_, row)| row).collect();
    chosen.sort_unstable();
    chosen
}

/// The spectrum of a kernel matrix: `K ≈ U diag(values) Uᵀ`, and the readout `feature map(x) ↦ values^{-½} Uᵀ k(x)`.
#[derive(Debug, Clone)]
pub(crate) struct KernelAxes {
    /// What maps a row.
    pub(crate) basis: Basis,
    /// Eigenvalues above rounding noise, largest first.
    pub(crate) values: Vec<f64>,
    /// Eigenvectors: training rows × axes.
    pub(crate) u: Mat,
    /// Mapped values × axes.
    pub(crate) readout: Mat,
    /// Axes that were dropped because their eigenvalue is rounding noise.
    pub(crate) dropped: usize,
    /// Row numbers of the landmarks, if there are any.
    pub(crate) landmarks: Vec<usize>,
}

impl KernelAxes {
    /// Finds the axes, all of them or only the `top` ones, through the chosen feature map.
    pub(crate) fn new(
        kernel: KernelChoice,
        choice: FeatureChoice,
        data: &Dataset,
        top: Option<usize>,
        seed: u64,
        run: &Run<'_>,
    ) -> Result<Self, FitError> {
        let threads = run.thread_count();
        if matches!(choice, FeatureChoice::Auto | FeatureChoice::Exact) {
            run.step("kernel matrix", 0, 1)?;
            let (kernel, mut k) = kernel.resolve_with_gram(data.rows(), threads)?;
            if top.is_some() {
                mirror_lower(&mut k);
            }
            return Self::of_matrix(kernel, &k, data.rows(), top, run);
        }
        let kernel = kernel.resolve_for(data, threads)?;
        let features = Features::new(kernel, choice, data, seed, run)?;
        run.step("eigenvectors", 0, 1)?;
        let scatter = gram_tn(&features.phi, threads);
        let (eig, dropped) = strongest(&scatter, top, threads)?;
        let u = scale_columns(mul(&features.phi, &eig.vectors, threads), |j| 1.0 / eig.values[j].sqrt());
        let readout = mul(&features.projector, &eig.vectors, threads);
        Ok(Self { basis: features.basis, values: eig.values, u, readout, dropped, landmarks: features.landmarks })
    }

    /// From a kernel matrix of these rows; without `top` only its lower triangle is read.
    fn of_matrix(kernel: Kernel, k: &Mat, rows: &Mat, top: Option<usize>, run: &Run<'_>) -> Result<Self, FitError> {
        run.step("eigenvectors", 0, 1)?;
        let (eig, dropped) = strongest(k, top, run.thread_count())?;
        let readout = scale_columns(eig.vectors.clone(), |j| 1.0 / eig.values[j].sqrt());
        let basis = Basis::Centers { kernel, centers: rows.clone() };
        Ok(Self { basis, values: eig.values, u: eig.vectors, readout, dropped, landmarks: Vec::new() })
    }
}

/// The top eigenpairs, or all above rounding noise and the number of those below.
fn strongest(a: &Mat, top: Option<usize>, threads: usize) -> Result<(Eig, usize), FitError> {
    let all = match top {
        Some(count) => top_eig(a, count, threads),
        None => sym_eig(a),
    };
    let all = all.map_err(FitError::at("eigenvectors of the kernel matrix"))?;
    let count = all.len();
    let kept = all.above(NOISE);
    let dropped = count - kept.len();
    Ok((kept, dropped))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::synthetic::blobs;

    #[test]
    fn k_means_landmarks_approximate_the_kernel_better_than_drawn_rows() -> Result<(), FitError> {
        let data = blobs(4, 60, 6, 1.0, 0);
        let run = Run::default();
        let kernel = Kernel::Gaussian { gamma: 0.1 };
        let k = crate::kernel::gram(kernel, data.rows(), 1);
        let error = |choice| -> Result<f64, FitError> {
            let features = Features::new(kernel, choice, &data, 0, &run)?;
            Ok((&k - mul_nt(&features.phi, &features.phi, 1)).norm())
        };
        let (drawn, means) = (error(FeatureChoice::Nystrom(20))?, error(FeatureChoice::KMeans(20))?);
        assert!(means < 0.9 * drawn, "{means} against {drawn}");
        Ok(())
    }

    #[test]
    fn k_means_landmarks_are_no_rows() -> Result<(), FitError> {
        let data = blobs(3, 20, 4, 1.0, 0);
        let kernel = Kernel::Gaussian { gamma: 0.1 };
        let make = |choice| Features::new(kernel, choice, &data, 0, &Run::default());
        let features = make(FeatureChoice::KMeans(10))?;
        assert!(features.landmarks.is_empty());
        assert!(matches!(features.basis, Basis::Centers { centers, .. } if centers.nrows() == 10));
        let error = make(FeatureChoice::KMeans(61)).err();
        assert_eq!(error, Some(FitError::TooFewRows { name: "nystrom", needed: 61, rows: 60 }));
        Ok(())
    }
}
