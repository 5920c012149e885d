//! Joint training of all numbers of a compact model by gradients, from its closed form on.
//!
//! # Steps
//! 1. Scale the logits so that the best exceeds the second by 4 on average: neither flat nor saturated.
//! 2. Adam on minibatches, warming up over 50 steps and cooling by a cosine, with larger steps for the readout and
//!    smaller ones for the projection.
//! 3. In the first half, drop the features or weights of the projection that matter least, down to as many as may stay.
//! 4. In the last 30 % of the steps, compute with numbers rounded to 8 bits, if they will be stored so.
//!
//! A minibatch is cut into blocks of [`BLOCK`] samples whatever the number of threads, and gradients are added in the
//! order of the blocks: the seed fixes every bit.

mod adam;
pub(in crate::search) mod convolution;
pub(super) mod fake_quant;
pub(super) mod images;
mod loss;
mod parameters;
mod products;
mod prune;
mod samples;
mod steps;

pub(super) use fake_quant::InputGrid;
pub use prune::Keep;
pub(super) use samples::Samples;

use super::{CompactModel, Numeric};
use crate::compile::quantize::learned::Widths;
use crate::dataset::Dataset;
use crate::error::{FitError, ParamError};
use crate::parallel;
use crate::rng::Rng;
use crate::run::Run;
use adam::{Adam, Batches};
use fake_quant::Effective;
use parameters::Groups;
use prune::Pruning;
use serde::Serialize;

/// Samples per block, the unit of parallel work. It decides the order of sums, and with it bits: never by the number of
/// cores.
const BLOCK: usize = 32;
// The next five were varied on digits at 2 kB (hold-out accuracy, mean of seeds 0 to 4, each about 0.1 points apart): 98.42 %
// as they are. None of them matters much there.

/// Steps until the full rate: Adam knows the size of gradients only after some tens of steps. 1: 98.46 %, 200: 98.50 %.
const WARM_UP: usize = 50;
/// Share of the steps before rounding sets in: weights first move farther than a rounding step, and steps without it take
/// less time. 0: 98.45 %, 0.4: 98.43 %, 0.9: 98.38 %.
const FREE: f64 = 0.7;
/// Mean gap between the best and the second logit at the start: a closed form has distances of any scale, and where the
/// softmax is flat or saturated the first gradients are small. 1: 98.48 %, 16: 98.42 %.
const GAP: f64 = 4.0;
/// Learning rate of the projection, relative to the common one and to its mean absolute weight: Adam moves every number
/// by about its learning rate, and small weights need small steps. 1: 98.38 %, 16: 98.39 %.
const PROJECTION_RATE: f32 = 4.0;
/// Learning rate of readout, bias and class points, relative to the common one. 0.5: 98.39 %, 8: 98.42 %.
const READOUT_RATE: f32 = 2.0;
/// Steps from one report of progress to the next, which is also when a cancelled run stops: milliseconds on any set here.
const STRIDE: usize = 32;

/// How to train.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Params {
    /// Steps; zero leave the model as it is, to the bit.
    pub steps: usize,
    /// Samples per step.
    pub batch: usize,
    /// The largest learning rate.
    pub rate: f64,
    /// Label smoothing: the share of every target that is spread over all classes.
    pub smoothing: f64,
    /// Gaussian noise on the features, relative to their root mean square deviation.
    pub noise: f64,
    /// Pixels by which images are moved at random, where rows are images.
    pub shift: usize,
    /// What may stay of the projection.
    pub keep: Option<Keep>,
    /// How the numbers will be stored.
    pub numeric: Numeric,
    /// Bits of the matrices, if their steps are learned, of integers with kernel centers; else all have 8, in steps that
    /// the largest number decides on.
    pub learned: Option<Widths>,
    /// Seed of minibatches and noise.
    pub seed: u64,
}

impl Params {
    fn check(&self) -> Result<(), ParamError> {
        ParamError::at_least_one("batch", self.batch)?;
        ParamError::positive("rate", self.rate)?;
        ParamError::not_negative("noise", self.noise)?;
        ParamError::check((0.0..1.0).contains(&self.smoothing), "smoothing", "in 0..1", self.smoothing)
    }
}

/// A model after training.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainedModel {
    /// The model.
    pub model: CompactModel,
    /// Mean smoothed cross-entropy of all rows before and after, with numbers as they will be stored.
    pub objective: (f64, f64),
}

/// Trains a closed form on prepared rows.
///
/// # Errors
/// [`FitError`] for a parameter out of range or a cancelled run.
pub fn train(start: &CompactModel, data: &Dataset, params: &Params, run: &Run<'_>) -> Result<TrainedModel, FitError> {
    let all: Vec<usize> = (0..data.len()).collect();
    let bytes = |model: &CompactModel| Ok(InputGrid::bytes(model.dimensions().features));
    train_rows(start, &Samples::new(data), &all, params, &bytes, run)
}

/// What input quantization will make of prepared rows before a model.
pub(super) type InputGrids<'a, E> = dyn Fn(&CompactModel) -> Result<InputGrid, E> + Sync + 'a;

/// As [`train`], on some of the rows.
pub(super) fn train_rows<E: From<FitError>>(
    start: &CompactModel,
    samples: &Samples,
    rows: &[usize],
    params: &Params,
    grids: &InputGrids<'_, E>,
    run: &Run<'_>,
) -> Result<TrainedModel, E> {
    params.check().map_err(FitError::from)?;
    let own = Groups::of(start);
    let learned = params.learned.filter(|_| own.m > 0 && params.numeric == Numeric::I8);
    let groups = Groups { learned, ..own };
    let plain = Effective::exact(&groups.pack(start, 1.0));
    let gap = mean_gap(&groups, &plain, samples, rows, run.thread_count());
    let mut theta = groups.pack(start, if gap > 0.0 { GAP / gap } else { 1.0 });
    if let Some(widths) = learned {
        let input = grids(&groups.unpack(&theta))?;
        steps::start(&groups, widths, &mut theta, &input);
    }
    let objective = |theta: &[f32]| -> Result<f64, E> {
        let input = (params.numeric == Numeric::I8).then(|| grids(&groups.unpack(theta))).transpose()?;
        let at = stored(&groups, theta, input.as_ref());
        let parts = blocks(rows, run.thread_count(), |_, rows| {
            let mut x = samples.gather(rows);
            at.round_input(&mut x);
            loss::loss(&groups, &at, &x, &labels(samples, rows), params.smoothing as f32)
        });
        Ok(parts.iter().sum::<f64>() / rows.len() as f64)
    };
    let before = objective(&theta)?;
    if params.steps == 0 {
        return Ok(TrainedModel { model: start.clone(), objective: (before, before) });
    }
    optimize(&groups, &mut theta, samples, rows, params, grids, run)?;
    Ok(TrainedModel { model: groups.unpack(&theta), objective: (before, objective(&theta)?) })
}

/// The numbers as they will be stored.
fn stored(groups: &Groups, theta: &[f32], input: Option<&InputGrid>) -> Effective {
    input.map_or_else(|| Effective::exact(theta), |input| Effective::stored(groups, theta, input))
}

fn optimize<E: From<FitError>>(
    groups: &Groups,
    theta: &mut [f32],
    samples: &Samples,
    rows: &[usize],
    params: &Params,
    grids: &InputGrids<'_, E>,
    run: &Run<'_>,
) -> Result<(), E> {
    let mut rng = Rng::new(params.seed);
    let mut batches = Batches::new(rows.to_vec(), params.batch);
    let mut adam = Adam::new(rates(groups, theta), theta.len());
    let variances = samples.variances(rows);
    let spread = (variances.iter().sum::<f32>() / groups.n as f32).sqrt();
    let noise = params.noise as f32 * spread;
    let mut pruning = Pruning::new(&theta[groups.projection()], variances, params.keep);
    let mut input: Option<InputGrid> = None;
    let mut settled = false;
    for step in 0..params.steps {
        if step % STRIDE == 0 {
            run.step("training", step, params.steps)?;
        }
        let done = step as f64 / params.steps as f64;
        // From here on the features that stay are known.
        let settles = done >= FREE && !settled;
        if params.numeric == Numeric::I8 && (settles || groups.learned.is_some() && input.is_none()) {
            let grid = grids(&groups.unpack(theta))?;
            if let (Some(_), Some(before)) = (groups.learned, &input) {
                steps::follow(groups, theta, before, &grid);
            }
            (input, settled) = (Some(grid), settles);
        }
        let at = stored(groups, theta, input.as_ref());
        let rows = batches.next(&mut rng);
        let seed = rng.next_u64();
        let parts = blocks(rows, run.thread_count(), |block, rows| {
            let mut own = Rng::new(seed.wrapping_add(block as u64));
            let mut x = samples.gather_shifted(rows, params.shift, &mut own);
            at.round_input(&mut x);
            if noise > 0.0 {
                for v in &mut x {
                    *v += noise * bell(own.next_u64());
                }
            }
            loss::gradient(groups, &at, &x, &labels(samples, rows), params.smoothing as f32)
        });
        let mut gradient = total(parts, rows.len());
        if let (Some(widths), Some(input)) = (groups.learned, &input) {
            steps::chain(groups, widths, theta, &at.theta, input, &mut gradient);
        }
        let warm = ((step + 1) as f64 / WARM_UP as f64).min(1.0);
        let cool = f64::midpoint(1.0, libm::cos(std::f64::consts::PI * done));
        adam.step(theta, &gradient, (params.rate * warm * cool) as f32);
        if groups.learned.is_some() {
            steps::limit(groups, theta);
        }
        pruning.apply(&mut theta[groups.projection()], done);
    }
    Ok(())
}

/// A value near to normal, of mean 0 and variance 1: the sum of four even ones. The logarithms of exact ones would take
/// a quarter of the training time.
fn bell(bits: u64) -> f32 {
    let sum: i32 = [0, 16, 32, 48].map(|shift| i32::from((bits >> shift) as u16)).iter().sum();
    (sum - 2 * 65_535) as f32 * (1.732_050_8 / 65_536.0)
}

/// The mean gradient of a minibatch, block after block.
fn total(parts: Vec<Vec<f32>>, rows: usize) -> Vec<f32> {
    let mut parts = parts.into_iter();
    let mut sum = parts.next().unwrap_or_default();
    for part in parts {
        sum.iter_mut().zip(&part).for_each(|(a, b)| *a += b);
    }
    for v in &mut sum {
        *v /= rows as f32;
    }
    sum
}

/// Results of blocks of rows, in their order.
fn blocks<T: Send>(rows: &[usize], threads: usize, f: impl Fn(usize, &[usize]) -> T + Sync) -> Vec<T> {
    let parts: Vec<&[usize]> = rows.chunks(BLOCK).collect();
    parallel::map(threads, parts.len(), |i| f(i, parts[i]))
}

fn labels(samples: &Samples, rows: &[usize]) -> Vec<usize> {
    rows.iter().map(|&i| samples.label(i)).collect()
}

/// By how much the best logit exceeds the second, on average.
fn mean_gap(groups: &Groups, at: &Effective, samples: &Samples, rows: &[usize], threads: usize) -> f64 {
    let gaps = blocks(rows, threads, |_, rows| {
        let logits = loss::logits(groups, at, &samples.gather(rows));
        logits.chunks(groups.c).map(|column| f64::from(lead(column))).sum::<f64>()
    });
    gaps.iter().sum::<f64>() / rows.len() as f64
}

fn lead(values: &[f32]) -> f32 {
    let (mut best, mut second) = (f32::MIN, f32::MIN);
    for &value in values {
        if value > best {
            (best, second) = (value, best);
        } else {
            second = second.max(value);
        }
    }
    best - second
}

/// Each number's learning rate, relative to the common one.
fn rates(groups: &Groups, theta: &[f32]) -> Vec<f32> {
    let mut rates = vec![1.0; groups.len()];
    if groups.learned.is_some() {
        relative_rates(groups, theta, &mut rates);
        return rates;
    }
    let projection = &theta[groups.projection()];
    let size = projection.iter().map(|v| v.abs()).sum::<f32>() / projection.len() as f32;
    let rate = (PROJECTION_RATE * size).min(1.0);
    rates[groups.projection()].fill(rate);
    if groups.m == 0 {
        // The projection is the readout.
        rates[groups.offsets()].fill(rate);
    }
    rates[groups.readout().start..].fill(READOUT_RATE);
    rates
}

/// Rates with learned steps: of weights relative to their root mean square, so that a step moves all of them by the same
/// share of a rounding step whatever their unit. The factors are those of the prototype, varied together on MNIST.
fn relative_rates(groups: &Groups, theta: &[f32], rates: &mut [f32]) {
    for weights in [groups.projection(), groups.centers(), groups.readout(), groups.means()] {
        let squares: f32 = theta[weights.clone()].iter().map(|w| w * w).sum();
        let size = (squares / weights.len().max(1) as f32).sqrt();
        rates[weights].fill(size);
    }
    rates[groups.offsets()].fill(0.15);
    rates[groups.width()] = 0.5;
    rates[groups.bias()].fill(0.3);
    rates[groups.steps()].fill(0.2);
}

#[cfg(test)]
mod tests;
