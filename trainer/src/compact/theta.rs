//! All numbers that refinement may change, as one vector of f32.

use super::core::Core;
use crate::linalg::Mat;
use crate::stages::Projection;
use std::ops::Range;

/// Where each group of numbers lies. Matrices lie column by column, with the samples' side as columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Groups {
    pub(super) n: usize,
    pub(super) p: usize,
    pub(super) m: usize,
    pub(super) d: usize,
    pub(super) c: usize,
    /// Whether class points are unit vectors, which stay.
    pub(super) unit: bool,
}

impl Groups {
    pub(super) fn of(core: &Core) -> Self {
        let shape = core.shape();
        Self {
            n: shape.features,
            p: shape.projected,
            m: shape.centers,
            d: shape.dim,
            c: shape.classes,
            unit: shape.unit,
        }
    }

    /// P, p × n.
    pub(super) fn projection(&self) -> Range<usize> {
        0..self.p * self.n
    }

    /// Offsets of the projected values.
    pub(super) fn offsets(&self) -> Range<usize> {
        let start = self.projection().end;
        start..start + self.p
    }

    /// Centers, p × m.
    pub(super) fn centers(&self) -> Range<usize> {
        let start = self.offsets().end;
        start..start + self.p * self.m
    }

    /// log γ.
    pub(super) fn width(&self) -> usize {
        self.centers().end
    }

    /// Readout, d × m.
    pub(super) fn readout(&self) -> Range<usize> {
        let start = self.width() + 1;
        start..start + self.d * self.m
    }

    /// Bias of the embedding.
    pub(super) fn bias(&self) -> Range<usize> {
        let start = self.readout().end;
        start..start + self.d
    }

    /// Class points, d × C.
    pub(super) fn means(&self) -> Range<usize> {
        let start = self.bias().end;
        start..start + self.d * self.c
    }

    /// All numbers.
    pub(super) fn len(&self) -> usize {
        self.means().end
    }

    /// The numbers of a model, with logits multiplied by `gain`.
    pub(super) fn pack(&self, core: &Core, gain: f64) -> Vec<f32> {
        // Unit vectors stay, so that the embedding takes the factor alone; else both sides of the product share it.
        let (z, points) = if self.unit { (gain, 1.0) } else { (gain.sqrt(), gain.sqrt()) };
        let mut theta = Vec::with_capacity(self.len());
        // Without centers the projection is the embedding.
        let u = if self.m == 0 { z } else { 1.0 };
        theta.extend(core.projection.weights.iter().map(|v| (v * u) as f32));
        theta.extend(core.projection.bias.iter().map(|v| (v * u) as f32));
        theta.extend(core.centers.transpose().iter().map(|v| *v as f32));
        theta.push(libm::log(core.gamma) as f32);
        theta.extend(core.weights.transpose().iter().map(|v| (v * z) as f32));
        theta.extend(core.bias.iter().map(|v| (v * z) as f32));
        theta.extend(core.means.transpose().iter().map(|v| (v * points) as f32));
        theta
    }

    /// The model of these numbers.
    pub(super) fn unpack(&self, theta: &[f32]) -> Core {
        let wide = |range: Range<usize>| theta[range].iter().map(|v| f64::from(*v));
        Core {
            projection: Projection {
                weights: Mat::from_iterator(self.p, self.n, wide(self.projection())),
                bias: wide(self.offsets()).collect(),
            },
            gamma: libm::exp(f64::from(theta[self.width()])),
            centers: Mat::from_iterator(self.p, self.m, wide(self.centers())).transpose(),
            weights: Mat::from_iterator(self.d, self.m, wide(self.readout())).transpose(),
            bias: wide(self.bias()).collect(),
            means: Mat::from_iterator(self.d, self.c, wide(self.means())).transpose(),
        }
    }
}
