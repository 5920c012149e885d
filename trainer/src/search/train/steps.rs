//! Learned step sizes (LSQ, Esser et al. 2020): the unit of every output's weights is a parameter like the weights.
//!
//! ```text
//! w' = s · n,  n = clip(round(w/s))      in range: ∂w'/∂w = 1, ∂w'/∂log s = s (n − w/s)
//!                                        beyond:   ∂w'/∂w = 0, ∂w'/∂log s = s · bound
//! ```
//!
//! One step per output of the projection, in units of sums of bytes; one for projected values and centers; one per
//! coordinate of the readout. Training computes with rounded numbers from the first
//! step on: with 4 bits it is what keeps accuracy (MNIST at 2 kB with all weights of 4 bits 97.4 %, prototype).

use super::fake_quant::{Effective, InputGrid};
use super::parameters::Groups;
use crate::compile::quantize::learned::{Width, Widths};
use std::ops::Range;

/// Of the largest center, the share that the range of centers reaches at first: the few beyond are drawn in.
const CENTERS_REACH: f64 = 0.8;
/// The same of weights of 4 bits, where a finer step is worth more than the largest weight.
const NARROW_REACH: f64 = 0.85;
/// Where the range of 4 bits ends, −8 and 7 on average.
const NARROW_END: f64 = 7.5;
/// How far the logarithm of a unit of sums stays below that of the step of projected values: a factor of two, at which
/// the device begins to round to nearest, and more than the last bit of a multiplier.
const MARGIN: f32 = std::f32::consts::LN_2 + 1e-4;
/// The smallest step: outputs without any weight have one, too.
const LEAST: f64 = 1e-9;

/// A matrix of weights within the numbers of training.
pub(super) struct Matrix<'a> {
    at: Range<usize>,
    /// Numbers per column, and log steps, one for each of them or one for all.
    rows: usize,
    steps: Range<usize>,
    /// By what a column is multiplied before it is rounded.
    scales: Option<&'a [f64]>,
    width: Width,
    /// The unit of the integers in steps, which are those of bytes.
    per_step: f64,
}

fn matrices<'a>(g: &Groups, widths: Widths, input: &'a InputGrid) -> [Matrix<'a>; 3] {
    let (steps, p) = (g.steps(), g.p);
    let (first, middle) = (steps.start, steps.start + p);
    let of = |at, rows, steps, width: Width| Matrix { per_step: width.stride(), ..Matrix::new(at, rows, steps, width) };
    let projection = of(g.projection(), p, first..middle, widths.projection);
    [
        Matrix { scales: Some(&input.grid.step), ..projection },
        of(g.centers(), p, middle..middle + 1, widths.centers),
        of(g.readout(), g.d, middle + 1..steps.end, widths.readout),
    ]
}

impl Matrix<'_> {
    /// A matrix whose rows have a step each.
    pub(super) fn new(at: Range<usize>, rows: usize, steps: Range<usize>, width: Width) -> Self {
        Self { at, rows, steps, scales: None, width, per_step: 1.0 }
    }

    /// The unit of row `i` of every column.
    fn units(&self, theta: &[f32]) -> Vec<f32> {
        let of = |log: &f32| (libm::exp(f64::from(*log)) * self.per_step) as f32;
        let own: Vec<f32> = theta[self.steps.clone()].iter().map(of).collect();
        (0..self.rows).map(|i| own[i % own.len()]).collect()
    }

    /// Starts the steps at this share of the largest number of each.
    pub(super) fn start(&self, theta: &mut [f32], share: f64) {
        let mut largest = vec![0.0_f64; self.rows];
        self.columns(|scale, at| {
            let sizes = theta[at].iter().map(|w| f64::from((w * scale).abs()));
            largest.iter_mut().zip(sizes).for_each(|(most, size)| *most = most.max(size));
        });
        if self.steps.len() == 1 {
            largest = vec![largest.iter().copied().fold(0.0, f64::max)];
        }
        for (log, most) in theta[self.steps.clone()].iter_mut().zip(largest) {
            *log = libm::log((most * share / self.per_step).max(LEAST)) as f32;
        }
    }

    /// Calls `f` with the scale of every column and its place; columns that are not rounded are left out.
    fn columns(&self, mut f: impl FnMut(f32, Range<usize>)) {
        for (j, start) in self.at.clone().step_by(self.rows).enumerate() {
            let scale = self.scales.map_or(1.0, |scales| scales[j] as f32);
            if scale != 0.0 {
                f(scale, start..start + self.rows);
            }
        }
    }

    pub(super) fn round(&self, latent: &[f32], rounded: &mut [f32]) {
        let units = self.units(latent);
        let (low, high) = self.bounds();
        self.columns(|scale, at| {
            for ((to, w), unit) in rounded[at.clone()].iter_mut().zip(&latent[at]).zip(&units) {
                let unit = unit / scale;
                *to = rounded_to(*w / unit).clamp(low, high) * unit;
            }
        });
    }

    fn bounds(&self) -> (f32, f32) {
        let (low, high) = self.width.range();
        (low as f32, high as f32)
    }

    /// From slopes by rounded weights to slopes by weights and log steps.
    pub(super) fn chain(&self, latent: &[f32], rounded: &[f32], gradient: &mut [f32]) {
        let units = self.units(latent);
        let (low, high) = self.bounds();
        let mut slopes = vec![0.0_f32; self.rows];
        self.columns(|scale, at| {
            let values = latent[at.clone()].iter().zip(&rounded[at.clone()]);
            let own = gradient[at].iter_mut().zip(&mut slopes).zip(&units);
            for ((w, w_rounded), ((slope, sum), unit)) in values.zip(own) {
                let t = w * scale / unit;
                let inside = t >= low - 0.5 && t <= high + 0.5;
                *sum += *slope * (w_rounded - if inside { *w } else { 0.0 });
                *slope = if inside { *slope } else { 0.0 };
            }
        });
        let count = self.steps.len();
        for (i, slope) in slopes.iter().enumerate() {
            gradient[self.steps.start + i % count] += slope;
        }
    }
}

/// To nearest, in arithmetic that vectorizes.
#[inline(always)]
fn rounded_to(value: f32) -> f32 {
    /// Adding and taking off 1.5·2²³ leaves an integer.
    const ROUND: f32 = 12_582_912.0;
    (value.clamp(-1e6, 1e6) + ROUND) - ROUND
}

/// Starts the steps from the numbers of a closed form, with the middle of the centers at zero.
pub(super) fn start(g: &Groups, widths: Widths, theta: &mut [f32], input: &InputGrid) {
    center(g, theta);
    for (i, matrix) in matrices(g, widths, input).iter().enumerate() {
        let is_centers = i == 1;
        let reach = if is_centers { CENTERS_REACH / matrix.width.range().1 } else { weights_reach(matrix.width) };
        matrix.start(theta, reach);
    }
    limit(g, theta);
}

/// The first step of weights, in units of the largest.
pub(super) fn weights_reach(width: Width) -> f64 {
    match width {
        Width::I4 => NARROW_REACH / NARROW_END,
        Width::I8 => 1.0 / width.range().1,
    }
}

/// Keeps the units of sums below the step of projected values: a multiplier cannot enlarge.
pub(super) fn limit(g: &Groups, theta: &mut [f32]) {
    let start = g.steps().start;
    let most = theta[start + g.p] - MARGIN;
    theta[start..start + g.p].iter_mut().for_each(|log| *log = log.min(most));
}

/// Moves projected values and centers to where the middle of the centers is zero; distances stay.
fn center(g: &Groups, theta: &mut [f32]) {
    for i in 0..g.p {
        let own = theta[g.centers()].iter().skip(i).step_by(g.p);
        let (low, high) = own.fold((f32::MAX, f32::MIN), |(low, high), z| (low.min(*z), high.max(*z)));
        let middle = f32::midpoint(low, high);
        theta[g.centers()].iter_mut().skip(i).step_by(g.p).for_each(|z| *z -= middle);
        theta[g.offsets()][i] -= middle;
    }
}

/// Fits the steps of the projection to input bytes of other steps.
pub(super) fn follow(g: &Groups, theta: &mut [f32], before: &InputGrid, after: &InputGrid) {
    // A step of zero is that of a feature that is not used any more.
    let both = before.grid.step.iter().zip(&after.grid.step).filter(|(from, to)| **from > 0.0 && **to > 0.0);
    let (from, to) = both.fold((0.0, 0.0), |sums, (from, to)| (sums.0 + from, sums.1 + to));
    let moved = if from > 0.0 { libm::log(to / from) as f32 } else { 0.0 };
    let start = g.steps().start;
    theta[start..start + g.p].iter_mut().for_each(|log| *log += moved);
}

/// The numbers with every matrix rounded; the input and projected values will be.
pub(super) fn rounded(g: &Groups, widths: Widths, theta: &[f32], input: &InputGrid) -> Effective {
    let mut at = theta.to_vec();
    for matrix in matrices(g, widths, input) {
        matrix.round(theta, &mut at);
    }
    let steps: Vec<f64> = theta[g.steps()].iter().map(|log| libm::exp(f64::from(*log))).collect();
    Effective::learned(g, at, &steps[..=g.p], input)
}

/// From slopes by the numbers that a step computed with to slopes by those that training moves.
pub(super) fn chain(g: &Groups, widths: Widths, theta: &[f32], at: &[f32], input: &InputGrid, gradient: &mut [f32]) {
    for matrix in matrices(g, widths, input) {
        matrix.chain(theta, at, gradient);
    }
}
