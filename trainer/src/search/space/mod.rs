//! The space of dimensions within a budget.

pub(super) mod dimensions;
pub(super) mod inputs;

use super::{Dimensions, Inputs, Kinds, Limits, Numeric, Smallest};
use crate::compile::quantize::learned::Widths;
use crate::linalg::evenly;
use dimensions::GROUP;

/// Projected values to try. Integers are stored in groups of four; beyond 48 a projection takes the bytes that centers
/// need at every budget up to 16 kB.
const PROJECTED: [usize; 8] = [4, 8, 12, 16, 20, 24, 32, 48];
/// Shares of the features to keep, as fractions. A coarser list changed which candidates stood for all and with it the
/// choice of preprocessing (MNIST at 2 kB: images pooled by 4 instead of by 2, 95.4 instead of 96.0 % held out).
const KEPT: [(usize, usize); 9] = [(1, 1), (2, 3), (1, 2), (1, 3), (1, 4), (1, 6), (1, 8), (1, 12), (1, 16)];
/// Shares of the flash budget that a projection may take, least and most. Outside of it a model is nearly all centers or
/// nearly all projection; the bounds only save trials and have no measurement of their own.
const SHARE: (f64, f64) = (0.08, 0.62);
/// A projected value needs at least so many kept features, or it is better to project to fewer.
const KEPT_PER_PROJECTED: usize = 2;
/// Dimensions that stand for all at first; [`Space::neighbors`] looks around the best of them afterwards. Eight
/// because one for a whole list chose badly (MNIST at 4 kB: 96.5 instead of 97.4 % held out).
pub(in crate::search) const SPREAD: usize = 8;
/// Classes above which embeddings with fewer coordinates than classes are tried: they leave room for more centers. The
/// number lies between the ten classes of digits and the 26 of letter and has no measurement of its own.
const MANY_CLASSES: usize = 12;
/// Parts of all coordinates to try then. The list was not tuned.
const FEWER_COORDINATES: [usize; 2] = [2, 3];
/// Weights that a value of a sparse projection has at least; with fewer it is hardly more than a copy of a feature.
const LEAST_WEIGHTS: usize = 4;
/// How many larger numbers of projected values are tried with weights of 4 bits.
const NARROW_MORE: usize = 2;
/// Rows per center at least. One center for two rows was tried and is worse (vehicle: 80 to 76 % held out).
const ROWS_PER_CENTER: usize = 4;
/// Bytes that stand for a budget without a limit on flash: 16 times the largest budget of
/// `docs/accuracy.md`, so that RAM or instructions decide.
pub(in crate::search) const AMPLE: usize = 1 << 18;

/// What the dimensions of candidates depend on.
#[derive(Debug, Clone, Copy)]
pub(in crate::search) struct Space {
    pub(in crate::search) rows: usize,
    pub(in crate::search) classes: usize,
    /// Coordinates of the target embedding.
    pub(in crate::search) dim: usize,
    /// Whether targets are class indicators, so that class points can be unit vectors.
    pub(in crate::search) unit: bool,
    /// Whether the input quantization has a range per feature.
    pub(in crate::search) own_ranges: bool,
    pub(in crate::search) inputs: Inputs,
    pub(in crate::search) limits: Limits,
    /// Kinds of models that are asked for.
    pub(in crate::search) kinds: Kinds,
}

impl Space {
    /// Kernel models from few projected values to many, each with as many centers as fit; none where none does.
    pub(in crate::search) fn kernels(&self, numeric: Numeric) -> Vec<Dimensions> {
        if self.kinds == Kinds::Linear {
            return Vec::new();
        }
        let flash = self.limits.flash.unwrap_or(AMPLE) as f64;
        let each = if numeric == Numeric::F32 { 4.0 } else { 1.0 };
        let share = |d: &Dimensions| (d.projected * d.kept) as f64 * each / flash;
        let all: Vec<Dimensions> = self.fewest_centers().into_iter().filter_map(|d| self.fill(d, numeric)).collect();
        let balanced = |d: &&Dimensions| share(d) <= SHARE.1 && (share(d) >= SHARE.0 || d.kept == d.features);
        let good: Vec<Dimensions> = all.iter().filter(balanced).copied().collect();
        // An unbalanced model is better than none.
        if good.is_empty() { all } else { good }
    }

    /// As many centers as fit, if there is one for every class.
    fn fill(&self, dimensions: Dimensions, numeric: Numeric) -> Option<Dimensions> {
        let most = (self.rows / ROWS_PER_CENTER).max(self.classes).max(GROUP);
        self.limits.fill(dimensions, &self.inputs, numeric, most).filter(|full| full.centers >= self.classes)
    }

    /// Kernel models without regard to limits, with the fewest centers.
    fn fewest_centers(&self) -> Vec<Dimensions> {
        let (features, classes, own_ranges) = (self.inputs.features, self.classes, self.own_ranges);
        let centers = classes.next_multiple_of(GROUP);
        let mut all = Vec::new();
        for dim in embedding_lengths(self.dim) {
            // The first value above the features stands for all of them.
            for projected in PROJECTED.into_iter().filter(|&p| p < features + GROUP) {
                let projected = projected.min(features);
                for (numerator, denominator) in KEPT {
                    let kept = (features * numerator / denominator).next_multiple_of(GROUP).min(features);
                    let dense = Dimensions::dense(features, projected, centers, dim, classes);
                    let found = Dimensions { kept, unit: self.unit && dense.unit, own_ranges, ..dense };
                    if (kept >= KEPT_PER_PROJECTED * projected || kept == features) && !all.contains(&found) {
                        all.push(found);
                    }
                }
            }
        }
        all
    }

    /// Linear models: as many directions as separate the classes, on as many features as fit.
    pub(in crate::search) fn linears(&self, numeric: Numeric) -> Vec<Dimensions> {
        if self.kinds == Kinds::Kernel {
            return Vec::new();
        }
        let features = self.inputs.features;
        let fitting = |dim: usize| {
            let with = |kept: usize| self.line(dim, kept);
            // Fewer features cost less, except for the mask.
            let admits = |kept: &usize| self.limits.admit(&with(*kept), &self.inputs, numeric);
            (1..=features).rev().find(admits).filter(|&kept| kept >= dim.min(features)).map(with)
        };
        if !self.unit {
            // The length of another method's embedding is given.
            return fitting(self.dim).into_iter().collect();
        }
        let most = self.dim.min(self.classes - 1).min(features).max(1);
        let found: Vec<Dimensions> = embedding_lengths(most).into_iter().filter_map(fitting).collect();
        if found.is_empty() { (1..most).rev().find_map(fitting).into_iter().collect() } else { found }
    }

    fn line(&self, dim: usize, kept: usize) -> Dimensions {
        let dense = Dimensions::dense(self.inputs.features, dim, 0, dim, self.classes);
        Dimensions { kept, unit: false, own_ranges: self.own_ranges, ..dense }
    }

    /// Variants of good dimensions with a sparse projection: in the same bytes with as many projected values or with the
    /// next larger number of them, and in half the bytes.
    pub(in crate::search) fn sparse(&self, dense: &Dimensions, numeric: Numeric) -> Vec<Dimensions> {
        let bytes = dense.projection_bytes(numeric);
        let more = PROJECTED.into_iter().filter(|&p| p > dense.projected).take(1);
        let same = [(dense.projected, bytes), (dense.projected, bytes / 2)];
        let with = |(projected, bytes): (usize, usize)| {
            let with = |nonzeros| Dimensions { kept: dense.features, nonzeros: Some(nonzeros), projected, ..*dense };
            let of = |nonzeros| with(nonzeros).projection_bytes(numeric);
            // Sections end at whole words, so that four show the bytes of one.
            let nonzeros = 4 * bytes.saturating_sub(of(0)) / (of(4) - of(0));
            let is_sparse = nonzeros >= LEAST_WEIGHTS * projected && nonzeros < projected * dense.features;
            self.fill(with(nonzeros), numeric).filter(|_| is_sparse)
        };
        same.into_iter().chain(more.map(|p| (p, bytes))).filter_map(with).collect()
    }

    /// Variants of good dimensions with weights of 4 bits, as many projected values or some more, and as many centers as
    /// then fit.
    pub(in crate::search) fn narrow(&self, wide: &Dimensions) -> Vec<Dimensions> {
        if wide.nonzeros.is_some() || wide.is_linear() {
            return Vec::new();
        }
        let more = PROJECTED.into_iter().filter(|&p| p > wide.projected && p <= wide.kept).take(NARROW_MORE);
        let found = [wide.projected]
            .into_iter()
            .chain(more)
            .filter_map(|projected| self.fill(Dimensions { projected, widths: Widths::NARROW, ..*wide }, Numeric::I8));
        // Where bytes do not bind, fewer bits gain nothing.
        found.filter(|narrow| narrow.centers > wide.centers || narrow.projected > wide.projected).collect()
    }

    /// The dimensions with a shorter embedding and class points of its own, as another target embedding needs them.
    pub(in crate::search) fn retargeted(
        &self,
        best: &Dimensions,
        coordinates: usize,
        numeric: Numeric,
    ) -> Option<Dimensions> {
        let dim = coordinates.min(self.classes - 1).min(best.dim);
        let found = Dimensions { dim, unit: false, ..*best };
        self.limits.fill(found, &self.inputs, numeric, best.centers)
    }

    /// What the smallest models take, each resource separately.
    pub(in crate::search) fn smallest(&self, numeric: Numeric) -> Smallest {
        let dim = if self.unit { 1 } else { self.dim };
        let linear = (self.kinds != Kinds::Kernel).then(|| self.line(dim, dim));
        let kernel = if self.kinds == Kinds::Linear { Vec::new() } else { self.fewest_centers() };
        let all = || linear.iter().chain(&kernel);
        let instructions = |board| all().map(|d| d.instructions(&self.inputs, numeric, board)).min();
        Smallest {
            flash: all().map(|d| d.spec(&self.inputs, numeric).core_len()).min().unwrap_or(0),
            ram: all().map(|d| d.scratch_bytes(&self.inputs, numeric)).min().unwrap_or(0),
            instructions: self.limits.instructions.and_then(|(_, board)| instructions(board)).unwrap_or(0),
        }
    }
}

/// Lengths of the embedding to try.
fn embedding_lengths(most: usize) -> Vec<usize> {
    let fewer = FEWER_COORDINATES.into_iter().filter(|_| most > MANY_CLASSES).map(|part| most / part);
    [most].into_iter().chain(fewer).collect()
}

/// [`SPREAD`] of a list, evenly.
pub(in crate::search) fn spread(all: &[Dimensions]) -> Vec<Dimensions> {
    evenly(all, SPREAD)
}

/// The most similar dimensions of a list whose projection is dense.
pub(in crate::search) fn nearest_dense<'a>(all: &'a [Dimensions], like: &Dimensions) -> Option<&'a Dimensions> {
    let distance = |other: &&Dimensions| (other.dim.abs_diff(like.dim), other.projected.abs_diff(like.projected));
    all.iter().filter(|other| other.is_dense()).min_by_key(distance)
}

/// Those of a list that differ from `from` by one step in projected values, kept features or coordinates.
pub(in crate::search) fn neighbors(all: &[Dimensions], from: &Dimensions) -> Vec<Dimensions> {
    let sizes: [fn(&Dimensions) -> usize; 3] = [|d| d.projected, |d| d.kept, |d| d.dim];
    let mut near = Vec::new();
    for (i, size) in sizes.iter().enumerate() {
        let alike = |d: &&Dimensions| sizes.iter().enumerate().all(|(k, other)| k == i || other(d) == other(from));
        let line: Vec<&Dimensions> = all.iter().filter(alike).collect();
        let below = line.iter().filter(|d| size(d) < size(from)).max_by_key(|d| size(d));
        let above = line.iter().filter(|d| size(d) > size(from)).min_by_key(|d| size(d));
        near.extend(below.into_iter().chain(above).map(|d| **d));
    }
    near
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 600 features of 4000 rows and 10 classes in 8 kB.
    fn space() -> Space {
        Space {
            rows: 4000,
            classes: 10,
            dim: 10,
            unit: true,
            own_ranges: false,
            inputs: Inputs::plain(600),
            limits: Limits { flash: Some(8192), ..Limits::default() },
            kinds: Kinds::All,
        }
    }

    #[test]
    fn every_kernel_model_is_full_and_has_a_center_for_every_class() {
        let space = space();
        let all = space.kernels(Numeric::I8);
        assert!(all.len() > SPREAD);
        for found in all {
            assert!(found.centers >= 10 && space.limits.admit(&found, &space.inputs, Numeric::I8), "{found:?}");
            let more = Dimensions { centers: found.centers + GROUP, ..found };
            assert!(!space.limits.admit(&more, &space.inputs, Numeric::I8), "{found:?}");
        }
        let few = Space { rows: 60, limits: Limits::default(), ..space };
        assert!(few.kernels(Numeric::I8).iter().all(|found| found.centers == 15), "a quarter of the rows");
    }

    #[test]
    fn linear_models_have_a_direction_less_than_classes_or_fewer() {
        let space = Space { limits: Limits::default(), ..space() };
        let lengths = |classes, dim| {
            let space = Space { classes, dim, ..space };
            space.linears(Numeric::I8).iter().map(|found| (found.dim, found.kept)).collect::<Vec<_>>()
        };
        assert_eq!(lengths(10, 10), [(9, 600)]);
        assert_eq!(lengths(26, 26), [(25, 600), (12, 600), (8, 600)]);
        let map = Space { unit: false, dim: 3, ..space };
        assert_eq!(map.linears(Numeric::I8).len(), 1, "another method's map has the length it has");
    }

    #[test]
    fn sparse_projections_keep_the_limits_and_use_every_feature() {
        let space = space();
        for numeric in [Numeric::I8, Numeric::F32] {
            let all = space.kernels(numeric);
            let Some(dense) = all.iter().find(|d| !d.is_dense() && d.projected == 12) else {
                panic!("none of 12 projected values: {all:?}")
            };
            let found = space.sparse(dense, numeric);
            assert_eq!(found.len(), 3, "{dense:?} {found:?}");
            for sparse in found {
                assert!(space.limits.admit(&sparse, &space.inputs, numeric) && sparse.kept == 600, "{sparse:?}");
                assert!(sparse.projection_bytes(numeric) <= dense.projection_bytes(numeric), "{sparse:?}");
            }
        }
    }

    #[test]
    fn the_nearest_dense_dimensions_have_the_same_coordinates_first() {
        let all = space().kernels(Numeric::I8);
        let dropped = Dimensions { kept: 40, projected: 20, ..all[0] };
        let Some(found) = nearest_dense(&all, &dropped) else { panic!("none is dense: {all:?}") };
        assert!(found.is_dense() && found.dim == dropped.dim, "{found:?}");
        assert!(all.iter().filter(|d| d.is_dense()).all(|d| d.projected.abs_diff(20) >= found.projected.abs_diff(20)));
    }

    #[test]
    fn neighbors_are_one_step_away() {
        let base = space().line(4, 8);
        let grid: Vec<Dimensions> = [(4, 8), (8, 8), (12, 8), (8, 16), (8, 32), (12, 16)]
            .map(|(projected, kept)| Dimensions { kept, projected, ..base })
            .to_vec();
        assert_eq!(neighbors(&grid, &grid[1]), [grid[0], grid[2], grid[3]]);
        let many: Vec<Dimensions> = (0..16).map(|kept| Dimensions { kept, ..base }).collect();
        assert_eq!(spread(&many).iter().map(|d| d.kept).collect::<Vec<_>>(), [0, 2, 4, 6, 8, 10, 12, 14]);
    }
}
