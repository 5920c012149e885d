//! `nearmark fit`

use crate::args::{FitArgs, Usage};
use crate::commands::figures;
use crate::commands::inspect::work;
use crate::commands::tuning;
use crate::exemplars::Exemplars;
use crate::hold_outs;
use crate::output::{self, grouped, percent, say};
use crate::run_file::RunFile;
use crate::setup::Console;
use anyhow::{Context, Result};
use nearmark_train::config::{Config, Parameters};
use nearmark_train::emulator::board::Board;
use nearmark_train::model::provenance::{is_trained, made_with};
use nearmark_train::train::{Candidate, Holdout, decide, hold_out, train_with};
use nearmark_train::{Choice, Dataset, HeadChoice, Inspection, Run, Trained, model::cost};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;

/// The method for rows without labels: the one whose paper is about retrieval.
const WITHOUT_LABELS: &str = "ebek";

pub(crate) fn run(args: &FitArgs, console: &Console) -> Result<()> {
    let mut file = RunFile::of(args)?;
    let (data, path) = file.ends()?;
    check_outputs(args, &data, &path, file.input.labels.as_deref())?;
    let loaded = console.load_for(&data, &file.input, &mut file.model)?;
    say(&rows(&data, &loaded.data));
    if !loaded.data.is_labelled() && file.model.method.is_none() && !file.model.is_budget() {
        file.model.method = Some(WITHOUT_LABELS.to_owned());
        say(&format!("note    no labels: method {WITHOUT_LABELS}"));
    }
    let start = Instant::now();
    let config = Config::try_from(file.model.clone()).context("fit")?;
    let decided = console.with_progress(|run| decide(&config, &loaded.data, run)).context("fit")?;
    check_decided(args, &decided.config, &loaded.data)?;
    for candidate in &decided.candidates {
        say(&tried(candidate));
    }
    if !decided.tuning.is_empty() {
        say(&tuning::table(&decided.tuning));
    }
    if let Some(to) = &args.trace {
        figures::trace(to, &decided.config, &loaded.data, file.holdout, console)?;
    }
    // Settings tuned on the rows held out would flatter the model: they are tuned again without those.
    let measured = if decided.tuning.is_empty() { &decided.config } else { &config };
    let held = file.holdout.map(|share| console.with_progress(|run| hold_out(measured, &loaded.data, share, run)));
    let held = held.transpose().context("hold-out")?;
    let complete = |info: &mut nearmark_format::Info| {
        info.feature_names.clone_from(&loaded.features);
        info.scores.extend(held.as_ref().map(|held| ("holdout".to_owned(), held.evaluation.accuracy())));
        decided.recordings.iter().for_each(|both| both.record(info));
    };
    let fit = |run: &Run<'_>| train_with(&decided.config, &loaded.data, run, complete);
    let mut trained = console.with_progress(fit).context("fit")?;
    trained.notes.splice(0..0, decided.notes);
    (trained.candidates, trained.tuning) = (decided.candidates, decided.tuning);
    trained.recordings = trained.recordings.or(decided.recordings);
    let seconds = start.elapsed().as_secs_f64();
    let inspection = Inspection::of(&trained.model);
    // Before the model: what has no images fails without leaving a file.
    if let Some(to) = &args.basis {
        figures::pictures(to, &trained, &loaded.data)?;
    }
    output::bytes(&path, trained.model.bytes())?;
    if let Some(to) = &args.save_config {
        RunFile { model: Parameters::from(&trained.config), ..file }.write(to)?;
    }
    if let (Some(to), Some(coordinates)) = (&args.save_coordinates, trained.fitted.coordinates()) {
        output::matrix(to, coordinates)?;
    }
    say(&report(&trained, held.as_ref(), &inspection, seconds, &path));
    let rows = inspection.info.as_ref().map_or(&[][..], |info| &info.exemplars);
    let class_names = if loaded.data.is_labelled() { loaded.data.class_names() } else { &[] };
    let exemplars = Exemplars { rows, class_names, data: Some(&loaded.data) };
    if !rows.is_empty() {
        say(&format!("built on {} training rows\n  {}", rows.len(), exemplars.lines().join("\n  ")));
    }
    console.object(|| {
        let mut object = object(&loaded.data, &trained, held.as_ref(), &inspection, seconds, &path);
        object["exemplars"] = exemplars.json();
        object
    })
}

/// Refuses files that cannot be written, or that would replace what is read, before the work.
fn check_outputs(args: &FitArgs, data: &str, path: &Path, labels: Option<&Path>) -> Result<()> {
    let read: Vec<&Path> = [Some(Path::new(data)), labels].into_iter().flatten().collect();
    output::check(path, &[read.as_slice(), args.config.as_deref().as_slice()].concat())?;
    if let Some(to) = &args.save_config {
        output::check(to, &[read.as_slice(), &[path]].concat())?;
    }
    for to in [&args.trace, &args.basis].into_iter().flatten() {
        figures::format_of(to)?;
    }
    for to in [&args.save_coordinates, &args.trace, &args.basis].into_iter().flatten() {
        let others = [Some(path), args.save_config.as_deref()];
        output::check(to, &[read.as_slice(), &others.into_iter().flatten().collect::<Vec<_>>()].concat())?;
    }
    Ok(())
}

/// Refuses flags that the model decided on has no use for.
fn check_decided(args: &FitArgs, config: &Config, data: &Dataset) -> Result<()> {
    if data.ids().is_some() && !matches!(config, Config::Fixed(fit) if fit.head == Some(HeadChoice::Items)) {
        return Err(Usage("--id is for models that hold items: add --head items".to_owned()).into());
    }
    let common = config.common();
    if args.save_coordinates.is_some() && (common.method.name() != "ebek" || config.limits().is_some()) {
        return Err(Usage("--save-coordinates: only ebek without a budget has exemplar coordinates".to_owned()).into());
    }
    Ok(())
}

/// What was read.
fn rows(name: &str, data: &Dataset) -> String {
    let counts = data.class_counts();
    let (least, most) = (counts.iter().min().unwrap_or(&0), counts.iter().max().unwrap_or(&0));
    let each = if least == most { format!("{least} rows each") } else { format!("{least} to {most} rows each") };
    let (rows, width) = (grouped(data.len()), data.width());
    if !data.is_labelled() {
        return format!("{name}: {rows} rows of {width} values, no labels");
    }
    let mut text = format!("{name}: {rows} rows of {width} values, {} classes ({each})", data.classes());
    if 2 * data.classes() > data.len() {
        text.push_str("\nnote    nearly every row is a class of its own: is this the right label column?");
    }
    text
}

fn tried(candidate: &Candidate) -> String {
    let result = match candidate.accuracy {
        Some(accuracy) => format!("{} ± {:.2}", percent(accuracy), 100.0 * candidate.error),
        None => format!("failed: {}", candidate.failure.as_deref().unwrap_or("unknown reason")),
    };
    format!("  tried {:<18} {result}", candidate.name)
}

/// What was made, for people.
fn report(trained: &Trained, held: Option<&Holdout>, inspection: &Inspection, seconds: f64, path: &Path) -> String {
    let mut lines = Vec::new();
    let params = inspection.info.iter().flat_map(|info| &info.params);
    let params: Vec<String> = params.map(|(name, value)| format!("{name} {value}")).collect();
    let with = inspection.info.as_ref().map_or_else(|| method(trained, inspection).to_owned(), made_with);
    lines.push(format!("method  {with} ({seconds:.1} s)"));
    lines.extend(indented(&params));
    lines.extend(trained.notes.iter().map(|note| format!("note    {note}")));
    if let Some(found) = &trained.budgeted {
        let evaluation = &found.evaluation;
        let (accuracy, error, exact) =
            (percent(evaluation.trial.accuracy), 100.0 * evaluation.standard_error(), percent(evaluation.accuracy_f64));
        lines.push(format!(
            "search  {} candidates evaluated; the best has {accuracy} ± {error:.2} on the hold-out, as a",
            found.tried
        ));
        lines.push(format!("        file, by the runtime ({exact} in f64)"));
        lines.extend(trained.recordings.iter().map(hold_outs::note));
        lines.extend(found.objective.map(|(before, after)| {
            format!("training  cross-entropy over class distances {before:.4} before, {after:.4} after")
        }));
    }
    // What chose a fixed fit; the hold-out has its own.
    let chosen = trained.recordings.iter().filter(|_| trained.budgeted.is_none() && held.is_none());
    lines.extend(chosen.map(hold_outs::note));
    if let Some(held) = held {
        let (accuracy, rows) = (percent(held.evaluation.accuracy()), held.evaluation.rows());
        let on = held.trained_on;
        lines.push(format!("holdout {accuracy} of {rows} rows, by a model fitted on the other {on}"));
        lines.extend(held.integers.map(|cost| {
            let (exact, agreed) = (percent(cost.accuracy_f64), percent(cost.agreement));
            format!("        the same model in f64: {exact}; {agreed} of the labels are the same")
        }));
        lines.extend(held.recordings.iter().map(hold_outs::note));
    }
    lines.push(format!("model   {}", path.display()));
    lines.extend(inspection.stages.iter().map(|stage| format!("        {stage}")));
    let parts = inspection.parts.iter().filter(|part| part.bytes > 0);
    let parts: Vec<String> = parts.map(|part| format!("{} {}", part.name, grouped(part.bytes))).collect();
    let limits = trained.config.limits().copied().unwrap_or_default();
    let limit = |most: Option<usize>| most.map_or(String::new(), |most| format!(" of {}", grouped(most)));
    let (flash, ram) = (limit(limits.flash), limit(limits.ram));
    let (core, disk) = (grouped(inspection.flash_bytes), grouped(inspection.file_bytes));
    lines.push(format!("flash   {core}{flash} bytes ({disk} on disk)"));
    lines.extend(indented(&parts));
    lines.push(format!("RAM     {}{ram} bytes of scratch", grouped(inspection.ram_bytes)));
    lines.push(format!("work    {}", work(inspection)));
    if let Some((count, most, board)) = estimated_instructions(trained) {
        let (count, most) = (grouped(count), grouped(most));
        lines.push(format!(
            "        about {count} of {most} instructions on {board}, by the cost model; `device` counts them"
        ));
    }
    lines.push(format!("Cargo   {}", inspection.dependency));
    lines.join("\n")
}

/// Instructions by the cost model, at most so many, on the board of the budget.
fn estimated_instructions(trained: &Trained) -> Option<(u64, u64, Board)> {
    let (most, board) = trained.config.limits()?.instructions?;
    Some((cost::instructions(&cost::Shape::of(&trained.model), board, false), most, board))
}

/// The method that a model was made by.
fn method<'a>(trained: &'a Trained, inspection: &'a Inspection) -> &'a str {
    inspection.info.as_ref().map_or(trained.config.common().method.name(), |info| &info.method)
}

/// Items separated by commas, below the words of a line.
fn indented(items: &[String]) -> Vec<String> {
    output::wrapped(items.iter().map(String::as_str), ", ", "        ", 79)
}

/// What was made, for tools.
fn object(
    data: &Dataset,
    trained: &Trained,
    held: Option<&Holdout>,
    inspection: &Inspection,
    seconds: f64,
    path: &Path,
) -> Value {
    let limits = trained.config.limits().copied().unwrap_or_default();
    let tried = |candidate: &Candidate| {
        json!({
            "name": candidate.name,
            "accuracy": candidate.accuracy,
            "standard_error": candidate.error,
            "failure": candidate.failure,
        })
    };
    let choice = |choice: &Choice| json!({ "what": choice.what, "error": choice.error, "chosen": choice.chosen });
    json!({
        "model": path,
        "id": inspection.id,
        "rows": data.len(),
        "inputs": data.width(),
        "labelled": data.is_labelled(),
        "classes": if data.is_labelled() { data.classes() } else { 0 },
        "class_names": if data.is_labelled() { data.class_names() } else { &[] },
        "method": method(trained, inspection),
        "trained": inspection.info.as_ref().is_some_and(is_trained),
        "params": inspection.info.iter().flat_map(|info| info.params.clone()).collect::<Value>(),
        "seed": trained.config.common().seed,
        "dim": inspection.dim,
        "seconds": seconds,
        "tried": trained.candidates.iter().map(tried).collect::<Vec<_>>(),
        "tuning": trained.tuning.iter().map(tuning::object).collect::<Vec<_>>(),
        "choices": trained.fitted.choices().iter().map(choice).collect::<Vec<_>>(),
        "holdout": held.map(|held| json!({
            "accuracy": held.evaluation.accuracy(),
            "balanced_accuracy": held.evaluation.balanced_accuracy(),
            "n": held.evaluation.rows(),
            "trained_on": held.trained_on,
            "accuracy_f64": held.integers.map(|cost| cost.accuracy_f64),
            "agreement_f64": held.integers.map(|cost| cost.agreement),
            "hold_outs": held.recordings.as_ref().map(hold_outs::object),
        })),
        "hold_outs": trained.recordings.as_ref().map(hold_outs::object),
        "budget": trained.budgeted.as_ref().map(|found| json!({
            "flash": limits.flash,
            "ram": limits.ram,
            "insns": limits.instructions.map(|(count, _)| count),
            "insns_estimated": estimated_instructions(trained).map(|(count, ..)| count),
            "board": limits.instructions.map(|(_, board)| board.name),
            "tried": found.tried,
            "accuracy": found.evaluation.trial.accuracy,
            "standard_error": found.evaluation.standard_error(),
            "accuracy_f64": found.evaluation.accuracy_f64,
            "n": found.evaluation.rows,
            "objective": found.objective.map(|(before, after)| json!({ "before": before, "after": after })),
        })),
        "flash_bytes": inspection.flash_bytes,
        "file_bytes": inspection.file_bytes,
        "ram_bytes": inspection.ram_bytes,
        "multiplications": inspection.operations.multiplications,
        "exponentials": inspection.operations.exponentials,
        "parts": inspection.parts.iter().map(|part| (part.name.clone(), part.bytes)).collect::<Value>(),
        "dependency": inspection.dependency,
        "notes": trained.notes,
    })
}
