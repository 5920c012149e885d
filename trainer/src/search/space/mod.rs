//! Shapes that fill a budget.

pub(crate) mod limits;
pub(crate) mod size;

use crate::search::error::Smallest;
use crate::search::space::limits::{Fixed, Limits};
use crate::search::space::size::{Numeric, Shape};

/// Projected values to try: integers lie in groups of four.
const PROJECTED: [usize; 8] = [4, 8, 12, 16, 20, 24, 32, 48];
/// Shares of the features to keep.
const KEPT: [(usize, usize); 9] = [(1, 1), (2, 3), (1, 2), (1, 3), (1, 4), (1, 6), (1, 8), (1, 12), (1, 16)];
/// Shares of the budget that a projection may take.
const SHARE: (f64, f64) = (0.08, 0.62);
/// Shapes at most.
const MOST: usize = 8;
/// Classes from which fewer coordinates than classes are tried.
const MANY: usize = 12;
/// Weights that a value of a sparse projection needs to say anything.
const LEAST: usize = 4;
/// Bytes that stand for a budget without a limit on flash.
const AMPLE: usize = 1 << 18;

/// The rows that shapes are for.
#[derive(Debug, Clone, Copy)]
pub(in crate::search) struct Rows {
    pub(in crate::search) count: usize,
    pub(in crate::search) classes: usize,
    /// Coordinates that the guide gives a row; the classes if it gives none.
    pub(in crate::search) dim: usize,
    /// Whether class points may be unit vectors.
    pub(in crate::search) unit: bool,
    /// Whether features have ranges of their own.
    pub(in crate::search) door: bool,
}

/// Lengths of the embedding: with many classes, fewer coordinates leave room for more centers.
fn dims(most: usize) -> Vec<usize> {
    if most > MANY { vec![most, most / 2, most / 3] } else { vec![most] }
}

/// Kernel shapes without limits, with the fewest centers.
fn bare(rows: &Rows, fixed: &Fixed) -> Vec<Shape> {
    let Rows { classes, unit, door, .. } = *rows;
    let features = fixed.features;
    let centers = classes.next_multiple_of(4);
    let mut all = Vec::new();
    for dim in dims(rows.dim) {
        for projected in PROJECTED.into_iter().filter(|&p| p < features + 4) {
            let projected = projected.min(features);
            for (of, part) in KEPT {
                let kept = (features * of / part).next_multiple_of(4).min(features);
                let unit = unit && dim == classes;
                let shape = Shape { features, kept, nonzeros: None, projected, centers, dim, classes, unit, door };
                if (kept >= 2 * projected || kept == features) && !all.contains(&shape) {
                    all.push(shape);
                }
            }
        }
    }
    all
}

/// A center is worth its bytes up to one for every four rows, and a class needs one.
fn most(rows: &Rows) -> usize {
    (rows.count / 4).max(rows.classes).max(4)
}

/// Kernel shapes from few projected values to many, each with as many centers as fit; none where none does.
pub(in crate::search) fn kernels(rows: &Rows, fixed: &Fixed, limits: &Limits, numeric: Numeric) -> Vec<Shape> {
    let flash = limits.flash.unwrap_or(AMPLE) as f64;
    let each = if numeric == Numeric::F32 { 4.0 } else { 1.0 };
    let share = |shape: &Shape| (shape.projected * shape.kept) as f64 * each / flash;
    let all: Vec<Shape> = bare(rows, fixed)
        .into_iter()
        .filter_map(|shape| limits.fill(shape, fixed, numeric, most(rows)).filter(|full| full.centers >= rows.classes))
        .collect();
    let balanced =
        |shape: &&Shape| share(shape) <= SHARE.1 && (share(shape) >= SHARE.0 || shape.kept == shape.features);
    let good: Vec<Shape> = all.iter().filter(balanced).copied().collect();
    // Better a shape out of proportion than none.
    if good.is_empty() { all } else { good }
}

/// Some of a list, evenly, so that a long one does not take forever.
pub(in crate::search) fn spread(all: &[Shape]) -> Vec<Shape> {
    let count = all.len().min(MOST);
    (0..count).map(|i| all[i * all.len() / count]).collect()
}

/// Shapes like a good one with a projection that stores only weights that are not zero: in as many bytes for as many values
/// or for a few more, and in half the bytes.
pub(in crate::search) fn sparse(
    shape: &Shape,
    rows: &Rows,
    fixed: &Fixed,
    limits: &Limits,
    numeric: Numeric,
) -> Vec<Shape> {
    let bytes = shape.weights(numeric);
    let each = if numeric == Numeric::F32 { 5 } else { 2 };
    let more = PROJECTED.into_iter().filter(|&p| p > shape.projected).take(1);
    let same = [(shape.projected, bytes), (shape.projected, bytes / 2)];
    let with = |(projected, bytes): (usize, usize)| {
        let places = projected * (2 + shape.features / 256 * each);
        let nonzeros = bytes.saturating_sub(places) / each;
        let thin = nonzeros >= LEAST * projected && nonzeros < projected * shape.features;
        let shape = Shape { kept: shape.features, nonzeros: Some(nonzeros), projected, ..*shape };
        limits.fill(shape, fixed, numeric, most(rows)).filter(|full| thin && full.centers >= full.classes)
    };
    same.into_iter().chain(more.map(|p| (p, bytes))).filter_map(with).collect()
}

/// The shape of a list most like this one whose projection is whole.
pub(in crate::search) fn whole<'a>(all: &'a [Shape], shape: &Shape) -> Option<&'a Shape> {
    let apart = |other: &&Shape| (other.dim.abs_diff(shape.dim), other.projected.abs_diff(shape.projected));
    all.iter().filter(|other| other.is_whole()).min_by_key(apart)
}

/// Those of a list that are like `shape` but for one step in projected values, features or coordinates.
pub(in crate::search) fn neighbors(all: &[Shape], shape: &Shape) -> Vec<Shape> {
    let sizes: [fn(&Shape) -> usize; 3] = [|s| s.projected, |s| s.kept, |s| s.dim];
    let mut near = Vec::new();
    for (i, size) in sizes.iter().enumerate() {
        let alike = |s: &&Shape| sizes.iter().enumerate().all(|(k, other)| k == i || other(s) == other(shape));
        let line: Vec<&Shape> = all.iter().filter(alike).collect();
        let below = line.iter().filter(|s| size(s) < size(shape)).max_by_key(|s| size(s));
        let above = line.iter().filter(|s| size(s) > size(shape)).min_by_key(|s| size(s));
        near.extend(below.into_iter().chain(above).map(|s| **s));
    }
    near
}

/// Linear shapes: as many directions as tell the classes apart, on as many features as fit.
pub(in crate::search) fn linears(rows: &Rows, fixed: &Fixed, limits: &Limits, numeric: Numeric) -> Vec<Shape> {
    let Rows { classes, door, .. } = *rows;
    let features = fixed.features;
    let most = if rows.unit { rows.dim.min(classes - 1).min(features).max(1) } else { rows.dim };
    let fitting = |dim: usize| {
        let (centers, nonzeros, unit) = (0, None, false);
        let with = |kept: usize| Shape { features, kept, nonzeros, projected: dim, centers, dim, classes, unit, door };
        // Fewer features cost less, but for the mask.
        let admits = |kept: &usize| limits.admit(&with(*kept), fixed, numeric);
        (1..=features).rev().find(admits).filter(|&kept| kept >= dim.min(features)).map(with)
    };
    if !rows.unit {
        // Another method's map has as many outputs as it has.
        return fitting(most).into_iter().collect();
    }
    let found: Vec<Shape> = dims(most).into_iter().filter_map(fitting).collect();
    if found.is_empty() { (1..most).rev().find_map(fitting).into_iter().collect() } else { found }
}

/// What the smallest models of these kinds take, each kind of cost by itself.
pub(in crate::search) fn smallest(
    rows: &Rows,
    fixed: &Fixed,
    limits: &Limits,
    numeric: Numeric,
    linear: bool,
    kernel: bool,
) -> Smallest {
    let Rows { classes, .. } = *rows;
    let features = fixed.features;
    let dim = if rows.unit { 1 } else { rows.dim };
    let (kept, projected, nonzeros, centers) = (dim, dim, None, 0);
    let line = Shape { features, kept, nonzeros, projected, centers, dim, classes, unit: false, door: rows.door };
    let shapes = linear.then_some(line).into_iter().chain(kernel.then(|| bare(rows, fixed)).into_iter().flatten());
    let needs = shapes.map(|shape| Smallest {
        flash: shape.bytes(numeric) + fixed.names,
        ram: shape.ram(numeric, fixed.gathered),
        instructions: limits.instructions.map_or(0, |(_, board)| fixed.instructions(&shape, numeric, board)),
    });
    needs.reduce(Smallest::of_both).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ground() -> (Rows, Fixed, Limits) {
        let rows = Rows { count: 4000, classes: 10, dim: 10, unit: true, door: false };
        let front = crate::model::cost::Shape { inputs: 600, pooled: 600, ..Default::default() };
        let fixed = Fixed { features: 600, gathered: false, names: 0, floats: true, bytes: false, front };
        (rows, fixed, Limits { flash: Some(8192), ..Limits::default() })
    }

    #[test]
    fn sparse_shapes_keep_the_limits_and_look_at_every_feature() {
        let (rows, fixed, limits) = ground();
        for numeric in [Numeric::I8, Numeric::F32] {
            let all = kernels(&rows, &fixed, &limits, numeric);
            let Some(dense) = all.iter().find(|shape| !shape.is_whole() && shape.projected == 12) else {
                panic!("no shape of 12 values: {all:?}")
            };
            let found = sparse(dense, &rows, &fixed, &limits, numeric);
            assert_eq!(found.len(), 3, "{dense:?} {found:?}");
            for shape in found {
                assert!(limits.admit(&shape, &fixed, numeric) && shape.kept == shape.features, "{shape:?}");
                assert!(shape.weights(numeric) <= dense.weights(numeric), "{shape:?}");
            }
        }
    }

    #[test]
    fn the_whole_shape_most_like_another_has_its_coordinates_first() {
        let (rows, fixed, limits) = ground();
        let all = kernels(&rows, &fixed, &limits, Numeric::I8);
        let dropped = Shape { kept: 40, projected: 20, ..all[0] };
        let Some(found) = whole(&all, &dropped) else { panic!("no whole shape: {all:?}") };
        assert!(found.is_whole() && found.dim == dropped.dim, "{found:?}");
        assert!(all.iter().filter(|s| s.is_whole()).all(|s| s.projected.abs_diff(20) >= found.projected.abs_diff(20)));
    }
}
