//! Flags of `device`.

use super::{CACHE, DataArgs};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use nearmark_train::emulator::board::{BOARDS, Board};
use std::path::PathBuf;

/// Run a model on an emulated board and measure what it costs there
///
/// Builds a small program for the board with exactly the stages that the model needs, puts the model into its flash and
/// classifies every row under QEMU. Prints the accuracy, instructions, flash, RAM and stack, and the number of rows where
/// the board's class, distances or embedding differ from the host's in any bit. There should be none: otherwise the exit
/// code is 1. Instructions are not cycles: caches, flash wait states and pipelines are not emulated.
///
/// Needs cargo with the board's target, and QEMU on the path or in the folder that the environment variable
/// `NEARMARK_QEMU` names.
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples:
  nearmark device digits.nmk builtin:digits:test --board m4f
  nearmark device digits.nmk builtin:digits:test --board rv32 --rows 20 --json

{CACHE}"))]
pub(crate) struct DeviceArgs {
    /// The model file
    pub(crate) model: PathBuf,
    /// Labelled rows; `nearmark --help` lists the forms of DATA
    pub(crate) data: String,
    /// The board: Cortex-M0 (micro:bit), M4F, M7, M33 (MPS2), or RV32IMC
    #[arg(long, value_parser = boards())]
    pub(crate) board: Board,
    /// Run only this many rows, evenly spaced over DATA
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rows: Option<u32>,
    /// Use the DSP instructions of M4F, M7 and M33; integer models only
    #[arg(long)]
    pub(crate) dsp: bool,
    /// Folder of a runtime crate to use instead of the one inside this tool
    #[arg(long, value_name = "PATH")]
    pub(crate) runtime: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) input: DataArgs,
}

fn boards() -> impl TypedValueParser<Value = Board> {
    PossibleValuesParser::new(BOARDS.map(|board| board.name)).try_map(|name| name.parse::<Board>())
}
