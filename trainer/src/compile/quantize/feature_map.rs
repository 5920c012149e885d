//! The feature map: centers or weights of 8 bits, and the kernel's width as a multiplier.

use super::learned::Learned;
use super::{QuantizeError, tables};
use crate::linalg::Mat;
use crate::model::tensor;
use crate::preprocess::Grid;
use nearmark_format::{FeatureMap, Kernel, ModelBuf};

/// Quantizes kernel centers or random features behind bytes of this scale.
pub(super) fn quantize(model: &mut ModelBuf, before: &Grid, learned: Option<&Learned>) -> Result<(), QuantizeError> {
    let Some(int) = &mut model.int else { return Err(QuantizeError::NotF32) };
    let width = before.step.len();
    // One step for all features, but for those that never move.
    let step = before.step.iter().map(|s| s.abs()).fold(0.0, f64::max);
    match &mut model.feature_map {
        FeatureMap::None => {}
        FeatureMap::Centers { kernel, values } => {
            let exponent = match kernel {
                Kernel::Gaussian { gamma } => f64::from(*gamma) * step * step,
                Kernel::Laplacian { gamma } => f64::from(*gamma) * step,
                Kernel::Polynomial { .. } => return Err(QuantizeError::NotF32),
            };
            (int.k_mul, int.k_shift) = multiplier(exponent)?;
            let byte = |c: f64, j: usize| match learned {
                Some(learned) => learned.center(c, j),
                None => ((c - before.shift[j]) / before.step[j]).round(),
            };
            let centers = tensor::matrix(values, width);
            let bytes = Mat::from_fn(centers.nrows(), width, |i, j| {
                if before.step[j] == 0.0 { 0.0 } else { byte(centers[(i, j)], j) }
            });
            *values = tensor::to_u8(&bytes);
        }
        FeatureMap::Random { gamma, weights, phases, int_phases } => {
            let mut turns = tensor::matrix(weights, width) * f64::from(*gamma);
            let shift = nalgebra::DVector::from_column_slice(&before.shift);
            let moved = &turns * shift;
            turns.column_iter_mut().zip(&before.step).for_each(|(mut column, step)| column *= *step);
            let whole = f64::exp2(32.0);
            let mul = (turns.amax() / 127.0 * whole).round().max(1.0);
            if mul >= whole {
                return Err(QuantizeError::Range { stage: "random features", why: "a step of a byte is a whole turn" });
            }
            int.k_mul = mul as u32;
            *weights = tensor::to_i8(&turns.map(|t| (t * whole / mul).round()));
            let phase =
                |(p, moved): (&f32, &f64)| ((f64::from(*p) + moved).rem_euclid(1.0) * 65536.0).round() as u32 as u16;
            *int_phases = phases.iter().zip(moved.iter()).map(phase).collect();
            phases.clear();
        }
        FeatureMap::Seeded { gamma, .. } => {
            let mul = (f64::from(*gamma) * step * f64::exp2(32.0)).round().max(1.0);
            // Whole turns do not matter.
            int.k_mul = ((mul as u64) as u32).max(1);
        }
    }
    Ok(())
}

/// Multiplier and shift of an exponent per unit of distance.
fn multiplier(exponent: f64) -> Result<(u32, u8), QuantizeError> {
    let shifted = |shift: u8| exponent * tables::octaves() * f64::exp2(shift.into());
    let shift = (0..=31).find(|&shift| shifted(shift) >= 4096.0).unwrap_or(31);
    let mul = shifted(shift).round();
    if mul < 1.0 || mul > f64::from(u32::MAX) {
        return Err(QuantizeError::Range { stage: "kernel", why: "its width is beyond what 8 bits resolve" });
    }
    Ok((mul as u32, shift))
}

/// The step next to `step` at which a Gaussian's multiplier is a whole number: its width is then exact.
pub(super) fn exact_step(gamma: f64, step: f64) -> f64 {
    multiplier(gamma * step * step)
        .map_or(step, |(mul, shift)| (f64::from(mul) / (gamma * tables::octaves() * f64::exp2(shift.into()))).sqrt())
}
