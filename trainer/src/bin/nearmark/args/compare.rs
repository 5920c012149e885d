//! The flags of `nearmark compare`.

use super::{DataArgs, ModelArgs};
use clap::Args;
use nearmark_train::evaluate::compare::curves::Dims;
use std::path::PathBuf;

/// Compare methods by cross-validation, on random splits or on given test rows
///
/// Accuracy is measured on model files by the code that runs on the device. Flags of `fit` apply to every method that
/// knows them; one method's own settings follow its name: `--methods cmvda:ridge=0,ebek:exemplars=40`.
///
/// With --dims: accuracy against the length of the embedding, all lengths from one fit per split where a method's axes
/// are nested, and the Rayleigh quotient of every subspace W, tr((W'TW)^-1 W'BW) with the total scatter T of the training
/// rows and the scatter B of their class means: the part of the scatter along its axes that lies between classes, summed
/// over the axes. Both are computed in f64.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearmark compare builtin:gestures --cv 4 --methods cmvda,lda,knn
  nearmark compare builtin:digits --train-per-class 20 --repeats 3 -o table.md
  nearmark compare builtin:gestures --methods pca,lda,cmvda --dims 1-8 -o c.csv -o c.svg
  nearmark compare builtin:gestures:train --test builtin:gestures:test --json")]
pub(crate) struct CompareArgs {
    /// Labelled rows; `nearmark --help` lists the forms of DATA
    pub(crate) data: String,
    /// Methods, separated by commas [default: nsse,cmvca,cmvda,ebek,dple,kdple,knn,lda,pca]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) methods: Vec<String>,
    /// Cross-validation with this many folds [default: 5]
    #[arg(long, value_name = "K", group = "protocol", value_parser = clap::value_parser!(u32).range(2..))]
    pub(crate) cv: Option<u32>,
    /// Train on this many random rows of every class, test on the rest
    #[arg(long, value_name = "T", group = "protocol", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) train_per_class: Option<u32>,
    /// Test on these rows
    #[arg(long, value_name = "DATA", group = "protocol", conflicts_with = "repeats")]
    pub(crate) test: Option<String>,
    /// Repeat with other splits
    #[arg(long, value_name = "R", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeats: u32,
    /// Measure these lengths of the embedding: 1-40, 5-100:5 (every fifth) or 1,2,5
    #[arg(long, value_name = "A-B[:STEP]", conflicts_with = "dim")]
    pub(crate) dims: Option<Dims>,
    /// What the chart and the table of --dims show
    #[arg(long, value_name = "QUANTITY", requires = "dims", default_value = "accuracy")]
    pub(crate) curve: CurveArg,
    /// Also write the table, as .md or .html; with --dims the curves, as .csv, .svg (a chart) or .md; may be repeated
    #[arg(short, long, value_name = "TABLE")]
    pub(crate) output: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) input: DataArgs,
}

/// What is drawn against the length of the embedding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum CurveArg {
    /// Test rows whose class is found
    Accuracy,
    /// Test rows whose class is not found
    Error,
    /// The part of the training rows' scatter that lies between classes, summed over the axes
    Rayleigh,
}
