//! Flags of `tune`.

use super::{DataArgs, ModelArgs};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// Search for the Pareto front of accuracy and size
///
/// For the budget and for a half, a quarter and an eighth of it: the best model by a longer search than that of `fit`
/// --flash, over methods, kernel widths, ridges, projections, centers, training and number formats, by successive halving
/// on held-out rows of DATA. Writes the most accurate model, and the Pareto front as FRONT.md, FRONT.json and FRONT.svg.
/// Keep test rows for `eval`, afterwards.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearmark tune builtin:gestures:train -o gestures.nmk --flash 2k --time 20s
  nearmark tune builtin:gestures:train -o g.nmk --flash 4k --time 10s --state search.jsonl")]
pub(crate) struct TuneArgs {
    /// Labelled rows
    pub(crate) data: String,
    /// The model file to write
    #[arg(short, long, value_name = "M.nmk")]
    pub(crate) output: PathBuf,
    /// How long to search: 90s, 5m, 1h; a size begun in time may take half as long again. What is found then depends on
    /// the machine [default: 10m]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) time: Option<Duration>,
    /// Trial cache: keeps every trial in FILE, so that a stopped search can be resumed
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// Where the Pareto front is written, without an ending; by default beside the model, M-front
    #[arg(long, value_name = "FRONT")]
    pub(crate) front: Option<PathBuf>,
    /// Also write the model of every size: M-2048.nmk and so on
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) input: DataArgs,
}

/// Seconds, minutes or hours.
fn duration(text: &str) -> Result<Duration, &'static str> {
    let expected = "expected a time like 90s, 5m or 1h";
    let (number, unit) = match text.trim().char_indices().last().ok_or(expected)? {
        (at, 's') => (&text.trim()[..at], 1.0),
        (at, 'm') => (&text.trim()[..at], 60.0),
        (at, 'h') => (&text.trim()[..at], 3600.0),
        _ => return Err(expected),
    };
    let seconds = number.trim().parse::<f64>().map_err(|_| expected)? * unit;
    if seconds > 0.0 { Duration::try_from_secs_f64(seconds).map_err(|_| expected) } else { Err(expected) }
}
