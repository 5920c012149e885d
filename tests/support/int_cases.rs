//! Models of the INT profile, by stage, with samples to match: what `cases` is for floats.
//!
//! Scales are chosen so that typical values use a good part of their range and few are clamped.

use nearmark_format::{
    AlignedBuf, FeatureMap, Head, IntParams, Kernel, ModelBuf, Num, Pool, Projection, Readout, Scale, Shape, Tensor,
    Window, extras, meta::code,
};

use crate::{
    cases::{Case, Recipe, Rows, with_ids},
    nibble_cases,
    rng::Rng,
    series::counted,
};

/// Every case of the INT profile; the order and the seeds are part of the goldens.
#[must_use]
pub fn cases() -> Vec<Case> {
    let list: [Recipe; 23] = [
        ("int-gaussian", |r| gaussian(plain(Num::U8, 16, 9, 10), 21, r)),
        ("int-gaussian-project", |r| {
            let model = project(plain(Num::U8, 20, 5, 5), 7, false, r);
            unit(narrow(gaussian(model, 13, r), r))
        }),
        ("int-gaussian-sparse", |r| {
            let model = project(plain(Num::I8, 320, 4, 6), 6, true, r);
            gaussian(model, 10, r)
        }),
        ("int-laplacian-select", |r| {
            let select = Some((0..64).map(|i| i % 3 != 1).collect());
            let model = ModelBuf { select, ..plain(Num::U8, 64, 6, 7) };
            laplacian(scaled(model, 100, 11_000, 13), 18, r)
        }),
        ("int-floats", |r| {
            // Floats in ±1 become ±30000, then bytes by a scale per feature.
            let mut model = plain(Num::F32, 11, 3, 4);
            params(&mut model).f32_mul = 30_000.0;
            gaussian(per_feature(model, 30_000, r), 9, r)
        }),
        ("int-random-stored", |r| random(scaled(plain(Num::I16, 12, 5, 6), -50, 2080, 15), 30, r)),
        ("int-random-signs", |r| {
            let model = project(plain(Num::U8, 24, 4, 4), 40, false, r);
            unit(seeded(model, 50, code::LAW_SIGNS, 0.3 / 470.0, r))
        }),
        ("int-random-bytes-pool", |r| {
            let shape = Some(Shape { channels: 2, rows: 8, cols: 12 });
            let pool = Some(Pool { rows: 2, cols: 3 });
            let model = ModelBuf { shape, pool, ..plain(Num::U8, 192, 5, 8) };
            seeded(scaled(model, 765, 5500, 15), 37, code::LAW_BYTES, 0.3 / 40_000.0, r)
        }),
        ("int-pool-select-gaussian", |r| {
            let shape = Some(Shape { channels: 1, rows: 20, cols: 20 });
            let pool = Some(Pool { rows: 2, cols: 2 });
            let select = Some((0..100).map(|i| i % 5 != 0).collect());
            let model = ModelBuf { shape, pool, select, ..plain(Num::U8, 400, 10, 10) };
            let model = project(scaled(model, 510, 8000, 15), 8, false, r);
            unit(gaussian(model, 24, r))
        }),
        ("int-window-major", |r| {
            let model = windowed(Num::I16, false, code::STAT_ALL, 2);
            let model = project(scaled(model, 0, 2000, 15), 6, false, r);
            gaussian(model, 11, r)
        }),
        ("int-window-interleaved", |r| {
            let model = windowed(Num::I16, true, code::STAT_MEAN | code::STAT_MIN | code::STAT_STEP, 3);
            let model = gaussian(per_feature(model, 2000, r), 10, r);
            prototypes(model, 3, r)
        }),
        ("int-window-bytes", |r| {
            let model = windowed(Num::I8, true, code::STAT_ALL, 2);
            laplacian(scaled(model, -4000, 500, 15), 9, r)
        }),
        ("int-linear", |r| with_bias(readout(plain(Num::I8, 13, 3, 4), 13, 128, r), r)),
        ("int-linear-u8", |r| unit(narrow(readout(plain(Num::U8, 30, 8, 8), 30, 128, r), r))),
        ("int-knn-1", |r| {
            let model = project(plain(Num::U8, 18, 6, 5), 6, false, r);
            prototypes(model, 1, r)
        }),
        ("int-knn-5", |r| prototypes(plain(Num::I8, 7, 7, 6), 5, r)),
        ("int-reject", |r| {
            let mut model = gaussian(plain(Num::U8, 5, 3, 3), 8, r);
            let radii = [400_000u32, 1_000_000, 4_000_000].iter().flat_map(|v| v.to_le_bytes()).collect();
            model.extras.insert(extras::RADII, (false, radii));
            model
        }),
        ("int-kernel-values", |r| {
            let model = gaussian(plain(Num::U8, 4, 6, 3), 6, r);
            let mut model = ModelBuf { readout: None, ..model };
            params(&mut model).z_shift = 2;
            model
        }),
        ("int-items", |r| {
            let model = project(plain(Num::U8, 12, 3, 4), 3, false, r);
            with_ids(prototypes(model, 1, r))
        }),
        ("int-counts-major", |r| {
            unit(narrow(readout(counted(plain(Num::I16, 231, 6, 6), 3, 90, false, r), 90, 128, r), r))
        }),
        ("int-counts-interleaved", |r| {
            let model = project(counted(plain(Num::U8, 300, 6, 6), 6, 61, true, r), 9, false, r);
            gaussian(model, 12, r)
        }),
        ("int-counts-bytes", |r| gaussian(counted(plain(Num::I8, 260, 6, 6), 2, 42, false, r), 10, r)),
        ("int-counts-floats", |r| {
            let mut model = counted(plain(Num::F32, 80, 6, 6), 2, 37, true, r);
            (params(&mut model).f32_mul, params(&mut model).f32_add) = (2000.0, 5.0);
            with_bias(readout(model, 37, 128, r), r)
        }),
    ];
    let cases = list.into_iter().enumerate().map(|(at, (name, make))| case(name, make, 3000 + at as u64, 100));
    cases.chain(nibble_cases::cases()).collect()
}

/// The models whose cost `bench-device` measures, as [`cases::bench_cases`](crate::cases::bench_cases).
#[must_use]
pub fn bench_cases() -> Vec<Case> {
    let list: [Recipe; 7] = [
        ("bench-int-gaussian", |r| gaussian(plain(Num::U8, 64, 9, 10), 100, r)),
        ("bench-int-project", |r| {
            let model = project(plain(Num::U8, 64, 9, 10), 16, false, r);
            gaussian(model, 100, r)
        }),
        // The shape of a refined model of 4 kB: bytes throughout, unit vectors.
        ("bench-int-small", |r| {
            let model = project(plain(Num::U8, 64, 10, 10), 18, false, r);
            unit(narrow(gaussian(model, 93, r), r))
        }),
        // Nine outputs, each a class: the nearest unit vector.
        ("bench-int-linear", |r| unit(readout(plain(Num::U8, 64, 9, 9), 64, 128, r))),
        ("bench-int-random", |r| seeded(plain(Num::U8, 64, 9, 10), 100, code::LAW_SIGNS, 0.3 / 590.0, r)),
        ("bench-int-knn", |r| {
            let model = project(plain(Num::U8, 64, 9, 10), 9, false, r);
            prototypes(model, 3, r)
        }),
        // Two kilobytes over two seconds of an accelerometer and a gyroscope.
        ("bench-int-counts", |r| {
            let model = counted(plain(Num::I16, 768, 6, 6), 6, 185, true, r);
            unit(narrow(readout(model, 185, 128, r), r))
        }),
    ];
    let cases = list.into_iter().enumerate().map(|(at, (name, make))| case(name, make, 4000 + at as u64, 4));
    cases.chain(nibble_cases::bench_cases()).collect()
}

pub(crate) fn case(name: &'static str, make: fn(&mut Rng) -> ModelBuf, seed: u64, count: usize) -> Case {
    let mut rng = Rng(seed);
    let mut model = make(&mut rng);
    // Means and prototypes are embeddings of samples, so that answers spread over the classes.
    let of = match &model.head {
        Head::Means(values) | Head::Prototypes { values, .. } => values.len() / model.dim,
        Head::Unit => 0,
    };
    let embedded = Tensor::I16(embeddings(&model, &rows(model.input, of, model.inputs, &mut rng)));
    if let Head::Means(values) | Head::Prototypes { values, .. } = &mut model.head {
        *values = embedded;
    }
    if model.extras.contains_key(&extras::ITEMS) {
        model = with_ids(model);
    }
    let rows = rows(model.input, count, model.inputs, &mut rng);
    Case { name, model, rows }
}

fn embeddings(model: &ModelBuf, rows: &Rows) -> Vec<i16> {
    let bytes = AlignedBuf::from(model.encode().expect("a valid model").as_slice());
    let model = nearmark::Model::from_bytes(&bytes).expect("a model that was just written");
    crate::golden::answers(&model, rows).iter().flat_map(|answer| answer.z.iter().map(|&z| z as i16)).collect()
}

/// Samples over most of the type's range.
fn rows(num: Num, count: usize, width: usize, r: &mut Rng) -> Rows {
    match num {
        Num::F32 => Rows::F32((0..count).map(|_| r.floats(width)).collect()),
        Num::I16 => Rows::I16((0..count).map(|_| i16s(r, width, 2000)).collect()),
        Num::I8 => Rows::I8((0..count).map(|_| i8s(r, width)).collect()),
        Num::U8 => Rows::U8((0..count).map(|_| u8s(r, width)).collect()),
    }
}

fn u8s(r: &mut Rng, len: usize) -> Vec<u8> {
    (0..len).map(|_| r.word() as u8).collect()
}

fn i8s(r: &mut Rng, len: usize) -> Vec<i8> {
    (0..len).map(|_| r.word() as i8).collect()
}

fn i16s(r: &mut Rng, len: usize, most: usize) -> Vec<i16> {
    (0..len).map(|_| r.below(2 * most + 1) as i16 - most as i16).collect()
}

pub(crate) fn params(model: &mut ModelBuf) -> &mut IntParams {
    model.int.get_or_insert_default()
}

/// A model that embeds samples of signed bytes as themselves; the head is the caller's to set.
#[must_use]
pub fn identity(dim: usize, classes: usize) -> ModelBuf {
    plain(Num::I8, dim, dim, classes)
}

/// No stage yet; class means to be found, and the input quantized as the next stage wants it.
pub(crate) fn plain(input: Num, inputs: usize, dim: usize, classes: usize) -> ModelBuf {
    // 4 · d · z_max² stays below 2³².
    let z_max = (f64::sqrt(f64::from(u32::MAX) / dim as f64) / 2.0).min(32_767.0) as u32;
    let int = IntParams { z_max, z_unit: 1.0 / 4096.0, ..IntParams::default() };
    let head = Head::Means(Tensor::I16(vec![0; classes * dim]));
    let mut model = ModelBuf { input, head, int: Some(int), ..ModelBuf::new(inputs, dim, classes) };
    quantize_input(&mut model);
    model
}

/// Bytes come in without loss: signed ones before everything but centers.
fn quantize_input(model: &mut ModelBuf) {
    let centers = model.project.is_none() && matches!(model.feature_map, FeatureMap::Centers { .. });
    let zero = match model.input {
        Num::U8 if !centers => 128,
        Num::I8 if centers => -128,
        _ => 0,
    };
    if params(model).in_mul == 0 {
        params(model).in_zero = zero;
    }
}

pub(crate) fn scaled(mut model: ModelBuf, zero: i32, mul: i32, shift: u8) -> ModelBuf {
    let int = params(&mut model);
    (int.in_zero, int.in_mul, int.in_shift) = (zero, mul, shift);
    model
}

/// A scale per feature that brings numbers in ± `typical` to most of the unsigned bytes.
fn per_feature(mut model: ModelBuf, typical: i16, r: &mut Rng) -> ModelBuf {
    let width = model.features();
    let full = 127.0 / f64::from(typical) * 32_768.0;
    let mul = (0..width).map(|_| (full * (1.0 - r.below(100) as f64 / 200.0)) as i16).collect();
    let zero = i16s(r, width, typical as usize / 4).iter().map(|zero| zero - typical / 4 * 3).collect();
    model.scale = Scale::IntFeatures { zero, mul };
    params(&mut model).in_shift = 15;
    model
}

fn windowed(input: Num, interleaved: bool, stats: u8, segments: u8) -> ModelBuf {
    ModelBuf {
        shape: Some(Shape { channels: 6, rows: 1, cols: 13 }),
        window: Some(Window { segments, stats, interleaved }),
        ..plain(input, 78, 4, 4)
    }
}

/// The multiplier that with `shift` brings numbers around `from` to numbers around `to`.
pub(crate) fn multiplier(from: f64, to: f64, shift: u8) -> u16 {
    (to / from * f64::from(1u32 << (16 + shift))).clamp(1.0, 65_535.0) as u16
}

pub(crate) fn project(mut model: ModelBuf, outputs: usize, sparse: bool, r: &mut Rng) -> ModelBuf {
    let width = model.features();
    let mut values = i8s(r, outputs * width);
    if sparse {
        for v in &mut values {
            *v = if r.below(40) == 0 { *v } else { 0 };
        }
    }
    let terms = if sparse { width as f64 / 40.0 } else { width as f64 };
    let typical = 74.0 * 60.0 * terms.sqrt();
    model.project = Some(Projection {
        outputs,
        values: Tensor::I8(values),
        bias: Vec::new(),
        // Half of them feature map the output to the middle of unsigned bytes.
        int_bias: (0..outputs)
            .map(|i| if i % 2 == 0 { (3.0 * typical) as i32 } else { r.below(1000) as i32 })
            .collect(),
        sparse,
    });
    params(&mut model).p_shift = 10;
    params(&mut model).p_mul = vec![multiplier(typical, 43.0, 10); outputs];
    model
}

fn width_of(model: &ModelBuf) -> usize {
    model.project.as_ref().map_or(model.features(), |p| p.outputs)
}

/// Two octaves at a typical distance.
pub(crate) fn gaussian(model: ModelBuf, centers: usize, r: &mut Rng) -> ModelBuf {
    let typical = 10_000.0 * width_of(&model) as f64;
    kernel(r, model, Kernel::Gaussian { gamma: 0.5 }, centers, typical)
}

fn laplacian(model: ModelBuf, centers: usize, r: &mut Rng) -> ModelBuf {
    let typical = 85.0 * width_of(&model) as f64;
    kernel(r, model, Kernel::Laplacian { gamma: 0.5 }, centers, typical)
}

fn kernel(r: &mut Rng, mut model: ModelBuf, kernel: Kernel, centers: usize, typical: f64) -> ModelBuf {
    model.feature_map = FeatureMap::Centers { kernel, values: Tensor::U8(u8s(r, centers * width_of(&model))) };
    quantize_input(&mut model);
    let per_unit = 2.0 / typical * f64::from(1 << 27);
    let shift = (0..31).find(|&s| per_unit * f64::from(1u32 << s) >= 4096.0).unwrap_or(31);
    params(&mut model).k_shift = shift;
    params(&mut model).k_mul = (per_unit * f64::from(1u32 << shift)) as u32;
    readout(model, centers, 8000, r)
}

fn random(mut model: ModelBuf, count: usize, r: &mut Rng) -> ModelBuf {
    let width = width_of(&model);
    let int_phases = (0..count).map(|_| r.word() as u16).collect();
    let weights = Tensor::I8(i8s(r, count * width));
    model.feature_map = FeatureMap::Random { gamma: 1.0, weights, phases: Vec::new(), int_phases };
    params(&mut model).k_mul = (0.3 / (74.0 * 74.0 * (width as f64).sqrt()) * 4_294_967_296.0) as u32;
    readout(model, count, 23_000, r)
}

/// `gamma` in turns per unit.
fn seeded(mut model: ModelBuf, count: u32, law: u8, gamma: f32, r: &mut Rng) -> ModelBuf {
    model.feature_map = FeatureMap::Seeded { gamma, count, seed: 0x1234_5678_9ABC_DEF0, law };
    params(&mut model).k_mul = (f64::from(gamma) * 4_294_967_296.0) as u32;
    readout(model, count as usize, 23_000, r)
}

/// 16-bit weights over `count` values around `typical`.
pub(crate) fn readout(mut model: ModelBuf, count: usize, typical: i32, r: &mut Rng) -> ModelBuf {
    let most = (65_000 / count).min(32_767);
    let weights = Tensor::I16(i16s(r, count * model.dim, most));
    set_readout(&mut model, weights, count, most as f64 / 1.7 * f64::from(typical));
    model
}

/// The same model with weights of 8 bits.
pub(crate) fn narrow(mut model: ModelBuf, r: &mut Rng) -> ModelBuf {
    let Some(readout) = model.readout.take() else { return model };
    let (len, typical) = (readout.weights.len(), if model.feature_map == FeatureMap::None { 128.0 } else { 8000.0 });
    let count = len / model.dim;
    set_readout(&mut model, Tensor::I8(i8s(r, len)), count, 74.0 * typical);
    model
}

fn set_readout(model: &mut ModelBuf, weights: Tensor, count: usize, term: f64) {
    let z_max = f64::from(params(model).z_max);
    params(model).z_shift = 12;
    let int_mul = vec![multiplier(term * (count as f64).sqrt(), z_max / 3.0, 12); model.dim];
    model.readout = Some(Readout { weights, int_mul, ..Readout::default() });
}

fn with_bias(mut model: ModelBuf, r: &mut Rng) -> ModelBuf {
    let dim = model.dim;
    if let Some(readout) = &mut model.readout {
        readout.int_bias = (0..dim).map(|_| r.below(2_000_000) as i32 - 1_000_000).collect();
    }
    model
}

/// Unit vectors for class means.
pub(crate) fn unit(mut model: ModelBuf) -> ModelBuf {
    model.head = Head::Unit;
    params(&mut model).z_one = params(&mut model).z_max / 2;
    model
}

fn prototypes(mut model: ModelBuf, k: u8, r: &mut Rng) -> ModelBuf {
    let counts: Vec<u16> = (0..model.classes).map(|_| 1 + r.below(6) as u16).collect();
    let total: usize = counts.iter().map(|&c| usize::from(c)).sum();
    model.head = Head::Prototypes { k, values: Tensor::I16(vec![0; total * model.dim]), counts };
    model
}
