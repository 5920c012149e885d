//! Every flag with its help text. Examples in the help are run by a test.

mod data;
mod device;
mod export;
mod model;
mod tune;

pub(crate) use data::DataArgs;
pub(crate) use device::DeviceArgs;
pub(crate) use export::{ExportArgs, Lang};
pub(crate) use model::ModelArgs;
pub(crate) use tune::TuneArgs;

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// A command line that contradicts itself.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Usage(pub(crate) String);

const ABOUT: &str = "\
Turns a labelled data set into a classifier that runs on a microcontroller.

DATA is one of
  x.csv x.tsv (also .gz)    header found by itself; label in the last column or --label
  x.parquet                 likewise
  x.npz  x.npz:train        arrays X and y; X_train and y_train
  folder folder:train       with X.npy and y.npy; X_train.npy and y_train.npy
  X.npy --labels y.npy
  *-images-idx3-ubyte       labels beside it, also .gz
  folder of class folders   of PNG, JPEG or PGM images; --image 28x28
  builtin:digits builtin:optdigits builtin:gestures   each also with :train or :test";

const START: &str = "\
Start here:
  nearmark demo
  nearmark fit builtin:digits:train -o digits.nmk
  nearmark eval digits.nmk builtin:digits:test";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(name = "nearmark", version, about = "Trains classifiers that run on a microcontroller", long_about = ABOUT)]
#[command(after_help = START, max_term_width = 100, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print one JSON object on stdout and nothing else there
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Threads to use; all cores by default. Results do not depend on it
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Demo(DemoArgs),
    Fit(FitArgs),
    Eval(EvalArgs),
    Predict(PredictArgs),
    Embed(EmbedArgs),
    Inspect(InspectArgs),
    Strip(StripArgs),
    Compare(CompareArgs),
    Tune(TuneArgs),
    Export(ExportArgs),
    Device(DeviceArgs),
    Completions(CompletionsArgs),
}

/// The whole story on built-in data in a minute or two
///
/// Trains every method on the built-in digits, prints a table, shrinks the best to 16 kB and less, and writes models, the
/// accuracy–size front, a firmware-ready module and predictions into a folder.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  nearmark demo --out digits-demo")]
pub(crate) struct DemoArgs {
    /// Folder for what it makes
    #[arg(long, value_name = "DIR", default_value = "nearmark-demo")]
    pub(crate) out: PathBuf,
}

/// Train a model
///
/// With nothing but DATA: CMVDA with a Gaussian kernel, automatic scaling, nearest class mean. Prints what it chose
/// and what the model costs on the device. With --flash, --ram or --insns: the most accurate model within them, linear
/// or with kernel centers, in integers unless those cost accuracy; everything is chosen on held-out rows of DATA.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearmark fit builtin:digits:train -o digits.nmk
  nearmark fit builtin:digits:train -o small.nmk --flash 2k
  nearmark fit builtin:gestures:train -o gestures.nmk --holdout 0.25
  nearmark fit builtin:digits:train -o s.nmk --features nystrom:60 --pca 20
  nearmark fit builtin:digits:train -o lda.nmk --method lda --save-config a.toml
  nearmark fit --config a.toml --set ridge=0.01")]
pub(crate) struct FitArgs {
    /// Labelled rows
    pub(crate) data: Option<String>,
    /// The model file to write
    #[arg(short, long, value_name = "M.nmk")]
    pub(crate) output: Option<PathBuf>,
    /// Measure on this share of the rows a model fitted without them; the model written is fitted on all rows
    #[arg(long, value_name = "SHARE")]
    pub(crate) holdout: Option<f64>,
    /// Take everything not given here from this file; paths in it are relative to it
    #[arg(long, value_name = "RUN.toml")]
    pub(crate) config: Option<PathBuf>,
    /// Write this run's settings, choices included, so that `--config` repeats it
    #[arg(long, value_name = "RUN.toml")]
    pub(crate) save_config: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) input: DataArgs,
}

/// Measure a model on labelled rows, with the very code that runs on the device
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  nearmark eval digits.nmk builtin:digits:test\n  nearmark eval digits.nmk builtin:digits:test --json"
)]
pub(crate) struct EvalArgs {
    /// The model
    pub(crate) model: PathBuf,
    /// Labelled rows
    pub(crate) data: String,
    #[command(flatten)]
    pub(crate) input: DataArgs,
}

/// Name the class of every row
///
/// Writes label, squared distance to the nearest class, margin to the next one, and how far the row may move (in its
/// own units, Euclidean) before the label can change; that is left empty for models that give no such promise: k-NN and
/// prototypes, window statistics, unit scaling, kernels but the Gaussian, random features, integers. Tables are read and written block by block: they may be larger
/// than memory. A label column in the data is not needed; if there is one, it is written beside the answer.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearmark predict digits.nmk builtin:digits:test -o answers.csv
  nearmark predict digits.nmk builtin:digits:test --no-radius")]
pub(crate) struct PredictArgs {
    /// The model
    pub(crate) model: PathBuf,
    /// Rows, with or without labels
    pub(crate) data: String,
    /// Where to write: .csv, or .npy with fields class, distance, margin, radius; stdout by default
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Leave out the certified radius, which costs as much time as the answer
    #[arg(long)]
    pub(crate) no_radius: bool,
    #[command(flatten)]
    pub(crate) input: DataArgs,
}

/// Write the embedding of every row
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  nearmark embed digits.nmk builtin:digits:test -o z.npy\n  nearmark embed digits.nmk builtin:digits:test -o z.csv"
)]
pub(crate) struct EmbedArgs {
    /// The model
    pub(crate) model: PathBuf,
    /// Rows, with or without labels
    pub(crate) data: String,
    /// Where to write: .csv or .npy; CSV on stdout by default
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) input: DataArgs,
}

/// Show what a model is made of and where every byte goes
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  nearmark inspect digits.nmk\n  nearmark inspect digits.nmk --json")]
pub(crate) struct InspectArgs {
    /// The model
    pub(crate) model: PathBuf,
}

/// Cut off the provenance, which never reaches the flash
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  nearmark strip digits.nmk -o digits.bin")]
pub(crate) struct StripArgs {
    /// The model
    pub(crate) model: PathBuf,
    /// Where to write; by default the file itself is replaced
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Compare methods by the papers' protocols
///
/// Accuracy is measured on model files by the code that runs on the device. Flags of `fit` apply to every method that
/// knows them; one method's own settings follow its name: `--methods cmvda:ridge=0,ebek:exemplars=40`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearmark compare builtin:gestures --cv 4 --methods cmvda,lda,knn
  nearmark compare builtin:digits --train-per-class 20 --repeats 3 -o table.md
  nearmark compare builtin:gestures:train --test builtin:gestures:test --json")]
pub(crate) struct CompareArgs {
    /// Labelled rows
    pub(crate) data: String,
    /// Methods, separated by commas; by default those of the papers and knn, lda, pca
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
    /// Also write the table, as .md or .html
    #[arg(short, long, value_name = "TABLE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) input: DataArgs,
}

/// Print completions for a shell
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  nearmark completions bash")]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}
