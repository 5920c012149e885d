//! Larger budgets never return less than smaller ones, by the hold-outs that chose.

use super::{Outcome, data};
use nearmark_train::compile::Export;
use nearmark_train::emulator::board::Board;
use nearmark_train::model::cost;
use nearmark_train::preprocess::{Stage, Window};
use nearmark_train::search::{Limits, Options, SearchResult, Task, fit};
use nearmark_train::{Dataset, ModelFile, Run, TrainError, io};

const BUDGETS: [usize; 4] = [512, 1024, 2048, 4096];

/// The search within limits, with trainings of few passes.
fn searched(data: &Dataset, stages: &[Stage], limits: Limits, ladder: bool) -> Result<SearchResult, TrainError> {
    let (export, preprocessing) = (Export { exemplars: false, ..Export::default() }, [stages.to_vec()]);
    let options = Options { passes: Some(4), ladder, ..Options::within(limits) };
    fit(&Task::new(data, &preprocessing, &export), &options, &Run::default())
}

fn within(flash: usize) -> Limits {
    Limits { flash: Some(flash), ..Limits::default() }
}

fn accuracy(found: &SearchResult) -> f64 {
    found.evaluation.trial.accuracy
}

fn loaded(name: &str) -> Result<Dataset, Box<dyn std::error::Error>> {
    Ok(io::load(name, &io::Options::default(), &Run::default())?.data)
}

/// Searches every budget; each returns at least what those before it did, and its file keeps the budget. The results.
fn never_less(what: &str, data: &Dataset, stages: &[Stage]) -> Result<Vec<SearchResult>, Box<dyn std::error::Error>> {
    let mut all: Vec<SearchResult> = Vec::new();
    for flash in BUDGETS {
        let found = searched(data, stages, within(flash), true)?;
        let before = all.last().map_or(0.0, accuracy);
        assert!(accuracy(&found) >= before, "{what}, {flash} bytes: {} after {before}", accuracy(&found));
        assert!(ModelFile::encode(&found.file.model)?.core_len() <= flash, "{what}, {flash} bytes");
        all.push(found);
    }
    Ok(all)
}

#[test]
fn more_flash_never_gives_less() -> Outcome {
    let digits = loaded("builtin:digits:train")?;
    never_less("digits", &digits.select(&(0..digits.len()).step_by(6).collect::<Vec<_>>()), &[])?;
    let window = Stage::Window(Window::new(6, 100, 1, false)?);
    never_less("gestures", &loaded("builtin:gestures:train")?, &[window])?;
    // Without smaller budgets, luck decides among models that are all large enough.
    let mut unlucky = 0;
    for seed in 0..6 {
        let data = data(seed)?;
        never_less(&format!("seed {seed}"), &data, &[])?;
        let alone = BUDGETS.map(|flash| searched(&data, &[], within(flash), false).map(|found| accuracy(&found)));
        let alone = alone.into_iter().collect::<Result<Vec<f64>, _>>()?;
        unlucky += usize::from(!alone.is_sorted());
        eprintln!("seed {seed}: {alone:?}");
    }
    assert!(unlucky > 0, "this test shows nothing");
    Ok(())
}

#[test]
fn limits_on_work_and_ram_never_return_what_a_smaller_budget_beats() -> Outcome {
    let (data, board): (Dataset, Board) = (data(8)?, "m4f".parse()?);
    let smaller: Vec<SearchResult> =
        BUDGETS.into_iter().map(|flash| searched(&data, &[], within(flash), true)).collect::<Result<_, _>>()?;
    let costs = |found: &SearchResult| -> Result<(u64, usize), Box<dyn std::error::Error>> {
        let file = ModelFile::encode(&found.file.model)?;
        Ok((cost::instructions(&cost::Shape::of(&file), board, false), file.scratch_bytes()))
    };
    let mut compared = 0;
    for limits in [
        Limits { instructions: Some((3000, board)), ..within(16_384) },
        Limits { instructions: Some((8000, board)), ..within(16_384) },
        Limits { instructions: Some((8000, board)), ..Limits::default() },
        Limits { ram: Some(100), ..Limits::default() },
    ] {
        let (instructions, ram) =
            (limits.instructions.map_or(u64::MAX, |limit| limit.0), limits.ram.unwrap_or(usize::MAX));
        let keeps = |costs: (u64, usize)| costs.0 <= instructions && costs.1 <= ram;
        let found = searched(&data, &[], limits, true)?;
        assert!(keeps(costs(&found)?), "{limits:?}: {:?}", costs(&found)?);
        for other in &smaller {
            if keeps(costs(other)?) {
                assert!(
                    accuracy(&found) >= accuracy(other),
                    "{limits:?}: {} beside {}",
                    accuracy(&found),
                    accuracy(other)
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 4, "{compared} smaller budgets keep the limits");
    Ok(())
}
