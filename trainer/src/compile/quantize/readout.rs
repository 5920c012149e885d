//! The readout: weights of 16 or 8 bits per coordinate, and the scale of the embedding.

use super::learned::Learned;
use super::reference::Reference;
use super::report::Bound;
use super::rounding::Feedback;
use super::scales::{power, weight_unit};
use super::{Plan, QuantizeError, Rounding};
use crate::linalg::{Cholesky, Mat, column_means, gram_tn, mul, mul_tn, shift_columns};
use crate::model::Head as Classes;
use crate::model::host::head;
use crate::model::tensor::{self, or_zeros};
use crate::preprocess::Grid;
use nearmark_format::{FeatureMap, Head, ModelBuf, Num, Readout};

/// Coordinates may be this much larger than any that calibration rows or class means have.
const HEADROOM: f64 = 1.5;
/// Damping of the rounding's feedback where no ridge says it.
const DAMPING: f64 = 1e-6;

/// How the weights are fitted again to the integers that lie before them. Ridges are relative to the mean square of a
/// mapped value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Refit {
    /// Not at all.
    No,
    /// Near the original weights.
    Near(f64),
    /// To small weights: large ones that cancel multiply every error of a mapped value.
    Small(f64),
}

/// The embedding's scale: `real = unit · raw + shift`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Coordinates {
    pub(super) unit: f64,
    pub(super) shift: Vec<f64>,
}

/// The largest coordinate whose squared distances fit 32 bits, as every reader demands.
pub(super) fn largest_coordinate(dim: usize) -> u32 {
    let fits = |z: &u64| 4 * dim as u64 * z * z < 1 << 32;
    let root = ((f64::from(u32::MAX) / (4.0 * dim as f64)).sqrt() as u64).min(32767);
    (root.saturating_sub(1)..=root).rev().find(fits).unwrap_or(1).max(1) as u32
}

/// Quantizes the readout over `values`, the mapped calibration rows.
pub(super) fn quantize(
    model: &mut ModelBuf,
    real: &Reference,
    values: &Mat,
    before: &Grid,
    plan: &Plan,
    keep_embedding: bool,
    learned: Option<&Learned>,
) -> Result<(Coordinates, Option<Bound>), QuantizeError> {
    let z_max = largest_coordinate(model.dim);
    let Some(readout) = &model.readout else { return Ok((without(model, before, z_max), None)) };
    let mut linear = Linear::new(model, readout, before, values.ncols());
    let means = if linear.has_bias { column_means(values) } else { vec![0.0; values.ncols()] };
    let v = shift_columns(values.clone(), &means);
    let gram = gram_tn(&v, 1);
    let mut damping = DAMPING;
    if let Refit::Small(ridge) = plan.refit {
        linear.weights.fill(0.0);
        linear.refit(&v, &means, &gram, &real.z, ridge)?;
        // Rounding minimizes what the fit did.
        damping = ridge;
    } else if let Refit::Near(ridge) = plan.refit {
        linear.refit(&v, &means, &gram, &real.z, ridge)?;
    }
    let trained = plan.rounding == Rounding::AsTrained;
    let feedback = if trained { Feedback::none() } else { Feedback::new(&gram, damping)? };
    // The bias takes up what rounding moves the sums by, on average; training does so at the input only.
    let pivot = if trained && model.feature_map != FeatureMap::None { vec![0.0; values.ncols()] } else { means };
    let coordinates = linear.coordinates(model, real, z_max, keep_embedding);
    let mut slack = 1.0;
    loop {
        let (readout, shift, unit, bound) =
            linear.rounded(model, &coordinates, plan, slack, (&feedback, &pivot), learned);
        // Feedback may make weights larger than they were: then a coarser unit leaves room for it.
        if bound.holds() || slack > 4.0 {
            model.readout = Some(readout);
            model.int.iter_mut().for_each(|int| int.z_shift = shift);
            return Ok((Coordinates { unit, ..coordinates }, Some(bound.proved()?)));
        }
        slack *= 1.05;
    }
}

/// Mapped values, or features, are the embedding themselves; only a power of two may make them smaller.
fn without(model: &mut ModelBuf, before: &Grid, z_max: u32) -> Coordinates {
    if model.feature_map == FeatureMap::None {
        let unit = before.step.iter().map(|s| s.abs()).fold(0.0, f64::max);
        return Coordinates { unit, shift: before.shift.clone() };
    }
    let shift = (0..=15_u8).find(|&shift| 32767 >> shift <= z_max).unwrap_or(15);
    model.int.iter_mut().for_each(|int| int.z_shift = shift);
    Coordinates { unit: f64::from(1_u32 << shift) / 32767.0, shift: vec![0.0; model.dim] }
}

/// `z = Bᵀv + constant` over raw values `v`.
struct Linear {
    weights: Mat,
    constant: Vec<f64>,
    has_bias: bool,
    /// The largest magnitude of a raw value.
    largest: f64,
    /// Whether values are a kernel's.
    kernel: bool,
}

impl Linear {
    fn new(model: &ModelBuf, readout: &Readout, before: &Grid, width: usize) -> Self {
        let weights = tensor::matrix(&readout.weights, model.dim);
        let (bias, constant) = (&readout.bias, or_zeros(&readout.bias, model.dim));
        if model.feature_map != FeatureMap::None {
            let kernel = matches!(model.feature_map, FeatureMap::Centers { .. });
            return Self { weights: weights / 32767.0, constant, has_bias: !bias.is_empty(), largest: 32767.0, kernel };
        }
        let shift = Mat::from_row_slice(1, width, &before.shift) * &weights;
        let constant = constant.iter().zip(shift.iter()).map(|(c, s)| c + s).collect();
        let weights = crate::linalg::scale_rows(weights, &before.step);
        Self { weights, constant, has_bias: true, largest: 128.0, kernel: false }
    }

    /// Moves the weights to where integers reproduce the embedding best, but not far.
    fn refit(&mut self, v: &Mat, means: &[f64], gram: &Mat, z: &Mat, ridge: f64) -> Result<(), QuantizeError> {
        let mut gram = gram.clone();
        let level = gram.trace() / gram.nrows() as f64 * ridge;
        gram.iter_mut().step_by(v.ncols() + 1).for_each(|d| *d += if level > 0.0 { level } else { 1.0 });
        let mut missing = z - mul(v, &self.weights, 1);
        if self.has_bias {
            // Rows are centered by `means`, so that the mean of what is missing belongs to the constant.
            let at_means = Mat::from_row_slice(1, means.len(), means) * &self.weights;
            let mean = column_means(&missing);
            self.constant = mean.iter().zip(at_means.iter()).map(|(mean, at)| mean - at).collect();
            missing = shift_columns(missing, &mean);
        }
        let change = Cholesky::factor(gram)?.solve(mul_tn(v, &missing, 1));
        if self.has_bias {
            let at_means = Mat::from_row_slice(1, means.len(), means) * &change;
            self.constant.iter_mut().zip(at_means.iter()).for_each(|(c, at)| *c -= at);
        }
        self.weights += change;
        Ok(())
    }

    /// Where coordinates are counted from, and in what unit.
    fn coordinates(&self, model: &ModelBuf, real: &Reference, z_max: u32, keep: bool) -> Coordinates {
        let (Classes::Means(points) | Classes::Prototypes { values: points, .. }) = head(model, 1.0);
        let ranges = real.z.column_iter().zip(points.column_iter());
        let ranges: Vec<(f64, f64)> = ranges.map(|(z, p)| (z.min().min(p.min()), z.max().max(p.max()))).collect();
        // A bias that is stored anyway can also bring the middle of the embedding to zero.
        let moves = self.has_bias && !keep && model.head != Head::Unit;
        let shift: Vec<f64> = ranges.iter().map(|r| if moves { f64::midpoint(r.0, r.1) } else { 0.0 }).collect();
        let reach = ranges.iter().zip(&shift).map(|(r, s)| (r.0 - s).abs().max((r.1 - s).abs())).fold(0.0, f64::max);
        let unit = if reach > 0.0 { reach * HEADROOM / f64::from(z_max) } else { 1.0 };
        Coordinates { unit, shift }
    }

    /// How far a sum of weights can go if each meets any value that it can. Kernel values are never negative, so that
    /// weights of one sign count at a time: whatever wraps on the way, the sum itself is exact.
    fn reach<'a>(&self, weights: impl Iterator<Item = &'a f64>) -> f64 {
        let (up, down) = weights.fold((0.0, 0.0), |(up, down), w| (up + w.max(0.0), down - w.min(0.0)));
        if self.kernel { f64::max(up, down) } else { up + down }
    }

    /// Weights, multipliers and bias in integers; the shift; the final unit; the proof.
    fn rounded(
        &self,
        model: &ModelBuf,
        coordinates: &Coordinates,
        plan: &Plan,
        slack: f64,
        (feedback, pivot): (&Feedback, &[f64]),
        learned: Option<&Learned>,
    ) -> (Readout, u8, f64, Bound) {
        let (num, trained) = (plan.num, plan.rounding == Rounding::AsTrained);
        let steps = learned.map(|learned| &learned.steps);
        let limit = if num == Num::I8 { 127.0 } else { 32767.0 };
        let constant: Vec<f64> = self.constant.iter().zip(&coordinates.shift).map(|(c, s)| c - s).collect();
        let finest: Vec<f64> = (self.weights.column_iter().zip(&constant))
            .enumerate()
            .map(|(j, (column, constant))| {
                if let Some(steps) = steps {
                    return steps.readout[j] / self.largest;
                }
                let sum = self.reach(column.iter()) * self.largest + constant.abs();
                let unit = if num == Num::I8 { weight_unit(column.amax()) } else { column.amax() / limit };
                unit.max(sum / f64::from(1_u32 << 31)) * slack
            })
            .collect();
        // A multiplier cannot enlarge, so the unit of a coordinate is at least that of its sum.
        let coarsest = finest.iter().copied().fold(0.0, f64::max) * 65536.0 / 65535.0;
        let mut unit = coordinates.unit.max(coarsest);
        if model.head == Head::Unit {
            unit = 1.0 / (1.0 / unit).floor().max(1.0);
        }
        let steepest = finest.iter().map(|f| f / unit).fold(f64::MIN_POSITIVE, f64::max);
        let shift = (0..=15_u8).rev().find(|&s| steepest * power(s) <= 65535.0).unwrap_or(0);
        let mut bound = Bound { stage: "readout", largest: 0 };
        let mut readout = Readout::default();
        let mut rounded = Mat::zeros(self.weights.nrows(), self.weights.ncols());
        for (j, finest) in finest.iter().enumerate() {
            // The multiplier first, rounded up; then the unit of the sums that fits it exactly. Weights of training keep
            // their integers, and the multiplier comes as near to their unit as it can.
            let ratio = finest / unit * power(shift);
            let mul = if trained { ratio.round() } else { ratio.ceil() }.clamp(1.0, 65535.0);
            let own = mul * unit / power(shift);
            let weight = if trained && *finest > 0.0 { *finest } else { own };
            let column: Vec<f64> = self.weights.column(j).iter().map(|w| w / weight).collect();
            let integers: Vec<f64> = match steps {
                Some(steps) => column.iter().map(|w| steps.widths.readout.byte(*w, 1.0)).collect(),
                None => feedback.round(&column, limit),
            };
            let mut bias = 0.0;
            if self.has_bias {
                let moved: f64 = column.iter().zip(&integers).zip(pivot).map(|((w, n), m)| (w - n) * m).sum();
                let nearest = if shift == 0 { 0.5 * power(0) / mul } else { 0.0 };
                bias = (constant[j] / own + moved + nearest).round();
                readout.int_bias.push(bias as i32);
            }
            let sum = self.reach(integers.iter());
            bound.largest = bound.largest.max(bias.abs() as i128 + self.largest as i128 * sum as i128);
            readout.int_mul.push(mul as u16);
            rounded.column_mut(j).iter_mut().zip(integers).for_each(|(target, w)| *target = w);
        }
        readout.weights = if num == Num::I8 { tensor::to_i8(&rounded) } else { tensor::to_i16(&rounded) };
        (readout, shift, unit, bound)
    }
}
