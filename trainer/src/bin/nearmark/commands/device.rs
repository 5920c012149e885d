//! `nearmark device`

use crate::args::DeviceArgs;
use crate::output::{self, grouped, percent, say};
use crate::rows;
use crate::setup::{Console, model_file};
use anyhow::{Context, Result, bail};
use nearmark_train::emulator::{Differences, Found, Harness, HarnessBuild, Workload};
use nearmark_train::evaluate::EvalError;
use nearmark_train::linalg::Mat;
use nearmark_train::model::cost::{self, Shape};
use nearmark_train::{Dataset, ModelFile};
use serde_json::json;

pub(crate) fn run(args: &DeviceArgs, console: &Console) -> Result<()> {
    let model = model_file(&args.model)?;
    let data = if model.has_classes() {
        console.load_like(&args.data, &args.input, &model)?.data
    } else {
        // There is nothing to be right about: labels are not needed.
        Dataset::unlabelled(rows::all(&args.data, &args.input, &model)?).with_context(|| args.data.clone())?
    };
    let (rows, truth) = chosen(&data, args.rows, &model).with_context(|| args.data.clone())?;
    let workload = Workload::new(&model, &rows, args.board)?;
    let build = HarnessBuild { dsp: args.dsp, runtime: args.runtime.clone(), ..HarnessBuild::for_workload(&workload) };
    let waiting = || say("waiting for another nearmark process that is building");
    let harness = console.with_progress(|run| build.build(run, waiting))?;
    let found = console.with_progress(|run| harness.run(&workload, run))?;
    let answers = found.answers.iter().zip(&truth);
    let right = answers.filter(|(answer, class)| answer.is_some_and(|answer| answer.class as usize == **class));
    let right = model.has_classes().then(|| right.count());
    report(args, &workload, &harness, &found, right, console)?;
    match found.differences(&workload).rows {
        0 => Ok(()),
        rows => bail!("{rows} of {} rows differ between board and host", truth.len()),
    }
}

/// Rows evenly spaced over the data, and the model's index of each row's class.
fn chosen(data: &Dataset, count: Option<u32>, model: &ModelFile) -> Result<(Mat, Vec<usize>)> {
    let names = model.class_names();
    let all = data.len();
    let count = count.map_or(all, |count| all.min(count as usize));
    let places: Vec<usize> = (0..count).map(|i| i * all / count).collect();
    let class = |&place: &usize| {
        let name = &data.class_names()[data.labels()[place]];
        let class = names.iter().position(|known| known == name);
        class.ok_or_else(|| EvalError::UnknownClass { class: name.clone() })
    };
    let truth = places.iter().map(class).collect::<Result<_, _>>()?;
    Ok((data.dense_rows(&places), truth))
}

fn report(
    args: &DeviceArgs,
    workload: &Workload,
    harness: &Harness,
    found: &Found,
    correct: Option<usize>,
    console: &Console,
) -> Result<()> {
    let rows = workload.expected.len();
    let accuracy = correct.map(|correct| correct as f64 / rows as f64);
    let (code, model) = (harness.code_bytes, workload.model.core_len() as u64);
    let Differences { rows: differ, class, distances, embedding, items } = found.differences(workload);
    let (median, max) = (found.instructions_median(), found.instructions_max());
    let sample = workload.sample.name();
    if console.json {
        return output::json(&json!({
            "model": args.model,
            "data": args.data,
            "board": workload.board.name,
            "dsp": args.dsp,
            "sample_type": sample,
            "accuracy": accuracy,
            "n": rows,
            "correct": correct,
            "differences": differ,
            "different": { "class": class, "distances": distances, "embedding": embedding, "items": items },
            "instructions_median": median,
            "instructions_max": max,
            "instructions_predicted": cost::instructions(&Shape::of(&workload.model), workload.board, args.dsp),
            "load_instructions": found.load_instructions,
            "flash_bytes": code + model,
            "code_bytes": code,
            "model_bytes": model,
            "ram_bytes": workload.scratch_bytes,
            "row_bytes": workload.row_bytes,
            "stack_bytes": found.stack_bytes(),
            "features": workload.features,
        }));
    }
    // Only models with items have nearest ones.
    let items = if workload.features.contains(&"knn") { format!(", nearest items {items}") } else { String::new() };
    let dsp = if args.dsp { " with DSP instructions" } else { "" };
    let [median, max, load] = [median, max, found.load_instructions].map(grouped);
    let [flash, code, model] = [code + model, code, model].map(grouped);
    let [scratch, row] = [workload.scratch_bytes, workload.row_bytes].map(grouped);
    let [rows, differ] = [rows, differ].map(grouped);
    let right = correct.map(|correct| format!(" ({} rows)", grouped(correct))).unwrap_or_default();
    let accuracy = accuracy.map_or_else(|| "none: the model has no classes".to_owned(), percent);
    output::stdout(&format!(
        "{}{dsp}, {rows} rows of {sample} values
accuracy      {accuracy}{right}
differences   {differ} rows from the host (class {class}, distances {distances}, embedding {embedding}{items})
instructions  {median} median, {max} most; {load} once, to load the model
flash         {flash} bytes: library {code}, model {model}
RAM           {scratch} bytes of scratch, and {row} for a row
stack         {} bytes
These are instructions, not cycles: caches, flash wait states and pipelines are not emulated.
",
        workload.board,
        grouped(found.stack_bytes()),
    ))
}
