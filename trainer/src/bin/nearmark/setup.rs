//! What every command shares: how to talk, how to stop, how to read data.

use crate::args::{Cli, DataArgs, in_flags};
use crate::columns::Order;
use crate::output::{self, say};
use crate::progress;
use anyhow::{Context, Result, bail};
use nearmark_train::config::{Parameters, Size};
use nearmark_train::io::{self, Loaded, Options, Shape};
use nearmark_train::methods::KernelName;
use nearmark_train::preprocess::interleave;
use nearmark_train::{Dataset, ModelFile, Number, Progress, Run, SearchPlan, Workload};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set by Ctrl-C; fits look at it between steps.
static STOP: AtomicBool = AtomicBool::new(false);

pub(crate) struct Console {
    /// Whether stdout is for one JSON object.
    pub(crate) json: bool,
    threads: Option<usize>,
}

impl Console {
    pub(crate) fn new(cli: &Cli) -> Result<Self> {
        ctrlc::set_handler(|| {
            if STOP.swap(true, Ordering::Relaxed) {
                // Asked twice: whatever is under way takes too long to wait for.
                std::process::exit(1);
            }
        })
        .context("listening for Ctrl-C")?;
        Ok(Self { json: cli.json, threads: cli.threads.map(usize::from) })
    }

    /// Prints an object for tools if they asked for one.
    pub(crate) fn object(&self, value: impl FnOnce() -> Value) -> Result<()> {
        if self.json { output::json(&value()) } else { Ok(()) }
    }

    /// Runs `work` with the threads asked for, a progress bar if it takes long, and Ctrl-C.
    pub(crate) fn with_progress<T>(&self, work: impl FnOnce(&Run<'_>) -> T) -> T {
        let workload = Arc::new(Workload::default());
        let bar = progress::bar(&workload);
        let report = |step: Progress| {
            // A search has a bar for all of its work.
            if workload.share().is_none() {
                bar.set_length(step.total as u64);
                bar.set_position(step.done as u64);
            }
            bar.set_message(step.step);
        };
        let run = Run::default().on_progress(&report).stop_when(&STOP).count(&workload);
        let run = self.threads.map_or(run, |threads| run.threads(threads));
        let threads = run.thread_count();
        let announce = |plan: &SearchPlan| progress::plan(plan, threads).iter().for_each(|text| say(text));
        let result = work(&run.on_plan(&announce));
        bar.finish_and_clear();
        result
    }

    /// An error once Ctrl-C was pressed, for loops that no [`Run`] watches.
    pub(crate) fn check_stop() -> Result<()> {
        if STOP.load(Ordering::Relaxed) {
            bail!("cancelled");
        }
        Ok(())
    }

    pub(crate) fn load(&self, data: &str, args: &DataArgs) -> Result<Loaded> {
        self.load_with(data, &args.options())
    }

    /// Reads rows of so many columns, which not every file states.
    pub(crate) fn load_as_wide(&self, data: &str, args: &DataArgs, inputs: usize) -> Result<Loaded> {
        self.load_with(data, &Options { inputs: Some(inputs), ..args.options() })
    }

    fn load_with(&self, data: &str, options: &Options) -> Result<Loaded> {
        let read = |run: &Run<'_>| io::load(data, options, run);
        let loaded = self.with_progress(read).map_err(in_flags).with_context(|| format!("reading {data}"))?;
        loaded.notes.iter().for_each(|note| say(&format!("note: {note}")));
        Ok(loaded)
    }

    /// Reads labelled rows to learn from, as [`load_test`](Self::load_test) does; groups must be such that hold-outs can
    /// keep them whole.
    pub(crate) fn load_for(&self, data: &str, args: &DataArgs, parameters: &mut Parameters) -> Result<Loaded> {
        let mut loaded = self.load_test(data, args, parameters)?;
        if parameters.kernel == Some(KernelName::Precomputed) {
            loaded.data = loaded.data.into_similarities().with_context(|| format!("reading {data}"))?;
        }
        loaded.data.require_groups().with_context(|| format!("reading {data}"))?;
        if let Some(groups) = loaded.data.group_count() {
            say(&format!("note: hold-outs keep {groups} groups whole"));
        }
        Ok(loaded)
    }

    /// Reads labelled rows for a run: the file may state the shape of a row, the parameters how a device delivers it.
    pub(crate) fn load_test(&self, data: &str, args: &DataArgs, parameters: &mut Parameters) -> Result<Loaded> {
        let image = args.image.or(parameters.image);
        let mut loaded = self.load(data, &DataArgs { image, ..args.clone() })?;
        let given = parameters.series.is_some() || parameters.image.is_some();
        match loaded.shape {
            Shape::Series { channels, steps } if !given => parameters.series = Some(Size(channels, steps)),
            Shape::Image { rows, cols } if !given => parameters.image = Some(Size(rows, cols)),
            _ => {}
        }
        if let Shape::Series { channels, steps } = loaded.shape
            && parameters.series == Some(Size(channels, steps))
            && parameters.interleaved == Some(true)
        {
            loaded.data = interleaved(&loaded, channels, steps)?;
        }
        Ok(loaded)
    }

    /// Reads labelled rows as a model takes them.
    pub(crate) fn load_like(&self, data: &str, args: &DataArgs, model: &ModelFile) -> Result<Loaded> {
        let inputs = Some(model.header().inputs as usize);
        let mut loaded = self.load_with(data, &Options { inputs, ..args.options() })?;
        let order = Order::of(model.feature_names(), &loaded.features);
        order.note().iter().for_each(|note| say(note));
        if let Order::Moved(_) = order {
            loaded.data = loaded.data.with_rows(order.apply(loaded.data.rows().clone()))?;
        }
        if let Some(note) = foreign_numbers(&loaded.data, model) {
            say(&note);
        }
        if let Shape::Series { channels, steps } = loaded.shape
            && model.is_interleaved()
        {
            loaded.data = interleaved(&loaded, channels, steps)?;
        }
        Ok(loaded)
    }
}

fn interleaved(loaded: &Loaded, channels: usize, steps: usize) -> Result<Dataset> {
    Ok(loaded.data.with_rows(interleave(loaded.data.rows(), channels, steps))?)
}

/// A note about values that a device which delivers the training rows' type cannot deliver.
fn foreign_numbers(data: &Dataset, model: &ModelFile) -> Option<String> {
    let input = model.input();
    let fits = match input {
        Number::F32 => true,
        Number::U8 => data.number() == Number::U8,
        // Sparse rows are never filled in; what they hold is small whole numbers, if at all.
        Number::I8 => {
            let small = data.sparse_rows().is_some() || data.rows().max() <= 127.0;
            data.number() == Number::I8 || small && data.number() == Number::U8
        }
        Number::I16 => data.number() != Number::F32,
    };
    (!fits).then(|| {
        format!(
            "note: the model was trained on {input:?} values, these rows have {:?} values: accuracy may mean little",
            data.number()
        )
    })
}

pub(crate) fn model_file(path: &Path) -> Result<ModelFile> {
    ModelFile::read(path).with_context(|| format!("reading {}", path.display()))
}

/// A model that is to name classes.
pub(crate) fn classifier_file(path: &Path) -> Result<ModelFile> {
    let model = model_file(path)?;
    if !model.has_classes() {
        bail!(
            "{}: the model has no classes, it was fitted without labels: `search` and `embed` take it",
            path.display()
        );
    }
    Ok(model)
}
