//! Samples made from a model itself, for want of data: some of them lie where its stages are busy.

use crate::linalg::{Mat, column_means, mul, mul_nt, scale_rows, solve_spd};
use crate::model::host::pool;
use crate::model::tensor::matrix;
use crate::rng::Rng;
use nearmark_format::{FeatureMap, Head, ModelBuf, Num, Projection, Scale};

/// Fixed, so that the same model gives the same candidates.
const SEED: u64 = 1;

/// Candidate samples, in f64 and in the units of the input.
pub(super) fn of(model: &ModelBuf) -> Vec<Vec<f64>> {
    let mut rng = Rng::new(SEED);
    let mut rows = patterns(model, &mut rng);
    if model.window.is_none() && model.series.is_none() {
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
    let known = match (&model.feature_map, &model.readout, &model.head) {
        // With neither feature map nor readout, means and prototypes lie in the same space.
        (FeatureMap::Centers { values, .. }, _, _)
        | (FeatureMap::None, None, Head::Means(values) | Head::Prototypes { values, .. }) => matrix(values, width),
        _ => Mat::zeros(0, width),
    };
    let n = known.nrows();
    if n == 0 {
        // The zero of a scaled space is the mean of the training rows; around it, noise.
        let unit = if model.int.is_some() { 16.0 } else { 1.0 };
        let sizes = [0.0, 0.25, 0.5, 1.0, 1.0, 2.0, 4.0, 8.0];
        return Mat::from_fn(sizes.len(), width, |i, _| unit * sizes[i] * rng.normal());
    }
    let mean = column_means(&known);
    let spread = (0..width).map(|j| known.column(j).variance().sqrt()).collect::<Vec<f64>>();
    let mut rows: Vec<Vec<f64>> = vec![mean.clone()];
    let row = |i: usize| known.row(i).iter().copied().collect::<Vec<f64>>();
    let blend = |u: &[f64], v: &[f64]| u.iter().zip(v).map(|(u, v)| f64::midpoint(*u, *v)).collect::<Vec<f64>>();
    for i in 0..6 {
        let (own, far) = (row(i * n / 6), row((i * n / 6 + n / 2) % n));
        rows.push(blend(&own, &far));
        rows.push(blend(&own, &mean));
        rows.push(own);
    }
    for size in [0.3, 0.6, 1.0, 1.5] {
        rows.push((0..width).map(|j| mean[j] + size * spread[j] * rng.normal()).collect());
    }
    Mat::from_fn(rows.len(), width, |i, j| rows[i][j])
}

/// Inputs whose features are as near as possible to these rows; `None` where a projection cannot be undone.
fn pulled_back(model: &ModelBuf, rows: &Mat) -> Option<Vec<Vec<f64>>> {
    let mut rows = rows.clone();
    if let Some(project) = &model.project {
        let (weights, bias) = affine(project, model);
        for (mut column, bias) in rows.column_iter_mut().zip(bias) {
            column.add_scalar_mut(-bias);
        }
        // The shortest solution, Pᵀ(PPᵀ)⁻¹v.
        let (solved, _) = solve_spd(|| mul_nt(&weights, &weights, 1), 0.0, &rows.transpose()).ok()?;
        rows = mul(&solved.transpose(), &weights, 1);
    }
    for (j, mut column) in rows.column_iter_mut().enumerate() {
        let (mul, add) = scaling(model, j);
        column.apply(|v| *v = if mul == 0.0 { 0.0 } else { (*v - add) / mul });
    }
    Some(rows.row_iter().map(|row| spread_out(model, &row.iter().copied().collect::<Vec<f64>>())).collect())
}

/// The projection as a matrix and a shift, in either profile.
fn affine(project: &Projection, model: &ModelBuf) -> (Mat, Vec<f64>) {
    let weights = matrix(&project.values, model.features());
    let Some(int) = &model.int else {
        return (weights, project.bias.iter().map(|&b| b.into()).collect());
    };
    let factor = |i: usize| {
        let unit = f64::from(1 << 16) * f64::from(1_u32 << int.p_shift.min(31));
        int.p_mul.get(i).map_or(1.0, |&mul| f64::from(mul) / unit)
    };
    let factors: Vec<f64> = (0..project.outputs).map(factor).collect();
    let bias = project.int_bias.iter().zip(&factors).map(|(&b, f)| f64::from(b) * f).collect();
    (scale_rows(weights, &factors), bias)
}

/// Factor and shift of a feature, in either profile.
fn scaling(model: &ModelBuf, feature: usize) -> (f64, f64) {
    let unit = model.int.as_ref().map_or(1.0, |int| f64::from(1_u32 << int.in_shift.min(31)));
    let quantization = |zero: f64, mul: f64| (mul / unit, -zero * mul / unit);
    match (&model.scale, &model.int) {
        (Scale::Uniform { mul, add }, _) => ((*mul).into(), (*add).into()),
        (Scale::Features { mul, add }, _) => (mul[feature].into(), add[feature].into()),
        (Scale::IntFeatures { zero, mul }, _) => quantization(zero[feature].into(), mul[feature].into()),
        (_, Some(int)) if int.in_mul != 0 => quantization(int.in_zero.into(), int.in_mul.into()),
        (_, Some(int)) => (1.0, -f64::from(int.in_zero)),
        (Scale::None | Scale::Unit, None) => (1.0, 0.0),
    }
}

/// Undoes selection and pooling, and what makes floats integers: features left out are zero, a block's sum is
/// shared by its values.
fn spread_out(model: &ModelBuf, features: &[f64]) -> Vec<f64> {
    let mut kept = features.iter().copied();
    let all: Vec<f64> = match &model.select {
        Some(mask) => mask.iter().map(|&on| if on { kept.next().unwrap_or(0.0) } else { 0.0 }).collect(),
        None => features.to_vec(),
    };
    let mut inputs = pool(model).ok().flatten().map_or(all.clone(), |pool| pool.spread(&all));
    if let Some(int) = model.int.as_ref().filter(|int| int.f32_mul != 0.0) {
        for value in &mut inputs {
            *value = (*value - f64::from(int.f32_add)) / f64::from(int.f32_mul);
        }
    }
    inputs
}
