//! Positions inside the data, and what may be wrong there, as messages print them.

use std::fmt;

/// A line of a text file, or a row of any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowPosition {
    /// Line, counted from 1 as editors do.
    Line(usize),
    /// Row, counted from 0 as arrays are.
    Row(usize),
}

impl fmt::Display for RowPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Row(row) => write!(f, "row {row}"),
        }
    }
}

/// A column by number, and by name where it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnPosition {
    /// Counted from 0.
    pub number: usize,
    /// From the header.
    pub name: Option<String>,
}

impl fmt::Display for ColumnPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name.as_deref().filter(|name| !name.is_empty()) {
            Some(name) => write!(f, "{} ({})", self.number, shorten(name)),
            None => write!(f, "{}", self.number),
        }
    }
}

/// What is wrong with a cell.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CellProblem {
    /// Text where a number belongs.
    #[error("`{0}` is not a number")]
    NotNumber(String),
    /// A number written with a decimal comma.
    #[error("`{0}` is not a number: a decimal point is expected, not a comma")]
    DecimalComma(String),
    /// NaN, infinite, or too large for an f64.
    #[error("`{0}` is not a finite number")]
    NotFinite(String),
    /// A number whose square a device cannot hold.
    #[error("`{0}` is too large, at most {largest:e} can be computed with", largest = crate::dataset::LARGEST)]
    TooLarge(String),
    /// Nothing where a number belongs.
    #[error("the cell is empty, expected a number")]
    Empty,
    /// Nothing where a label belongs.
    #[error("the label is empty")]
    EmptyLabel,
    /// Nothing where a group belongs.
    #[error("the group is empty")]
    EmptyGroup,
    /// A label or group that is not UTF-8.
    #[error("not UTF-8 text")]
    NotUtf8,
    /// A label with a fraction: a measured value rather than a class.
    #[error("the label {0} is neither an integer nor text")]
    Fraction(String),
    /// A null, which has no number.
    #[error("null, expected a value")]
    Null,
}

/// At most forty characters of a cell or name, control characters escaped.
pub(super) fn shorten(text: &str) -> String {
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
    match names.len().checked_sub(LIMIT + 1) {
        Some(_) => format!("{}, … ({} in all)", shown.join(", "), names.len()),
        None => shown.join(", "),
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
