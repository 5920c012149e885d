//! Small random models, each fitted to rows of its own.

use super::integers;
use super::reference::Reference;
use crate::linalg::{Cholesky, Mat, column_means, gram_tn, mul_tn};
use crate::model::tensor::to_f32;
use crate::rng::Rng;
use nearmark_format::{
    FeatureMap, Head, Kernel, ModelBuf, Num, Pool, Projection, Readout, Scale, Shape, Tensor, Window, meta::code,
};

pub(super) const CLASSES: usize = 3;
/// Kernel centers or random features.
pub(super) const COUNT: usize = 11;

/// Rows of three classes around points of the sample's type, and their labels.
pub(super) fn rows(input: Num, width: usize, count: usize, centers: u64, seed: u64) -> (Mat, Vec<usize>) {
    let (low, high) = integers::range(input);
    let (low, high) = if input == Num::F32 { (-3.0, 5.0) } else { (low, high) };
    let mut around = Rng::new(centers);
    let points = Mat::from_fn(CLASSES, width, |_, _| low + (high - low) * (0.25 + 0.5 * around.uniform()));
    let mut rng = Rng::new(seed);
    let labels: Vec<usize> = (0..count).map(|i| i % CLASSES).collect();
    let rows = Mat::from_fn(count, width, |i, j| {
        let v = points[(labels[i], j)] + 0.12 * (high - low) * rng.normal();
        if input == Num::F32 { f64::from(v as f32) } else { v.round().clamp(low, high) }
    });
    (rows, labels)
}

fn normal(rng: &mut Rng, rows: usize, cols: usize, size: f64) -> Mat {
    Mat::from_fn(rows, cols, |_, _| size * rng.normal())
}

/// Window statistics, blocks, a selection or nothing.
fn shape(model: &mut ModelBuf, geometry: usize, rng: &mut Rng) {
    match geometry {
        1 => {
            model.shape = Some(Shape { channels: 2, rows: 1, cols: 12 });
            let stats =
                if rng.below(2) == 0 { code::STAT_ALL } else { code::STAT_MEAN | code::STAT_MAX | code::STAT_STEP };
            model.window = Some(Window { segments: 2, stats, interleaved: rng.below(2) == 0 });
        }
        2 => {
            model.shape = Some(Shape { channels: 1, rows: 4, cols: 6 });
            model.pool = Some(Pool { rows: 2, cols: if model.input == Num::I16 { 1 } else { 3 } });
        }
        3 => model.select = Some((0..24).map(|j| j % 3 != 1).collect()),
        _ => {}
    }
}

/// What maps rows `x`, as wide as they lie apart.
fn maps(feature_map: usize, x: &Mat, seed: u64, rng: &mut Rng) -> FeatureMap {
    let wide = x.ncols();
    let apart = crate::linalg::shift_columns(x.clone(), &column_means(x)).norm() * (2.0 / x.nrows() as f64).sqrt();
    let centers = x.select_rows(&(0..COUNT).map(|i| i * 20).collect::<Vec<_>>());
    let gaussian = (0.5 / (apart * apart)) as f32;
    match feature_map {
        1 => FeatureMap::Centers { kernel: Kernel::Gaussian { gamma: 2.0 * gaussian }, values: to_f32(&centers) },
        2 => {
            let gamma = (1.0 / (apart * (wide as f64).sqrt())) as f32;
            FeatureMap::Centers { kernel: Kernel::Laplacian { gamma }, values: to_f32(&centers) }
        }
        3 => FeatureMap::Random {
            gamma: 1.0,
            weights: to_f32(&normal(rng, COUNT, wide, 0.2 / apart)),
            phases: (0..COUNT).map(|_| rng.uniform() as f32).collect(),
            int_phases: Vec::new(),
        },
        4 => FeatureMap::Seeded { gamma: (0.2 / apart) as f32, count: COUNT as u32, seed, law: code::LAW_SIGNS },
        5 => {
            FeatureMap::Seeded { gamma: (0.2 / apart / 148.0) as f32, count: COUNT as u32, seed, law: code::LAW_BYTES }
        }
        _ => FeatureMap::None,
    }
}

/// A model of the stages that these numbers choose, fitted to rows: a readout by regression on the classes.
pub(super) fn model(choice: [usize; 7], seed: u64) -> Result<(ModelBuf, Mat), Box<dyn std::error::Error>> {
    let [input, geometry, scale, project, feature_map, readout, top] = choice;
    let input = [Num::U8, Num::I8, Num::I16, Num::F32][input];
    let mut rng = Rng::new(seed);
    let mut model = ModelBuf::new(24, CLASSES, CLASSES);
    model.input = input;
    shape(&mut model, geometry, &mut rng);
    let (rows, labels) = rows(input, 24, 240, seed, seed + 1);
    let bare = |model: &ModelBuf, dim: usize| ModelBuf {
        head: Head::Means(Tensor::F32(vec![0.0; CLASSES * dim])),
        dim,
        ..model.clone()
    };
    let features = Reference::new(&bare(&model, model.features()), &rows)?.projected;
    let (width, spread) = (features.ncols(), features.max() - features.min());
    let mul = 2.0 / spread;
    model.scale = match scale {
        1 => Scale::Uniform { mul: mul as f32, add: 0.3 },
        2 => Scale::Features {
            mul: (0..width).map(|_| (mul * (0.5 + rng.uniform())) as f32).collect(),
            // Weights from a seed need a zero among the values, as scaling by mean and variance gives it.
            add: (0..width).map(|_| if feature_map < 4 { rng.normal() } else { 0.1 * rng.normal() } as f32).collect(),
        },
        _ => Scale::None,
    };
    let real_unit = if scale == 0 { spread / 2.0 } else { 1.0 };
    if project > 0 {
        let mut weights = normal(&mut rng, 7, width, 1.0 / (real_unit * (width as f64).sqrt()));
        if project == 2 {
            weights.apply(|w| {
                if rng.below(2) == 0 {
                    *w = 0.0;
                }
            });
        }
        // Weights from a seed cannot take in a shift, so that a large one costs resolution.
        let size = if feature_map >= 4 { 0.1 } else { 1.0 };
        let bias = if rng.below(2) == 0 { (0..7).map(|_| (size * rng.normal()) as f32).collect() } else { Vec::new() };
        model.project =
            Some(Projection { outputs: 7, values: to_f32(&weights), bias, int_bias: Vec::new(), sparse: project == 2 });
    }
    let wide = model.project.as_ref().map_or(width, |p| p.outputs);
    let x = Reference::new(&bare(&model, wide), &rows)?.projected;
    model.feature_map = maps(feature_map, &x, seed, &mut rng);
    model.dim = if feature_map == 0 { wide } else { COUNT };
    if readout > 0 {
        let mapped = Reference::new(&bare(&model, model.dim), &rows)?.z;
        let targets = Mat::from_fn(labels.len(), CLASSES, |i, c| f64::from(u8::from(labels[i] == c)));
        let mut gram = gram_tn(&mapped, 1);
        let ridge = gram.trace() / model.dim as f64 * 1e-4;
        (0..model.dim).for_each(|i| gram[(i, i)] += ridge);
        let weights = to_f32(&Cholesky::factor(gram)?.solve(mul_tn(&mapped, &targets, 1)));
        let bias = if readout == 2 { vec![0.25, -0.5, 0.125] } else { Vec::new() };
        model.readout = Some(Readout { weights, bias, ..Readout::default() });
        model.dim = CLASSES;
    }
    let z = Reference::new(&bare(&model, model.dim), &rows)?.z;
    let means = crate::dataset::class_means(&z, &labels, CLASSES);
    model.head = match top {
        0 if readout == 1 => Head::Unit,
        1 => {
            let order: Vec<usize> = (0..CLASSES).flat_map(|c| (0..5).map(move |i| i * 3 + c)).collect();
            Head::Prototypes { k: 3, values: to_f32(&z.select_rows(&order)), counts: vec![5; CLASSES] }
        }
        _ => Head::Means(to_f32(&means)),
    };
    Ok((model, rows))
}
