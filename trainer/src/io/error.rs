//! Errors of reading: every message names the position in the data and what was expected there.

use super::position::{CellProblem, ColumnPosition, RowPosition};
use crate::error::{DataError, FitError};
use std::fmt;

/// Why data could not be read. The caller adds the file; messages name positions inside it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// There is no such file.
    #[error("no such file")]
    NoSuchFile,
    /// The operating system refused, or a compressed file ended early.
    #[error("{}", lower(.0))]
    Io(std::io::Error),
    /// The error is in a file beside or inside the requested one.
    #[error("{file}: {source}")]
    In {
        /// The file, as a user would name it.
        file: String,
        /// What is wrong with it.
        source: Box<ReadError>,
    },
    /// Neither the name nor the contents identify a form of data.
    #[error(
        "{found} is no known form of data: expected .csv, .tsv (also .gz), .parquet, .npz, .npy, an IDX file \
         (…-idx3-ubyte), a folder of .npy files or of class folders of images, or builtin:NAME"
    )]
    UnknownForm {
        /// The file's ending, or what the folder holds.
        found: String,
    },
    /// `file:part` was requested of a form that has no parts.
    #[error("no part `{part}` here: only .npz files, folders of .npy files and built-in sets have parts")]
    NoParts {
        /// The requested part.
        part: String,
    },
    /// A built-in set that does not exist.
    #[error("no built-in data set `{name}`: there are {known}")]
    UnknownBuiltin {
        /// The requested name.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A column that the table does not have.
    #[error("no column `{column}`: {known}")]
    NoColumn {
        /// The requested column.
        column: String,
        /// The columns there are, shortened.
        known: String,
    },
    /// Several columns have this name.
    #[error("column name `{name}` is ambiguous: columns {first} and {second} have it, use the number")]
    AmbiguousColumn {
        /// The name.
        name: String,
        /// The first column of that name, counted from 0.
        first: usize,
        /// The second.
        second: usize,
    },
    /// The label column was also to be dropped.
    #[error("column {column} is both the label and dropped")]
    LabelDropped {
        /// The column.
        column: ColumnPosition,
    },
    /// The group column has another role already.
    #[error("column {column} is both the group and {role}")]
    GroupTaken {
        /// The column.
        column: ColumnPosition,
        /// What else it is to be.
        role: &'static str,
    },
    /// An option that the form of data has no use for.
    #[error("option `{option}` does not apply to {form}, only to {forms}")]
    Inapplicable {
        /// The field of [`Options`](super::Options).
        option: &'static str,
        /// The form of the data.
        form: &'static str,
        /// The forms to which the option applies.
        forms: String,
    },
    /// A table too narrow to learn from.
    #[error("{got} column, but a label and at least one number are needed")]
    TooNarrow {
        /// Columns left after dropping.
        got: usize,
    },
    /// A cell of a table that holds something else than it should.
    #[error("{at}, column {column}: {problem}")]
    Cell {
        /// Line or row.
        at: RowPosition,
        /// Column.
        column: ColumnPosition,
        /// What is wrong.
        problem: CellProblem,
    },
    /// A line with more or fewer cells than the first.
    #[error("line {line}: {got} columns, but line {first} has {expected}")]
    Ragged {
        /// The line, counted from 1.
        line: usize,
        /// Its cells.
        got: usize,
        /// The first line of the table.
        first: usize,
        /// Cells of the first line.
        expected: usize,
    },
    /// A quote that opens and never closes.
    #[error("line {line}: a quote opens here and is never closed")]
    OpenQuote {
        /// The line, counted from 1.
        line: usize,
    },
    /// Not a text file that can be understood.
    #[error("{what}")]
    NotText {
        /// What it seems to be.
        what: &'static str,
    },
    /// A folder of images that holds none.
    #[error("no images: {read} files are read{skipped}")]
    NoImages {
        /// The endings of image files that can be read.
        read: String,
        /// The files that are there instead, if any.
        skipped: String,
    },
    /// A table without rows.
    #[error("no rows: {why}")]
    NoRows {
        /// What there is instead.
        why: &'static str,
    },
    /// A table that has more or fewer columns than a model takes.
    #[error("model takes {expected} input values, but there are {got} columns ({expected}, or {} with a label)", .expected + 1)]
    Width {
        /// Inputs of the model.
        expected: usize,
        /// Columns left after dropping.
        got: usize,
    },
    /// An array that is not there.
    #[error("no array `{name}`: there {present}{hint}")]
    NoArray {
        /// The requested array.
        name: String,
        /// What there is.
        present: String,
        /// What may have been meant.
        hint: String,
    },
    /// Rows without labels where labels are needed.
    #[error("no labels: {hint}")]
    NoLabels {
        /// Where labels could come from.
        hint: String,
    },
    /// Rows and labels differ in number.
    #[error("{rows} rows, but {labels} labels")]
    LabelCount {
        /// Number of rows.
        rows: usize,
        /// Number of labels.
        labels: usize,
    },
    /// A file whose contents contradict its form.
    #[error("{what}: {why}")]
    Damaged {
        /// Which part of the file.
        what: String,
        /// What is wrong there.
        why: String,
    },
    /// An array of a shape that is no table of rows.
    #[error("`{name}` has shape {shape}, expected {expected}")]
    ArrayShape {
        /// The array.
        name: String,
        /// Its shape as numpy writes it.
        shape: String,
        /// What is accepted.
        expected: &'static str,
    },
    /// An array or column of values that are no numbers, or no labels.
    #[error("{what} is of type {kind}, expected {expected}")]
    Type {
        /// The array or column.
        what: String,
        /// Its type.
        kind: String,
        /// What is accepted.
        expected: &'static str,
    },
    /// Images of several sizes, and no size to resize to.
    #[error(
        "{got_rows}x{got_cols} pixels, but {first} has {rows}x{cols}: give one size with option `image`, such as {rows}x{cols}"
    )]
    ImageSize {
        /// The first image.
        first: String,
        /// Its rows.
        rows: usize,
        /// Its columns.
        cols: usize,
        /// Rows of this image.
        got_rows: usize,
        /// Columns of this image.
        got_cols: usize,
    },
    /// More values than this machine can hold.
    #[error("{rows} rows of {columns} values do not fit in memory")]
    TooLarge {
        /// Rows.
        rows: usize,
        /// Values per row.
        columns: usize,
    },
    /// The rows form no valid data set.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The run was cancelled.
    #[error("cancelled")]
    Cancelled,
}

impl ReadError {
    /// The option of [`Options`](super::Options) that a message names as ``option `NAME` ``: a program may show its own
    /// word for it instead.
    #[must_use]
    pub fn option(&self) -> Option<&'static str> {
        match self {
            Self::Inapplicable { option, .. } => Some(option),
            Self::ImageSize { .. } => Some("image"),
            Self::NoLabels { .. } => Some("labels"),
            Self::In { source, .. } => source.option(),
            _ => None,
        }
    }

    /// Names the file beside or inside the requested one.
    pub(super) fn within(self, file: impl Into<String>) -> Self {
        match self {
            Self::Cancelled => Self::Cancelled,
            other => Self::In { file: file.into(), source: Box::new(other) },
        }
    }

    pub(super) fn damaged(what: impl Into<String>, why: impl fmt::Display) -> Self {
        let why = why.to_string();
        Self::Damaged { what: what.into(), why: lower(&why) }
    }
}

impl From<std::io::Error> for ReadError {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::NotFound => Self::NoSuchFile,
            std::io::ErrorKind::UnexpectedEof => Self::damaged("truncated", "the file ends too early"),
            _ => Self::Io(error),
        }
    }
}

impl From<FitError> for ReadError {
    /// Reading shares a fit's progress and cancellation; nothing else of a fit can fail here.
    fn from(_: FitError) -> Self {
        Self::Cancelled
    }
}

/// Our messages begin in lower case; those of the operating system do not.
fn lower(message: &impl ToString) -> String {
    let message = message.to_string();
    let mut letters = message.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_position() {
        let cell = ReadError::Cell {
            at: RowPosition::Line(41),
            column: ColumnPosition { number: 7, name: Some("acc_x".into()) },
            problem: CellProblem::NotNumber("abc".into()),
        };
        assert_eq!(cell.to_string(), "line 41, column 7 (acc_x): `abc` is not a number");
        let width = ReadError::Width { expected: 64, got: 70 };
        assert_eq!(width.to_string(), "model takes 64 input values, but there are 70 columns (64, or 65 with a label)");
    }
}
