//! The search for the best model within limits.

use super::{Outcome, data};
use nearmark_train::compile::Export;
use nearmark_train::dataset::synthetic::blobs;
use nearmark_train::linalg::Mat;
use nearmark_train::methods::{Registry, Settings};
use nearmark_train::preprocess::{Scale, Stage};
use nearmark_train::search::{CompactError, Compacted, Kinds, Limits, Numeric, Options, Start, Task, fit};
use nearmark_train::{Dataset, Run};

/// Compacts rows as they are.
fn compacted(data: &Dataset, options: &Options) -> Result<Compacted, CompactError> {
    let export = Export { exemplars: false, ..Export::default() };
    let fronts = [Vec::new()];
    let task = Task::new(data, &fronts, &export);
    fit(&task, options, &Run::default())
}

fn bytes(found: &Compacted) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    Ok(found.file.model.encode()?)
}

#[test]
fn flash_and_ram_are_kept_by_files_of_every_kind() -> Outcome {
    let data = data(8)?;
    for kinds in [Kinds::All, Kinds::Kernel, Kinds::Linear] {
        for numeric in [Some(Numeric::I8), Some(Numeric::F32), None] {
            let limits = Limits { flash: Some(1000), ram: Some(100), ..Limits::default() };
            let options = Options { kinds, numeric, passes: Some(10), ..Options::within(limits) };
            let found = compacted(&data, &options)?;
            let bytes = bytes(&found)?;
            let aligned = nearmark_format::AlignedBuf::from(bytes.as_slice());
            let scratch = 4 * nearmark::Model::from_bytes(&aligned)?.scratch_words();
            assert!(bytes.len() <= 1000 && scratch <= 100, "{} bytes, {scratch} of scratch", bytes.len());
            assert_eq!(scratch, found.core.shape().ram(found.verdict.trial.setting.numeric, false));
            let linear = matches!(found.verdict.trial.setting.start, Start::Linear(_));
            assert!(kinds == Kinds::All || linear == (kinds == Kinds::Linear));
            assert!(found.trials.contains(&found.verdict.trial));
            assert!(found.file.model.int.is_some() || numeric != Some(Numeric::I8));
        }
    }
    Ok(())
}

#[test]
fn linear_models_that_come_near_are_judged_behind_every_front() -> Outcome {
    // Two clouds of points: no kernel does better than a plane between them.
    let data = blobs(2, 60, 3, 1.5, 5);
    let export = Export { exemplars: false, ..Export::default() };
    let scale = Stage::Scale(Scale::Uniform { mul: 2.0, add: 0.0 });
    let options = Options { refine: false, ..Options::within(Limits { flash: Some(400), ..Limits::default() }) };
    let linear = |fronts: &[Vec<Stage>]| -> Result<usize, CompactError> {
        let trials = fit(&Task::new(&data, fronts, &export), &options, &Run::default())?.trials;
        Ok(trials.iter().filter(|trial| matches!(trial.setting.start, Start::Linear(_))).count())
    };
    let alone = linear(&[Vec::new()])?;
    assert!(alone > 1, "{alone} linear models were tried");
    assert_eq!(linear(&[Vec::new(), vec![scale]])?, 2 * alone + 2, "one for a glance and all the others, behind each");
    Ok(())
}

#[test]
fn the_smallest_budget_told_can_be_met() -> Outcome {
    let data = data(8)?;
    for kinds in [Kinds::All, Kinds::Kernel] {
        for numeric in [Some(Numeric::I8), Some(Numeric::F32)] {
            let within = |flash| {
                let limits = Limits { flash: Some(flash), ..Limits::default() };
                Options { kinds, numeric, passes: Some(5), ..Options::within(limits) }
            };
            let Err(CompactError::Budget { smallest, .. }) = compacted(&data, &within(100)) else {
                return Err("100 bytes are no budget".into());
            };
            assert!(bytes(&compacted(&data, &within(smallest.flash))?)?.len() <= smallest.flash);
            let error = compacted(&data, &within(smallest.flash - 4)).err().map(|error| error.to_string());
            let told = format!("the smallest model of these rows takes {}", smallest.flash);
            assert!(error.as_ref().is_some_and(|error| error.contains(&told)), "{error:?}");
        }
    }
    Ok(())
}

#[test]
fn instructions_are_kept_as_the_finished_file_tells_them() -> Outcome {
    let data = data(8)?;
    for (board, most) in [("m4f", 4000), ("m0", 6000), ("rv32", 5000)] {
        let board: nearmark_train::emulator::board::Board = board.parse()?;
        let limits = Limits { instructions: Some((most, board)), ..Limits::default() };
        let options = Options { numeric: Some(Numeric::I8), passes: Some(5), ..Options::within(limits) };
        let found = compacted(&data, &options)?;
        let shape = nearmark_train::model::cost::Shape::of(&bytes(&found)?)?;
        let told = nearmark_train::model::cost::instructions(&shape, board, false);
        assert!(told <= most, "{told} of {most} on {board}");
        let hopeless = Options { limits: Limits { instructions: Some((10, board)), ..limits }, ..options };
        let error = compacted(&data, &hopeless).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains("10 instructions on") && error.contains("the smallest model"), "{error}");
    }
    Ok(())
}

#[test]
fn class_names_count() -> Outcome {
    let plain = data(8)?;
    let long = |label: &usize| format!("a class with the rather long name {label}");
    let named = Dataset::new(plain.rows().clone(), &plain.labels().iter().map(long).collect::<Vec<_>>())?;
    let limits = Limits { flash: Some(700), ..Limits::default() };
    let found = compacted(&named, &Options { passes: Some(5), ..Options::within(limits) })?;
    assert_eq!(found.file.model.names.len(), 4);
    assert!(bytes(&found)?.len() <= 700);
    Ok(())
}

#[test]
fn a_methods_embedding_guides_the_model() -> Outcome {
    let data = data(10)?;
    let export = Export::default();
    let limits = Limits { flash: Some(1200), ..Limits::default() };
    let options = Options { passes: Some(10), ..Options::within(limits) };
    let fronts = [Vec::new()];
    for name in ["nsse", "kdple", "dple", "pca", "ebek"] {
        let method = Registry::default().find(name)?.build(&Settings::new(), 0)?;
        let task = Task { method: Some(method.as_ref()), ..Task::new(&data, &fronts, &export) };
        let found = fit(&task, &options, &Run::default())?;
        let linear = matches!(found.verdict.trial.setting.start, Start::Linear(_));
        assert_eq!(linear, ["dple", "pca"].contains(&name), "{name}");
        assert!(bytes(&found)?.len() <= 1200 && found.verdict.trial.accuracy > 0.5, "{name} {:?}", found.verdict);
    }
    Ok(())
}

#[test]
fn the_same_search_gives_the_same_bytes_for_any_number_of_threads() -> Outcome {
    let data = data(11)?;
    let export = Export::default();
    let fronts = [Vec::new()];
    let task = Task::new(&data, &fronts, &export);
    let limits = Limits { flash: Some(800), ..Limits::default() };
    let options = Options { passes: Some(5), ..Options::within(limits) };
    let with = |threads| fit(&task, &options, &Run::default().threads(threads));
    let (one, three) = (with(1)?, with(3)?);
    assert_eq!(bytes(&one)?, bytes(&three)?);
    assert_eq!(one.trials, three.trials);
    Ok(())
}

/// Twelve classes, each seen by eight noisy sensors of its own: dropping sensors lets the noise in, and all weights of all
/// sensors are too many.
#[test]
fn a_sparse_projection_is_taken_where_it_pays() -> Outcome {
    let (classes, each) = (12, 8);
    let mut rng = nearmark_train::Rng::new(1);
    let labels: Vec<usize> = (0..1200).map(|i| i % classes).collect();
    let rows = Mat::from_fn(labels.len(), classes * each, |i, j| f64::from(labels[i] == j / each) + 1.2 * rng.normal());
    let data = Dataset::from_ids(rows, &labels)?;
    let limits = Limits { flash: Some(1000), ..Limits::default() };
    let found = compacted(&data, &Options { kinds: Kinds::Kernel, passes: Some(20), ..Options::within(limits) })?;
    assert!(found.file.model.project.as_ref().is_some_and(|projection| projection.sparse), "{:?}", found.verdict);
    assert!(bytes(&found)?.len() <= 1000);
    Ok(())
}
