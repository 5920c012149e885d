//! Joint training of convolutions and the compact model behind them.
//!
//! # Steps
//! 1. Gaussian filters, rescaled on some rows so that sums have mean 0.1 and deviation 0.3 before they are clipped to 0..1.
//! 2. The closed form of a compact model on the features that these filters make.
//! 3. Adam on minibatches with learned step sizes from the first step on: filters, projection, centers and readout
//!    compute with the integers that will be stored.
//!
//! Filters of the first layer have 8 bits, of the second 4. A minibatch is cut into blocks of [`BLOCK`] samples, as in
//! the training of compact models, and the seed fixes every bit.

mod filters;
mod kernels;
mod samples;

pub(in crate::search) use samples::Images;

use super::adam::{Adam, Batches};
use super::fake_quant::{Effective, InputGrid};
use super::loss::{self, vectorized};
use super::parameters::Groups;
use super::{BLOCK, GAP, lead, relative_rates, steps};
use crate::compile::quantize::learned::Widths;
use crate::dataset::Dataset;
use crate::error::FitError;
use crate::linalg::{Mat, evenly};
use crate::parallel;
use crate::preprocess::{Filters, Grid};
use crate::rng::Rng;
use crate::run::Run;
use crate::search::CompactModel;
use crate::search::closed_form;
use filters::{Layers, backward, forward, sums_of};
use kernels::{LANES, Pixel};

/// Rows that filters are rescaled on.
const SCALED_ON: usize = 1000;
/// Mean and deviation of sums at the start: most lie where the clipping lets slopes pass.
const START: (f64, f64) = (0.1, 0.3);
/// Rows that the closed form is fitted to: k-means and ridge change little with more.
const CLOSED_FORM: usize = 5000;
/// Steps until the full rate.
const WARM_UP: usize = 100;
/// Rates of everything in the convolutions, relative to those of the compact model behind them: all features follow a filter.
const FILTER_RATE: f32 = 0.3;
/// Rates of biases and of logarithms of steps.
const BIAS_RATE: f32 = 0.15;
const STEP_RATE: f32 = 0.2;

/// How to train.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::search) struct Params {
    /// Filters of both layers; the second may have none.
    pub(in crate::search) filters: [usize; 2],
    /// The compact model behind the convolutions.
    pub(in crate::search) head: closed_form::Params,
    pub(in crate::search) widths: Widths,
    pub(in crate::search) steps: usize,
    pub(in crate::search) batch: usize,
    pub(in crate::search) rate: f64,
    pub(in crate::search) seed: u64,
}

/// What is trained on.
#[derive(Clone, Copy)]
struct Samples<'a> {
    data: &'a Dataset,
    images: &'a Images,
    rows: &'a [usize],
}

/// Filters and the compact model behind them.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::search) struct Network {
    layers: Layers,
    /// Weights, biases and logarithms of steps of every layer.
    theta: Vec<f32>,
    pub(in crate::search) head: CompactModel,
}

/// What the features of convolutions are before a projection: bytes of 0..1, less 128.
pub(in crate::search) fn feature_grid(features: usize) -> InputGrid {
    let grid = Grid { step: vec![1.0 / 255.0; features], shift: vec![128.0 / 255.0; features], low: -128.0 };
    InputGrid { grid, mean: vec![0.0; features], exact: true }
}

/// Trains on some rows of the images, whose other columns `data` has.
pub(in crate::search) fn train(
    data: &Dataset,
    images: &Images,
    rows: &[usize],
    params: &Params,
    run: &Run<'_>,
) -> Result<Network, FitError> {
    let layers = Layers { images: images.shape, filters: params.filters };
    let mut filters = start(&layers, images, rows, params.seed);
    let some = evenly(rows, CLOSED_FORM);
    let features = features(&layers, &rounded(&layers, &filters), images, &some, run.thread_count());
    let head = closed_form::fit(&data.select(&some).with_rows(features)?, &params.head, None, run)?;
    let mut at = Start::new(&head, &layers, params);
    at.scale_logits(images, &filters, &some, run);
    let on = Samples { data, images, rows };
    let theta = optimize(&at.groups, &layers, (&mut filters, at.theta), on, params, run)?;
    Ok(Network { layers, theta: filters, head: at.groups.unpack(&theta) })
}

/// A compact model at the start.
struct Start {
    groups: Groups,
    layers: Layers,
    theta: Vec<f32>,
    head: CompactModel,
    widths: Widths,
}

impl Start {
    fn new(head: &CompactModel, layers: &Layers, params: &Params) -> Self {
        let groups = Groups { learned: Some(params.widths), ..Groups::of(head) };
        Self { groups, layers: *layers, theta: Vec::new(), head: head.clone(), widths: params.widths }
    }

    /// Logits of a mean gap of [`GAP`], and steps to begin with.
    fn scale_logits(&mut self, images: &Images, filters: &[f32], rows: &[usize], run: &Run<'_>) {
        let plain = Effective::exact(&self.groups.pack(&self.head, 1.0));
        let filters = rounded(&self.layers, filters);
        let gaps = parts(rows, run.thread_count(), |_, rows| {
            let x = block_features(&self.layers, &filters, images, 0, rows).1;
            loss::logits(&self.groups, &plain, &x).chunks(self.groups.c).map(|own| f64::from(lead(own))).sum::<f64>()
        });
        let gap = gaps.iter().sum::<f64>() / rows.len() as f64;
        self.theta = self.groups.pack(&self.head, if gap > 0.0 { GAP / gap } else { 1.0 });
        steps::start(&self.groups, self.widths, &mut self.theta, &feature_grid(self.groups.n));
    }
}

/// Gaussian filters with sums of a mean and deviation of [`START`], layer after layer.
fn start(layers: &Layers, images: &Images, rows: &[usize], seed: u64) -> Vec<f32> {
    let mut rng = Rng::new(seed);
    let mut theta = vec![0.0; layers.len()];
    let some = evenly(rows, SCALED_ON);
    for (i, layer) in layers.layers().iter().enumerate() {
        theta[layer.weights.clone()].iter_mut().for_each(|w| *w = rng.normal() as f32);
        let (mut sums, mut squares) = (vec![0.0_f64; layer.filters], vec![0.0_f64; layer.filters]);
        let plane = layer.from.convolved(layer.filters).len() / layer.filters;
        for rows in some.chunks_exact(LANES) {
            let all = sums_of(layers, &theta, images.gather(0, rows), i);
            for (filter, plane) in all.chunks(plane).enumerate() {
                for v in plane.iter().flatten().map(|v| f64::from(*v)) {
                    sums[filter] += v;
                    squares[filter] += v * v;
                }
            }
        }
        let count = (some.len() / LANES * LANES * plane).max(1) as f64;
        for filter in 0..layer.filters {
            let mean = sums[filter] / count;
            let deviation = (squares[filter] / count - mean * mean).max(0.0).sqrt().max(1e-3);
            let factor = START.1 / deviation;
            let own = theta[layer.weights.clone()].iter_mut().skip(filter).step_by(layer.filters);
            own.for_each(|w| *w *= factor as f32);
            theta[layer.bias.start + filter] = (START.0 - mean * factor) as f32;
        }
        layer.matrix().start(&mut theta, steps::weights_reach(layer.width));
    }
    theta
}

/// The numbers with weights rounded to their steps.
fn rounded(layers: &Layers, theta: &[f32]) -> Vec<f32> {
    let mut at = theta.to_vec();
    layers.layers().iter().for_each(|layer| layer.matrix().round(theta, &mut at));
    at
}

/// Results of blocks of rows, in their order.
fn parts<T: Send>(rows: &[usize], threads: usize, f: impl Fn(usize, &[usize]) -> T + Sync) -> Vec<T> {
    let blocks: Vec<&[usize]> = rows.chunks(BLOCK).collect();
    parallel::map(threads, blocks.len(), |i| f(i, blocks[i]))
}

/// Passes of a block of rows, and their features one sample after the other.
fn block_features(
    layers: &Layers,
    filters: &[f32],
    images: &Images,
    copy: usize,
    rows: &[usize],
) -> (Vec<filters::Planes>, Vec<f32>) {
    let n = layers.features();
    let mut x = vec![0.0; rows.len() * n];
    let passes = rows.chunks(LANES).zip(x.chunks_mut(LANES * n)).map(|(rows, x)| {
        let planes = vectorized(
            #[inline(always)]
            || forward(layers, filters, images.gather(copy, rows)),
        );
        for (i, sample) in x.chunks_mut(n).enumerate() {
            sample.iter_mut().zip(&planes.pooled).for_each(|(v, pixel)| *v = pixel[i]);
        }
        planes
    });
    (passes.collect(), x)
}

/// The features of some rows, a row each.
fn features(layers: &Layers, filters: &[f32], images: &Images, rows: &[usize], threads: usize) -> Mat {
    let all = parts(rows, threads, |_, rows| block_features(layers, filters, images, 0, rows).1).concat();
    Mat::from_row_iterator(rows.len(), layers.features(), all.into_iter().map(f64::from))
}

/// Trains filters and the compact model's numbers, which it returns.
fn optimize(
    groups: &Groups,
    layers: &Layers,
    (filters, mut theta): (&mut [f32], Vec<f32>),
    on: Samples<'_>,
    params: &Params,
    run: &Run<'_>,
) -> Result<Vec<f32>, FitError> {
    let grid = feature_grid(groups.n);
    let mut rng = Rng::new(params.seed);
    let mut batches = Batches::new(on.rows.to_vec(), params.batch);
    let mut rates = vec![1.0; groups.len()];
    relative_rates(groups, &theta, &mut rates);
    let (mut adam, mut filter_adam) =
        (Adam::new(rates, groups.len()), Adam::new(filter_rates(layers, filters), filters.len()));
    let epoch = (on.rows.len() / params.batch).max(1);
    for step in 0..params.steps {
        if step % super::STRIDE == 0 {
            run.step("training", step, params.steps)?;
        }
        let (copy, own_filters) = (step / epoch, rounded(layers, filters));
        let at = Effective::stored(groups, &theta, &grid);
        let found = parts(batches.next(&mut rng), run.thread_count(), |_, rows| {
            block_gradient(groups, &at, (layers, &own_filters), Samples { rows, ..on }, copy)
        });
        let mut gradient = super::total(found, params.batch.min(on.rows.len()));
        let mut by_filters = gradient.split_off(groups.len());
        steps::chain(groups, params.widths, &theta, &at.theta, &grid, &mut gradient);
        for layer in layers.layers() {
            layer.matrix().chain(filters, &own_filters, &mut by_filters);
        }
        let done = step as f64 / params.steps as f64;
        let warm = ((step + 1) as f64 / WARM_UP as f64).min(1.0);
        let cool = f64::midpoint(1.0, libm::cos(std::f64::consts::PI * done));
        let rate = (params.rate * warm * cool) as f32;
        adam.step(&mut theta, &gradient, rate);
        filter_adam.step(filters, &by_filters, rate);
        steps::limit(groups, &mut theta);
    }
    Ok(theta)
}

/// Both gradients of a block: of the compact model's numbers, then of the filters.
fn block_gradient(
    groups: &Groups,
    at: &Effective,
    (layers, filters): (&Layers, &[f32]),
    Samples { data, images, rows }: Samples<'_>,
    copy: usize,
) -> Vec<f32> {
    let (passes, x) = block_features(layers, filters, images, copy, rows);
    let labels: Vec<usize> = rows.iter().map(|&row| data.labels()[row]).collect();
    let mut by_filters = vec![0.0; layers.len()];
    let mut gradient = vectorized(
        #[inline(always)]
        || {
            let (gradient, by_feature) = loss::gradient_through(groups, at, &x, &labels, 0.0);
            for (planes, slopes) in passes.iter().zip(by_feature.chunks(LANES * groups.n)) {
                let mut pooled = vec![[0.0; LANES]; groups.n];
                for (i, sample) in slopes.chunks(groups.n).enumerate() {
                    pooled.iter_mut().zip(sample).for_each(|(pixel, slope): (&mut Pixel, _)| pixel[i] = *slope);
                }
                backward(layers, filters, planes, &pooled, &mut by_filters);
            }
            gradient
        },
    );
    gradient.append(&mut by_filters);
    gradient
}

/// Learning rates of the filters' numbers, relative to the common one.
fn filter_rates(layers: &Layers, theta: &[f32]) -> Vec<f32> {
    let mut rates = vec![0.0; theta.len()];
    for layer in layers.layers() {
        let weights = &theta[layer.weights.clone()];
        let size = (weights.iter().map(|w| w * w).sum::<f32>() / weights.len() as f32).sqrt();
        rates[layer.weights.clone()].fill(FILTER_RATE * size);
        rates[layer.bias.clone()].fill(FILTER_RATE * BIAS_RATE);
        rates[layer.steps.clone()].fill(FILTER_RATE * STEP_RATE);
    }
    rates
}

impl Network {
    /// The filters as stages have them.
    pub(in crate::search) fn filters(&self) -> Vec<Filters> {
        let wide = |range: std::ops::Range<usize>| self.theta[range].iter().map(|v| f64::from(*v));
        let of = |layer: &filters::Layer| {
            let taps = layer.weights.len() / layer.filters;
            // Filters lie side by side, which is column by column of a matrix of one filter per row.
            let weights = Mat::from_iterator(layer.filters, taps, wide(layer.weights.clone()));
            let steps = wide(layer.steps.clone()).map(libm::exp).collect();
            Filters { weights, bias: wide(layer.bias.clone()).collect(), steps, width: layer.width }
        };
        self.layers.layers().iter().map(of).collect()
    }

    /// The classes of some rows, by the rounded numbers.
    pub(in crate::search) fn classify(&self, images: &Images, rows: &[usize], threads: usize) -> Vec<usize> {
        let groups = Groups::of(&self.head);
        let at = Effective::stored(&groups, &groups.pack(&self.head, 1.0), &feature_grid(groups.n));
        let filters = rounded(&self.layers, &self.theta);
        let largest = |logits: &[f32]| {
            let mut best = 0;
            (1..logits.len()).for_each(|c| best = if logits[c] > logits[best] { c } else { best });
            best
        };
        let found = parts(rows, threads, |_, rows| {
            let x = block_features(&self.layers, &filters, images, 0, rows).1;
            loss::logits(&groups, &at, &x).chunks(groups.c).map(largest).collect::<Vec<_>>()
        });
        found.concat()
    }
}

#[cfg(test)]
mod tests;
