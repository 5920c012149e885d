//! The projection: weights of 8 bits per output, its sums rescaled and cut to 8 bits.

use super::input::{After, range};
use super::learned::{Learned, MIDDLE};
use super::reference::Reference;
use super::report::Bound;
use super::rounding::Feedback;
use super::scales::{Behind, ProjectionScales, WEIGHT, power, weight_unit};
use super::{Plan, QuantizeError, Rounding, integers};
use crate::linalg::{Mat, column, column_means, gram_tn, scale_columns, shift_columns};
use crate::model::tensor::{self, or_zeros};
use crate::preprocess::Grid;
use nearmark_format::{FeatureMap, Kernel, ModelBuf};

/// Damping of the feedback, relative to the mean variance of an input: calibration rows are not all rows.
const DAMPING: f64 = 0.01;

/// Quantizes the projection. `x` are the calibration rows behind input quantization.
pub(super) fn quantize(
    model: &mut ModelBuf,
    real: &Reference,
    x: &Mat,
    before: &Grid,
    after: After,
    plan: &Plan,
    learned: Option<&Learned>,
) -> Result<(Grid, Option<Bound>), QuantizeError> {
    let low = integers::byte(model, true).0;
    let (mut gamma, mut centers) = (None, None);
    if let FeatureMap::Centers { kernel, values } = &model.feature_map {
        gamma = if let Kernel::Gaussian { gamma } = kernel { Some(f64::from(*gamma)) } else { None };
        centers = Some(tensor::matrix(values, real.projected.ncols()));
    }
    let behind = Behind { low, after, gamma };
    let ranges = ranges(centers.as_ref(), &real.projected, plan);
    let (Some(projection), Some(int)) = (&mut model.project, &mut model.int) else { return Ok((before.clone(), None)) };
    let width = x.ncols();
    let originals = tensor::matrix(&projection.values, width);
    let weights = scale_columns(originals.clone(), |j| before.step[j]);
    let bias = or_zeros(&projection.bias, projection.outputs);
    let moved = |i: usize| originals.row(i).iter().zip(&before.shift).map(|(w, s)| w * s).sum::<f64>();
    let constants: Vec<f64> = (0..projection.outputs).map(|i| bias[i] + moved(i)).collect();
    let units: Vec<f64> = weights.row_iter().map(|row| weight_unit(row.amax())).collect();
    let scales = match learned {
        Some(learned) => ProjectionScales::learned(learned)?,
        None => ProjectionScales::new(&units, &ranges, &constants, behind)?,
    };

    let means = column_means(x);
    // A zero of a sparse projection is an entry that is not stored: it must stay one.
    let nearest = plan.rounding == Rounding::AsTrained || projection.sparse;
    let feedback = if nearest {
        Feedback::none()
    } else {
        Feedback::new(&gram_tn(&shift_columns(x.clone(), &means), 1), DAMPING)?
    };
    let (mut rounded, mut biases) = (Mat::zeros(projection.outputs, width), Vec::new());
    let mut bound = Bound { stage: "projection", largest: 0 };
    for (i, constant) in constants.iter().enumerate() {
        let unit = scales.unit(i);
        let row: Vec<f64> = weights.row(i).iter().map(|w| w / unit).collect();
        let (integers, moved, constant) = if let Some(Learned { steps, constants, .. }) = learned {
            let to_integer = |w: &f64| steps.widths.projection.byte(*w, steps.projection[i]);
            // The bias has learned what rounding moves the sums by.
            (weights.row(i).iter().map(to_integer).collect(), 0.0, constants[i] + MIDDLE * steps.projected)
        } else {
            let integers = feedback.round(&row, WEIGHT);
            // The bias takes up what rounding moves the sums by, on average over the calibration rows.
            let moved = row.iter().zip(&integers).zip(&means).map(|((w, n), m)| (w - n) * m).sum::<f64>();
            (integers, moved, constant - scales.grid.shift[i])
        };
        // Without a shift the rescaling rounds down; half a unit makes it round to nearest.
        let half = if scales.shift == 0 { 0.5 * power(0) / scales.muls[i] } else { 0.0 };
        let whole = (constant / unit + moved + half).round();
        let sum: f64 = integers.iter().map(|w| w.abs()).sum();
        bound.largest = bound.largest.max(whole.abs() as i128 + 128 * sum as i128);
        biases.push(whole as i32);
        rounded.row_mut(i).iter_mut().zip(integers).for_each(|(target, w)| *target = w);
    }
    projection.values = tensor::to_i8(&rounded);
    (projection.bias, projection.int_bias) = (Vec::new(), biases);
    (int.p_shift, int.p_mul) = (scales.shift, scales.muls.iter().map(|&m| m as u16).collect());
    Ok((scales.grid, Some(bound.proved()?)))
}

/// The ranges of projected values: of the centers alone as training has them, or with those of calibration rows, of
/// which a share may be cut at either end.
fn ranges(centers: Option<&Mat>, projected: &Mat, plan: &Plan) -> Vec<(f64, f64)> {
    let rows = plan.rounding == Rounding::PostTraining || centers.is_none();
    let of = |i: usize| {
        let rows = rows.then(|| column(projected, i)).into_iter().flatten();
        let centers = centers.iter().flat_map(|c| column(c, i));
        range(rows.chain(centers).copied(), plan.projected)
    };
    (0..projected.ncols()).map(of).collect()
}
