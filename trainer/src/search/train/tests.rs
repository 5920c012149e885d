//! What training computed last is what the file answers.

use super::fake_quant::{Effective, InputGrid};
use super::parameters::Groups;
use super::{Params, Samples, bell, fake_quant, loss, steps};
use crate::compile::Export;
use crate::compile::quantize::Rounding;
use crate::compile::quantize::learned::{Width, Widths};
use crate::dataset::Dataset;
use crate::linalg::Mat;
use crate::model::{Head, HostModel, ModelFile};
use crate::preprocess::{Scaling, Stage};
use crate::rng::Rng;
use crate::run::Run;
use crate::search::candidate::{Memo, TargetEmbedding, TrainingRows, tests::params};
use crate::search::evaluate::Compiler;
use crate::search::splits::prepare;
use crate::search::{Candidate, CompactModel, Dimensions, Keep, Limits, Numeric, Task};

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

/// For every row, how much farther (squared) each class point is than the one of `class`; by logits
/// `Mᵀ F − |M_c|²/2` of the forward pass that training steps run.
fn last_step(model: &CompactModel, input: &InputGrid, samples: &Samples, rows: &[usize]) -> Mat {
    let groups = Groups::of(model);
    let at = Effective::stored(&groups, &groups.pack(model, 1.0), input);
    let mut x = samples.gather(rows);
    at.round_input(&mut x);
    let logits = loss::logits(&groups, &at, &x);
    Mat::from_fn(rows.len(), groups.c, |i, c| -2.0 * f64::from(logits[i * groups.c + c]))
}

/// The same by the host's model in f64, by which candidates are scored quickly.
fn quick(model: &HostModel, rows: &Mat) -> Outcome<Mat> {
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

/// Trains in integers and compares the last step's forward pass with the quick evaluation and with the file: the share
/// of rows whose margin is off by more than the tolerance; for the file with weights rounded as in training and as after
/// it.
fn off(wide: bool, dimensions: Dimensions, learned: Option<Widths>, tolerance: f64) -> Outcome<[f64; 3]> {
    let data = rows(wide)?;
    let stages: Vec<Stage> = Scaling::Auto.fit(data.rows(), data.labels()).map(Stage::Scale).into_iter().collect();
    let prepared = prepare(&data, &stages, None, &Run::default())?;
    let dimensions = Dimensions { own_ranges: wide, ..dimensions };
    let training = Some(Params { steps: 200, batch: 32, keep: Keep::of(&dimensions), learned, ..params() });
    let candidate = Candidate { training, ..Candidate::closed_form(dimensions, Numeric::I8, 0) };
    let export = Export { exemplars: false, ..Export::default() };
    let all: Vec<usize> = (0..data.len()).collect();
    let memo = Memo::default();
    let task = Task::new(&data, &[], &export);
    let compiler =
        Compiler { task: &task, preprocessing: &stages, limits: Limits::default(), candidate, rows: &all, memo: &memo };
    let grids = |model: &CompactModel| compiler.input_grid(model);
    let (samples, target) = (&prepared.samples, &TargetEmbedding::Classes);
    let on = TrainingRows { data: &prepared.data, samples, rows: &all, target, memo: &memo, grids: &grids };
    let (model, _) = candidate.build(&on, &Run::default())?;
    let input = grids(&model)?;
    let trained = last_step(&model, &input, samples, &all);
    let quick = quick(&fake_quant::host(&model, Some(&input)), prepared.data.rows())?;
    let scale = quick.iter().sum::<f64>() / quick.len() as f64;
    let margin = |distances: &Mat, i: usize, class: usize| {
        let others = (0..distances.ncols()).filter(|&c| c != class).map(|c| distances[(i, c)]);
        others.fold(f64::INFINITY, f64::min) - distances[(i, class)]
    };
    let share = |found: Vec<(usize, f64)>| {
        let off =
            |&(i, (class, own)): &(usize, (usize, f64))| (margin(&trained, i, class) - own).abs() > tolerance * scale;
        found.into_iter().enumerate().filter(off).count() as f64 / data.len() as f64
    };
    let file = |rounding| answers(&compiler.rounded(&model, rounding)?.model, data.rows());
    let files = [file(Rounding::AsTrained)?, file(Rounding::PostTraining)?];
    let [trained, after] = files.map(share);
    Ok([share(all.iter().map(|&i| (0, margin(&quick, i, 0))).collect()), trained, after])
}

#[test]
fn the_file_answers_as_the_last_training_step_did() -> Outcome {
    // What is left: kernel values of 15 bits, coordinates of 14, and another byte where a value lies between two. Float
    // samples are rounded to 16 bits first, so that there it is more of them.
    const TOLERANCE: f64 = 0.01;
    const BETWEEN_BYTES: f64 = 0.04;
    let kernel = |dim| Dimensions { kept: 6, ..Dimensions::dense(8, 3, 12, dim, 3) };
    let sparse = Dimensions { kept: 8, nonzeros: Some(14), ..kernel(3) };
    let linear = Dimensions { kept: 6, ..Dimensions::dense(8, 2, 0, 2, 3) };
    for (name, dimensions) in [("dim 3", kernel(3)), ("dim 2", kernel(2)), ("sparse", sparse), ("linear", linear)] {
        for wide in [false, true] {
            let [quick, trained, after] = off(wide, dimensions, None, TOLERANCE)?;
            let what = format!("{name}, wide {wide}: {quick}, {trained}, {after} of the rows are off");
            assert!(quick <= BETWEEN_BYTES && trained <= BETWEEN_BYTES, "{what}");
            // The tolerance separates one rounding from another, where there is more than one matrix to round.
            assert!(dimensions.centers == 0 || after > 2.0 * trained + 0.02, "{what}");
        }
    }
    Ok(())
}

#[test]
fn the_file_answers_in_the_steps_that_training_learned() -> Outcome {
    const TOLERANCE: f64 = 0.01;
    const BETWEEN_BYTES: f64 = 0.04;
    let narrow = Widths { projection: Width::I4, centers: Width::I4, readout: Width::I4 };
    for dim in [2, 3] {
        for widths in [Widths::default(), narrow, Widths { centers: Width::I8, ..narrow }] {
            for wide in [false, true] {
                let dimensions = Dimensions { kept: 6, ..Dimensions::dense(8, 3, 12, dim, 3) };
                let [quick, trained, after] = off(wide, dimensions, Some(widths), TOLERANCE)?;
                let what = format!("dim {dim}, {widths:?}, wide {wide}: {quick}, {trained}, {after} are off");
                assert!(quick <= BETWEEN_BYTES && trained <= BETWEEN_BYTES, "{what}");
                assert!(after > 2.0 * trained + 0.02, "{what}");
            }
        }
    }
    Ok(())
}

/// Losses around the numbers of a model whose weights lie on their steps, so that small changes of a step move them
/// without rounding them otherwise.
#[test]
fn a_step_moves_all_of_its_weights() {
    let g = Groups { n: 4, p: 2, m: 5, d: 3, c: 3, unit: true, learned: Some(Widths::default()) };
    let (mut rng, input) = (Rng::new(2), InputGrid::bytes(4));
    let mut theta: Vec<f32> = (0..g.len()).map(|_| 0.4 * rng.normal() as f32).collect();
    steps::start(&g, Widths::default(), &mut theta, &input);
    let at = Effective::stored(&g, &theta, &input);
    theta[..g.steps().start].copy_from_slice(&at.theta[..g.steps().start]);
    let x: Vec<f32> = (0..4 * 6).map(|_| rng.normal() as f32).collect();
    let labels: Vec<usize> = (0..6).map(|i| i % 3).collect();
    let loss = |theta: &[f32]| loss::loss(&g, &Effective::stored(&g, theta, &input), &x, &labels, 0.0);
    let mut found = loss::gradient(&g, &at, &x, &labels, 0.0);
    steps::chain(&g, Widths::default(), &theta, &at.theta, &input, &mut found);
    // On their steps weights are as far from rounding as can be: only the readout's outermost one follows its step.
    let readout = g.steps().end - g.d;
    for i in readout..g.steps().end {
        let (mut up, mut down) = (theta.clone(), theta.clone());
        (up[i], down[i]) = (theta[i] + 1e-3, theta[i] - 1e-3);
        let slope = (loss(&up) - loss(&down)) / 2e-3;
        // A step that moves by a thousandth rounds no weight otherwise, so all weights move with it.
        let all: f64 = (0..g.m)
            .map(|j| g.readout().start + j * g.d + i - readout)
            .map(|w| {
                let (mut up, mut down) = (at.theta.clone(), at.theta.clone());
                (up[w], down[w]) = (at.theta[w] * 1.001, at.theta[w] * 0.999);
                let by = |theta: Vec<f32>| {
                    let mut moved = at.clone();
                    moved.theta = theta;
                    loss::loss(&g, &moved, &x, &labels, 0.0)
                };
                (by(up) - by(down)) / 2e-3
            })
            .sum();
        assert!((slope - all).abs() < 1e-3, "{slope} {all}");
        assert!(found[i].abs() < 1e-4, "inside the range, on its step, a weight says nothing of it: {}", found[i]);
    }
}

#[test]
fn noise_has_mean_0_and_variance_1() {
    let mut rng = Rng::new(3);
    let values: Vec<f64> = (0..100_000).map(|_| f64::from(bell(rng.next_u64()))).collect();
    let mean = values.iter().sum::<f64>() / 1e5;
    let variance = values.iter().map(|v| v * v).sum::<f64>() / 1e5;
    assert!(mean.abs() < 0.01 && (variance - 1.0).abs() < 0.01, "{mean} {variance}");
}
