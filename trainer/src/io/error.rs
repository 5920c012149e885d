//! Errors of reading: every message names the position in the data and what was expected there.

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
    #[error("{0}: {1}")]
    In(String, #[source] Box<ReadError>),
    /// An option of this name was given, and the form of data has no use for it.
    #[error("{1}")]
    Inapplicable(&'static str, String),
    /// An option of this name was not given, and the data cannot be read without it.
    #[error("{1}")]
    Needed(&'static str, String),
    /// A part of a file, and how it contradicts the file's form.
    #[error("{0}: {1}")]
    Damaged(String, String),
    /// The name or the contents are not what they should be.
    #[error("{0}")]
    Invalid(String),
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
            Self::Inapplicable(option, _) | Self::Needed(option, _) => Some(option),
            Self::In(_, source) => source.option(),
            _ => None,
        }
    }

    /// Names the file beside or inside the requested one.
    pub(super) fn within(self, file: impl Into<String>) -> Self {
        match self {
            Self::Cancelled => Self::Cancelled,
            other => Self::In(file.into(), Box::new(other)),
        }
    }

    pub(super) fn damaged(what: impl Into<String>, why: impl fmt::Display) -> Self {
        Self::Damaged(what.into(), lower(&why))
    }

    pub(super) fn cell(row: impl fmt::Display, column: impl fmt::Display, problem: &CellProblem) -> Self {
        Self::Invalid(format!("{row}, column {column}: {problem}"))
    }

    /// A cell of a table, with the options that help.
    pub(super) fn table_cell(row: impl fmt::Display, column: impl fmt::Display, problem: &CellProblem) -> Self {
        let hint = problem.hint().map_or_else(String::new, |hint| format!("; {hint}"));
        Self::Invalid(format!("{row}, column {column}: {problem}{hint}"))
    }

    pub(super) fn no_labels(hint: &str) -> Self {
        Self::Needed("labels", format!("no labels: {hint}"))
    }

    /// An array or column of values that are no numbers, or no labels.
    pub(super) fn wrong_type(what: impl fmt::Display, found: impl fmt::Display, expected: &str) -> Self {
        Self::Invalid(format!("{what} is of type {found}, expected {expected}"))
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

/// What is wrong with a cell of a table or a value of an array.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(super) enum CellProblem {
    #[error("`{0}` is not a number")]
    NotNumber(String),
    #[error("`{0}` stands for a missing number")]
    Missing(String),
    #[error("`{0}` is no time: seconds, or a date like 2024-05-01 12:30:05.25")]
    NoTime(String),
    #[error("`{0}` is a date or a time, not a number")]
    Date(String),
    #[error("`{0}` is not a number: a decimal point is expected, not a comma")]
    DecimalComma(String),
    #[error("`{0}` is not a number: a decimal comma is expected, not a point")]
    DecimalPoint(String),
    #[error("`{0}` is not a finite number")]
    NotFinite(String),
    #[error("`{0}` is too large, at most {largest:e} can be computed with", largest = crate::dataset::LARGEST)]
    TooLarge(String),
    #[error("the cell is empty, expected a number")]
    Empty,
    #[error("the cell is empty, expected a word")]
    NoWord,
    #[error("`{0}` is none of the words of the training rows: {1}")]
    UnknownWord(String, String),
    #[error("the label is empty")]
    EmptyLabel,
    #[error("the label `{0}` says that it is missing")]
    MissingLabel(String),
    #[error("the group is empty")]
    EmptyGroup,
    #[error("the id is empty")]
    EmptyId,
    #[error("not UTF-8 text")]
    NotUtf8,
    /// A measured value rather than a class.
    #[error("the label {0} is neither an integer nor text")]
    Fraction(f64),
    #[error("null, expected a value")]
    Null,
}

impl CellProblem {
    /// The options that help where they apply.
    pub(super) fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::NotNumber(_) => "option `onehot` or option `codes` reads words, option `drop` leaves a column out",
            Self::Date(_) => {
                "option `drop` leaves the column out; option `time` names the clock of a log to be cut into windows"
            }
            Self::DecimalComma(_) => "option `decimal` , reads them",
            Self::DecimalPoint(_) => "option `decimal` . reads them",
            Self::Empty | Self::Missing(_) | Self::Null | Self::NoWord => {
                "option `missing` drop leaves such rows out, option `missing` median fills in"
            }
            Self::NotFinite(text) if super::number::is_missing(text.as_bytes()) => {
                "option `missing` drop leaves such rows out, option `missing` median fills in"
            }
            Self::EmptyLabel => "option `missing` drop leaves such rows out",
            Self::MissingLabel(_) => {
                "option `label_na` keep makes it a class, option `missing` drop leaves such rows out"
            }
            Self::Fraction(_) => "option `label` names another column",
            _ => return None,
        })
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

/// At most forty characters of a cell or name, control characters escaped.
pub(crate) fn shorten(text: &str) -> String {
    const LIMIT: usize = 40;
    let mut short: String = text.chars().take(LIMIT).flat_map(char::escape_debug).collect();
    if text.chars().nth(LIMIT).is_some() {
        short.push('…');
    }
    short
}

/// Names in a sentence, shortened to the first few.
pub(super) fn listed<S: AsRef<str>>(names: &[S]) -> String {
    const LIMIT: usize = 12;
    let shown: Vec<String> = names.iter().take(LIMIT).map(|name| shorten(name.as_ref())).collect();
    if names.len() > LIMIT { format!("{}, … ({} in all)", shown.join(", "), names.len()) } else { shown.join(", ") }
}

/// `a, b and c`.
pub(super) fn enumerated<S: AsRef<str>>(items: &[S]) -> String {
    let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    match items.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        one_or_none => one_or_none.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_and_cells_are_shortened() {
        let names: Vec<String> = (0..20).map(|i| format!("c{i}")).collect();
        assert!(listed(&names).ends_with("c11, … (20 in all)"));
        assert_eq!(shorten(&"x".repeat(50)).chars().count(), 41);
        assert_eq!(shorten("a\tb"), "a\\tb");
    }
}
