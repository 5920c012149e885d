//! The map, folded with the affine stage before it: what remains is what the device computes.

use super::fold::{Affine, pull_back};
use super::{ExportError, Similarity};
use crate::kernel::Kernel;
use crate::linalg::{Mat, mul_tn};
use crate::model::head::Head;
use crate::model::map::seeded::{self, Seeded};
use crate::model::map::{Basis, Map};
use crate::preprocess::Projection;
use std::f64::consts::TAU;

/// What maps a row, in the device's units.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum FeatureMap {
    None,
    Centers {
        kernel: Kernel,
        centers: Mat,
    },
    /// Weights and phases in turns.
    Random {
        weights: Mat,
        phases: Vec<f64>,
    },
    Seeded {
        gamma: f64,
        count: usize,
        seeded: Seeded,
    },
}

/// A model in f64 whose stages are the device's.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Folded {
    /// What could not be folded: never dense.
    pub(super) scale: Affine,
    pub(super) project: Option<Projection>,
    pub(super) feature_map: FeatureMap,
    /// Mapped values × dim.
    pub(super) readout: Option<Mat>,
    pub(super) bias: Vec<f64>,
    pub(super) similarity: Similarity,
}

impl Folded {
    /// Folds `affine` into `map`.
    pub(super) fn new(affine: Affine, map: &Map) -> Result<Self, ExportError> {
        match map {
            Map::Identity { width } => Ok(match affine {
                Affine::Dense(p) => Self::linear(p),
                scale => Self { scale, ..Self::mapped(FeatureMap::None, None, vec![0.0; *width]) },
            }),
            Map::Linear(p) => Ok(Self::linear(affine.then_project(p))),
            Map::Mapped { basis: Basis::Centers { kernel: Kernel::Linear, centers }, weights, bias } => {
                let p = Projection { weights: mul_tn(weights, centers, 1), bias: bias.clone() };
                Ok(Self::linear(affine.then_project(&p)))
            }
            Map::Mapped { basis, weights, bias } => {
                let (scale, project, feature_map) = match basis {
                    Basis::Centers { kernel, centers } => fold_centers(affine, *kernel, centers),
                    Basis::Random { weights, phases, seeded: None } => fold_random(affine, weights, phases),
                    Basis::Random { weights, phases, seeded: Some(seeded) } => {
                        fold_seeded(affine, *seeded, weights, phases)?
                    }
                };
                Ok(Self { scale, project, ..Self::mapped(feature_map, Some(weights.clone()), bias.clone()) })
            }
        }
    }

    /// A linear model is a readout over the features themselves.
    fn linear(p: Projection) -> Self {
        Self::mapped(FeatureMap::None, Some(p.weights.transpose()), p.bias)
    }

    fn mapped(feature_map: FeatureMap, readout: Option<Mat>, bias: Vec<f64>) -> Self {
        let similarity = Similarity { scale: 1.0, shift: vec![0.0; bias.len()] };
        Self { scale: Affine::Identity, project: None, feature_map, readout, bias, similarity }
    }

    /// Gives up everything of the embedding that no decision depends on: a constant, or a common factor.
    pub(super) fn keep_decisions_only(&mut self, head: &Head) {
        if self.readout.is_none() {
            if let Affine::Uniform { mul, add } = self.scale
                && matches!(self.feature_map, FeatureMap::None)
                && mul != 0.0
            {
                self.scale = Affine::Identity;
                self.similarity = Similarity { scale: mul, shift: vec![add; self.bias.len()] };
            }
        } else if let Some(scale) = unit_scale(head) {
            // The flag for unit means saves more than a bias costs, so the bias stays.
            self.readout.iter_mut().for_each(|readout| *readout /= scale);
            self.bias.iter_mut().for_each(|b| *b /= scale);
            self.similarity.scale = scale;
        } else {
            self.similarity.shift = std::mem::replace(&mut self.bias, vec![0.0; self.similarity.shift.len()]);
        }
    }
}

/// The common factor of class means that are unit vectors otherwise, to the last bits of f64.
///
/// Only one factor for all axes leaves nearest-mean decisions as they are: with a factor per axis, means of
/// different lengths would become equally long.
pub(super) fn unit_scale(head: &Head) -> Option<f64> {
    let Head::Means(means) = head else { return None };
    let scale = *means.iter().next().filter(|first| **first > 0.0 && means.is_square())?;
    let gap = (means - Mat::identity(means.nrows(), means.ncols()) * scale).amax();
    (gap <= 1e-14 * scale).then_some(scale)
}

/// Residual scaling, projection and feature map.
type Parts = (Affine, Option<Projection>, FeatureMap);

fn fold_centers(affine: Affine, kernel: Kernel, centers: &Mat) -> Parts {
    let feature_map = |kernel, centers| FeatureMap::Centers { kernel, centers };
    if let Affine::Dense(p) = affine {
        if matches!(kernel, Kernel::Polynomial { .. }) {
            return (Affine::Identity, Some(p), feature_map(kernel, centers.clone()));
        }
        // Distances do not see a shift of both points.
        let centers = crate::linalg::shift_columns(centers.clone(), &p.bias);
        let bias = vec![0.0; p.bias.len()];
        return (Affine::Identity, Some(Projection { bias, ..p }), feature_map(kernel, centers));
    }
    if matches!(kernel, Kernel::Polynomial { .. }) && affine.keeps_zero() {
        // uᵀ diag(mul) v: the multipliers go to the centers.
        let (mul, _) = affine.per_feature(centers.ncols());
        let centers = crate::linalg::scale_columns(centers.clone(), |j| mul[j]);
        return (Affine::Identity, None, feature_map(kernel, centers));
    }
    match affine.uniform_mul().and_then(|mul| narrower(kernel, mul)) {
        Some(kernel) => (Affine::Identity, None, feature_map(kernel, pull_back(centers, &affine))),
        None => (affine, None, feature_map(kernel, centers.clone())),
    }
}

/// The kernel that sees unscaled rows as `kernel` sees rows multiplied by `mul`; none where f32 could not hold
/// its constant or the squared distances that go with it.
fn narrower(kernel: Kernel, mul: f64) -> Option<Kernel> {
    let fits = |gamma: &f64| (1e-30..1e30).contains(gamma);
    match kernel {
        Kernel::Gaussian { gamma } => Some(gamma * mul * mul).filter(fits).map(|gamma| Kernel::Gaussian { gamma }),
        Kernel::Laplacian { gamma } => Some(gamma * mul.abs()).filter(fits).map(|gamma| Kernel::Laplacian { gamma }),
        Kernel::Polynomial { .. } | Kernel::Linear | Kernel::Given => None,
    }
}

fn fold_random(affine: Affine, weights: &Mat, phases: &[f64]) -> Parts {
    let in_turns = Projection { weights: weights / TAU, bias: phases.iter().map(|p| p / TAU).collect() };
    let (project, turns) = match affine {
        // Through the projection if that takes fewer numbers than weights on all features.
        Affine::Dense(p) if p.weights.len() + in_turns.weights.len() < weights.nrows() * p.weights.ncols() => {
            let shift = Projection { weights: Mat::identity(p.bias.len(), p.bias.len()), bias: p.bias.clone() };
            let turns = Affine::Dense(shift).then_project(&in_turns);
            (Some(Projection { bias: vec![0.0; p.bias.len()], ..p }), turns)
        }
        affine => (None, affine.then_project(&in_turns)),
    };
    // Whole turns would only cost digits.
    let phases = turns.bias.iter().map(|t| t - t.round()).collect();
    (Affine::Identity, project, FeatureMap::Random { weights: turns.weights, phases })
}

/// Weights that the device makes itself cannot take anything in, except a common factor.
fn fold_seeded(affine: Affine, seeded: Seeded, weights: &Mat, phases: &[f64]) -> Result<Parts, ExportError> {
    let gamma = seeded::recognize(seeded, weights, phases).ok_or(ExportError::NotFromSeed(seeded.seed))?;
    let feature_map = |gamma| FeatureMap::Seeded { gamma, count: weights.nrows(), seeded };
    Ok(match (affine.uniform_mul(), affine) {
        (_, Affine::Dense(p)) => (Affine::Identity, Some(p), feature_map(gamma)),
        (Some(mul), affine) if mul > 0.0 && affine.keeps_zero() => (Affine::Identity, None, feature_map(gamma * mul)),
        (_, affine) => (affine, None, feature_map(gamma)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// The embedding of a folded model, still in f64: what the fold's tests compare.
    fn apply(folded: &Folded, rows: &Mat) -> Mat {
        let width = rows.ncols();
        let (scale_mul, scale_add) = folded.scale.per_feature(width);
        let mut x = Mat::from_fn(rows.nrows(), width, |i, j| rows[(i, j)] * scale_mul[j] + scale_add[j]);
        if let Some(p) = &folded.project {
            x = p.apply(&x, 1);
        }
        let random = |weights: Mat, phases: &[f64]| {
            let phases = phases.iter().map(|p| p * TAU).collect();
            Basis::Random { weights: weights * TAU, phases, seeded: None }.feature_map(&x, 1)
        };
        let mapped = match &folded.feature_map {
            FeatureMap::None => x,
            FeatureMap::Centers { kernel, centers } => crate::kernel::cross(*kernel, &x, centers, 1),
            FeatureMap::Random { weights, phases } => random(weights.clone(), phases),
            FeatureMap::Seeded { gamma, count, seeded } => {
                let (weights, phases) = seeded::features(*seeded, *count, x.ncols());
                random(weights * *gamma, &phases)
            }
        };
        let mut z = match &folded.readout {
            Some(readout) => mapped * readout,
            None => mapped,
        };
        for (mut column, b) in z.column_iter_mut().zip(&folded.bias) {
            column.add_scalar_mut(*b);
        }
        folded.similarity.to_fitted(&z)
    }

    const WIDTH: usize = 3;

    fn affines() -> Vec<Affine> {
        let weights = Mat::from_row_slice(WIDTH, 4, &[0.5, 0.1, -0.3, 0.2, 1.0, 0.4, 0.0, -0.6, 0.3, 0.3, 0.9, 0.1]);
        vec![
            Affine::Identity,
            Affine::Uniform { mul: 0.25, add: -0.5 },
            Affine::Uniform { mul: 0.25, add: 0.0 },
            Affine::Features { mul: vec![0.5, 2.0, 0.1], add: vec![0.3, 0.0, -4.0] },
            Affine::Features { mul: vec![0.5, 2.0, 0.1], add: vec![0.0; 3] },
            Affine::Features { mul: vec![0.5; 3], add: vec![0.3, 0.0, -4.0] },
            Affine::Dense(Projection { weights, bias: vec![0.1, -2.0, 0.7] }),
        ]
    }

    fn maps(rng: &mut Rng) -> Vec<Map> {
        let mut mat = |rows, cols| Mat::from_fn(rows, cols, |_, _| rng.normal());
        let (centers, readout, bias) = (mat(7, WIDTH), mat(7, 2), vec![0.4, -1.5]);
        let kernels = [
            Kernel::Gaussian { gamma: 0.3 },
            Kernel::Laplacian { gamma: 0.2 },
            Kernel::Polynomial { gamma: 0.5, offset: 1.0, degree: 3 },
            Kernel::Linear,
        ];
        let mapped = |basis| Map::Mapped { basis, weights: readout.clone(), bias: bias.clone() };
        let mut maps: Vec<Map> =
            kernels.map(|kernel| mapped(Basis::Centers { kernel, centers: centers.clone() })).into();
        let phases = (0..7).map(f64::from).collect();
        maps.push(mapped(Basis::Random { weights: mat(7, WIDTH), phases, seeded: None }));
        maps.push(Map::Linear(Projection { weights: mat(2, WIDTH), bias: bias.clone() }));
        maps.push(Map::Identity { width: WIDTH });
        maps
    }

    /// Folds every affine map into `map`, then gives each to `check` with a function that compares its embedding.
    fn fold_all(map: &Map, rng: &mut Rng, check: impl Fn(Folded, &dyn Fn(&Folded))) -> Result<(), ExportError> {
        for affine in affines() {
            let inputs = if let Affine::Dense(p) = &affine { p.weights.ncols() } else { WIDTH };
            let rows = Mat::from_fn(9, inputs, |_, _| 2.0 * rng.normal());
            let identity = Projection { weights: Mat::identity(WIDTH, WIDTH), bias: vec![0.0; WIDTH] };
            let truth = map.apply(&affine.clone().then_project(&identity).apply(&rows, 1), 1);
            let same = |folded: &Folded| {
                assert!((apply(folded, &rows) - &truth).amax() < 1e-10, "{affine:?} {map:?}");
            };
            let folded = Folded::new(affine.clone(), map)?;
            same(&folded);
            check(folded, &same);
        }
        Ok(())
    }

    #[test]
    fn folding_never_changes_the_embedding() -> Result<(), ExportError> {
        let mut rng = Rng::new(3);
        for map in maps(&mut rng) {
            fold_all(&map, &mut rng, |mut folded, same| {
                folded.keep_decisions_only(&Head::Means(Mat::from_element(3, folded.bias.len(), 0.5)));
                same(&folded);
                assert!(folded.bias.iter().all(|b| *b == 0.0));
            })?;
        }
        Ok(())
    }

    #[test]
    fn seeded_weights_fold_only_what_they_can() -> Result<(), ExportError> {
        let mut rng = Rng::new(5);
        let seeded = Seeded { seed: 11, law: nearmark_format::meta::code::LAW_BYTES };
        let basis = seeded.gaussian(0.3, 12, WIDTH);
        let readout = Mat::from_fn(12, 2, |_, _| rng.normal());
        fold_all(&Map::mapped(basis.clone(), readout.clone()), &mut rng, |_, _| ())?;
        let Basis::Random { weights, phases, .. } = basis else { unreachable!("random features") };
        let other = Basis::Random { weights, phases, seeded: Some(Seeded { seed: 12, ..seeded }) };
        let map = Map::mapped(other, readout);
        assert_eq!(Folded::new(Affine::Identity, &map), Err(ExportError::NotFromSeed(12)));
        Ok(())
    }

    #[test]
    fn unit_means_are_seen_only_with_one_factor() {
        let means = |rows: &[f64]| Head::Means(Mat::from_row_slice(2, 2, rows));
        assert_eq!(unit_scale(&means(&[0.25, 0.0, 0.0, 0.25])), Some(0.25));
        assert_eq!(unit_scale(&means(&[0.25, 0.0, 0.0, 0.2])), None);
        assert_eq!(unit_scale(&means(&[0.25, 0.01, 0.0, 0.25])), None);
        assert_eq!(unit_scale(&means(&[-0.25, 0.0, 0.0, -0.25])), None);
        assert_eq!(unit_scale(&Head::Means(Mat::from_element(3, 1, 1.0))), None);
    }
}
