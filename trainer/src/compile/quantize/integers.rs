//! The arithmetic of the INT profile, stage by stage, as `FORMAT.md` defines it: what the device will make of rows.
//!
//! The quantizer looks at each stage through the stages before it, while those behind it are still floats and the
//! runtime cannot load the model; a test compares the finished models with the runtime, to the bit. Integers are whole
//! numbers in f64, which holds every product and sum of a stage exactly: a sum beyond 32 bits is seen, not wrapped.

use super::tables::Tables;
use super::{QuantizeError, convolution};
use crate::linalg::{Mat, column, mul, mul_nt};
use crate::model::map::seeded::{self, Seeded};
use crate::model::{host, tensor};
use crate::preprocess::counts::Samples;
use crate::preprocess::{Counts, Projection};
use nearmark_format::{FeatureMap, Kernel, ModelBuf, Num, Scale, Window, meta::code};

/// Values cut to their range, and the share of them that lay beyond it.
pub(super) type Clipped = (Mat, f64);

const I16: (f64, f64) = (-32768.0, 32767.0);

fn clip(values: &Mat, (low, high): (f64, f64)) -> Clipped {
    let beyond = values.iter().filter(|v| **v < low || **v > high).count();
    (values.map(|v| v.clamp(low, high)), beyond as f64 / values.len().max(1) as f64)
}

/// The range of a sample's type; floats become i16.
pub(super) const fn range(input: Num) -> (f64, f64) {
    match input {
        Num::U8 => (0.0, 255.0),
        Num::I8 => (-128.0, 127.0),
        Num::I16 | Num::F32 => I16,
    }
}

/// Bits behind the point in window statistics.
pub(super) const fn statistic_bits(input: Num) -> u32 {
    if matches!(input, Num::U8 | Num::I8) { 6 } else { 0 }
}

/// Samples, from rows in the trainer's order.
pub(super) fn samples(model: &ModelBuf, rows: &Mat) -> Clipped {
    let float = model.int.as_ref().filter(|_| model.input == Num::F32).map(|int| (int.f32_mul, int.f32_add));
    let sample = |x: f64| float.map_or(x as f32, |(mul, add)| x as f32 * mul + add).round_ties_even();
    // Adding 0 leaves no negative zero.
    clip(&rows.map(|x| f64::from(sample(x)) + 0.0), range(model.input))
}

/// Window statistics or block sums, then the features kept.
pub(super) fn geometry(model: &ModelBuf, samples: &Clipped) -> Result<Clipped, QuantizeError> {
    if let Some(bytes) = convolution::bytes(model, &samples.0) {
        return Ok((bytes, 0.0));
    }
    if let (Some(shape), Some(series)) = (model.shape, &model.series) {
        // Samples are the device's integers by now.
        let integers = Samples::Integers { number: model.input, mul: 1.0, add: 0.0 };
        return Ok((Counts::of(shape, series, integers).bytes(&samples.0, 1)?, 0.0));
    }
    let gathered = match (model.shape, model.window, host::pool(model)?) {
        (Some(shape), Some(window), _) => {
            let (channels, time) = (shape.channels as usize, shape.cols as usize);
            let segments = usize::from(window.segments);
            let mut all = Vec::with_capacity(samples.0.nrows() * model.pooled());
            for row in samples.0.row_iter() {
                for channel in 0..channels {
                    let at = |t: usize| if window.interleaved { t * channels + channel } else { channel * time + t };
                    let signal: Vec<i64> = (0..time).map(|t| row[at(t)] as i64).collect();
                    let mut rest = signal.as_slice();
                    for segment in 0..segments {
                        let (part, tail) = rest.split_at(time / segments + usize::from(segment < time % segments));
                        rest = tail;
                        all.extend(statistics(model.input, window, part).map(|v| v as f64));
                    }
                }
            }
            clip(&Mat::from_row_iterator(samples.0.nrows(), model.pooled(), all), I16)
        }
        (_, None, Some(pool)) => clip(&pool.apply(&samples.0)?, I16),
        _ => samples.clone(),
    };
    let Some(mask) = &model.select else { return Ok(gathered) };
    Ok((crate::preprocess::Select::new(mask.clone()).apply(&gathered.0)?, 0.0))
}

fn statistics(input: Num, window: Window, v: &[i64]) -> impl Iterator<Item = i64> {
    let (len, low, bits) = (v.len() as i64, range(input).0 as i64, statistic_bits(input));
    let mean = ((v.iter().map(|v| v - low).sum::<i64>() << bits) + len / 2) / len + (low << bits);
    let deviation = (v.iter().map(|v| ((v << bits) - mean).abs()).sum::<i64>() + len / 2) / len;
    let steps = (len - 1).max(1);
    let step = ((v.windows(2).map(|w| (w[1] - w[0]).abs()).sum::<i64>() << bits) + steps / 2) / steps;
    let extreme = |v: Option<&i64>| v.map_or(0, |v| v << bits);
    let all = [
        (code::STAT_MEAN, mean),
        (code::STAT_DEVIATION, deviation),
        (code::STAT_MIN, extreme(v.iter().min())),
        (code::STAT_MAX, extreme(v.iter().max())),
        (code::STAT_STEP, step),
    ];
    all.into_iter().filter(move |(stat, _)| window.stats & stat != 0).map(|(_, value)| value)
}

/// The range of the 8 bits behind input quantization, or behind a projection.
pub(super) fn byte(model: &ModelBuf, projected: bool) -> (f64, f64) {
    let centers = matches!(model.feature_map, FeatureMap::Centers { .. });
    range(if centers && projected == model.project.is_some() { Num::U8 } else { Num::I8 })
}

/// A shift to the right that rounds to nearest.
pub(super) fn shifted(value: f64, shift: u8) -> f64 {
    (value / f64::exp2(shift.into()) + 0.5).floor()
}

/// Features of 16 bits become 8.
pub(super) fn input(model: &ModelBuf, features: &Mat) -> Clipped {
    let Some(int) = &model.int else { return (features.clone(), 0.0) };
    if model.convolution.is_some() || model.series.is_some() {
        // Bytes already; what takes signed ones sees them shifted.
        let low = byte(model, false).0;
        return (features.map(|u| u + low), 0.0);
    }
    let mut scaled = features.clone();
    for (j, mut column) in scaled.column_iter_mut().enumerate() {
        let (zero, mul) = match &model.scale {
            Scale::IntFeatures { zero, mul } => (f64::from(zero[j]), f64::from(mul[j])),
            _ if int.in_mul != 0 => (f64::from(int.in_zero), f64::from(int.in_mul)),
            _ => {
                column.add_scalar_mut(-f64::from(int.in_zero));
                continue;
            }
        };
        column.apply(|x| *x = shifted((*x - zero) * mul, int.in_shift));
    }
    clip(&scaled, byte(model, false))
}

/// From sums of 32 bits to fewer, by a multiplier per column.
fn rescaled(stage: &'static str, mut sums: Mat, muls: &[u16], shift: u8) -> Result<Mat, QuantizeError> {
    if let Some(sum) = sums.iter().find(|sum| i32::try_from(**sum as i64).is_err()) {
        return Err(QuantizeError::Overflow { stage, largest: *sum as i128 });
    }
    for (mut column, mul) in sums.column_iter_mut().zip(muls) {
        column.apply(|sum| *sum = shifted((*sum * f64::from(*mul) / 65536.0).floor(), shift));
    }
    Ok(sums)
}

/// The projected vectors, of 8 bits.
pub(super) fn project(model: &ModelBuf, x: &Mat) -> Result<Clipped, QuantizeError> {
    let (Some(projection), Some(int)) = (&model.project, &model.int) else { return Ok((x.clone(), 0.0)) };
    let weights = tensor::matrix(&projection.values, x.ncols());
    let bias = projection.int_bias.iter().map(|&b| b.into()).collect();
    let sums = Projection { weights, bias }.apply(x, 1);
    Ok(clip(&rescaled("projection", sums, &int.p_mul, int.p_shift)?, byte(model, true)))
}

/// Kernel values or random features; without a feature map the features themselves.
pub(super) fn feature_map(model: &ModelBuf, x: &Mat) -> Mat {
    let Some(int) = &model.int else { return x.clone() };
    let tables = Tables::new();
    let cosines = |weights: &Mat, phases: &[u32]| {
        let mut turns = mul_nt(x, weights, 1);
        for (mut column, phase) in turns.column_iter_mut().zip(phases) {
            // Whole turns do not matter, so these sums alone may wrap.
            let cos = |sum: f64| tables.cos((sum as i64 as u32).wrapping_mul(int.k_mul).wrapping_add(*phase));
            column.apply(|sum| *sum = cos(*sum).into());
        }
        turns
    };
    match &model.feature_map {
        FeatureMap::None => x.clone(),
        FeatureMap::Centers { kernel, values } => {
            let centers = tensor::matrix(values, x.ncols());
            let squared = matches!(kernel, Kernel::Gaussian { .. });
            let mut mapped = Mat::zeros(x.nrows(), centers.nrows());
            for (mut distances, center) in mapped.column_iter_mut().zip(centers.row_iter()) {
                for (j, c) in center.iter().enumerate() {
                    let gaps = column(x, j).iter().map(|x| (x - c).abs());
                    distances.iter_mut().zip(gaps).for_each(|(d, gap)| *d += if squared { gap * gap } else { gap });
                }
                distances.apply(|d| *d = tables.exp(*d as i64, int.k_mul, int.k_shift).into());
            }
            mapped
        }
        FeatureMap::Random { weights, int_phases, .. } => {
            let phases: Vec<u32> = int_phases.iter().map(|&p| u32::from(p) << 16).collect();
            cosines(&tensor::matrix(weights, x.ncols()), &phases)
        }
        FeatureMap::Seeded { count, seed, law, .. } => {
            let (weights, phases) = seeded::raw(Seeded { seed: *seed, law: *law }, *count as usize, x.ncols());
            cosines(&weights, &phases)
        }
    }
}

/// The embedding.
pub(super) fn readout(model: &ModelBuf, values: &Mat) -> Result<Clipped, QuantizeError> {
    let Some(int) = &model.int else { return Ok((values.clone(), 0.0)) };
    let z = match &model.readout {
        None => values.map(|v| shifted(v, int.z_shift)),
        Some(readout) => {
            let mut sums = mul(values, &tensor::matrix(&readout.weights, model.dim), 1);
            for (mut column, bias) in sums.column_iter_mut().zip(&readout.int_bias) {
                column.add_scalar_mut((*bias).into());
            }
            rescaled("readout", sums, &readout.int_mul, int.z_shift)?
        }
    };
    Ok(clip(&z, (-f64::from(int.z_max), int.z_max.into())))
}

/// Everything behind the geometry: the embedding in raw units.
pub(super) fn embed(model: &ModelBuf, features: &Mat) -> Result<Mat, QuantizeError> {
    let x = project(model, &input(model, features).0)?.0;
    Ok(readout(model, &feature_map(model, &x))?.0)
}
