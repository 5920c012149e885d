//! Flags of `repro`.

use clap::Args;
use std::path::PathBuf;

/// Reproduce a paper's experiment: its tables and figures, ours beside theirs
///
/// NAME is one of
///   coil20, orl-nsse, yale     NSSE (Örnek and Vural 2018): errors by training rows per class, rounds, 2-D embedding
///   mnist100                   CMVCA and CMVDA (Iosifidis): accuracies, Rayleigh quotient of every subspace
///   ebek-coil20, ebek-isolet, text   EBEK (Elbagoury et al. 2016): recall at R, exemplars as images
///   orl-dple                   DPLE and KDPLE (Bozas and Izquierdo): accuracies, accuracy against dimension
///
/// Prints the protocol, then the paper's numbers beside ours with their standard errors, and notes on what is not met.
/// Data are read from the folder that the environment variable `NEARMARK_DATA` names; if files are missing, the error
/// names them and where the data come from. `yale` and `text` are for those who have that data.
#[derive(Debug, Args)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  NEARMARK_DATA=data nearmark repro orl-dple --quick
  NEARMARK_DATA=data nearmark repro mnist100 -o mnist100
  NEARMARK_DATA=data nearmark repro coil20 --json"
)]
pub(crate) struct ReproArgs {
    /// The experiment
    pub(crate) name: String,
    /// Three repeats instead of the paper's number; under three minutes on two cores
    #[arg(long)]
    pub(crate) quick: bool,
    /// Write every figure as CSV and SVG into this folder, with a page README.md; or X.md, with the figures in folder X
    #[arg(short, long, value_name = "DIR|X.md")]
    pub(crate) output: Option<PathBuf>,
}
