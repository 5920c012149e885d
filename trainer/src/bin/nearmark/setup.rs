//! What every command shares: how to talk, how to stop, how to read data.

use crate::args::{Cli, DataArgs, in_flags};
use crate::columns::Order;
use crate::progress::Progress;
use anyhow::{Context, Result, bail};
use nearmark_format::Num;
use nearmark_train::config::{Recipe, Size};
use nearmark_train::io::{self, Loaded, Shape};
use nearmark_train::preprocess::interleave;
use nearmark_train::{Dataset, Run};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set by Ctrl-C; fits look at it between steps.
static STOP: AtomicBool = AtomicBool::new(false);

/// Something for people, on stderr.
pub(crate) fn say(text: &str) {
    crate::output::stderr(text);
}

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

    /// Runs `work` with the threads asked for, a progress bar if it takes long, and Ctrl-C.
    pub(crate) fn with_progress<T>(&self, work: impl FnOnce(&Run<'_>) -> T) -> T {
        let progress = Progress::new();
        let report = |step| progress.report(step);
        let run = Run::default().on_progress(&report).stop_when(&STOP);
        work(&self.threads.map_or(run, |threads| run.threads(threads)))
    }

    /// An error once Ctrl-C was pressed, for loops that no [`Run`] watches.
    pub(crate) fn check_stop() -> Result<()> {
        if STOP.load(Ordering::Relaxed) {
            bail!("cancelled");
        }
        Ok(())
    }

    /// Reads labelled rows.
    pub(crate) fn load(&self, data: &str, args: &DataArgs) -> Result<Loaded> {
        let read = |run: &Run<'_>| io::load(data, &args.options(), run);
        let loaded = self.with_progress(read).map_err(in_flags).with_context(|| format!("reading {data}"))?;
        loaded.notes.iter().for_each(|note| say(&format!("note: {note}")));
        Ok(loaded)
    }

    /// Reads labelled rows to learn from, as [`load_test`](Self::load_test) does; groups must be such that hold-outs can
    /// keep them whole.
    pub(crate) fn load_for(&self, data: &str, args: &DataArgs, recipe: &mut Recipe) -> Result<Loaded> {
        let loaded = self.load_test(data, args, recipe)?;
        loaded.data.require_groups().with_context(|| format!("reading {data}"))?;
        if let Some(groups) = loaded.data.group_count() {
            say(&format!("note: hold-outs keep {groups} groups whole"));
        }
        Ok(loaded)
    }

    /// Reads labelled rows for a recipe: the file may tell the shape of a row, the recipe how a device delivers it.
    pub(crate) fn load_test(&self, data: &str, args: &DataArgs, recipe: &mut Recipe) -> Result<Loaded> {
        let image = args.image.or(recipe.image);
        let mut loaded = self.load(data, &DataArgs { image, ..args.clone() })?;
        match loaded.shape {
            Shape::Series { channels, steps } => {
                let series = *recipe.series.get_or_insert(Size(channels, steps));
                if recipe.interleaved && series == Size(channels, steps) {
                    loaded.data = interleaved(&loaded, channels, steps)?;
                }
            }
            Shape::Image { rows, cols } => {
                recipe.image.get_or_insert(Size(rows, cols));
            }
            Shape::Flat => {}
        }
        Ok(loaded)
    }

    /// Reads labelled rows as a model takes them.
    pub(crate) fn load_like(&self, data: &str, args: &DataArgs, bytes: &[u8]) -> Result<Loaded> {
        let mut loaded = self.load(data, args)?;
        let order = Order::of(&trained_on(bytes), &loaded.features);
        order.note().iter().for_each(|note| say(note));
        if let Order::Moved(_) = order {
            loaded.data = loaded.data.with_rows(order.apply(loaded.data.rows().clone()))?;
        }
        if let Some(note) = foreign_numbers(&loaded.data, bytes) {
            say(&note);
        }
        if let Shape::Series { channels, steps } = loaded.shape
            && takes_interleaved(bytes)
        {
            loaded.data = interleaved(&loaded, channels, steps)?;
        }
        Ok(loaded)
    }
}

fn interleaved(loaded: &Loaded, channels: usize, steps: usize) -> Result<Dataset> {
    Ok(loaded.data.with_rows(interleave(loaded.data.rows(), channels, steps))?)
}

/// Whether a model takes windows with channels side by side.
pub(crate) fn takes_interleaved(bytes: &[u8]) -> bool {
    let said = |info: nearmark_format::Info| info.params.iter().any(|(_, value)| value == "interleaved");
    let model = nearmark_format::ModelBuf::decode(bytes);
    model.is_ok_and(|model| model.window.is_some_and(|window| window.interleaved) || model.info.is_some_and(said))
}

/// A word about values that a device which delivers the training rows' type cannot deliver.
fn foreign_numbers(data: &Dataset, bytes: &[u8]) -> Option<String> {
    use nearmark_train::Number;
    let input = nearmark_format::ModelBuf::decode(bytes).ok()?.input;
    let fits = match input {
        Num::F32 => true,
        Num::U8 => data.number() == Number::U8,
        Num::I8 => data.number() == Number::I8 || data.rows().max() <= 127.0 && data.number() == Number::U8,
        Num::I16 => data.number() != Number::F32,
    };
    (!fits).then(|| format!("note: the model was trained on {input:?} values, these rows hold others"))
}

/// The names of the columns that a model was trained on, if its provenance tells.
pub(crate) fn trained_on(bytes: &[u8]) -> Vec<String> {
    let info = nearmark_format::ModelBuf::decode(bytes).ok().and_then(|model| model.info);
    info.map(|info| info.feature_names).unwrap_or_default()
}

/// The bytes of a model file, checked.
pub(crate) fn model_bytes(path: &Path) -> Result<Vec<u8>> {
    let what = || format!("reading {}", path.display());
    let bytes = std::fs::read(path).with_context(what)?;
    let aligned = nearmark_format::AlignedBuf::from(bytes.as_slice());
    nearmark::Model::from_bytes(&aligned).with_context(what)?;
    Ok(bytes)
}
