//! Flags of `check`.

use super::DataArgs;
use clap::Args;

/// Look at data before any fit, and print the `fit` command to run
///
/// Prints what DATA holds (columns with type, range, missing and different cells; channels and steps; image size; classes
/// with their rows; groups), every problem and every suspicious column at once, each with the flag that solves it, and
/// the `fit` command that follows from them. Nothing is written. The exit code is 0 also where problems are found.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  nearmark check builtin:digits:train\n  nearmark check builtin:gestures --json")]
pub(crate) struct CheckArgs {
    /// The data; `nearmark --help` lists the forms of DATA
    pub(crate) data: String,
    #[command(flatten)]
    pub(crate) input: DataArgs,
}
