//! Flags of the commands that build with cargo, `export` and `device`, and of `cache`, where their builds are kept.

use super::DataArgs;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use nearmark_train::emulator::board::{BOARDS, Board};
use std::path::PathBuf;

/// Where the cache lies by default, for the help of the commands that build.
const CACHE: &str = "\
Cache: builds are kept in ~/.cache/nearmark (Linux), ~/Library/Caches/nearmark (macOS) or
%LOCALAPPDATA%\\nearmark (Windows), or in the folder NEARMARK_CACHE. `nearmark cache` shows it.";

/// Show or clear the cache of builds
///
/// `device` and `export --lang c` compile the runtime with cargo and keep what they have built: compiled crates and
/// programs for emulated boards. Without flags, `cache` prints the folder, its size and every build in it.
///
/// The folder is `~/.cache/nearmark` on Linux, `~/Library/Caches/nearmark` on macOS, `%LOCALAPPDATA%\nearmark` on Windows,
/// or the one that the environment variable `NEARMARK_CACHE` names. Before a new build, if the cache is larger than
/// 2 GiB, the builds that were used longest ago are removed. `NEARMARK_CACHE_LIMIT` changes the limit: 500M, 4G.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  nearmark cache\n  nearmark cache --clear")]
pub(crate) struct CacheArgs {
    /// Remove all builds, except those that another process is using
    #[arg(long)]
    pub(crate) clear: bool,
}

/// Write a model as source code for firmware
///
/// For Rust: a module. For C: a complete project with the model, a self-test, nearmark's header, its static library for
/// the target, and a main.c to start from. The library is built with cargo.
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples:
  nearmark export digits.nmk --lang rust -o firmware
  nearmark export digits.nmk --lang c -o here --name digits
  nearmark export digits.nmk --lang c -o board --target m4f
  nearmark export digits.nmk --lang c -o sources --no-library

{CACHE}"))]
pub(crate) struct ExportArgs {
    /// The model file
    pub(crate) model: PathBuf,
    /// Programming language
    #[arg(long, value_enum, default_value = "rust")]
    pub(crate) lang: Lang,
    /// Folder for the files; created unless it exists
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// Name of the module [default: the model's file name]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Target of the C library: m0, m4f, m7, m33, rv32, any target triple of rustc, or host (this machine)
    /// [default: host]
    #[arg(long, value_name = "TARGET")]
    pub(crate) target: Option<String>,
    /// Write no C library
    #[arg(long)]
    pub(crate) no_library: bool,
    /// Build a C library for all models, not only for this one: larger, for firmware with several models
    #[arg(long, conflicts_with = "no_library")]
    pub(crate) all_stages: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Lang {
    /// A module for `no_std` firmware
    Rust,
    /// A project with its static library
    C,
}

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
