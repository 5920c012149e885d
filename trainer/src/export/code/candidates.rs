//! Samples made from a model itself, for want of data: some of them lie where its stages are busy.

use crate::linalg::{Mat, column_means, mul, mul_nt, solve_spd};
use crate::rng::Rng;
use nearmark_format::{Head, Lift, ModelBuf, Num, Scale, Tensor};

/// Fixed, so that the same model gives the same candidates.
const SEED: u64 = 1;

/// Candidate samples, in f64 and in the units of the input.
pub(super) fn of(model: &ModelBuf) -> Vec<Vec<f64>> {
    let mut rng = Rng::new(SEED);
    let mut rows = patterns(model, &mut rng);
    if model.window.is_none() {
        let wanted = targets(model, &mut rng);
        rows.extend(pulled_back(model, &wanted).unwrap_or_default());
    }
    rows
}

/// Fixed patterns at several magnitudes, within the range of the input's type.
fn patterns(model: &ModelBuf, rng: &mut Rng) -> Vec<Vec<f64>> {
    let (low, high, parts): (f64, f64, &[f64]) = match model.input {
        Num::F32 => (-1.0, 1.0, &[0.1, 1.0, 10.0, 100.0]),
        Num::I16 => (-32_768.0, 32_767.0, &[0.001, 0.01, 0.1, 1.0]),
        Num::I8 => (-128.0, 127.0, &[0.1, 0.5, 1.0]),
        Num::U8 => (0.0, 255.0, &[0.1, 0.5, 1.0]),
    };
    let mut rows = Vec::new();
    for part in parts {
        let mut noise = || low + (high - low) * rng.uniform();
        let row: Vec<f64> = (0..model.inputs).map(|_| noise() * part).collect();
        // The same values, seldom negative, and as a slow wave.
        rows.push(row.iter().map(|v| v.abs()).collect());
        rows.push(row);
        let wave = |i: usize| (high - low) * 0.5 * part * (1.0 + libm::sin(0.3 * i as f64 + part));
        rows.push((0..model.inputs).map(|i| low.max(-high) * part * 0.5 + wave(i)).collect());
    }
    rows
}

/// Points in the space of centers, or of what the readout takes: where kernels are wide awake.
fn targets(model: &ModelBuf, rng: &mut Rng) -> Mat {
    let width = model.project.as_ref().map_or(model.features(), |project| project.outputs);
    let known = match (&model.lift, &model.readout, &model.head) {
        (Lift::Centers { values, .. }, _, _) => floats(values, width),
        // Plain nearest neighbors: prototypes lie in the same space.
        (Lift::None, None, Head::Means(values) | Head::Prototypes { values, .. }) => floats(values, width),
        _ => None,
    };
    let Some(known) = known.filter(|known| known.nrows() > 0) else {
        // The zero of a scaled space is the mean of the training rows; around it, noise.
        let sizes = [0.0, 0.25, 0.5, 1.0, 1.0, 2.0, 4.0, 8.0];
        return Mat::from_fn(sizes.len(), width, |i, _| sizes[i] * rng.normal());
    };
    let n = known.nrows();
    let (mean, pick) = (column_means(&known), |i: usize, of: usize| i * n / of);
    let spread = (0..width).map(|j| known.column(j).variance().sqrt()).collect::<Vec<f64>>();
    let mut rows: Vec<Vec<f64>> = vec![mean.clone()];
    let row = |i: usize| known.row(i).iter().copied().collect::<Vec<f64>>();
    let blend = |u: &[f64], v: &[f64]| u.iter().zip(v).map(|(u, v)| f64::midpoint(*u, *v)).collect::<Vec<f64>>();
    for i in 0..6 {
        let (own, far) = (row(pick(i, 6)), row((pick(i, 6) + n / 2) % n));
        rows.push(blend(&own, &far));
        rows.push(blend(&own, &mean));
        rows.push(own);
    }
    for size in [0.3, 0.6, 1.0, 1.5] {
        rows.push((0..width).map(|j| mean[j] + size * spread[j] * rng.normal()).collect());
    }
    Mat::from_fn(rows.len(), width, |i, j| rows[i][j])
}

/// Inputs whose features are as near as possible to these rows; `None` where stages are not stored in floats.
fn pulled_back(model: &ModelBuf, rows: &Mat) -> Option<Vec<Vec<f64>>> {
    let mut rows = rows.clone();
    if let Some(project) = &model.project {
        let weights = floats(&project.values, model.features())?;
        for (mut column, bias) in rows.column_iter_mut().zip(&project.bias) {
            column.add_scalar_mut(-f64::from(*bias));
        }
        // The shortest solution, Pᵀ(PPᵀ)⁻¹v.
        let (solved, _) = solve_spd(|| mul_nt(&weights, &weights, 1), 0.0, &rows.transpose()).ok()?;
        rows = mul(&solved.transpose(), &weights, 1);
    }
    match &model.scale {
        Scale::None | Scale::Unit => {}
        Scale::Uniform { mul, add } => rows.apply(|v| *v = undo(*v, *mul, *add)),
        Scale::Features { mul, add } => {
            for ((mut column, mul), add) in rows.column_iter_mut().zip(mul).zip(add) {
                column.apply(|v| *v = undo(*v, *mul, *add));
            }
        }
        Scale::IntFeatures { .. } => return None,
    }
    Some(rows.row_iter().map(|row| spread_out(model, &row.iter().copied().collect::<Vec<f64>>())).collect())
}

fn undo(value: f64, mul: f32, add: f32) -> f64 {
    if mul == 0.0 { 0.0 } else { (value - f64::from(add)) / f64::from(mul) }
}

/// Undoes selection and pooling: features left out are zero, a block's sum is shared by its values.
fn spread_out(model: &ModelBuf, features: &[f64]) -> Vec<f64> {
    let mut kept = features.iter().copied();
    let all: Vec<f64> = match &model.select {
        Some(mask) => mask.iter().map(|&on| if on { kept.next().unwrap_or(0.0) } else { 0.0 }).collect(),
        None => features.to_vec(),
    };
    let Some((shape, pool)) = model.shape.zip(model.pool) else { return all };
    let (height, width) = (shape.rows as usize, shape.cols as usize);
    let (tall, wide) = (usize::from(pool.rows), usize::from(pool.cols));
    let block = |pixel: usize| {
        let (plane, row, col) = (pixel / (height * width), pixel / width % height, pixel % width);
        (plane * (height / tall) + row / tall) * (width / wide) + col / wide
    };
    (0..model.inputs).map(|pixel| all[block(pixel)] / (tall * wide) as f64).collect()
}

/// Row-major floats as a matrix.
fn floats(values: &Tensor, width: usize) -> Option<Mat> {
    match values {
        Tensor::F32(v) => Some(Mat::from_row_iterator(v.len() / width.max(1), width, v.iter().map(|&v| v.into()))),
        _ => None,
    }
}
