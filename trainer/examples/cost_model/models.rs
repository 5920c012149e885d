//! Models of random sizes, as the trainer makes them, and rows to ask them for.

use crate::{Outcome, series};
use nearmark_format::{FeatureMap, Head, ModelBuf, Num, Pool, Tensor};
use nearmark_train::config::{Numeric, Parameters, Size, WindowChoice};
use nearmark_train::dataset::{split, synthetic};
use nearmark_train::linalg::Mat;
use nearmark_train::preprocess::{Components, Scaling};
use nearmark_train::{Dataset, HeadChoice, ModelFile, Rng, Run, methods::features::FeatureChoice};

/// Of each kind and profile, and how many of them are kept from the fit.
const EACH: usize = 8;
const KEPT: usize = 2;
/// Of models of a series, which have more loops of their own.
const EACH_SERIES: usize = 24;
/// Rows per measurement.
pub(crate) const ROWS: usize = 5;

/// What a model is made of; every kind is a set of cargo features. These draw from one stream of random numbers.
const KINDS: [&str; 14] = [
    "gaussian",
    "projected",
    "pooled",
    "selected",
    "sparse",
    "window",
    "laplacian",
    "polynomial",
    "linear",
    "neighbors",
    "prototypes",
    "random",
    "scaled",
    "floats",
];

/// Kinds that came later, each with a stream of its own, and whether they compute in integers.
const LATER: [(&str, bool); 9] = [
    ("pooled floats", true),
    ("window integers", true),
    ("blocks", true),
    ("blocks", false),
    ("interleaved", true),
    ("interleaved", false),
    ("unit", false),
    ("counts", true),
    ("counts", false),
];

pub(crate) struct Case {
    pub(crate) kind: &'static str,
    pub(crate) check: bool,
    pub(crate) model: ModelFile,
    pub(crate) rows: Mat,
}

/// Every model, kind by kind.
pub(crate) fn all() -> Outcome<Vec<Case>> {
    let mut rng = Rng::new(11);
    let mut cases = Vec::new();
    for int in [true, false] {
        for kind in KINDS {
            // Integers have no polynomials, and floats always have float rows.
            if int && kind == "polynomial" || !int && kind == "floats" {
                continue;
            }
            cases.extend(of_kind(kind, int, &mut rng)?);
        }
    }
    cases.extend(later(|_, _| true)?);
    Ok(cases)
}

/// Those of the later kinds that are asked for.
pub(crate) fn later(wanted: impl Fn(&str, bool) -> bool) -> Outcome<Vec<Case>> {
    let mut cases = Vec::new();
    for ((kind, int), seed) in LATER.into_iter().zip(12..) {
        if wanted(kind, int) {
            cases.extend(of_kind(kind, int, &mut Rng::new(seed))?);
        }
    }
    Ok(cases)
}

fn of_kind(kind: &'static str, int: bool, rng: &mut Rng) -> Outcome<Vec<Case>> {
    let case = |at: usize| {
        let (model, rows) = model(kind, int, rng).map_err(|why| format!("{kind}, int {int}: {why}"))?;
        Ok(Case { kind, check: at < KEPT, model, rows })
    };
    (0..if kind == "counts" { EACH_SERIES } else { EACH }).map(case).collect()
}

/// Between two numbers, evenly on a scale of ratios.
pub(crate) fn between(rng: &mut Rng, least: usize, most: usize) -> usize {
    let (least, most) = (least as f64, most as f64);
    (least * (most / least).powf(rng.uniform())).round() as usize
}

fn model(kind: &'static str, int: bool, rng: &mut Rng) -> Outcome<(ModelFile, Mat)> {
    if kind == "counts" {
        return series::model(int, rng);
    }
    let classes = between(rng, 2, 12);
    let centers = between(rng, 8, 120);
    let mut width = between(rng, 8, 120);
    let mut run = Parameters { names: Some(false), seed: Some(rng.next_u64()), ..Parameters::default() };
    run.scale = Some(Scaling::None);
    run.features = Some(FeatureChoice::Nystrom(centers));
    match kind {
        "pooled" => {
            let (rows, cols) = (2 * between(rng, 3, 7), 2 * between(rng, 3, 7));
            (width, run.image, run.pool) = (rows * cols, Some(Size(rows, cols)), Some(2));
        }
        "blocks" | "pooled floats" => {
            // Sides that blocks of any shape divide.
            let by = 2 * between(rng, 1, 2);
            let [rows, cols] = [(); 2].map(|()| by * by * between(rng, 1, 8 / by));
            (width, run.image, run.pool) = (rows * cols, Some(Size(rows, cols)), Some(by));
        }
        "window" | "window integers" | "interleaved" => {
            let (channels, steps) = (between(rng, 2, 6), between(rng, 12, 60));
            (width, run.series, run.window) =
                (channels * steps, Some(Size(channels, steps)), Some(WindowChoice::Stats));
            run.segments = Some(between(rng, 1, 3));
            run.scale = Some(Scaling::Standard);
            run.interleaved = Some(kind == "interleaved");
        }
        "unit" => run.scale = Some(Scaling::Unit),
        "laplacian" => run.kernel = Some("laplacian".parse()?),
        "polynomial" => run.kernel = Some(format!("polynomial:{}", between(rng, 2, 4)).parse()?),
        "linear" | "neighbors" => (run.method, run.features) = (Some("lda".to_owned()), None),
        "random" => run.features = Some(FeatureChoice::Random(centers)),
        "scaled" => run.scale = Some(Scaling::Standard),
        _ => {}
    }
    match kind {
        "neighbors" => run.head = Some(HeadChoice::Neighbors(between(rng, 1, 5))),
        "prototypes" => run.head = Some(HeadChoice::Prototypes(between(rng, 2, 5))),
        _ => {}
    }
    if ["projected", "pooled", "selected", "sparse"].contains(&kind) {
        run.pca = Some(Components::Count(between(rng, 3, 24.min(width / 4))));
    }
    if int {
        run.numeric = Some(Numeric::I8);
    }
    let per_class = (3 * centers).div_ceil(2 * classes) + 10;
    let data = synthetic::blobs(classes, per_class, width, 0.9, rng.next_u64());
    let data = match kind {
        "floats" | "window" | "pooled floats" | "interleaved" => data,
        "window integers" if rng.uniform() < 0.5 => integers_of(&data, 8_000.0, 0.0)?,
        _ if int => integers_of(&data, 127.0, 128.0)?,
        _ => data,
    };
    let (train, test) = split::stratified(&data, 0.25, 0).apply(&data);
    let file = nearmark_train::train(&run.try_into()?, &train, &Run::default().threads(1))?.model;
    let places: Vec<usize> = (0..ROWS).map(|i| i * test.len() / ROWS).collect();
    edited(kind, &file, test.rows().select_rows(&places), rng)
}

/// The rows as integers that reach as far as `most` on both sides of `middle`.
fn integers_of(data: &Dataset, most: f64, middle: f64) -> Outcome<Dataset> {
    let largest = data.rows().iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    Ok(data.with_rows(data.rows().map(|value| (value / largest * most + middle).round()))?)
}

/// What only compaction and options make: few weights, inputs that nobody reads, unit means, small numbers. The model
/// becomes a worse one that costs the same as a good one.
fn edited(kind: &str, file: &ModelFile, rows: Mat, rng: &mut Rng) -> Outcome<(ModelFile, Mat)> {
    let mut model = file.decode();
    model.info = None;
    let mut rows = rows;
    match kind {
        "sparse" => thin_out(&mut model, rng)?,
        "selected" => rows = widen(&mut model, &rows, rng),
        "blocks" | "pooled floats" => reshape(&mut model, rng),
        _ => {}
    }
    if model.dim == model.classes && matches!(model.head, Head::Means(_)) && rng.uniform() < 0.3 {
        model.head = Head::Unit;
        model.int.iter_mut().for_each(|int| int.z_one = int.z_max / 2 + 1);
    }
    if let FeatureMap::Seeded { law, .. } = &mut model.feature_map {
        *law = u8::from(rng.uniform() < 0.5);
    }
    let signed = model.project.is_some() || !matches!(model.feature_map, FeatureMap::Centers { .. });
    if let Some(int) = &mut model.int {
        // Bytes that need no change but for their sign.
        if model.input == Num::U8 && rng.uniform() < 0.5 {
            int.in_zero = if signed { 128 } else { 0 };
        }
        let narrow = rng.uniform() < 0.4;
        if let Some(readout) = model.readout.as_mut().filter(|_| narrow)
            && let Tensor::I16(weights) = &readout.weights
        {
            readout.weights = Tensor::I8(weights.iter().map(|weight| (weight >> 8) as i8).collect());
        }
    }
    Ok((ModelFile::encode(&model)?, rows))
}

/// A sparse projection with some of the weights.
fn thin_out(model: &mut ModelBuf, rng: &mut Rng) -> Outcome {
    let project = model.project.as_mut().ok_or("there is no projection")?;
    let share = 0.1 + 0.4 * rng.uniform();
    project.sparse = true;
    match &mut project.values {
        Tensor::F32(values) => values.iter_mut().for_each(|value| *value *= f32::from(rng.uniform() < share)),
        Tensor::I8(values) => values.iter_mut().for_each(|value| *value *= i8::from(rng.uniform() < share)),
        _ => return Err("projections are f32 or i8".into()),
    }
    Ok(())
}

/// Blocks of as many pixels, in a single row, a single column or neither.
fn reshape(model: &mut ModelBuf, rng: &mut Rng) {
    if let Some(Pool { rows, cols }) = &mut model.pool {
        let all = *rows * *cols;
        (*rows, *cols) = [(*rows, *cols), (1, all), (all, 1)][between(rng, 1, 3) - 1];
    }
}

/// More inputs, which the model does not select.
fn widen(model: &mut ModelBuf, rows: &Mat, rng: &mut Rng) -> Mat {
    let mut mask: Vec<bool> = (0..model.inputs + between(rng, 8, 80)).map(|at| at < model.inputs).collect();
    rng.shuffle(&mut mask);
    let mut wide = Mat::zeros(rows.nrows(), mask.len());
    let kept = mask.iter().enumerate().filter(|(_, kept)| **kept).map(|(at, _)| at);
    for (from, to) in kept.enumerate() {
        wide.set_column(to, &rows.column(from));
    }
    (model.inputs, model.select) = (mask.len(), Some(mask));
    wide
}
