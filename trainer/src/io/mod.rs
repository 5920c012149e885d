//! Data sets from files, folders and this crate itself, by one name each.
//!
//! ```
//! use nearmark_train::io::{self, Options, Shape};
//! use nearmark_train::Run;
//!
//! let loaded = io::load("builtin:digits:train", &Options::default(), &Run::default())?;
//! assert_eq!((loaded.data.len(), loaded.data.width(), loaded.data.classes()), (1257, 64, 10));
//! assert_eq!(loaded.shape, Shape::Image { rows: 8, cols: 8 });
//! # Ok::<(), io::ReadError>(())
//! ```
//!
//! | name | is |
//! | --- | --- |
//! | `x.csv`, `x.tsv`, also `.gz` | a text table; header, delimiter and quotes are detected automatically |
//! | `x.svm`, `x.svmlight`, `x.libsvm`, also `.gz` | sparse rows as text, their labels first |
//! | `x.parquet` | a table of columns |
//! | `x.npz`, `x.npz:part` | arrays `X` and `y`, or `X_part` and `y_part` |
//! | `x.npz` of `SciPy` | a sparse matrix, its labels in [`Options::labels`] or as array `y` |
//! | `folder`, `folder:part` | the same arrays as `.npy` files |
//! | `X.npy` | one array, its labels in [`Options::labels`] |
//! | `…-images-idx3-ubyte`, also `.gz` | an IDX file with its labels beside it |
//! | `folder` | tables of one recording each, in the folder itself or in class folders |
//! | `folder` | class folders of PNG, JPEG or PGM images |
//! | `builtin:digits`, `:optdigits`, `:gestures` | sets that come with this crate, each also with `:train` or `:test` |
//!
//! [`load`] holds everything in memory, [`stream`] returns blocks of rows for an existing model. Whatever a file contains,
//! the result is rows or a [`ReadError`]: declared sizes are compared with the file before memory is allocated.

mod arrays;
mod builtin;
mod column;
mod columns;
mod error;
mod form;
mod gather;
mod header;
mod idx;
mod images;
mod labels;
mod layout;
mod meaning;
mod npy;
mod number;
mod options;
mod panics;
mod prepare;
mod recordings;
mod records;
mod scipy;
mod stream;
mod survey;
mod svmlight;
mod table;
mod value;
mod windows;

pub use column::Column;
pub use error::ReadError;
pub(crate) use error::shorten;
pub use layout::Role;
pub use options::{Known, Missing, Options};
pub use stream::{Block, Blocks, stream};
pub use survey::{ColumnSurvey, Contents, Survey, survey};

use crate::dataset::{Dataset, FILLED, Preparation, check_sparse};
use crate::linalg::{Csr, Mat};
use crate::run::Run;
use arrays::{Arrays, read_folder, read_npz};
use form::Form;

/// The shape of a row, as far as the data define it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A list of values.
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

/// A data set, and what its file states besides rows and labels.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// Rows and labels.
    pub data: Dataset,
    /// The features' names; empty if they have none.
    pub features: Vec<String>,
    /// The number of each feature's column in its table; empty where the data are no table.
    pub columns: Vec<usize>,
    /// What reading made of words and missing cells.
    pub preparation: Preparation,
    /// The shape of a row.
    pub shape: Shape,
    /// What people should know about the reading, such as files that were skipped; one sentence each.
    pub notes: Vec<String>,
}

/// Reads labelled rows, or rows without labels where [`Options::unlabelled`] says so, announcing steps of `reading` to
/// `run`.
///
/// # Errors
/// [`ReadError`] naming the position of whatever is wrong, or the option that does not apply; [`ReadError::Cancelled`] if
/// `run` was stopped.
pub fn load(name: &str, options: &Options, run: &Run<'_>) -> Result<Loaded, ReadError> {
    let want = if options.unlabelled { Want::Unlabelled } else { Want::Labelled };
    let raw = read(&form_of(name, options)?, options, want, run)?;
    let mut data = if options.unlabelled {
        match raw.sparse {
            Some(rows) => Dataset::unlabelled_sparse(rows)?,
            None => Dataset::unlabelled(raw.rows)?,
        }
    } else {
        let labels = raw.labels.ok_or_else(|| ReadError::no_labels("none were found beside the rows"))?;
        match raw.sparse {
            Some(rows) => Dataset::from_sparse(rows, &labels)?,
            None => Dataset::new(raw.rows, &labels)?,
        }
    };
    if let Some(ids) = raw.ids {
        data = data.with_ids(numbers(&ids)?)?;
    }
    if let Some(groups) = raw.groups {
        data = data.with_groups(&groups)?;
    }
    let Raw { features, columns, preparation, shape, notes, .. } = raw;
    Ok(Loaded { data, features, columns, preparation, shape, notes })
}

/// Ids as numbers.
fn numbers(ids: &[String]) -> Result<Vec<u32>, ReadError> {
    let number = |(row, id): (usize, &String)| {
        let fault = || format!("row {row}: the id `{}` is not a whole number below 4294967296", error::shorten(id));
        id.parse().map_err(|_| ReadError::Invalid(fault()))
    };
    ids.iter().enumerate().map(number).collect()
}

/// The form of data that a name stands for, if every option applies to it.
fn form_of(name: &str, options: &Options) -> Result<Form, ReadError> {
    let form = Form::of(name)?;
    options.check(&form)?;
    Ok(form)
}

/// What the rows are needed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Want {
    /// Training or evaluation: labels are required.
    Labelled,
    /// Training without labels: there are none, or they are left alone.
    Unlabelled,
    /// A model with this many inputs: labels are read if there are any.
    Inputs(usize),
}

/// Rows before their labels become classes.
#[derive(Debug)]
struct Raw {
    /// Without columns where they are sparse.
    rows: Mat,
    sparse: Option<Csr>,
    labels: Option<Vec<String>>,
    groups: Option<Vec<String>>,
    ids: Option<Vec<String>>,
    features: Vec<String>,
    columns: Vec<usize>,
    preparation: Preparation,
    shape: Shape,
    notes: Vec<String>,
}

impl Raw {
    /// Rows without groups, ids, named features or notes.
    fn plain(rows: Mat, labels: Option<Vec<String>>, shape: Shape) -> Self {
        let (features, columns, notes) = (Vec::new(), Vec::new(), Vec::new());
        let preparation = Preparation::default();
        Self { rows, sparse: None, labels, groups: None, ids: None, features, columns, preparation, shape, notes }
    }

    /// Sparse rows without groups, named features or notes.
    fn sparse(rows: Csr, labels: Option<Vec<String>>) -> Self {
        let empty = Mat::zeros(rows.nrows(), 0);
        Self { sparse: Some(rows), ..Self::plain(empty, labels, Shape::Flat) }
    }

    fn width(&self) -> usize {
        self.sparse.as_ref().map_or(self.rows.ncols(), Csr::ncols)
    }

    /// Fills in sparse rows that are small: every method takes them then.
    fn filled_if_small(mut self) -> Result<Self, ReadError> {
        let Some(rows) = &self.sparse else { return Ok(self) };
        check_sparse(rows)?;
        let (count, width) = (rows.nrows(), rows.ncols());
        if count.checked_mul(width).and_then(|values| values.checked_mul(8)).is_some_and(|bytes| bytes <= FILLED) {
            self.rows = rows.dense(&(0..count).collect::<Vec<_>>());
            self.sparse = None;
        } else {
            let share = 100.0 * rows.values().len() as f64 / (count as f64 * width as f64);
            self.notes.push(format!("{share:.2} % of the values are not zero: rows stay sparse"));
        }
        Ok(self)
    }
}

fn read(form: &Form, options: &Options, want: Want, run: &Run<'_>) -> Result<Raw, ReadError> {
    let arrays = |path, part| Arrays { path, part, options, want };
    let raw = match form {
        Form::Text(path) => table::read(path, options, want, run),
        Form::Svmlight(path) => svmlight::read(path, options, want, run),
        Form::Parquet(path) => panics::caught("Parquet file", || columns::read(path, options, want, run)),
        Form::Npz(path, part) => panics::caught("NPZ file", || read_npz(&arrays(path, part.as_deref()), run)),
        Form::NpyFolder(path, part) => read_folder(&arrays(path, part.as_deref()), run),
        Form::Npy(path) => arrays::read_npy(path, options, want, run),
        Form::Idx(path) => idx::read(path, options, want, run),
        Form::Tables(path) => recordings::read(path, options, want, run),
        Form::Images(path) => panics::caught("folder of images", || images::read(path, options, want, run)),
        Form::Builtin(set) => set.read(run),
    }?;
    let raw = raw.filled_if_small()?;
    match &raw.labels {
        Some(labels) if labels.len() != raw.rows.nrows() => {
            Err(ReadError::Invalid(format!("{} rows, but {} labels", raw.rows.nrows(), labels.len())))
        }
        _ => Ok(raw),
    }
}
