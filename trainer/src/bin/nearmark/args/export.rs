//! The flags of `nearmark export`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Write source code that carries a model into firmware
///
/// For Rust a module. For C everything that a project needs: the model, a self-test, nearmark's header, its static
/// library for the target, and a main.c to begin with. The library is built with cargo in the user's cache, or in the
/// folder that `NEARMARK_CACHE` names.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearmark export digits.nmk --lang rust -o firmware
  nearmark export digits.nmk --lang c -o here --name digits
  nearmark export digits.nmk --lang c -o board --target m4f
  nearmark export digits.nmk --lang c -o sources --no-library")]
pub(crate) struct ExportArgs {
    /// The model
    pub(crate) model: PathBuf,
    /// The language
    #[arg(long, value_enum, default_value = "rust")]
    pub(crate) lang: Lang,
    /// Folder for the files; made if it is not there
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// Name of the module; by default the model's file name
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// What the C library is for: m0, m4f, m7, m33, rv32, any target of rustc, or this machine [default: host]
    #[arg(long, value_name = "TARGET")]
    pub(crate) target: Option<String>,
    /// Leave the C library out
    #[arg(long)]
    pub(crate) no_library: bool,
    /// A C library that runs every model, not only this one: larger, for programs with several
    #[arg(long, conflicts_with = "no_library")]
    pub(crate) all_stages: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Lang {
    /// A module for `no_std` firmware
    Rust,
    /// A project with its library
    C,
}
