//! Turning the projected features before they are cut to bytes.
//!
//! A Gaussian kernel sees distances, and those do not change when projection and centers turn together. But bytes share
//! one step, as wide as the widest feature asks: principal axes of very different widths waste most of their bytes. After
//! a turn that mixes them all features are about equally wide, and the step is as fine as it can be. On the device it
//! costs nothing.

use super::reference::Reference;
use crate::linalg::{Mat, mul, mul_nt, orthonormal};
use crate::model::tensor::{self, or_zeros, to_f32};
use crate::rng::Rng;
use nearmark_format::{FeatureMap, Kernel, ModelBuf};

/// Turns to try.
const TRIES: usize = 64;

/// Turns projection, centers and projected calibration rows so that the widest feature becomes as narrow as possible.
pub(super) fn rotate(model: &mut ModelBuf, real: &mut Reference) {
    let FeatureMap::Centers { kernel: Kernel::Gaussian { .. }, values } = &mut model.feature_map else { return };
    let Some(projection) = model.project.as_mut().filter(|projection| !projection.sparse) else { return };
    let outputs = projection.outputs;
    let centers = tensor::matrix(values, outputs);
    let Some((turn, _)) = best(&real.projected, &centers) else { return };
    let inputs = projection.values.len() / outputs;
    projection.values = to_f32(&mul(&turn, &tensor::matrix(&projection.values, inputs), 1));
    if !projection.bias.is_empty() {
        let bias = Mat::from_column_slice(outputs, 1, &or_zeros(&projection.bias, outputs));
        projection.bias = mul(&turn, &bias, 1).iter().map(|&b| b as f32).collect();
    }
    *values = to_f32(&mul_nt(&centers, &turn, 1));
    real.projected = mul_nt(&real.projected, &turn, 1);
}

/// The turn that leaves the narrowest range, with that range; none if standing still does.
fn best(rows: &Mat, centers: &Mat) -> Option<(Mat, f64)> {
    let width = rows.ncols();
    let mut rng = Rng::new(0);
    let (mut best, mut narrowest) = (None, widest(rows, centers));
    for _ in 0..if width > 1 { TRIES } else { 0 } {
        let turn = orthonormal(&Mat::from_fn(width, width, |_, _| rng.normal())).transpose();
        if turn.nrows() != width {
            continue;
        }
        let range = widest(&mul_nt(rows, &turn, 1), &mul_nt(centers, &turn, 1));
        if range < narrowest {
            (best, narrowest) = (Some((turn, range)), range);
        }
    }
    best
}

/// The widest range of a column.
fn widest(rows: &Mat, centers: &Mat) -> f64 {
    let columns = rows.column_iter().zip(centers.column_iter());
    columns.map(|(r, c)| r.max().max(c.max()) - r.min().min(c.min())).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wide_axis_among_narrow_ones_is_shared_out() {
        let mut rng = Rng::new(1);
        let rows = Mat::from_fn(200, 8, |_, j| if j == 0 { 10.0 } else { 1.0 } * rng.normal());
        let centers = rows.rows(0, 5).into_owned();
        let Some((turn, range)) = best(&rows, &centers) else { panic!("a turn helps") };
        assert!((&turn * turn.transpose() - Mat::identity(8, 8)).amax() < 1e-12);
        assert!(range < 0.6 * widest(&rows, &centers), "{range}");
    }
}
