//! What training computed last is what the file answers.

use super::fake_quant;
use crate::compile::Export;
use crate::compile::quantize::Rounding;
use crate::dataset::Dataset;
use crate::linalg::Mat;
use crate::model::{Head, HostModel};
use crate::preprocess::{Scaling, Stage};
use crate::rng::Rng;
use crate::run::Run;
use crate::search::Core;
use crate::search::candidate::{Ground, Guide, Setting};
use crate::search::files::Writer;
use crate::search::memo::Memo;
use crate::search::preprocessing::prepare;
use crate::search::space::size::{Numeric, Shape};
use crate::search::train::{Params, prune::Keep};
use nearmark_format::AlignedBuf;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Three overlapping classes; with `wide` in floats of unlike widths, else in small integers.
fn rows(wide: bool) -> Outcome<Dataset> {
    let mut rng = Rng::new(7);
    let labels: Vec<usize> = (0..240).map(|i| i % 3).collect();
    let middles = Mat::from_fn(3, 8, |_, _| 3.0 + 9.0 * rng.uniform());
    let rows = Mat::from_fn(240, 8, |i, j| {
        let v = middles[(labels[i], j)] + 2.0 * rng.normal();
        if wide { f64::from((v * libm::pow(3.0, j as f64)) as f32) } else { v.round().clamp(0.0, 16.0) }
    });
    Ok(Dataset::from_ids(rows, &labels)?)
}

/// Squared distances to all class points, by a model in f64.
fn distances(model: &HostModel, rows: &Mat) -> Outcome<Mat> {
    let Head::Means(points) = &model.head else { return Err("no class points".into()) };
    let z = model.embed(rows, 1)?;
    let gap = |i: usize, c: usize| (z.row(i) - points.row(c)).norm_squared();
    Ok(Mat::from_fn(z.nrows(), points.nrows(), gap))
}

/// The same by the runtime on an encoded file: the nearest, and how much farther the next class is.
fn answers(model: &nearmark_format::ModelBuf, rows: &Mat) -> Outcome<Vec<(usize, f64)>> {
    let bytes = AlignedBuf::from(model.encode()?.as_slice());
    let found = crate::evaluate::predict(&nearmark::Model::from_bytes(&bytes)?, rows)?;
    Ok(found.iter().map(|p| (usize::from(p.class().0), f64::from(p.margin()))).collect())
}

/// Trains in integers and compares training's forward pass with the file: the share of rows whose margin is off by more
/// than the tolerance, with weights rounded as in training and as after it.
fn off(wide: bool, dim: usize, tolerance: f64) -> Outcome<[f64; 2]> {
    let data = rows(wide)?;
    let stages: Vec<Stage> = Scaling::Auto.fit(data.rows()).map(Stage::Scale).into_iter().collect();
    let prepared = prepare(&data, &stages, None, &Run::default())?;
    let (features, kept, projected, centers, classes) = (8, 6, 3, 12, 3);
    let unit = dim == classes;
    let shape = Shape { features, kept, nonzeros: None, projected, centers, dim, classes, unit, door: wide };
    let closed = Setting::closed(shape, Numeric::I8, 0);
    let refine = Params {
        steps: 200,
        batch: 32,
        rate: 0.04,
        smoothing: 0.1,
        noise: 0.0,
        shift: 0,
        keep: Keep::of(&shape),
        numeric: Numeric::I8,
        seed: 0,
    };
    let setting = Setting { refine: Some(refine), ..closed };
    let export = Export { exemplars: false, ..Export::default() };
    let writer = Writer { stages: &stages, data: &data, export: &export, flash: None };
    let all: Vec<usize> = (0..data.len()).collect();
    let calibration = writer.calibration(&all);
    let grids = |core: &Core| writer.input_grid(core, &calibration, &setting);
    let (samples, memo) = (&prepared.samples, Memo::default());
    let ground =
        Ground { data: &prepared.data, samples, rows: &all, guide: &Guide::Classes, memo: &memo, grids: &grids };
    let (core, _) = setting.build(&ground, &Run::default())?;
    let input = grids(&core).ok_or("no input grid")?;
    let trained = distances(&fake_quant::host(&core, Some(&input)), prepared.data.rows())?;
    let scale = trained.iter().sum::<f64>() / trained.len() as f64;
    let mut shares = [0.0; 2];
    for (share, rounding) in shares.iter_mut().zip([Rounding::AsTrained, Rounding::PostTraining]) {
        let file = writer.rounded(&core, &calibration, &setting, rounding)?;
        let found = answers(&file.model, data.rows())?;
        let off = found.iter().enumerate().filter(|&(i, &(class, margin))| {
            let others = (0..classes).filter(|&c| c != class).map(|c| trained[(i, c)]).fold(f64::INFINITY, f64::min);
            (others - trained[(i, class)] - margin).abs() > tolerance * scale
        });
        *share = off.count() as f64 / data.len() as f64;
    }
    Ok(shares)
}

#[test]
fn the_file_answers_as_the_last_training_step_did() -> Outcome {
    // What is left: kernel values of 15 bits, coordinates of 14, and a byte where a projected value lies between two.
    const TOLERANCE: f64 = 0.01;
    for (wide, dim) in [(false, 3), (false, 2), (true, 3), (true, 2)] {
        let [trained, after] = off(wide, dim, TOLERANCE)?;
        assert!(trained <= 0.02, "wide {wide}, dim {dim}: {:.1} % of rows are off", 100.0 * trained);
        assert!(after > 2.0 * trained + 0.02, "the tolerance tells one rounding from another: {after} {trained}");
    }
    Ok(())
}
