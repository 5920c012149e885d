//! What training computed last is what the file answers.

use super::{Params, bell, fake_quant};
use crate::compile::Export;
use crate::compile::quantize::Rounding;
use crate::dataset::Dataset;
use crate::linalg::Mat;
use crate::model::{Head, HostModel, ModelFile};
use crate::preprocess::{Scaling, Stage};
use crate::rng::Rng;
use crate::run::Run;
use crate::search::candidate::{Memo, TargetEmbedding, TrainingRows, tests::params};
use crate::search::evaluate::Compiler;
use crate::search::preprocessing::prepare;
use crate::search::{Candidate, CompactModel, Dimensions, Keep, Numeric, Task};

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
    let found = crate::evaluate::predict(&ModelFile::encode(model)?, rows)?;
    Ok(found.iter().map(|p| (usize::from(p.class().0), f64::from(p.margin()))).collect())
}

/// Trains in integers and compares training's forward pass with the file: the share of rows whose margin is off by more
/// than the tolerance, with weights rounded as in training and as after it.
fn off(wide: bool, dim: usize, tolerance: f64) -> Outcome<[f64; 2]> {
    let data = rows(wide)?;
    let stages: Vec<Stage> = Scaling::Auto.fit(data.rows()).map(Stage::Scale).into_iter().collect();
    let prepared = prepare(&data, &stages, None, &Run::default())?;
    let classes = 3;
    let dimensions = Dimensions { kept: 6, own_ranges: wide, ..Dimensions::dense(8, 3, 12, dim, classes) };
    let training = Some(Params { steps: 200, batch: 32, keep: Keep::of(&dimensions), ..params() });
    let candidate = Candidate { training, ..Candidate::closed_form(dimensions, Numeric::I8, 0) };
    let export = Export { exemplars: false, ..Export::default() };
    let all: Vec<usize> = (0..data.len()).collect();
    let memo = Memo::default();
    let compiler = Compiler::new(&Task::new(&data, &[], &export), &stages, None, candidate, &all, &memo);
    let grids = |model: &CompactModel| compiler.input_grid(model);
    let (samples, target) = (&prepared.samples, &TargetEmbedding::Classes);
    let on = TrainingRows { data: &prepared.data, samples, rows: &all, target, memo: &memo, grids: &grids };
    let (model, _) = candidate.build(&on, &Run::default())?;
    let input = grids(&model).ok_or("no input grid")?;
    let trained = distances(&fake_quant::host(&model, Some(&input)), prepared.data.rows())?;
    let scale = trained.iter().sum::<f64>() / trained.len() as f64;
    let mut shares = [0.0; 2];
    for (share, rounding) in shares.iter_mut().zip([Rounding::AsTrained, Rounding::PostTraining]) {
        let file = compiler.rounded(&model, rounding)?;
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
    // What is left: kernel values of 15 bits, coordinates of 14, and another byte where a value lies between two. Float
    // samples are rounded to 16 bits first, so that there it is more of them.
    const TOLERANCE: f64 = 0.01;
    const BETWEEN_BYTES: f64 = 0.04;
    for (wide, dim) in [(false, 3), (false, 2), (true, 3), (true, 2)] {
        let [trained, after] = off(wide, dim, TOLERANCE)?;
        assert!(trained <= BETWEEN_BYTES, "wide {wide}, dim {dim}: {:.1} % of rows are off", 100.0 * trained);
        assert!(after > 2.0 * trained + 0.02, "the tolerance separates one rounding from another: {after} {trained}");
    }
    Ok(())
}

#[test]
fn noise_has_mean_0_and_variance_1() {
    let mut rng = Rng::new(3);
    let values: Vec<f64> = (0..100_000).map(|_| f64::from(bell(rng.next_u64()))).collect();
    let mean = values.iter().sum::<f64>() / 1e5;
    let variance = values.iter().map(|v| v * v).sum::<f64>() / 1e5;
    assert!(mean.abs() < 0.01 && (variance - 1.0).abs() < 0.01, "{mean} {variance}");
}
