//! Fake quantization: training computes with the numbers that the exporter will store.
//!
//! Scales and rounding are the exporter's own functions: 8-bit weights per output of the projection and per coordinate
//! of the readout, centers and projected values on one grid that the centers span, inputs on the grid of the
//! calibration rows. The gradient passes straight through the rounding (straight-through estimator), but not where a
//! value is clipped.

use super::loss::vectorized;
use super::parameters::Groups;
use super::steps;
use crate::compile::quantize::QuantizeError;
use crate::compile::quantize::learned::MIDDLE;
use crate::compile::quantize::scales::{After, Behind, ProjectionScales, weight, weight_unit};
use crate::model::HostModel;
use crate::preprocess::{Grid, Stage};
use crate::search::CompactModel;

/// What input quantization will make of prepared rows.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::search) struct InputGrid {
    /// A byte per feature.
    pub(in crate::search) grid: Grid,
    /// The mean of every feature over the calibration rows: where rounding a weight moves no sum.
    pub(in crate::search) mean: Vec<f64>,
    /// Whether rows lie on the grid already, as bytes of a sensor do: then nothing is to be rounded.
    pub(in crate::search) exact: bool,
}

impl InputGrid {
    /// Rows that are bytes already.
    pub(in crate::search) fn bytes(features: usize) -> Self {
        let grid = Grid { step: vec![1.0; features], shift: vec![0.0; features], low: -128.0 };
        Self { grid, mean: vec![0.0; features], exact: true }
    }
}

/// The numbers that a step computes with: as they are, or as they will be stored.
#[derive(Debug, Clone)]
pub(super) struct Effective {
    pub(super) theta: Vec<f32>,
    input: Option<Rounding>,
    projected: Option<Rounding>,
    /// Whether the step of projected values is learned.
    learns: bool,
}

/// What rounding projected values means for their slopes.
#[derive(Debug, Clone, Default)]
pub(super) struct Rounded {
    /// Whether a value lies beyond the range of a byte.
    pub(super) clipped: Vec<bool>,
    /// Slope of each by the logarithm of their step, if that is learned.
    pub(super) by_step: Vec<f32>,
}

/// A grid in the precision of training.
#[derive(Debug, Clone)]
struct Rounding {
    grid: Grid,
    step: Vec<f32>,
    inverse: Vec<f32>,
    shift: Vec<f32>,
}

impl Rounding {
    fn new(grid: Grid) -> Self {
        let narrow = |values: &[f64]| values.iter().map(|v| *v as f32).collect();
        let inverse = grid.step.iter().map(|step| if *step == 0.0 { 0.0 } else { (1.0 / step) as f32 }).collect();
        Self { step: narrow(&grid.step), shift: narrow(&grid.shift), inverse, grid }
    }

    /// Rounds values, column by column; `clipped` gets of each whether it lies beyond the range of a byte.
    #[inline(always)]
    fn round(&self, values: &mut [f32], mut clipped: impl FnMut(bool)) {
        let (low, high) = (self.grid.low as f32, self.grid.low as f32 + 255.0);
        for column in values.chunks_mut(self.step.len()) {
            let scales = self.step.iter().zip(&self.inverse).zip(&self.shift);
            for (v, ((step, inverse), shift)) in column.iter_mut().zip(scales) {
                let byte = (*v - shift) * inverse;
                clipped(byte < low - 0.5 || byte > high + 0.5);
                *v = (byte + 0.5).floor().clamp(low, high) * step + shift;
            }
        }
    }
}

impl Effective {
    pub(super) fn exact(theta: &[f32]) -> Self {
        Self { theta: theta.to_vec(), input: None, projected: None, learns: false }
    }

    /// The numbers as integers hold them behind this input.
    pub(super) fn quantized(groups: &Groups, theta: &[f32], input: &InputGrid) -> Self {
        let mut at = Self::exact(theta);
        let before = &input.grid;
        let mut units = weight_units(&theta[groups.projection()], groups.p, before.step.iter().copied());
        if groups.m > 0 {
            // Where all outputs are constant there is nothing to round, and no such model can be exported.
            let Ok(scales) = scales(groups, theta, before, &units) else { return at };
            units = (0..groups.p).map(|i| scales.unit(i)).collect();
            for column in at.theta[groups.centers()].chunks_mut(groups.p) {
                for (i, v) in column.iter_mut().enumerate() {
                    *v = scales.grid.round(f64::from(*v), i) as f32;
                }
            }
            at.projected = Some(Rounding::new(scales.grid));
        }
        let moved = round_projection(&mut at.theta[groups.projection()], &units, input);
        at.round_offsets(groups, &units, &moved, before);
        round_rows(&mut at.theta[groups.readout()], groups.d);
        at.input = (!input.exact).then(|| Rounding::new(before.clone()));
        at
    }

    /// Rounded matrices behind this input; `steps` are those of the projection's sums and of projected values, which will
    /// be rounded around zero.
    pub(super) fn learned(groups: &Groups, theta: Vec<f32>, steps: &[f64], input: &InputGrid) -> Self {
        let (units, step) = (&steps[..groups.p], steps[groups.p]);
        let grid = Grid { step: vec![step; groups.p], shift: vec![-MIDDLE * step; groups.p], low: 0.0 };
        let rounding = (!input.exact).then(|| Rounding::new(input.grid.clone()));
        let mut at = Self { theta, input: rounding, projected: Some(Rounding::new(grid)), learns: true };
        at.round_offsets(groups, units, &vec![0.0; groups.p], &input.grid);
        at
    }

    /// The numbers as they will be stored behind this input.
    pub(super) fn stored(groups: &Groups, theta: &[f32], input: &InputGrid) -> Self {
        match groups.learned {
            Some(widths) => steps::rounded(groups, widths, theta, input),
            None => Self::quantized(groups, theta, input),
        }
    }

    /// Adds what rounding the weights moved the mean input by, and rounds what is added to the sums of integers.
    fn round_offsets(&mut self, groups: &Groups, units: &[f64], moved: &[f64], before: &Grid) {
        let grid = self.projected.as_ref().map(|projected| projected.grid.clone());
        // What the rounded weights make of byte 0: it goes into the same integer.
        let mut zero = vec![0.0; groups.p];
        for (column, shift) in self.theta[groups.projection()].chunks(groups.p).zip(&before.shift) {
            zero.iter_mut().zip(column).for_each(|(sum, w)| *sum += f64::from(*w) * shift);
        }
        for (i, offset) in self.theta[groups.offsets()].iter_mut().enumerate() {
            let exact = f64::from(*offset) + moved[i];
            *offset = match &grid {
                Some(grid) if units[i] > 0.0 => {
                    let base = zero[i] - grid.shift[i];
                    (((exact + base) / units[i]).round() * units[i] - base) as f32
                }
                _ => exact as f32,
            };
        }
    }

    /// Rounds prepared rows as input quantization will.
    pub(super) fn round_input(&self, x: &mut [f32]) {
        if let Some(rounding) = &self.input {
            // Without vectors `floor` is a call per value.
            vectorized(
                #[inline(always)]
                || rounding.round(x, |_| ()),
            );
        }
    }

    /// Rounds projected values; where one is clipped, no gradient passes.
    #[inline(always)]
    pub(super) fn round_projected(&self, projected: &mut [f32]) -> Rounded {
        let Some(rounding) = &self.projected else { return Rounded::default() };
        let mut clipped = Vec::with_capacity(projected.len());
        let mut by_step = if self.learns { projected.to_vec() } else { Vec::new() };
        rounding.round(projected, |is| clipped.push(is));
        for ((by, rounded), clipped) in by_step.iter_mut().zip(projected.iter()).zip(&clipped) {
            *by = rounded - if *clipped { 0.0 } else { *by };
        }
        Rounded { clipped, by_step }
    }

    /// The same numbers as a model in f64 over prepared rows.
    pub(super) fn host(&self, groups: &Groups) -> HostModel {
        let round = |rounding: &Rounding| Stage::Round(rounding.grid.clone());
        let mut model = groups.unpack(&self.theta).host();
        let (before, behind) = (self.input.iter().map(round), self.projected.iter().map(round));
        model.stages = before.chain(model.stages).chain(behind).collect();
        model
    }
}

/// Rounds a projection's weights in these units, and returns by how much less the outputs are for the mean input.
fn round_projection(weights: &mut [f32], units: &[f64], input: &InputGrid) -> Vec<f64> {
    let mut moved = vec![0.0; units.len()];
    let columns = weights.chunks_mut(units.len());
    for ((column, step), mean) in columns.zip(&input.grid.step).zip(&input.mean) {
        // A feature that never varies goes into the bias as it is.
        for ((w, unit), moved) in column.iter_mut().zip(units).zip(&mut moved).filter(|_| *step != 0.0) {
            let rounded = weight(f64::from(*w) * step, *unit) * unit / step;
            *moved += (f64::from(*w) - rounded) * mean;
            *w = rounded as f32;
        }
    }
    moved
}

/// The projection's scales, with projected values on the grid that the centers span.
fn scales(groups: &Groups, theta: &[f32], before: &Grid, units: &[f64]) -> Result<ProjectionScales, QuantizeError> {
    let p = groups.p;
    let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); p];
    for column in theta[groups.centers()].chunks(p) {
        for ((low, high), v) in ranges.iter_mut().zip(column) {
            (*low, *high) = (low.min(f64::from(*v)), high.max(f64::from(*v)));
        }
    }
    let mut constants: Vec<f64> = theta[groups.offsets()].iter().map(|b| f64::from(*b)).collect();
    for (column, shift) in theta[groups.projection()].chunks(p).zip(&before.shift) {
        constants.iter_mut().zip(column).for_each(|(c, w)| *c += f64::from(*w) * shift);
    }
    let gamma = Some(libm::exp(f64::from(theta[groups.width()])));
    ProjectionScales::new(units, &ranges, &constants, Behind { low: 0.0, after: After::Distances, gamma })
}

/// The unit of every row of a matrix of 8-bit weights that lies column by column, each column times its step.
fn weight_units(values: &[f32], rows: usize, steps: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut units = vec![0.0_f64; rows];
    for (column, step) in values.chunks(rows).zip(steps) {
        let sizes = column.iter().map(|w| weight_unit((f64::from(*w) * step).abs()));
        units.iter_mut().zip(sizes).for_each(|(unit, size)| *unit = unit.max(size));
    }
    units
}

/// Rounds every row of a matrix that lies column by column as weights of 8 bits.
fn round_rows(values: &mut [f32], count: usize) {
    let units = weight_units(values, count, std::iter::repeat(1.0));
    for column in values.chunks_mut(count) {
        column.iter_mut().zip(&units).for_each(|(v, unit)| *v = (weight(f64::from(*v), *unit) * unit) as f32);
    }
}

/// A compact model as it will answer, over prepared rows: quantized behind this input, or in floats.
pub(in crate::search) fn host(model: &CompactModel, input: Option<&InputGrid>) -> HostModel {
    let Some(input) = input else { return model.host() };
    let groups = Groups::of(model);
    Effective::stored(&groups, &groups.pack(model, 1.0), input).host(&groups)
}
