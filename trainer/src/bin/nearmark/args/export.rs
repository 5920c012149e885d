//! The flags of `nearmark export`.

use super::CACHE;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

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
