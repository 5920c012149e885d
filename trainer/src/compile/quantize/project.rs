//! The projection: weights of 8 bits per output, its sums rescaled and cut to 8 bits.

use super::door::{After, Bytes, range};
use super::real::{Real, or_zeros};
use super::report::Bound;
use super::rounding::Feedback;
use super::{QuantizeError, device, tensor};
use crate::linalg::{Mat, gram_tn};
use nearmark_format::{FeatureMap, Kernel, ModelBuf};

/// Damping of the feedback, relative to the mean variance of an input: calibration rows are not all rows.
const DAMPING: f64 = 0.01;

/// Quantizes the projection. `x` are the calibration rows behind the door; a share `tail` of the projected
/// values may be cut at either end.
pub(super) fn quantize(
    model: &mut ModelBuf,
    real: &Real,
    x: &device::Batch,
    before: &Bytes,
    after: After,
    tail: f64,
) -> Result<(Bytes, Option<Bound>), QuantizeError> {
    let low = device::byte(model, true).0 as f64;
    let gaussian = gaussian(&model.feature_map);
    let centers = centers(&model.feature_map, real.projected.ncols());
    let (Some(projection), Some(int)) = (&mut model.project, &mut model.int) else { return Ok((before.clone(), None)) };
    let width = x.width;
    let mut weights = tensor::matrix(&projection.values, width);
    weights.column_iter_mut().zip(&before.step).for_each(|(mut column, step)| column *= *step);

    let largest: Vec<f64> = weights.row_iter().map(|row| row.amax() / 127.0).collect();
    let out = scales(&real.projected, centers.as_ref(), &largest, low, after, tail, gaussian)?;

    let originals = tensor::matrix(&projection.values, width);
    let bias = or_zeros(&projection.bias, projection.outputs);
    let constant: Vec<f64> = (0..projection.outputs)
        .map(|i| bias[i] + originals.row(i).iter().zip(&before.shift).map(|(w, s)| w * s).sum::<f64>() - out.shift[i])
        .collect();
    // Multipliers first, rounded up; then units of the sums that fit them exactly. A unit is also coarse enough for the
    // bias.
    let ratio = |i: usize| largest[i].max(constant[i].abs() / f64::from(1 << 30)) / out.step[i];
    let steepest = (0..largest.len()).map(ratio).fold(f64::MIN_POSITIVE, f64::max);
    let shift = (0..=15_u8).rev().find(|&s| steepest * power(s) <= 65535.0).unwrap_or(0);
    let muls: Vec<f64> = (0..largest.len()).map(|i| (ratio(i) * power(shift)).ceil().clamp(1.0, 65535.0)).collect();
    let unit = |i: usize| muls[i] * out.step[i] / power(shift);

    let inputs = Mat::from_row_iterator(x.values.len() / width, width, x.values.iter().map(|&v| f64::from(v)));
    let means = crate::linalg::column_means(&inputs);
    let centered = crate::linalg::shift_columns(inputs, &means);
    let feedback = Feedback::new(&gram_tn(&centered, 1), DAMPING)?;
    let (mut rounded, mut biases) = (Mat::zeros(projection.outputs, width), Vec::new());
    let mut bound = Bound::new("projection", 0);
    for i in 0..projection.outputs {
        let row: Vec<f64> = weights.row(i).iter().map(|w| w / unit(i)).collect();
        let integers = if projection.sparse {
            // A zero is an entry that is not stored: it must stay one.
            row.iter().map(|w| w.round().clamp(-127.0, 127.0)).collect()
        } else {
            feedback.round(&row, 127.0)
        };
        // On average the sums are right: the bias takes up what door and rounding moved.
        let moved: f64 = row.iter().zip(&integers).zip(&means).map(|((w, n), m)| (w - n) * m).sum();
        // Without a shift the rescaling rounds down; half a unit makes it round to nearest.
        let nearest = if shift == 0 { 0.5 * power(0) / muls[i] } else { 0.0 };
        let whole = (constant[i] / unit(i) + moved + nearest).round();
        let sum: f64 = integers.iter().map(|w| w.abs()).sum();
        bound.include(whole.abs() as i128 + 128 * sum as i128);
        biases.push(whole as i32);
        rounded.row_mut(i).iter_mut().zip(integers).for_each(|(target, w)| *target = w);
    }
    projection.values = tensor::to_i8(&rounded);
    (projection.bias, projection.int_bias) = (Vec::new(), biases);
    (int.p_shift, int.p_mul) = (shift, muls.iter().map(|&m| m as u16).collect());
    Ok((out, Some(bound.proved()?)))
}

/// 2¹⁶ and the shift: what a multiplier is divided by.
pub(super) fn power(shift: u8) -> f64 {
    f64::exp2(16.0 + f64::from(shift))
}

fn gaussian(feature_map: &FeatureMap) -> Option<f64> {
    match feature_map {
        FeatureMap::Centers { kernel: Kernel::Gaussian { gamma }, .. } => Some(f64::from(*gamma)),
        _ => None,
    }
}

fn centers(feature_map: &FeatureMap, width: usize) -> Option<Mat> {
    if let FeatureMap::Centers { values, .. } = feature_map { Some(tensor::matrix(values, width)) } else { None }
}

/// The bytes that projected values become.
fn scales(
    projected: &Mat,
    centers: Option<&Mat>,
    largest: &[f64],
    low: f64,
    after: After,
    tail: f64,
    gaussian: Option<f64>,
) -> Result<Bytes, QuantizeError> {
    let ranges: Vec<(f64, f64)> = (0..projected.ncols())
        .map(|i| {
            let centers = centers.into_iter().flat_map(|c| crate::linalg::column(c, i));
            range(crate::linalg::column(projected, i).iter().chain(centers).copied(), tail)
        })
        .collect();
    let own = |&(from, to): &(f64, f64)| match after {
        After::Anchored => from.abs().max(to.abs()) / 127.0,
        _ => (to - from) / 255.0,
    };
    // A multiplier cannot enlarge: a step is at least the unit of the sums.
    let floor = |step: f64, unit: f64| step.max(unit * 65536.0 / 65535.0);
    let steps: Vec<f64> = ranges.iter().zip(largest).map(|(range, unit)| floor(own(range), *unit)).collect();
    let widest = steps.iter().copied().fold(0.0, f64::max);
    if widest == 0.0 {
        return Err(QuantizeError::Range { stage: "projection", why: "all of its outputs are constant" });
    }
    let step: Vec<f64> = match after {
        After::Absorbs => steps.iter().map(|&s| if s == 0.0 { widest } else { s }).collect(),
        _ => vec![gaussian.map_or(widest, |gamma| super::feature_map::exact_step(gamma, widest)); steps.len()],
    };
    let middle = |(i, &(from, to)): (usize, &(f64, f64))| match after {
        After::Anchored => 0.0,
        _ => f64::midpoint(from, to) - (low + 127.5) * step[i],
    };
    let shift = ranges.iter().enumerate().map(middle).collect();
    Ok(Bytes { step, shift })
}
