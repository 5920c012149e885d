//! Which convolutions a budget can hold: filters, projected values, and as many centers as fit.

use super::augment::Augmentation;
use crate::compile::quantize::convolution::WIDTHS;
use crate::compile::quantize::learned::{Width, Widths};
use crate::dataset::Dataset;
use crate::linalg::Mat;
use crate::preprocess::convolution::{Geometry, TAPS};
use crate::preprocess::{Convolution, Filters, Stage};
use crate::search::{Dimensions, Inputs, Limits, Numeric};
use nearmark_format::Pooling;

/// Filters of both layers and projected values that were the best of a few in so many bytes on MNIST, with centers in the
/// rest. The smallest are extrapolated, and projected values are whole groups of four, as they are stored.
const TWO: [(usize, [usize; 2], usize); 5] =
    [(1024, [4, 6], 8), (2048, [8, 8], 8), (4096, [10, 16], 12), (8192, [12, 20], 16), (16384, [16, 24], 24)];
/// The same of one layer.
const ONE: [(usize, [usize; 2], usize); 5] =
    [(1024, [5, 0], 8), (2048, [8, 0], 8), (4096, [16, 0], 12), (8192, [20, 0], 16), (16384, [28, 0], 20)];
/// Images are shrunk by the mean of blocks to at most this side: filters see more with fewer multiplications.
pub(super) const SIDE: usize = 16;
/// The least side behind the mean: what two layers and a pooling leave at least 2×2 of.
const LEAST_SIDE: usize = 8;
/// From so many bytes on, centers and readout have 8 bits.
const WIDE_FROM: usize = 12_000;
/// Of a row of the tables, the bytes that a budget has at least.
const LEAST: f64 = 0.7;

/// One way to put convolutions before a compact model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Plan {
    pub(super) geometry: Geometry,
    /// Filters of both layers; the second may have none.
    pub(super) filters: [usize; 2],
    pub(super) dimensions: Dimensions,
    pub(super) widths: Widths,
    pub(super) augmentation: Augmentation,
}

/// How many layers are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layers {
    /// One and two.
    #[default]
    Any,
    /// One.
    One,
    /// Two.
    Two,
}

impl Plan {
    /// Multiplications of the filters for one image.
    pub(super) fn work(&self) -> usize {
        let (rows, cols) = self.geometry.area();
        let (mut channels, mut work) = (self.geometry.images.0, 0);
        for (layer, filters) in self.filters.into_iter().enumerate().filter(|(_, filters)| *filters > 0) {
            let left = |side: usize| side.saturating_sub(2 * (layer + 1));
            work += channels * TAPS * filters * left(rows) * left(cols);
            channels = filters;
        }
        work
    }
}

/// How images of so many channels, rows and columns are filtered; none where they are too small or no blocks divide them.
pub(super) fn geometry(images: (usize, usize, usize)) -> Option<Geometry> {
    let (_, rows, cols) = images;
    let fits = |by: &usize| rows.is_multiple_of(*by) && cols.is_multiple_of(*by) && rows.max(cols) / by <= SIDE;
    let by = (1..=SIDE).find(fits)?;
    let block = (by, by);
    (rows.min(cols) / by >= LEAST_SIDE).then_some(Geometry { images, block, interleaved: false, pooling: Pooling::Max })
}

/// The stage of a plan with filters yet to be learned.
fn stage(geometry: Geometry, filters: [usize; 2]) -> Stage {
    let mut channels = geometry.images.0;
    let mut layers = Vec::new();
    for (count, width) in filters.into_iter().zip(WIDTHS).filter(|(count, _)| *count > 0) {
        let (weights, numbers) = (Mat::zeros(count, channels * TAPS), vec![0.0; count]);
        layers.push(Filters { weights, bias: numbers.clone(), steps: numbers, width });
        channels = count;
    }
    Stage::Convolution(Convolution::new(geometry, layers))
}

/// Plans that keep the limits, from large to small: of one and of two layers, the row of the table for the budget and the
/// one below it.
pub(super) fn plans(data: &Dataset, geometry: Geometry, layers: Layers, limits: &Limits, names: bool) -> Vec<Plan> {
    let mut found = Vec::new();
    for (table, wanted) in [(&TWO, Layers::Two), (&ONE, Layers::One)] {
        if layers != Layers::Any && layers != wanted {
            continue;
        }
        let mut own = Vec::new();
        for &(bytes, filters, projected) in table.iter().rev() {
            let affordable = limits.flash.is_none_or(|flash| bytes as f64 * LEAST <= flash as f64);
            if affordable && own.len() < 2 {
                own.extend(filled(data, geometry, filters, projected, limits, names));
            }
        }
        found.extend(own);
    }
    found
}

/// A plan with as many centers as fit.
fn filled(
    data: &Dataset,
    geometry: Geometry,
    filters: [usize; 2],
    projected: usize,
    limits: &Limits,
    names: bool,
) -> Option<Plan> {
    let classes = data.classes();
    let stage = stage(geometry, filters);
    let features =
        geometry.features(1 + usize::from(filters[1] > 0), filters[1].max(filters[0] * usize::from(filters[1] == 0)));
    let inputs = Inputs::new(data, &[stage], features, names);
    // With room for many centers, their bits are worth more than more of them.
    let narrow = limits.flash.is_some_and(|flash| flash < WIDE_FROM);
    let widths = if narrow { Widths::NARROW } else { Widths { projection: Width::I4, ..Widths::WIDE } };
    let dense = Dimensions { widths, ..Dimensions::dense(features, projected.min(features), 4, classes, classes) };
    let most = (data.len() / 4).max(classes).min(400);
    let dimensions = limits.fill(dense, &inputs, Numeric::I8, most)?;
    let plan = Plan { geometry, filters, dimensions, widths, augmentation: Augmentation::None };
    (dimensions.centers >= classes).then_some(plan)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::synthetic::blobs;

    #[test]
    fn blocks_divide_the_image_and_leave_enough_of_it() {
        let block = |rows, cols| geometry((1, rows, cols)).map(|own| own.block.0);
        assert_eq!([block(28, 28), block(8, 8), block(64, 48), block(32, 32)], [Some(2), Some(1), Some(4), Some(2)]);
        assert_eq!([block(29, 29), block(6, 6), block(100, 4)], [None; 3]);
    }

    #[test]
    fn plans_keep_the_budget_and_larger_budgets_have_more_filters() {
        let data = blobs(10, 100, 784, 1.0, 0);
        let Some(geometry) = geometry((1, 28, 28)) else { panic!("28 by 28 pixels") };
        let of = |flash, layers| {
            let limits = Limits { flash: Some(flash), ..Limits::default() };
            plans(&data, geometry, layers, &limits, false)
        };
        let (small, large) = (of(2048, Layers::Two), of(8192, Layers::Two));
        assert!(!small.is_empty() && large[0].filters[0] > small[0].filters[0]);
        assert!(small.iter().all(|plan| plan.filters[1] > 0 && plan.dimensions.centers >= 10), "{small:?}");
        assert!(of(4096, Layers::One).iter().all(|plan| plan.filters[1] == 0));
        assert!(of(300, Layers::Any).is_empty());
        assert_eq!(of(2048, Layers::Any).len(), small.len() + of(2048, Layers::One).len());
    }
}
