//! The head and what belongs to it, in raw units of the embedding.

use super::QuantizeError;
use super::readout::{Coordinates, largest_coordinate};
use crate::linalg::Mat;
use crate::model::tensor;
use nearmark_format::{Head, ModelBuf, extras};

/// Moves means, prototypes and reject radii into raw units, and stores what a raw unit is.
pub(super) fn quantize(model: &mut ModelBuf, coordinates: &Coordinates) -> Result<(), QuantizeError> {
    let (unit, z_max) = (coordinates.unit, largest_coordinate(model.dim));
    let dim = model.dim;
    let raw = |values: &nearmark_format::Tensor| {
        let points = tensor::matrix(values, dim);
        let limit = f64::from(z_max);
        let coordinate = |i, j| ((points[(i, j)] - coordinates.shift[j]) / unit).round().clamp(-limit, limit);
        tensor::to_i16(&Mat::from_fn(points.nrows(), dim, coordinate))
    };
    match &mut model.head {
        Head::Unit => {}
        Head::Means(values) | Head::Prototypes { values, .. } => *values = raw(values),
    }
    if let Some((_, radii)) = model.extras.get_mut(&extras::RADII) {
        for word in radii.chunks_exact_mut(4) {
            let radius = f32::from_le_bytes([word[0], word[1], word[2], word[3]]);
            // Rounded down, and everything beyond the largest distance is the largest; NaN refuses all.
            let raw = (f64::from(radius) / (unit * unit)).floor() as u32;
            word.copy_from_slice(&raw.to_le_bytes());
        }
    }
    let Some(int) = &mut model.int else { return Err(QuantizeError::NotF32) };
    int.z_max = z_max;
    int.z_unit = unit as f32;
    if model.head == Head::Unit {
        let one = (1.0 / unit).round();
        if !(1.0..=f64::from(z_max)).contains(&one) {
            return Err(QuantizeError::Range {
                stage: "class means",
                why: "a unit vector does not fit the coordinates",
            });
        }
        int.z_one = one as u32;
    }
    if int.z_unit > 0.0 && int.z_unit.is_finite() {
        return Ok(());
    }
    Err(QuantizeError::Range { stage: "embedding", why: "its unit does not fit single precision" })
}
