//! Filters in integers, and what the device makes of images with them.

use super::QuantizeError;
use super::learned::Width;
use super::scales::power;
use crate::linalg::Mat;
use crate::model::host::convolution_geometry;
use crate::model::tensor;
use crate::preprocess::convolution::{Planes, TAPS, WHITE};
use nearmark_format::{Filters, ModelBuf, Num};

/// Bits of the filters of both layers.
pub(crate) const WIDTHS: [Width; 2] = [Width::I8, Width::I4];
const STAGE: &str = "convolution";

/// The filters of a float model as integers, in units that training learned or that the largest weight decides on.
pub(super) fn quantize(model: &mut ModelBuf, steps: Option<&[Vec<f64>]>) -> Result<(), QuantizeError> {
    let channels = model.shape.map_or(0, |shape| shape.channels as usize);
    let Some(convolution) = &mut model.convolution else { return Ok(()) };
    if model.input != Num::U8 {
        return Err(QuantizeError::Unsupported { stage: STAGE, hint: "give pixels as bytes" });
    }
    let learned = |layer: usize| steps.and_then(|steps| steps.get(layer)).map(Vec::as_slice);
    // Pixels are whole numbers up to 255 to the filters, activations 0 to 1.
    convolution.first = integers(&convolution.first, channels, WHITE, learned(0), WIDTHS[0])?;
    if let Some(second) = &convolution.second {
        convolution.second = Some(integers(second, convolution.first.outputs, 1.0, learned(1), WIDTHS[1])?);
    }
    Ok(())
}

/// A layer whose inputs reach up to `white`.
fn integers(
    floats: &Filters,
    channels: usize,
    white: f64,
    steps: Option<&[f64]>,
    width: Width,
) -> Result<Filters, QuantizeError> {
    let weights = tensor::matrix(&floats.values, channels * TAPS) * white;
    let largest: Vec<f64> = weights.row_iter().map(|row| row.amax() / width.range().1).collect();
    let units = steps.map_or(largest, <[f64]>::to_vec);
    let steepest = units.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let shift = (0..=15_u8).rev().find(|&s| (steepest * power(s)).round() <= 65535.0);
    let shift =
        shift.ok_or(QuantizeError::Range { stage: STAGE, why: "a weight moves its sum by more than a byte" })?;
    let mut found = Filters { outputs: floats.outputs, shift, ..Filters::default() };
    let mut rounded = Mat::zeros(floats.outputs, channels * TAPS);
    for (i, unit) in units.iter().enumerate() {
        // A multiplier of zero would leave nothing of the filter.
        let mul = (unit * power(shift)).round().max(1.0);
        // Filters of 4 bits are stored as they are, unlike other matrices: their unit is that of the integer.
        let (low, high) = width.range();
        let integer = |w: f64| if *unit > 0.0 { (w / unit).round().clamp(low, high) } else { 0.0 };
        for (to, w) in rounded.row_mut(i).iter_mut().zip(weights.row(i).iter()) {
            *to = integer(*w);
        }
        // Without a shift the rescaling rounds down; half a unit makes it round to nearest.
        let half = if shift == 0 { 0.5 * power(0) / mul } else { 0.0 };
        let bias = (f64::from(floats.bias[i]) * WHITE * power(shift) / mul + half).round();
        let most = rounded.row(i).iter().map(|n| n.abs()).sum::<f64>() * WHITE + bias.abs();
        if most > f64::from(i32::MAX) {
            return Err(QuantizeError::Overflow { stage: STAGE, largest: most as i128 });
        }
        found.int_bias.push(bias as i32);
        found.mul.push(mul as u16);
    }
    found.values = tensor::to_i8(&rounded);
    Ok(found)
}

/// Features of samples as the device computes them: bytes of 0 to 255.
pub(super) fn bytes(model: &ModelBuf, samples: &Mat) -> Option<Mat> {
    let (geometry, convolution) = (convolution_geometry(model)?, model.convolution.as_ref()?);
    let pixels = (geometry.block.0 * geometry.block.1) as f64;
    let mean = ((65536.0 + (pixels / 2.0).floor()) / pixels).floor();
    let mut all = Vec::new();
    for row in 0..samples.nrows() {
        let mut planes = geometry.sums(|j| samples[(row, j)]);
        planes.values.iter_mut().for_each(|sum| *sum = ((*sum * mean + 32768.0) / 65536.0).floor().min(WHITE));
        for filters in [Some(&convolution.first), convolution.second.as_ref()].into_iter().flatten() {
            planes = layer(&planes, filters);
        }
        all.extend(geometry.pool(&planes, |sum| ((sum + 2.0) / 4.0).floor()));
    }
    Some(Mat::from_row_iterator(samples.nrows(), all.len() / samples.nrows().max(1), all))
}

fn layer(from: &Planes, filters: &Filters) -> Planes {
    let weights = tensor::matrix(&filters.values, filters.values.len() / filters.outputs.max(1));
    let mut sums = from.filtered(&weights, |i| f64::from(filters.int_bias[i]));
    let plane = sums.rows * sums.cols;
    for (values, mul) in sums.values.chunks_mut(plane.max(1)).zip(&filters.mul) {
        for v in values {
            let scaled = (*v * f64::from(*mul) / 65536.0).floor();
            *v = super::integers::shifted(scaled, filters.shift).clamp(0.0, WHITE);
        }
    }
    sums
}
