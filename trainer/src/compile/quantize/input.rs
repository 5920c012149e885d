//! The input: samples become raw features of 16 bits, and those become features of 8 bits.

use super::learned::Learned;
use super::{QuantizeError, convolution, integers};
use crate::linalg::{Mat, column};
use crate::model::tensor::or_zeros;
use crate::preprocess::Grid;
use crate::preprocess::convolution::WHITE;
use crate::preprocess::counts::{BYTES, Samples, in_integers};
use nearmark_format::{IntParams, ModelBuf, Num, Scale};

/// How much wider than the calibration rows the range of float samples is: 16 bits can spare it, since what
/// makes 8 bits of them cuts what lies too far out anyway.
const HEADROOM: f64 = 1.25;

/// What the next stage leaves open of `real = step · raw + shift`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    /// Weights that take in a step and a shift of every feature.
    Absorbs,
    /// Distances: one step for all features, any shift.
    Distances,
    /// Weights from a seed: one step for all features, and no shift.
    Anchored,
}

/// How float samples become i16, and `real = gain · raw + base` of every feature behind window, pool and selection.
pub(super) struct InputScales {
    f32_mul: f32,
    f32_add: f32,
    gain: Vec<f64>,
    base: Vec<f64>,
}

impl InputScales {
    /// `samples` are the factor and the offset of float samples, if they are given.
    pub(super) fn new(model: &ModelBuf, rows: &Mat, samples: Option<(f32, f32)>) -> Result<Self, QuantizeError> {
        let (mul, add) = scale(&model.scale, model.features())?;
        let block = model.pool.map_or(1.0, |pool| f64::from(pool.rows) * f64::from(pool.cols));
        let (mut f32_mul, mut f32_add, mut unit, mut origin) = (0.0, 0.0, 1.0, 0.0);
        if model.input == Num::F32 {
            (f32_mul, f32_add) = samples.map_or_else(|| sample_range(model, rows, block), Ok)?;
            unit = 1.0 / f64::from(f32_mul);
            origin = f64::from(f32_add) * block;
        }
        if model.convolution.is_some() {
            // Features are bytes already.
            let features = model.pooled();
            return Ok(Self { f32_mul, f32_add, gain: vec![1.0 / WHITE; features], base: vec![0.0; features] });
        }
        if let Some(series) = &model.series {
            // Counts are bytes already, whatever the samples are.
            let (gain, base) = (vec![1.0 / BYTES; series.entries.len()], vec![0.0; series.entries.len()]);
            return Ok(Self { f32_mul, f32_add, gain, base });
        }
        if model.window.is_some() {
            unit /= f64::from(1 << integers::statistic_bits(model.input));
        }
        // Deviation and step are gaps between values: where zero lies does not matter to them.
        let is_gap = |j: usize| model.window.is_some_and(|w| nth_statistic(w.stats, j) % 3 == 1);
        let kept: Vec<usize> = match &model.select {
            Some(mask) => (0..mask.len()).filter(|&j| mask[j]).collect(),
            None => (0..model.pooled()).collect(),
        };
        let gain: Vec<f64> = mul.iter().map(|m| m * unit).collect();
        let base = kept.iter().zip(&gain).zip(&add);
        let base = base.map(|((&j, gain), add)| if is_gap(j) { *add } else { add - gain * origin }).collect();
        Ok(Self { f32_mul, f32_add, gain, base })
    }

    /// The model with its samples in integers, and everything behind them still in floats.
    pub(super) fn in_integers(&self, model: &ModelBuf, learned: Option<&Learned>) -> Result<ModelBuf, QuantizeError> {
        let int = IntParams { f32_mul: self.f32_mul, f32_add: self.f32_add, ..IntParams::default() };
        let mut model = ModelBuf { int: Some(int), ..model.clone() };
        convolution::quantize(&mut model, learned.and_then(|learned| learned.filters.as_deref()))?;
        let samples = counts_samples(&model);
        for entry in model.series.iter_mut().flat_map(|series| &mut series.entries) {
            *entry = in_integers(*entry, samples);
        }
        Ok(model)
    }

    /// Chooses the way to 8 bits and writes it into the model. A share `tail` of the values may be cut at either end.
    pub(super) fn quantize(
        &self,
        model: &mut ModelBuf,
        raw: &Mat,
        after: After,
        per_feature: bool,
        tail: f64,
    ) -> Result<Grid, QuantizeError> {
        let low = integers::byte(model, false).0;
        if model.convolution.is_some() || model.series.is_some() {
            let step = self.gain.clone();
            let shift = step.iter().map(|step| -low * step).collect();
            return Ok(Grid { step, shift, low });
        }
        let ranges: Vec<_> = (0..raw.ncols()).map(|j| range(column(raw, j).iter().copied(), tail)).collect();
        let same = |values: &[f64]| values.iter().all(|v| *v == values[0]);
        let uniform = match after {
            After::Absorbs => !per_feature,
            After::Distances => same(&self.gain),
            After::Anchored => same(&self.gain) && same(&self.base),
        };
        let all = ranges.iter().fold((f64::MAX, f64::MIN), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        let ranges = if uniform { vec![all; ranges.len()] } else { ranges };
        let slopes = self.slopes(after, uniform, &ranges);
        let zeros: Vec<f64> = (0..ranges.len())
            .map(|j| {
                let (from, to) = ranges[j];
                let zero = match after {
                    After::Anchored if self.gain[j] == 0.0 => 0.0,
                    After::Anchored => -self.base[j] / self.gain[j],
                    _ if slopes[j] == 0.0 => f64::midpoint(from, to),
                    // The middle of the range meets the middle of the byte.
                    _ => f64::midpoint(from, to) - (low + 127.5) / slopes[j],
                };
                zero.round()
            })
            .collect();
        let inside = |zero: &f64| (-32768.0..=32767.0).contains(zero);
        if after == After::Anchored && !zeros.iter().all(inside) {
            let why = "a feature's zero lies beyond 16 bits, where weights from a seed need it";
            return Err(QuantizeError::Range { stage: "input quantization", why });
        }
        // Elsewhere the middle may move: values of 16 bits stay within the byte.
        let zeros: Vec<f64> = zeros.into_iter().map(|zero| zero.clamp(-32768.0, 32767.0)).collect();
        let (muls, shift) = multipliers(&slopes)?;
        let Some(int) = &mut model.int else { return Err(QuantizeError::NotF32) };
        (model.scale, int.in_zero, int.in_mul, int.in_shift) = (Scale::None, 0, 0, shift);
        if !uniform {
            let narrow = |values: &[f64]| values.iter().map(|&v| v as i16).collect();
            model.scale = Scale::IntFeatures { zero: narrow(&zeros), mul: narrow(&muls) };
        } else if slopes[0] == 1.0 {
            (int.in_zero, int.in_shift) = (zeros[0] as i32, 0);
        } else {
            (int.in_zero, int.in_mul) = (zeros[0] as i32, muls[0] as i32);
        }
        let slope = |j: usize| muls[j] / f64::from(1_u32 << shift);
        let step = |j: usize| if muls[j] == 0.0 { 0.0 } else { self.gain[j] / slope(j) };
        Ok(Grid {
            step: (0..muls.len()).map(step).collect(),
            shift: (0..muls.len()).map(|j| self.gain[j] * zeros[j] + self.base[j]).collect(),
            low,
        })
    }

    /// Byte steps per raw unit, by feature.
    fn slopes(&self, after: After, uniform: bool, ranges: &[(f64, f64)]) -> Vec<f64> {
        // More than one byte value per raw unit would add nothing.
        let fitting = |(from, to): (f64, f64)| if to - from <= 255.0 { 1.0 } else { 254.0 / (to - from) };
        if after == After::Absorbs {
            let constant = |range: &(f64, f64)| !uniform && range.0 == range.1;
            return ranges.iter().map(|range| if constant(range) { 0.0 } else { fitting(*range) }).collect();
        }
        // The step that all features share, in real units: the widest feature just fits.
        let steps = ranges.iter().zip(&self.gain).zip(&self.base).map(|((&(from, to), gain), base)| match after {
            After::Anchored => (gain * from + base).abs().max((gain * to + base).abs()) / 127.0,
            _ => gain.abs() * (to - from) / 255.0,
        });
        let finest = self.gain.iter().fold(0.0, |a: f64, g| a.max(g.abs()));
        // If all gains are alike, raw units may pass unscaled; otherwise only their ratios are given.
        let step = steps.fold(if uniform { finest } else { 0.0 }, f64::max);
        let step = if step == 0.0 { finest } else { step };
        // A feature that never moved has no range to measure its step by; it is left out.
        let still = |&(from, to): &(f64, f64)| !uniform && after == After::Distances && from == to;
        let slope = |(gain, range)| if step == 0.0 || still(range) { 0.0 } else { gain / step };
        self.gain.iter().zip(ranges).map(slope).collect()
    }
}

/// What the samples of a model of counts become.
pub(super) fn counts_samples(model: &ModelBuf) -> Samples {
    let (mul, add) = match &model.int {
        Some(int) if model.input == Num::F32 => (int.f32_mul, int.f32_add),
        _ => (1.0, 0.0),
    };
    Samples::Integers { number: model.input, mul, add }
}

/// Multiplier and offset of every feature behind window, pool and selection.
fn scale(scale: &Scale, width: usize) -> Result<(Vec<f64>, Vec<f64>), QuantizeError> {
    match scale {
        Scale::None => Ok((vec![1.0; width], vec![0.0; width])),
        Scale::Uniform { mul, add } => Ok((vec![f64::from(*mul); width], vec![f64::from(*add); width])),
        Scale::Features { mul, add } => Ok((or_zeros(mul, width), or_zeros(add, width))),
        Scale::Unit => Err(QuantizeError::Unsupported { stage: "scaling to unit length", hint: "scale otherwise" }),
        Scale::IntFeatures { .. } => Err(QuantizeError::NotF32),
    }
}

/// Which of the five statistics a feature is.
fn nth_statistic(stats: u8, feature: usize) -> usize {
    let asked: Vec<usize> = (0..5).filter(|k| stats >> k & 1 == 1).collect();
    // Mean, deviation, minimum, maximum, step: 0, 1, 2, 3, 4.
    asked[feature % asked.len().max(1)]
}

/// Multiplier and offset that bring float samples into i16, wherever they are added up to afterwards.
fn sample_range(model: &ModelBuf, rows: &Mat, block: f64) -> Result<(f32, f32), QuantizeError> {
    let kept = |j: &usize| match &model.select {
        Some(mask) if model.window.is_none() && model.pool.is_none() => mask[*j],
        _ => true,
    };
    let columns = (0..rows.ncols()).filter(kept).map(|j| rows.column(j));
    let (low, high) = columns.fold((f64::MAX, f64::MIN), |(low, high), c| (low.min(c.min()), high.max(c.max())));
    // Steps between values are as wide as the range; i16 holds them if values take half of it.
    let levels = if model.window.is_some() || model.series.is_some() { 32767.0 } else { 65535.0 / block };
    let width = (high - low) * HEADROOM;
    let mul = if width > 0.0 { levels / width } else { 1.0 };
    let (mul, add) = (mul as f32, (-mul * f64::midpoint(low, high)) as f32);
    if mul > 0.0 && mul.is_finite() && add.is_finite() {
        return Ok((mul, add));
    }
    Err(QuantizeError::Range { stage: "samples", why: "their range does not fit single precision" })
}

/// The range of values that is left when a share `tail` of them is cut at either end.
pub(super) fn range(values: impl Iterator<Item = f64>, tail: f64) -> (f64, f64) {
    let mut values: Vec<f64> = values.collect();
    let cut = ((values.len() as f64 * tail) as usize).min(values.len().saturating_sub(1) / 2);
    let last = values.len() - 1 - cut;
    let high = *values.select_nth_unstable_by(last, f64::total_cmp).1;
    let low = *values.select_nth_unstable_by(cut, f64::total_cmp).1;
    (low, high)
}

/// Slopes as i16 multipliers over one power of two, as fine as they can be.
fn multipliers(slopes: &[f64]) -> Result<(Vec<f64>, u8), QuantizeError> {
    let steepest = slopes.iter().fold(0.0, |a: f64, s| a.max(s.abs()));
    let shift = (0..=15_u8).rev().find(|&shift| steepest * f64::from(1_u32 << shift) <= 32767.0);
    let shift = shift.ok_or(QuantizeError::Range {
        stage: "input quantization",
        why: "a feature varies by less than 16 bits resolve",
    })?;
    Ok((slopes.iter().map(|s| (s * f64::from(1_u32 << shift)).round()).collect(), shift))
}
