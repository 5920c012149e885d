//! Every flag with its help text. A test runs the examples in the help.

mod builds;
mod compare;
mod data;
mod model;
mod recall;
mod repro;

pub(crate) use builds::{CacheArgs, DeviceArgs, ExportArgs, Lang};
pub(crate) use compare::{CompareArgs, CurveArg};
pub(crate) use data::{DataArgs, in_flags};
pub(crate) use model::ModelArgs;
pub(crate) use recall::RecallArgs;
pub(crate) use repro::ReproArgs;

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use std::time::Duration;

/// A command line that contradicts itself or the data.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Usage(pub(crate) String);

const ABOUT: &str = "\
Trains a classifier on labelled data and makes it run on a microcontroller.

DATA is one of
  x.csv x.tsv (also .gz)    a table; the label is the last column, or --label
  x.svm x.svmlight x.libsvm (also .gz)   sparse rows: LABEL INDEX:VALUE INDEX:VALUE …
  x.parquet                 a table; the label is the last column, or --label
  x.npz  x.npz:train        arrays X and y; with :train, X_train and y_train
  x.npz of SciPy            a sparse matrix (scipy.sparse.save_npz); labels as array y, or --labels
  folder folder:train       the same arrays as X.npy and y.npy; X_train.npy and y_train.npy
  X.npy --labels y.npy      a single array, its labels in another file
  *-images-idx3-ubyte       an IDX file (also .gz) with its labels file beside it, or --labels
  folder of class folders   PNG, JPEG or PGM images, a folder per class; --image 28x28 resizes
  builtin:digits builtin:optdigits builtin:gestures   each also with :train or :test
A flag that does not apply to the form of DATA is refused.";

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
    /// Print the result as one JSON object on stdout; notes still go to stderr
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Number of threads; results do not depend on it [default: all cores]
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
    Search(SearchArgs),
    Inspect(InspectArgs),
    Strip(StripArgs),
    Compare(CompareArgs),
    Recall(RecallArgs),
    Tune(TuneArgs),
    Export(ExportArgs),
    Device(DeviceArgs),
    Repro(ReproArgs),
    Cache(CacheArgs),
    Completions(CompletionsArgs),
}

/// Show all steps on built-in data, in a minute or two
///
/// Trains every method on images of handwritten digits and prints a table. Chooses one by cross-validation and trains
/// it again within 16 kB of flash and less. Writes the models, the Pareto front of accuracy and size, a Rust module for
/// firmware, and predictions into a folder.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  nearmark demo --out digits-demo")]
pub(crate) struct DemoArgs {
    /// Folder for the files
    #[arg(long, value_name = "DIR", default_value = "nearmark-demo")]
    pub(crate) out: PathBuf,
}

/// Train a model
///
/// With nothing but DATA: CMVDA with a Gaussian kernel, automatic scaling, nearest class mean. Prints what it chose
/// and what the model costs on the device. With --flash, --ram or --insns: the most accurate model within them, linear
/// or with kernel centers, in integers unless those cost accuracy; everything is chosen on hold-out rows of DATA.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearmark fit builtin:digits:train -o digits.nmk
  nearmark fit builtin:digits:train -o small.nmk --flash 2k
  nearmark fit builtin:digits:train -o rough.nmk --flash 8k --quick
  nearmark fit builtin:gestures:train -o gestures.nmk --holdout 0.25
  nearmark fit builtin:digits:train -o s.nmk --features nystrom:60 --pca 20
  nearmark fit builtin:gestures:train -o g.nmk --method kda --tune-params
  nearmark fit builtin:digits:train -o items.nmk --method ebek --head items
  nearmark fit builtin:digits:train -o e.nmk --method ebek --save-coordinates T.npy
  nearmark fit builtin:digits:train -o lda.nmk --method lda --save-config a.toml
  nearmark fit --config a.toml --set ridge=0.01
  nearmark fit builtin:digits:train -o e.nmk --method ebek --basis exemplars.svg
  nearmark fit builtin:gestures:train -o n.nmk --method nsse --trace rounds.svg")]
pub(crate) struct FitArgs {
    /// Labelled rows, or with --unlabelled rows without; `nearmark --help` lists the forms of DATA
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
    /// Write this run's settings; `--config` repeats the run, a budget search included
    #[arg(long, value_name = "RUN.toml")]
    pub(crate) save_config: Option<PathBuf>,
    /// DATA has no labels, or they are left alone: every column of a table is a feature. Methods that need none: ebek
    /// (the default then), knn, pca, kpca, keca, lpp
    #[arg(long)]
    pub(crate) unlabelled: bool,
    /// Ids of the rows for --head items, whole numbers below 2^32: a column of a table (then no feature), or the name of
    /// an array beside X [default: the row's number, from 0]
    #[arg(long, value_name = "NAME|INDEX", allow_hyphen_values = true)]
    pub(crate) id: Option<String>,
    /// Write EBEK's T, what every training row is made of in terms of the exemplars, as a float64 array (exemplars,
    /// rows): the kernel matrix is about `T.T @ K_EE @ T`
    #[arg(long, value_name = "T.npy")]
    pub(crate) save_coordinates: Option<PathBuf>,
    /// Write objective, kernel width and validation error of every round of nsse, from a low and a high starting width,
    /// as .csv or .svg; errors are those on the rows held out (--holdout, or 0.2)
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Write the exemplars, or the axes of a linear map, as images: .csv or .svg
    #[arg(long, value_name = "FILE")]
    pub(crate) basis: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) input: DataArgs,
}

/// Measure a model's accuracy on labelled rows
///
/// Prints the confusion matrix, accuracy and balanced accuracy (the mean of the classes' recalls). Rows are classified by
/// the same code that runs on the device.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  nearmark eval digits.nmk builtin:digits:test\n  nearmark eval digits.nmk builtin:digits:test --json"
)]
pub(crate) struct EvalArgs {
    /// The model file
    pub(crate) model: PathBuf,
    /// Labelled rows; `nearmark --help` lists the forms of DATA
    pub(crate) data: String,
    #[command(flatten)]
    pub(crate) input: DataArgs,
}

/// Predict the class of every row
///
/// Writes a line for each row: the predicted label, the squared distance to the nearest class, the margin to the next
/// class, the certified radius, and the true label if DATA has one.
///
/// The certified radius is how far the row may move (Euclidean distance, in the units of DATA) without a change of the
/// label. It is empty where it cannot be computed: k-NN and prototype heads, window statistics, counts, unit scaling, kernels
/// other than the Gaussian, random features, and integer models.
///
/// CSV and TSV tables are processed block by block, so that they may be larger than memory.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearmark predict digits.nmk builtin:digits:test -o answers.csv
  nearmark predict digits.nmk builtin:digits:test --no-radius")]
pub(crate) struct PredictArgs {
    /// The model file
    pub(crate) model: PathBuf,
    /// Rows, with or without labels; `nearmark --help` lists the forms of DATA
    pub(crate) data: String,
    /// File to write: .csv, or .npy with the fields class, distance, margin and radius [default: CSV on stdout]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Do not compute the certified radius; this halves the time
    #[arg(long)]
    pub(crate) no_radius: bool,
    #[command(flatten)]
    pub(crate) input: DataArgs,
}

/// Write the embedding of every row
///
/// The embedding is the vector in which the model compares a row with its classes. As .svg the rows are drawn in the
/// plane: by two coordinates, or where there are more, along the two axes of largest variance; with --test another set
/// as rings.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearmark embed digits.nmk builtin:digits:test -o z.npy
  nearmark embed digits.nmk builtin:digits:test -o z.csv
  nearmark embed digits.nmk builtin:digits:train --test builtin:digits:test -o z.svg")]
pub(crate) struct EmbedArgs {
    /// The model file
    pub(crate) model: PathBuf,
    /// Rows, with or without labels; `nearmark --help` lists the forms of DATA
    pub(crate) data: String,
    /// File to write: .csv, .npy or .svg [default: CSV on stdout]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// With -o FILE.svg: also draw these rows
    #[arg(long, value_name = "DATA")]
    pub(crate) test: Option<String>,
    #[command(flatten)]
    pub(crate) input: DataArgs,
}

/// Find the stored items nearest to every row
///
/// For a model that holds its training rows (`fit --head items`, or a k-NN head). Writes a line for each row and item,
/// nearest first: the row's number, the rank from 1, the item's id, the distance, the item's class if the model has
/// classes, and the row's own label if DATA has one. Of equally far items the lower id comes first.
///
/// The distance is Euclidean, between the embeddings of row and item, in the units of the model's embedding (not
/// squared). Ids and distances are those that `Model::nearest` finds on the device, bit by bit.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearmark fit builtin:digits:train -o items.nmk --method ebek --head items
  nearmark search items.nmk builtin:digits:test -k 3
  nearmark search items.nmk builtin:digits:test -o found.csv")]
pub(crate) struct SearchArgs {
    /// The model file
    pub(crate) model: PathBuf,
    /// Rows, with or without labels; `nearmark --help` lists the forms of DATA
    pub(crate) data: String,
    /// Items per row
    #[arg(short, value_name = "K", default_value = "10", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) k: u16,
    /// File to write: .csv, or .npy with the fields row, rank, id, distance and class [default: CSV on stdout]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) input: DataArgs,
}

/// Show a model's stages, size and provenance
///
/// Prints the stages, how the model was trained, the bytes of every part of the file, and what one classification costs
/// on the device. A model of exemplars or landmarks lists them: number of the training row (counted from 0), class and,
/// given the training rows as DATA, their values.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearmark inspect digits.nmk
  nearmark inspect digits.nmk --json
  nearmark inspect e.nmk builtin:digits:train")]
pub(crate) struct InspectArgs {
    /// The model file
    pub(crate) model: PathBuf,
    /// The training rows, to show exemplars with their values; `nearmark --help` lists the forms of DATA
    pub(crate) data: Option<String>,
    #[command(flatten)]
    pub(crate) input: DataArgs,
}

/// Remove the provenance from a model file
///
/// The provenance (method, parameters, scores, column names) is stored at the end of the file and never goes into flash.
/// Without it, the file is exactly what goes into flash.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  nearmark strip digits.nmk -o digits.bin")]
pub(crate) struct StripArgs {
    /// The model file
    pub(crate) model: PathBuf,
    /// File to write [default: the model file is replaced]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Search for the Pareto front of accuracy and size
///
/// For the budget and for a half, a quarter and an eighth of it: the best model by a longer search than that of `fit`
/// --flash, over methods, kernel widths, ridges, projections, centers, training and number formats, by successive halving
/// on hold-out rows of DATA. Writes the most accurate model, and the Pareto front as FRONT.md, FRONT.json and FRONT.svg.
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

/// Print a script with completions for a shell
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  nearmark completions bash")]
pub(crate) struct CompletionsArgs {
    /// Name of the shell
    pub(crate) shell: clap_complete::Shell,
}
