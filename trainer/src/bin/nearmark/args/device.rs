//! Flags of `device`.

use super::DataArgs;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use nearmark_train::emulator::board::{BOARDS, Board};
use std::path::PathBuf;

/// Run a model on an emulated board and tell what it costs there
///
/// Builds a small program for the board with exactly the stages that the model needs, puts the model into its flash and
/// classifies every row under QEMU. Prints the accuracy, in how many rows the board's bits differ from the host's (there
/// should be none: class, distances and embedding are compared), instructions, flash, RAM and stack. Instructions are
/// not cycles: caches, flash wait states and pipelines are not emulated.
///
/// Needs cargo with the board's target, and QEMU on the path or in the folder `NEARMARK_QEMU`. Programs are kept in the
/// user's cache, or in the folder `NEARMARK_CACHE`. Ends with exit code 1 if board and host differ.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearmark device digits.nmk builtin:digits:test --board m4f
  nearmark device digits.nmk builtin:digits:test --board rv32 --rows 20 --json")]
pub(crate) struct DeviceArgs {
    /// The model
    pub(crate) model: PathBuf,
    /// Labelled rows
    pub(crate) data: String,
    /// The board: Cortex-M0 (micro:bit), M4F, M7, M33 (MPS2), or RV32IMC
    #[arg(long, value_parser = boards())]
    pub(crate) board: Board,
    /// Take only this many rows, evenly spread over the data
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rows: Option<u32>,
    /// Use the DSP instructions of M4F, M7 and M33, for integer models
    #[arg(long)]
    pub(crate) dsp: bool,
    /// The folder of another runtime crate than the one that this tool carries
    #[arg(long, value_name = "PATH")]
    pub(crate) runtime: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) input: DataArgs,
}

fn boards() -> impl TypedValueParser<Value = Board> {
    PossibleValuesParser::new(BOARDS.map(|board| board.name)).try_map(|name| name.parse::<Board>())
}
