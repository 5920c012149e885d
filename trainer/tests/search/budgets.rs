//! Larger budgets never return less than smaller ones, by the hold-outs that chose.

use super::Outcome;
use nearmark_train::compile::Export;
use nearmark_train::emulator::board::Board;
use nearmark_train::model::cost;
use nearmark_train::preprocess::Stage;
use nearmark_train::search::{Limits, Options, SearchResult, Task, fit};
use nearmark_train::{Dataset, ModelFile, Run, TrainError, io};

const BUDGETS: [usize; 5] = [512, 1024, 2048, 4096, 8192];

/// The search within limits, with trainings of few passes.
fn searched(data: &Dataset, limits: Limits, ladder: bool) -> Result<SearchResult, TrainError> {
    let (export, preprocessing) = (Export { exemplars: false, ..Export::default() }, [Vec::<Stage>::new()]);
    let options = Options { passes: Some(8), ladder, ..Options::within(limits) };
    fit(&Task::new(data, &preprocessing, &export), &options, &Run::default())
}

fn within(flash: usize) -> Limits {
    Limits { flash: Some(flash), ..Limits::default() }
}

fn accuracy(found: &SearchResult) -> f64 {
    found.evaluation.trial.accuracy
}

/// Some of the digits, so that larger models are no better than smaller ones but for luck.
fn digits() -> Result<Dataset, Box<dyn std::error::Error>> {
    let all = io::load("builtin:digits:train", &io::Options::default(), &Run::default())?.data;
    Ok(all.select(&(0..all.len()).step_by(4).collect::<Vec<_>>()))
}

/// Searches every budget; each returns at least what those before it did, and its file keeps the budget. The results.
fn never_less(what: &str, data: &Dataset) -> Result<Vec<SearchResult>, Box<dyn std::error::Error>> {
    let mut all: Vec<SearchResult> = Vec::new();
    for flash in BUDGETS {
        let found = searched(data, within(flash), true)?;
        let before = all.last().map_or(0.0, accuracy);
        assert!(accuracy(&found) >= before, "{what}, {flash} bytes: {} after {before}", accuracy(&found));
        assert!(ModelFile::encode(&found.file.model)?.core_len() <= flash, "{what}, {flash} bytes");
        all.push(found);
    }
    Ok(all)
}

#[test]
fn more_flash_never_gives_less() -> Outcome {
    let gestures = io::load("builtin:gestures:train", &io::Options::default(), &Run::default())?.data;
    never_less("gestures", &gestures)?;
    let digits = digits()?;
    let found = never_less("digits", &digits)?;
    let alone: Vec<f64> = BUDGETS
        .into_iter()
        .map(|flash| Ok(accuracy(&searched(&digits, within(flash), false)?)))
        .collect::<Result<_, TrainError>>()?;
    eprintln!("digits: {:?}, without smaller budgets {alone:?}", found.iter().map(accuracy).collect::<Vec<_>>());
    Ok(())
}

#[test]
fn limits_on_work_and_ram_never_return_what_a_smaller_budget_beats() -> Outcome {
    let digits = digits()?;
    let smaller: Vec<SearchResult> =
        BUDGETS.into_iter().map(|flash| searched(&digits, within(flash), true)).collect::<Result<_, _>>()?;
    let board: Board = "m4f".parse()?;
    let instructions = |found: &SearchResult| -> Result<u64, Box<dyn std::error::Error>> {
        Ok(cost::instructions(&cost::Shape::of(&ModelFile::encode(&found.file.model)?), board, false))
    };
    let ram = |found: &SearchResult| -> Result<usize, Box<dyn std::error::Error>> {
        Ok(ModelFile::encode(&found.file.model)?.scratch_bytes())
    };
    for limits in [
        Limits { instructions: Some((6000, board)), ..within(16_384) },
        Limits { instructions: Some((10_000, board)), ..within(16_384) },
        Limits { instructions: Some((10_000, board)), ..Limits::default() },
        Limits { ram: Some(120), ..Limits::default() },
    ] {
        let found = searched(&digits, limits, true)?;
        let most = limits.instructions.map_or(u64::MAX, |(most, _)| most);
        assert!(instructions(&found)? <= most && ram(&found)? <= limits.ram.unwrap_or(usize::MAX), "{limits:?}");
        for other in &smaller {
            let keeps = instructions(other)? <= most && ram(other)? <= limits.ram.unwrap_or(usize::MAX);
            eprintln!("{limits:?}: {} beside {} {keeps}", accuracy(&found), accuracy(other));
            assert!(!keeps || accuracy(&found) >= accuracy(other), "{limits:?}: {}", accuracy(other));
        }
    }
    Ok(())
}
