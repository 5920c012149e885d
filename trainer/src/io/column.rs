//! Which column of a table: by name, by number, or as someone wrote it on a command line.

use super::error::{ReadError, listed};
use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    /// The column of this name.
    Name(String),
    /// The column of this number, counted from 0.
    Index(usize),
    /// A name if there is such a column, else a number: `label`, `3`, or `-1` for the last column.
    Written(String),
}

impl FromStr for Column {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self::Written(text.to_owned()))
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) | Self::Written(name) => f.write_str(name),
            Self::Index(number) => write!(f, "{number}"),
        }
    }
}

impl Column {
    /// The name, if it cannot be a number: a table where it occurs in the first line has a header.
    pub(super) fn as_name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            Self::Written(text) if text.parse::<i64>().is_err() => Some(text),
            Self::Index(_) | Self::Written(_) => None,
        }
    }

    /// The column's number in a table of `count` columns, `names` being its header if it has one.
    pub(super) fn find(&self, names: Option<&[String]>, count: usize) -> Result<usize, ReadError> {
        let number = match self {
            Self::Name(name) => by_name(name, names)?,
            Self::Index(number) => Some(*number),
            Self::Written(text) => by_name(text, names)?.or_else(|| from_either_end(text.parse().ok()?, count)),
        };
        number.filter(|&number| number < count).ok_or_else(|| self.missing(names, count))
    }

    fn missing(&self, names: Option<&[String]>, count: usize) -> ReadError {
        let last = count.saturating_sub(1);
        let known = match names {
            Some(names) => format!("there are {}", listed(names)),
            None if self.as_name().is_some() => format!("there is no header, columns are numbered 0 to {last}"),
            None => format!("columns are numbered 0 to {last}"),
        };
        ReadError::Invalid(format!("no column `{self}`: {known}"))
    }
}

fn by_name(name: &str, names: Option<&[String]>) -> Result<Option<usize>, ReadError> {
    let mut indices = names.into_iter().flatten().enumerate().filter(|(_, n)| *n == name).map(|(i, _)| i);
    match (indices.next(), indices.next()) {
        (Some(first), Some(second)) => Err(ReadError::Invalid(format!(
            "column name `{name}` is ambiguous: columns {first} and {second} have it, use the number"
        ))),
        (index, _) => Ok(index),
    }
}

fn from_either_end(number: i64, count: usize) -> Option<usize> {
    let distance = usize::try_from(number.unsigned_abs()).ok()?;
    if number < 0 { count.checked_sub(distance) } else { Some(distance) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(text: &str, names: Option<&[&str]>, count: usize) -> Result<usize, String> {
        let names: Option<Vec<String>> = names.map(|n| n.iter().map(ToString::to_string).collect());
        Column::Written(text.into()).find(names.as_deref(), count).map_err(|e| e.to_string())
    }

    #[test]
    fn a_name_wins_over_a_number_and_negative_numbers_count_from_the_end() {
        let names = ["a", "0", "b"];
        assert_eq!(find("0", Some(&names), 3), Ok(1));
        assert_eq!(find("2", Some(&names), 3), Ok(2));
        assert_eq!(find("b", Some(&names), 3), Ok(2));
        assert_eq!(find("-1", None, 3), Ok(2));
        assert_eq!(find("-3", None, 3), Ok(0));
    }

    #[test]
    fn numbers_beyond_the_table_are_missing_but_repeated_names_have_numbers() {
        assert_eq!(find("-4", None, 3), Err("no column `-4`: columns are numbered 0 to 2".into()));
        assert_eq!(find("2", Some(&["a", "b"]), 2), Err("no column `2`: there are a, b".into()));
        assert_eq!(find("2", Some(&["a", "b", "a"]), 3), Ok(2));
    }
}
