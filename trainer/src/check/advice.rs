//! What a look at data finds, and the option that solves it.

use crate::io::{Column, ColumnSurvey, Missing, Options, Survey};

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The data cannot be read as they are.
    Problem,
    /// A model may learn what it shall not.
    Warning,
    /// Good to have read.
    Note,
}

impl Severity {
    /// In a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Problem => "problem",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// An option of [`Options`] with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Advice {
    /// Leave a column out.
    Drop(Column),
    /// Take a column as the label.
    Label(Column),
    /// Keep the rows of one value of a column together.
    Group(Column),
    /// Read decimals behind commas.
    DecimalComma,
    /// Leave out rows with missing cells, or fill them in.
    Missing(Missing),
    /// Turn words into a column each.
    OneHot(Column),
    /// Turn words into numbers.
    Codes(Column),
}

impl Advice {
    /// The option's name in [`Options`].
    #[must_use]
    pub fn option(&self) -> &'static str {
        match self {
            Self::Drop(_) => "drop",
            Self::Label(_) => "label",
            Self::Group(_) => "group",
            Self::DecimalComma => "decimal",
            Self::Missing(_) => "missing",
            Self::OneHot(_) => "onehot",
            Self::Codes(_) => "codes",
        }
    }

    /// The option's value as text.
    #[must_use]
    pub fn value(&self) -> String {
        match self {
            Self::Drop(column)
            | Self::Label(column)
            | Self::Group(column)
            | Self::OneHot(column)
            | Self::Codes(column) => column.to_string(),
            Self::DecimalComma => ",".to_owned(),
            Self::Missing(Missing::Median) => "median".to_owned(),
            Self::Missing(Missing::Drop) => "drop".to_owned(),
            Self::Missing(Missing::Error) => "error".to_owned(),
        }
    }
}

/// A problem or a suspicion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// A short name for programs, such as `index`.
    pub kind: &'static str,
    /// The column's number, if it is about one.
    pub column: Option<usize>,
    /// A sentence.
    pub text: String,
    /// What solves it.
    pub advice: Option<Advice>,
    /// Whether the advice is more than a possibility.
    pub is_certain: bool,
}

impl Finding {
    pub(super) fn new(severity: Severity, kind: &'static str, column: Option<usize>, text: impl Into<String>) -> Self {
        Self { severity, kind, column, text: text.into(), advice: None, is_certain: true }
    }

    pub(super) fn advise(self, advice: Advice) -> Self {
        Self { advice: Some(advice), ..self }
    }

    /// Offered, but not taken by itself.
    pub(super) fn perhaps(self, advice: Advice) -> Self {
        Self { advice: Some(advice), is_certain: false, ..self }
    }

    /// Follows the advice where it is certain and the option was not given; whether that changed anything.
    pub(super) fn apply(&self, options: &mut Options) -> bool {
        match &self.advice {
            Some(advice) if self.is_certain => match advice {
                Advice::Drop(column) if !options.drop.contains(column) => options.drop.push(column.clone()),
                Advice::Label(column) if options.label.is_none() => options.label = Some(column.clone()),
                Advice::Group(column) if options.group.is_none() => options.group = Some(column.clone()),
                Advice::DecimalComma if !options.decimal_comma => options.decimal_comma = true,
                Advice::Missing(missing) if options.missing.is_none() => options.missing = Some(*missing),
                Advice::OneHot(column) if !options.onehot.contains(column) => options.onehot.push(column.clone()),
                Advice::Codes(column) if !options.codes.contains(column) => options.codes.push(column.clone()),
                _ => return false,
            },
            _ => return false,
        }
        true
    }
}

/// How a column is written on a command line: by its name where that is one plain word of its own, else by its number.
pub(super) fn written<S: AsRef<str>>(number: usize, name: &str, names: &[S]) -> Column {
    let is_plain =
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_') && name.parse::<i64>().is_err();
    if is_plain && names.iter().filter(|other| other.as_ref() == name).count() == 1 {
        Column::Written(name.to_owned())
    } else {
        Column::Index(number)
    }
}

/// A column of a survey, for an option.
pub(super) fn column_of(survey: &Survey, number: usize) -> Column {
    let names: Vec<&str> = survey.columns.iter().map(|column| column.name.as_str()).collect();
    written(number, survey.columns.get(number).map_or("", |column| &column.name), &names)
}

/// A column in a sentence: its name, else its number.
pub(super) fn titled(number: usize, name: &str) -> String {
    if name.is_empty() { format!("column {number}") } else { format!("column {number} ({})", crate::io::shorten(name)) }
}

/// A column of a survey in a sentence.
pub(super) fn title(number: usize, column: &ColumnSurvey) -> String {
    titled(number, &column.name)
}
