//! Data sets from files, folders and this crate itself, by one name each.
//!
//! ```
//! use nearmark_train::io::{self, Options, Shape};
//! use nearmark_train::Run;
//!
//! let loaded = source::load("builtin:digits:train", &Options::default(), &Run::default())?;
//! assert_eq!((loaded.data.len(), loaded.data.width(), loaded.data.classes()), (1257, 64, 10));
//! assert_eq!(loaded.shape, Shape::Image { rows: 8, cols: 8 });
//! # Ok::<(), source::SourceError>(())
//! ```
//!
//! | name | is |
//! | --- | --- |
//! | `x.csv`, `x.tsv`, also `.gz` | a text table; header, delimiter and quotes are found out |
//! | `x.parquet` | a table of columns |
//! | `x.npz`, `x.npz:part` | arrays `X` and `y`, or `X_part` and `y_part` |
//! | `folder`, `folder:part` | the same arrays as `.npy` files |
//! | `X.npy` | one array, its labels in [`Options::labels`] |
//! | `…-images-idx3-ubyte`, also `.gz` | an IDX file with its labels beside it |
//! | `folder` | class folders of PNG, JPEG or PGM images |
//! | `builtin:digits`, `:optdigits`, `:gestures` | sets that come with this crate, each also with `:train` or `:test` |
//!
//! [`load`] holds everything in memory, [`stream`] hands out blocks of rows for a model that exists already. Whatever a
//! file contains, the answer is rows or a [`SourceError`]: sizes are held against the file before memory is asked for.

mod arrays;
mod builtin;
mod cell;
mod column;
mod columns;
mod error;
mod form;
mod gather;
mod guard;
mod header;
mod idx;
mod images;
mod labels;
mod layout;
mod npy;
mod number;
mod place;
mod records;
mod scalar;
mod stream;
mod table;

pub use column::Column;
pub use error::SourceError;
pub use place::{At, CellProblem, Place};
pub use stream::{Block, Blocks, stream};

use crate::dataset::Dataset;
use crate::linalg::Mat;
use crate::run::Run;
use form::Form;
use std::path::PathBuf;

/// What the name of a source leaves open.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The label column of a table; the last one that is not dropped unless told.
    pub label: Option<Column>,
    /// A file of labels: NPY, IDX, or text with one label per line.
    pub labels: Option<PathBuf>,
    /// What must not be split between fit and hold-out, such as a person: a column of a table, which is then no feature,
    /// or the name of an array beside `X` and `y` (`NAME_part` where a part is read).
    pub group: Option<Column>,
    /// Columns of a table that are no features: row numbers, times of day.
    pub drop: Vec<Column>,
    /// Whether the first line of a text table names its columns; found out unless told.
    pub header: Option<bool>,
    /// Rows and columns to which images are resized; also tells images from series in an array of three axes.
    pub image: Option<(usize, usize)>,
}

/// What a source tells of the shape of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Nothing: a list of values.
    Flat,
    /// Pixels, row by row.
    Image {
        /// Height.
        rows: usize,
        /// Width.
        cols: usize,
    },
    /// Channels one after the other, each with all its time steps.
    Series {
        /// Number of channels.
        channels: usize,
        /// Values per channel.
        steps: usize,
    },
}

/// A data set and what its source tells besides.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// Rows and labels.
    pub data: Dataset,
    /// The features' names, none if the source has none.
    pub features: Vec<String>,
    /// The shape of a row.
    pub shape: Shape,
}

/// Reads labelled rows, announcing steps of `reading` to `run`.
///
/// # Errors
/// [`SourceError`] naming the place of whatever is wrong; [`SourceError::Cancelled`] if `run` was stopped.
pub fn load(text: &str, options: &Options, run: &Run<'_>) -> Result<Loaded, SourceError> {
    let raw = read(&Form::of(text)?, options, Want::Labelled, run)?;
    let hint = || SourceError::NoLabels { hint: "images lie in the folder itself, expected a folder per class".into() };
    let labels = raw.labels.ok_or_else(hint)?;
    let mut data = Dataset::new(raw.rows, &labels)?;
    if let Some(groups) = raw.groups {
        data = data.with_groups(&groups)?;
    }
    Ok(Loaded { data, features: raw.features, shape: raw.shape })
}

/// What the rows are wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Want {
    /// Learning: labels are needed.
    Labelled,
    /// A model of so many inputs: labels are taken if there are any.
    Inputs(usize),
}

/// Rows as they were found.
#[derive(Debug)]
struct Raw {
    rows: Mat,
    labels: Option<Vec<String>>,
    groups: Option<Vec<String>>,
    features: Vec<String>,
    shape: Shape,
}

fn read(form: &Form, options: &Options, want: Want, run: &Run<'_>) -> Result<Raw, SourceError> {
    let arrays_or_table = matches!(form, Form::Text(_) | Form::Parquet(_) | Form::Npz(..) | Form::NpyFolder(..));
    if let (Some(group), false) = (&options.group, arrays_or_table) {
        return Err(SourceError::NoGroups { group: group.to_string() });
    }
    let raw = match form {
        Form::Text(path) => table::read(path, options, want, run),
        Form::Parquet(path) => guard::decode("Parquet file", || columns::read(path, options, want, run)),
        Form::Npz(path, part) => {
            guard::decode("NPZ file", || arrays::read_npz(path, part.as_deref(), options, want, run))
        }
        Form::NpyFolder(path, part) => arrays::read_folder(path, part.as_deref(), options, want, run),
        Form::Npy(path) => arrays::read_npy(path, options, want, run),
        Form::Idx(path) => idx::read(path, options, want, run),
        Form::Images(path) => guard::decode("folder of images", || images::read(path, options, want, run)),
        Form::Builtin(set) => set.read(run),
    }?;
    match &raw.labels {
        Some(labels) if labels.len() != raw.rows.nrows() => {
            Err(SourceError::LabelCount { rows: raw.rows.nrows(), labels: labels.len() })
        }
        _ => Ok(raw),
    }
}
