//! Compact models from outside: their bytes, their bits, and their accuracy on digits.

use nearmark_format::ModelBuf;
use nearmark_train::compile::quantize::{self, ReadoutWidth, quantize};
use nearmark_train::dataset::synthetic::blobs;
use nearmark_train::search::closed_form::{self, Allot, Directions, Origin};
use nearmark_train::search::train;
use nearmark_train::search::{CompactModel, Dimensions, Inputs, Keep, Numeric, drop_unused};
use nearmark_train::{Dataset, FitError, Method, ModelFile, Run, compile, evaluate, io};
use std::sync::atomic::{AtomicBool, Ordering};

#[path = "search/budgets.rs"]
mod budgets;
#[path = "search/within.rs"]
mod within;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Four overlapping classes in nine dimensions, the last of which never varies.
fn data(seed: u64) -> Result<Dataset, Box<dyn std::error::Error>> {
    let clumps = blobs(8, 40, 9, 1.2, seed);
    let labels: Vec<usize> = clumps.labels().iter().map(|label| label % 4).collect();
    let mut rows = clumps.rows().clone();
    rows.column_mut(8).fill(3.0);
    Ok(Dataset::from_ids(rows, &labels)?)
}

fn start(dim: usize) -> closed_form::Params {
    closed_form::Params {
        directions: Directions::Pca,
        projected: 5,
        centers: 14,
        allot: Allot::Equal,
        origin: Origin::Means,
        dim,
        sigma: 0.5,
        ridge: 1e-4,
        seed: 1,
    }
}

fn training(steps: usize) -> train::Params {
    train::Params {
        steps,
        batch: 64,
        rate: 0.04,
        smoothing: 0.1,
        noise: 0.2,
        shift: 0,
        keep: None,
        numeric: Numeric::I8,
        learned: None,
        seed: 3,
    }
}

/// Rows as they are.
fn inputs(data: &Dataset) -> Inputs {
    Inputs::new(data, &[], data.width(), false)
}

/// The model as it would be written, with floats and with integers.
fn written(model: &CompactModel, data: &Dataset) -> Result<[(Numeric, ModelBuf); 2], Box<dyn std::error::Error>> {
    let dimensions = model.dimensions();
    let model = |numeric| -> Result<ModelBuf, Box<dyn std::error::Error>> {
        let mut model = compile::model(&model.fitted(&[], data))?.model;
        if dimensions.drops_features(&inputs(data), numeric) {
            drop_unused(&mut model);
        }
        Ok(model)
    };
    let options = quantize::Options { readout: ReadoutWidth::I8, ..Default::default() };
    let int = quantize(&model(Numeric::I8)?, data.rows(), options)?.model;
    Ok([(Numeric::F32, model(Numeric::F32)?), (Numeric::I8, int)])
}

#[test]
fn the_bytes_computed_are_the_bytes_written() -> Outcome {
    let data = data(0)?;
    for dim in [4, 2] {
        for projected in [3, 4, 8] {
            for (centers, keep) in [(12, None), (17, Some(Keep::Features(4)))] {
                let start = closed_form::fit(
                    &data,
                    &closed_form::Params { projected, centers, ..start(dim) },
                    None,
                    &Run::default(),
                )?;
                let trained =
                    train::train(&start, &data, &train::Params { keep, ..training(20) }, &Run::default())?.model;
                for (numeric, model) in written(&trained, &data)? {
                    let computed = trained.dimensions().bytes(&inputs(&data), numeric);
                    assert_eq!(model.encode()?.len(), computed, "{numeric:?} {:?}", trained.dimensions());
                }
            }
        }
    }
    Ok(())
}

#[test]
fn no_steps_give_the_closed_form_bit_for_bit() -> Outcome {
    let data = data(1)?;
    let start = closed_form::fit(&data, &start(4), None, &Run::default())?;
    let trained = train::train(&start, &data, &training(0), &Run::default())?;
    assert_eq!(trained.model, start);
    assert_eq!(trained.objective.0, trained.objective.1);
    Ok(())
}

#[test]
fn threads_do_not_change_a_bit_and_seeds_do() -> Outcome {
    let data = data(2)?;
    let build = |threads, seed| -> Result<CompactModel, FitError> {
        let run = Run::default().threads(threads);
        let start = closed_form::fit(&data, &start(2), None, &run)?;
        Ok(train::train(&start, &data, &train::Params { seed, ..training(80) }, &run)?.model)
    };
    let one = build(1, 3)?;
    assert_eq!(one, build(2, 3)?);
    assert_eq!(one, build(5, 3)?);
    assert_ne!(one, build(1, 4)?);
    Ok(())
}

#[test]
fn training_lowers_its_objective_and_finds_more_classes() -> Outcome {
    let (train, test) = (data(3)?, data(4)?);
    for dim in [4, 2] {
        let start = closed_form::fit(&train, &start(dim), None, &Run::default())?;
        let trained = train::train(&start, &train, &training(300), &Run::default())?;
        assert!(trained.objective.1 < 0.9 * trained.objective.0, "{:?}", trained.objective);
        let right = |model: &CompactModel| model.host().classify(train.rows(), 1).map(|found| share(&found, &train));
        assert!(right(&trained.model)? > right(&start)?, "{:?}", right(&trained.model));
        assert_eq!(
            trained.model.host().classify(test.rows(), 1)?,
            trained.model.fitted(&[], &train).classify(test.rows())?
        );
    }
    Ok(())
}

#[test]
fn features_are_dropped_to_as_many_as_may_stay() -> Outcome {
    let data = data(5)?;
    let start = closed_form::fit(&data, &start(4), None, &Run::default())?;
    assert_eq!(start.dimensions().kept, 8, "what never varies is left out at once");
    let trained = train::train(
        &start,
        &data,
        &train::Params { keep: Some(Keep::Features(5)), ..training(100) },
        &Run::default(),
    )?;
    assert_eq!(trained.model.dimensions().kept, 5);
    Ok(())
}

#[test]
fn weights_are_dropped_to_as_many_as_may_stay_and_the_file_stores_only_those() -> Outcome {
    let data = data(5)?;
    let start = closed_form::fit(&data, &start(4), None, &Run::default())?;
    let keep = Some(Keep::Weights(12));
    let trained = train::train(&start, &data, &train::Params { keep, ..training(100) }, &Run::default())?.model;
    assert_eq!(trained.projection.weights.iter().filter(|w| **w != 0.0).count(), 12);
    let mut model = compile::model(&trained.fitted(&[], &data))?.model;
    model.project.as_mut().ok_or("no projection")?.sparse = true;
    let options = quantize::Options { readout: ReadoutWidth::I8, ..Default::default() };
    let int = quantize(&model, data.rows(), options)?.model;
    let dimensions = Dimensions { kept: 9, nonzeros: Some(12), ..trained.dimensions() };
    let floats = ModelFile::encode(&model)?;
    assert_eq!(floats.bytes().len(), dimensions.bytes(&inputs(&data), Numeric::F32));
    // A weight may be too small for 8 bits.
    let integers = int.encode()?.len();
    let computed = dimensions.bytes(&inputs(&data), Numeric::I8);
    assert!((computed - 8..=computed).contains(&integers), "{integers} {dimensions:?}");
    assert_eq!(evaluate::evaluate(&floats, &data)?.accuracy(), share(&trained.host().classify(data.rows(), 1)?, &data));
    Ok(())
}

/// The share of rows that were given their class.
fn share(classes: &[usize], data: &Dataset) -> f64 {
    let right = classes.iter().zip(data.labels()).filter(|(a, b)| a == b).count();
    right as f64 / data.len() as f64
}

#[test]
fn a_compact_model_can_follow_another_methods_embedding() -> Outcome {
    let data = data(6)?;
    let lda = nearmark_train::methods::lda::Lda::default().fit(&data)?;
    let targets = lda.embedding();
    let params = closed_form::Params { projected: 8, centers: 60, sigma: 0.7, ..start(targets.ncols()) };
    let trained = closed_form::fit(&data, &params, Some(targets), &Run::default())?;
    let same = trained
        .host()
        .classify(data.rows(), 1)?
        .iter()
        .zip(lda.classify(data.rows())?)
        .filter(|(a, b)| **a == *b)
        .count();
    assert!(same as f64 > 0.85 * data.len() as f64, "{same} of {}", data.len());
    Ok(())
}

#[test]
fn a_run_that_is_stopped_ends() -> Outcome {
    let data = data(7)?;
    let start = closed_form::fit(&data, &start(4), None, &Run::default())?;
    let stop = AtomicBool::new(false);
    let report = |progress: nearmark_train::Progress| {
        if progress.step == "training" && progress.done > 100 {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let run = Run::default().on_progress(&report).stop_when(&stop);
    assert_eq!(train::train(&start, &data, &training(100_000), &run), Err(FitError::Cancelled));
    Ok(())
}

#[test]
fn a_linear_model_is_lda_and_training_improves_it() -> Outcome {
    let data = data(9)?;
    let start = closed_form::linear(&data, 3, 9, &Run::default())?;
    let lda = nearmark_train::methods::lda::Lda::default().fit(&data)?;
    let same = start
        .host()
        .classify(data.rows(), 1)?
        .iter()
        .zip(lda.classify(data.rows())?)
        .filter(|(a, b)| **a == *b)
        .count();
    assert!(same as f64 > 0.97 * data.len() as f64, "{same} of {}", data.len());
    assert_eq!(closed_form::linear(&data, 2, 4, &Run::default())?.dimensions().kept, 4);
    let trained = train::train(
        &start,
        &data,
        &train::Params { keep: Some(Keep::Features(6)), ..training(200) },
        &Run::default(),
    )?;
    assert!(trained.objective.1 < trained.objective.0, "{:?}", trained.objective);
    for (numeric, model) in written(&trained.model, &data)? {
        assert_eq!(model.encode()?.len(), trained.model.dimensions().bytes(&inputs(&data), numeric), "{numeric:?}");
        assert!(numeric == Numeric::I8 || model.select.is_some(), "features were dropped");
    }
    Ok(())
}

/// Handwritten digits in 2 kB: the mean over five seeds is measured elsewhere; this guards one.
#[test]
fn digits_in_two_kilobytes_by_the_runtime() -> Outcome {
    let run = Run::default();
    let load = |part: &str| io::load(&format!("builtin:digits:{part}"), &io::Options::default(), &run);
    let (train, test) = (load("train")?.data, load("test")?.data);
    let params = closed_form::Params { projected: 12, centers: 44, ..start(10) };
    let start = closed_form::fit(&train, &params, None, &run)?;
    let trained = train::train(&start, &train, &training(1200), &run)?.model;
    let [_, (_, int)] = written(&trained, &train)?;
    let file = ModelFile::encode(&int)?;
    let accuracy = evaluate::evaluate(&file, &test)?.accuracy();
    assert!(file.core_len() <= 2048 && accuracy >= 0.97, "{accuracy} in {} bytes", file.core_len());
    Ok(())
}
