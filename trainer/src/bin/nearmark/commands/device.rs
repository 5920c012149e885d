//! `nearmark device`

use crate::args::DeviceArgs;
use crate::output::{self, grouped, percent};
use crate::setup::{Console, model_bytes, say};
use anyhow::{Context, Result, bail};
use nearmark_train::Dataset;
use nearmark_train::emulator::{Differences, Found, Harness, Job, Recipe};
use nearmark_train::evaluate::{EvalError, class_names_of};
use nearmark_train::linalg::Mat;
use nearmark_train::model::cost::{self, Shape};
use serde_json::json;

pub(crate) fn run(args: &DeviceArgs, console: &Console) -> Result<()> {
    let bytes = model_bytes(&args.model)?;
    let loaded = console.load_like(&args.data, &args.input, &bytes)?;
    let (rows, truth) = chosen(&loaded.data, args.rows, &bytes).with_context(|| args.data.clone())?;
    let job = Job::new(&bytes, &rows, args.board)?;
    let recipe = Recipe { dsp: args.dsp, runtime: args.runtime.clone(), ..Recipe::for_job(&job) };
    recipe.check()?;
    let waiting = || say("waiting for another nearmark process that is building");
    let harness = console.with_progress(|run| recipe.build(run, waiting))?;
    let found = console.with_progress(|run| harness.run(&job, run))?;
    let report = Report { args, job: &job, harness: &harness, found: &found, correct: correct(&found, &truth) };
    report.print(console)?;
    match found.differences(&job).rows {
        0 => Ok(()),
        rows => bail!("{rows} of {} rows differ between board and host", truth.len()),
    }
}

/// Rows evenly spaced over the data, and the model's index of each row's class.
fn chosen(data: &Dataset, count: Option<u32>, bytes: &[u8]) -> Result<(Mat, Vec<usize>)> {
    let names = class_names_of(bytes)?;
    let all = data.rows().nrows();
    let count = count.map_or(all, |count| all.min(count as usize));
    let places: Vec<usize> = (0..count).map(|i| i * all / count).collect();
    let class = |&place: &usize| {
        let name = &data.class_names()[data.labels()[place]];
        let class = names.iter().position(|known| known == name);
        class.ok_or_else(|| EvalError::UnknownClass { class: name.clone() })
    };
    let truth = places.iter().map(class).collect::<Result<_, _>>()?;
    Ok((data.rows().select_rows(&places), truth))
}

/// Number of rows that the board classifies correctly.
fn correct(found: &Found, truth: &[usize]) -> usize {
    let pairs = found.answers.iter().zip(truth);
    pairs.filter(|(answer, truth)| answer.is_some_and(|answer| answer.class as usize == **truth)).count()
}

struct Report<'a> {
    args: &'a DeviceArgs,
    job: &'a Job,
    harness: &'a Harness,
    found: &'a Found,
    correct: usize,
}

impl Report<'_> {
    fn print(&self, console: &Console) -> Result<()> {
        let Self { args, job, harness, found, correct } = self;
        let rows = job.expected.len();
        let accuracy = *correct as f64 / rows as f64;
        let (code, model) = (harness.code_bytes, job.model.len() as u64);
        let differences = found.differences(job);
        let Differences { class, distances, embedding, .. } = differences;
        let (median, max) = (found.instructions_median(), found.instructions_max());
        let sample = job.sample.name();
        if console.json {
            return output::json(&json!({
                "model": args.model,
                "data": args.data,
                "board": job.board.name,
                "dsp": args.dsp,
                "sample_type": sample,
                "accuracy": accuracy,
                "n": rows,
                "correct": correct,
                "differences": differences.rows,
                "different": { "class": class, "distances": distances, "embedding": embedding },
                "instructions_median": median,
                "instructions_max": max,
                "instructions_predicted": cost::instructions(&Shape::of(&job.model)?, job.board, args.dsp),
                "load_instructions": found.load_instructions,
                "flash_bytes": code + model,
                "code_bytes": code,
                "model_bytes": model,
                "ram_bytes": job.scratch_bytes,
                "row_bytes": job.row_bytes,
                "stack_bytes": found.stack_bytes(),
                "features": job.features,
            }));
        }
        let dsp = if args.dsp { " with DSP instructions" } else { "" };
        output::stdout(&format!(
            "{}{dsp}, {} rows of {sample} values
accuracy      {} ({} rows)
differences   {} rows from the host (class {class}, distances {distances}, embedding {embedding})
instructions  {} median, {} most; {} once, to load the model
flash         {} bytes: library {}, model {}
RAM           {} bytes of scratch, and {} for a row
stack         {} bytes
These are instructions, not cycles: caches, flash wait states and pipelines are not emulated.
",
            job.board,
            grouped(rows),
            percent(accuracy),
            grouped(*correct),
            grouped(differences.rows),
            grouped(median),
            grouped(max),
            grouped(found.load_instructions),
            grouped(code + model),
            grouped(code),
            grouped(model),
            grouped(job.scratch_bytes),
            grouped(job.row_bytes),
            grouped(found.stack_bytes()),
        ))
    }
}
