//! All numbers that training may change, as one vector of f32.

use crate::compile::quantize::learned::{LearnedSteps, Widths};
use crate::linalg::Mat;
use crate::preprocess::Projection;
use crate::search::{CompactModel, Dimensions};
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
    /// Bits of the matrices, if their steps are learned.
    pub(super) learned: Option<Widths>,
}

impl Groups {
    pub(super) fn of(model: &CompactModel) -> Self {
        let Dimensions { features: n, projected: p, centers: m, dim: d, classes: c, unit, .. } = model.dimensions();
        Self { n, p, m, d, c, unit, learned: model.steps.as_ref().map(|steps| steps.widths) }
    }

    /// P, p × n.
    pub(super) fn projection(&self) -> Range<usize> {
        0..self.p * self.n
    }

    /// Offsets of the projected values.
    pub(super) fn offsets(&self) -> Range<usize> {
        behind(self.projection().end, self.p)
    }

    /// Centers, p × m.
    pub(super) fn centers(&self) -> Range<usize> {
        behind(self.offsets().end, self.p * self.m)
    }

    /// log γ.
    pub(super) fn width(&self) -> usize {
        self.centers().end
    }

    /// Readout, d × m.
    pub(super) fn readout(&self) -> Range<usize> {
        behind(self.width() + 1, self.d * self.m)
    }

    /// Bias of the embedding.
    pub(super) fn bias(&self) -> Range<usize> {
        behind(self.readout().end, self.d)
    }

    /// Class points, d × C.
    pub(super) fn means(&self) -> Range<usize> {
        behind(self.bias().end, self.d * self.c)
    }

    /// Logarithms of the learned steps: of the projection's outputs, of projected values, of the readout's coordinates.
    pub(super) fn steps(&self) -> Range<usize> {
        behind(self.means().end, if self.learned.is_some() { self.p + 1 + self.d } else { 0 })
    }

    pub(super) fn len(&self) -> usize {
        self.steps().end
    }

    /// The numbers of a model, with logits multiplied by `gain`.
    pub(super) fn pack(&self, model: &CompactModel, gain: f64) -> Vec<f32> {
        // Unit vectors stay, so that the embedding takes the factor alone; else both sides of the product share it.
        let (z, points) = if self.unit { (gain, 1.0) } else { (gain.sqrt(), gain.sqrt()) };
        let mut theta = Vec::with_capacity(self.len());
        // Without centers the projection is the embedding.
        let u = if self.m == 0 { z } else { 1.0 };
        theta.extend(model.projection.weights.iter().map(|v| (v * u) as f32));
        theta.extend(model.projection.bias.iter().map(|v| (v * u) as f32));
        theta.extend(model.centers.transpose().iter().map(|v| *v as f32));
        theta.push(libm::log(model.gamma) as f32);
        theta.extend(model.weights.transpose().iter().map(|v| (v * z) as f32));
        theta.extend(model.bias.iter().map(|v| (v * z) as f32));
        theta.extend(model.means.transpose().iter().map(|v| (v * points) as f32));
        if let Some(LearnedSteps { projection, projected, readout, .. }) = &model.steps {
            let logs =
                projection.iter().map(|s| (s, 1.0)).chain([(projected, 1.0)]).chain(readout.iter().map(|s| (s, z)));
            theta.extend(logs.map(|(step, gain)| libm::log(step * gain) as f32));
        }
        theta.resize(self.len(), 0.0);
        theta
    }

    pub(super) fn unpack(&self, theta: &[f32]) -> CompactModel {
        let wide = |range: Range<usize>| theta[range].iter().map(|v| f64::from(*v));
        CompactModel {
            projection: Projection {
                weights: Mat::from_iterator(self.p, self.n, wide(self.projection())),
                bias: wide(self.offsets()).collect(),
            },
            gamma: libm::exp(f64::from(theta[self.width()])),
            centers: Mat::from_iterator(self.p, self.m, wide(self.centers())).transpose(),
            weights: Mat::from_iterator(self.d, self.m, wide(self.readout())).transpose(),
            bias: wide(self.bias()).collect(),
            means: Mat::from_iterator(self.d, self.c, wide(self.means())).transpose(),
            steps: self.learned.map(|widths| {
                let steps: Vec<f64> = wide(self.steps()).map(libm::exp).collect();
                let (projection, rest) = steps.split_at(self.p);
                let (projection, readout) = (projection.to_vec(), rest[1..].to_vec());
                LearnedSteps { widths, projection, projected: rest[0], readout }
            }),
        }
    }
}

fn behind(start: usize, count: usize) -> Range<usize> {
    start..start + count
}
