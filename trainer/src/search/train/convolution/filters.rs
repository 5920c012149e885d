//! The filters in front of a compact model: where their numbers lie, and both directions of a pass.

use super::kernels::{
    LANES, Pixel, Shape, TAPS, activate, convolve, image_slopes, largest, largest_slopes, through_activation, total,
    weight_slopes,
};
use crate::compile::quantize::convolution::WIDTHS;
use crate::compile::quantize::learned::Width;
use crate::search::train::steps::Matrix;
use std::ops::Range;

/// One or two convolutions 3×3 and a maximum over 2×2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layers {
    /// Channels, rows and columns of the images.
    pub(super) images: Shape,
    /// Filters of every layer; zero of the second: there is one.
    pub(super) filters: [usize; 2],
}

/// Where the numbers of a layer lie: weights by channel, tap and filter, biases, logarithms of steps.
#[derive(Debug, Clone)]
pub(super) struct Layer {
    pub(super) from: Shape,
    pub(super) filters: usize,
    pub(super) weights: Range<usize>,
    pub(super) bias: Range<usize>,
    pub(super) steps: Range<usize>,
    pub(super) width: Width,
}

impl Layers {
    pub(super) fn layers(&self) -> Vec<Layer> {
        let (mut from, mut at) = (self.images, 0);
        let mut all = Vec::new();
        for (filters, width) in self.filters.into_iter().zip(WIDTHS).filter(|(filters, _)| *filters > 0) {
            let weights = at..at + from.channels * TAPS * filters;
            let bias = weights.end..weights.end + filters;
            let steps = bias.end..bias.end + filters;
            at = steps.end;
            all.push(Layer { from, filters, weights, bias, steps, width });
            from = from.convolved(filters);
        }
        all
    }

    /// Numbers of all layers.
    pub(super) fn len(&self) -> usize {
        self.layers().last().map_or(0, |layer| layer.steps.end)
    }

    fn last(&self) -> Shape {
        self.filters.into_iter().filter(|filters| *filters > 0).fold(self.images, Shape::convolved)
    }

    /// Features that leave the pooling.
    pub(super) fn features(&self) -> usize {
        self.last().pooled().len()
    }
}

impl Layer {
    pub(super) fn matrix(&self) -> Matrix<'static> {
        Matrix::new(self.weights.clone(), self.filters, self.steps.clone(), self.width)
    }

    #[inline(always)]
    fn sums(&self, theta: &[f32], from: &[Pixel]) -> Vec<Pixel> {
        let mut sums = vec![[0.0; LANES]; self.from.convolved(self.filters).len()];
        convolve(from, self.from, &theta[self.weights.clone()], &theta[self.bias.clone()], &mut sums);
        sums
    }
}

/// What a pass backwards needs of the pass forwards.
pub(super) struct Planes {
    /// The images, then the outputs of every layer.
    outputs: Vec<Vec<Pixel>>,
    /// Before activation.
    sums: Vec<Vec<Pixel>>,
    pub(super) pooled: Vec<Pixel>,
}

/// Runs images through layers of these numbers, the first `depth` of them.
#[inline(always)]
pub(super) fn forward(layers: &Layers, theta: &[f32], images: Vec<Pixel>) -> Planes {
    let (mut outputs, mut sums) = (vec![images], Vec::new());
    for (i, layer) in layers.layers().iter().enumerate() {
        let own = layer.sums(theta, &outputs[i]);
        let mut activated = vec![[0.0; LANES]; own.len()];
        activate(&own, &mut activated);
        sums.push(own);
        outputs.push(activated);
    }
    let mut pooled = vec![[0.0; LANES]; layers.features()];
    largest(&outputs[outputs.len() - 1], layers.last(), &mut pooled);
    Planes { outputs, sums, pooled }
}

/// Sums of a layer before its activation.
pub(super) fn sums_of(layers: &Layers, theta: &[f32], images: Vec<Pixel>, layer: usize) -> Vec<Pixel> {
    forward(layers, theta, images).sums.swap_remove(layer)
}

/// Adds the slopes of all numbers, from those of the pooled planes.
#[inline(always)]
pub(super) fn backward(layers: &Layers, theta: &[f32], planes: &Planes, slopes: &[Pixel], gradient: &mut [f32]) {
    let all = layers.layers();
    let mut by_output = vec![[0.0; LANES]; layers.last().len()];
    largest_slopes(&planes.outputs[all.len()], layers.last(), &planes.pooled, slopes, &mut by_output);
    for (i, layer) in all.iter().enumerate().rev() {
        through_activation(&planes.sums[i], &mut by_output);
        weight_slopes(&planes.outputs[i], layer.from, &by_output, layer.filters, &mut gradient[layer.weights.clone()]);
        let plane = by_output.len() / layer.filters;
        for (own, slopes) in gradient[layer.bias.clone()].iter_mut().zip(by_output.chunks(plane)) {
            *own += slopes.iter().map(total).sum::<f32>();
        }
        if i > 0 {
            let mut before = vec![[0.0; LANES]; layer.from.len()];
            image_slopes(&by_output, layer.from, &theta[layer.weights.clone()], layer.filters, &mut before);
            by_output = before;
        }
    }
}
