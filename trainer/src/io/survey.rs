//! What the columns of a table hold, whatever it is: no cell is refused, so that all problems are found in one reading.

use super::error::ReadError;
use super::form::Form;
use super::layout::{Layout, Role};
use super::records::Record;
use super::table::{Table, delimiter_of, open_text};
use super::value::Value;
use super::{Options, Want, columns, form_of, number, panics, recordings};
use crate::run::Run;
use std::collections::HashMap;

/// Different values of a column that are counted; beyond it is only known that there are more.
const DISTINCT: usize = 20_000;

/// A table as it stands in its file.
#[derive(Debug, Clone)]
pub struct Survey {
    /// Whether the first line names the columns.
    pub header: bool,
    /// What separates the cells of a text table.
    pub delimiter: Option<char>,
    /// Rows below the header.
    pub rows: usize,
    /// The columns in the order of the file.
    pub columns: Vec<ColumnSurvey>,
    /// Rows with more or fewer cells than the first line.
    pub ragged: usize,
    /// The line of the first of them, and its number of cells.
    pub first_ragged: Option<(usize, usize)>,
}

/// The cells of one column.
#[derive(Debug, Clone)]
pub struct ColumnSurvey {
    /// Its name in the header; empty without one.
    pub name: String,
    /// What it is used for.
    pub role: Role,
    /// Cells that are empty or say that a value is missing.
    pub missing: usize,
    /// Cells that are whole numbers.
    pub integers: usize,
    /// Cells that are other numbers.
    pub reals: usize,
    /// Cells that are numbers with a decimal comma.
    pub decimal_commas: usize,
    /// Cells that are dates or times of day.
    pub dates: usize,
    /// All other cells.
    pub words: usize,
    /// Line or row, and text, of the first cell that is a word.
    pub first_word: Option<(usize, String)>,
    /// The least and the greatest number.
    pub range: Option<(f64, f64)>,
    values: HashMap<Vec<u8>, usize>,
    overflown: bool,
}

/// What most cells of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contents {
    /// Nothing: every cell is missing.
    Nothing,
    /// Whole numbers.
    Integers,
    /// Numbers.
    Numbers,
    /// Numbers, some of them with a decimal comma.
    DecimalCommas,
    /// Dates or times of day.
    Dates,
    /// Words.
    Text,
    /// Numbers and words.
    Mixed,
}

impl Contents {
    /// In a word or two.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Nothing => "empty",
            Self::Integers => "integers",
            Self::Numbers => "numbers",
            Self::DecimalCommas => "decimal commas",
            Self::Dates => "dates",
            Self::Text => "text",
            Self::Mixed => "mixed",
        }
    }
}

impl ColumnSurvey {
    fn new(name: String, role: Role) -> Self {
        Self {
            name,
            role,
            missing: 0,
            integers: 0,
            reals: 0,
            decimal_commas: 0,
            dates: 0,
            words: 0,
            first_word: None,
            range: None,
            values: HashMap::new(),
            overflown: false,
        }
    }

    /// What its cells are.
    #[must_use]
    pub fn contents(&self) -> Contents {
        let numbers = self.integers + self.reals + self.decimal_commas;
        match () {
            () if numbers + self.dates + self.words == 0 => Contents::Nothing,
            () if numbers > 0 && self.dates + self.words > 0 => Contents::Mixed,
            () if self.words > 0 => Contents::Text,
            () if self.dates > 0 => Contents::Dates,
            () if self.decimal_commas > 0 => Contents::DecimalCommas,
            () if self.reals > 0 => Contents::Numbers,
            () => Contents::Integers,
        }
    }

    /// Different cells, those that are missing aside; none if there are more than are counted.
    #[must_use]
    pub fn distinct(&self) -> Option<usize> {
        (!self.overflown).then_some(self.values.len())
    }

    /// The different cells with their numbers, in the order of their bytes; empty if there are more than are counted.
    #[must_use]
    pub fn counts(&self) -> Vec<(String, usize)> {
        let text = |(cell, count): (&Vec<u8>, &usize)| (String::from_utf8_lossy(cell).into_owned(), *count);
        let mut counts: Vec<(String, usize)> = self.values.iter().map(text).collect();
        counts.sort();
        counts
    }

    /// Counts a cell of a text table; `place` is its line.
    fn cell(&mut self, place: usize, cell: &[u8]) {
        if number::is_missing(cell) {
            // Classes may well be called `none`.
            let is_class = self.role == Role::Label && !number::is_missing_label(cell);
            if !is_class {
                self.missing += 1;
                return;
            }
        }
        self.count(cell);
        match number::parse(cell) {
            Some(value) if crate::dataset::is_usable(value) => self.number(value),
            None if number::has_decimal_comma(cell) => {
                self.decimal_commas += 1;
                self.extend(number::parse_with_comma(cell));
            }
            None if number::is_date(cell) => self.dates += 1,
            _ => self.word(place, cell),
        }
    }

    /// Counts a value of a typed table; `place` is its row.
    pub(super) fn value(&mut self, place: usize, value: Option<Value<'_>>) {
        match value {
            None => self.missing += 1,
            Some(Value::Text(text)) => self.cell(place, text.trim_ascii()),
            Some(Value::Real(value)) if value.is_nan() => self.missing += 1,
            Some(value) if !crate::dataset::is_usable(value.number()) => {
                self.word(place, value.number().to_string().as_bytes());
            }
            Some(value) => {
                self.count(value.number().to_string().as_bytes());
                self.number(value.number());
            }
        }
    }

    pub(super) fn word(&mut self, place: usize, cell: &[u8]) {
        self.words += 1;
        if self.first_word.is_none() {
            self.first_word = Some((place, super::error::shorten(&String::from_utf8_lossy(cell))));
        }
    }

    fn number(&mut self, value: f64) {
        if value.fract() == 0.0 {
            self.integers += 1;
        } else {
            self.reals += 1;
        }
        self.extend(Some(value));
    }

    fn extend(&mut self, value: Option<f64>) {
        if let Some(value) = value {
            let (least, most) = self.range.unwrap_or((value, value));
            self.range = Some((least.min(value), most.max(value)));
        }
    }

    fn count(&mut self, cell: &[u8]) {
        if self.overflown {
            return;
        }
        if let Some(count) = self.values.get_mut(cell) {
            *count += 1;
        } else if self.values.len() < DISTINCT {
            self.values.insert(cell.to_vec(), 1);
        } else {
            (self.overflown, self.values) = (true, HashMap::new());
        }
    }
}

impl Survey {
    /// A table of which no row was looked at.
    pub(super) fn of(layout: &Layout, delimiter: Option<char>) -> Self {
        let name = |column: usize| layout.names().and_then(|names| names.get(column)).cloned().unwrap_or_default();
        let columns = layout.roles.iter().enumerate().map(|(column, &role)| ColumnSurvey::new(name(column), role));
        let (header, columns) = (layout.names().is_some(), columns.collect());
        Self { header, delimiter, rows: 0, columns, ragged: 0, first_ragged: None }
    }

    /// Looks at all rows of a table.
    pub(super) fn add(&mut self, table: &mut Table, run: &Run<'_>) -> Result<(), ReadError> {
        while let Some(record) = table.next_record()? {
            self.record(record);
            if self.rows.is_multiple_of(4096) {
                run.step("reading", 0, 0)?;
            }
        }
        Ok(())
    }

    fn record(&mut self, record: &Record) {
        self.rows += 1;
        if record.len() != self.columns.len() {
            self.ragged += 1;
            self.first_ragged = self.first_ragged.or(Some((record.line, record.len())));
            return;
        }
        for (column, cell) in self.columns.iter_mut().zip(record.iter()) {
            column.cell(record.line, cell);
        }
    }
}

/// Looks at every cell of a table; nothing where the data are no table.
///
/// # Errors
/// [`ReadError`] where there are no rows, or no columns can be found, as for [`load`](super::load).
pub fn survey(name: &str, options: &Options, run: &Run<'_>) -> Result<Option<Survey>, ReadError> {
    let want = if options.unlabelled { Want::Unlabelled } else { Want::Labelled };
    match form_of(name, options)? {
        Form::Text(path) => {
            let (input, _) = open_text(&path)?;
            let mut table = Table::open(input, delimiter_of(&path), options, want)?;
            let mut survey = Survey::of(&table.layout, table.delimiter().map(char::from));
            survey.add(&mut table, run)?;
            Ok(Some(survey))
        }
        Form::Parquet(path) => panics::caught("Parquet file", || columns::survey(&path, options, want, run)).map(Some),
        Form::Tables(path) => recordings::survey(&path, options, want, run).map(Some),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_is_counted_as_what_it_is() -> Result<(), Box<dyn std::error::Error>> {
        use Contents::{Dates, DecimalCommas, Mixed, Text};

        let folder = tempfile::tempdir()?;
        let path = folder.path().join("x.csv");
        let text = "n;when;size;color;kind\n1;2024-05-01;1,5;red;ok\n2;2024-05-02;;blue;ok\nx;NA;2;red;none\n4;1\n";
        std::fs::write(&path, text)?;
        let found = survey(&path.to_string_lossy(), &Options::default(), &Run::default())?.ok_or("no table")?;
        assert_eq!((found.header, found.delimiter, found.rows), (true, Some(';'), 4));
        assert_eq!((found.ragged, found.first_ragged), (1, Some((5, 2))));
        let contents: Vec<Contents> = found.columns.iter().map(ColumnSurvey::contents).collect();
        assert_eq!(contents, [Mixed, Dates, DecimalCommas, Text, Text]);
        assert_eq!(found.columns.iter().map(|column| column.missing).collect::<Vec<_>>(), [0, 1, 1, 0, 0]);
        assert_eq!(found.columns[0].first_word, Some((4, "x".to_owned())));
        assert_eq!(found.columns[2].range, Some((1.5, 2.0)));
        assert_eq!(found.columns[3].counts(), [("blue".to_owned(), 1), ("red".to_owned(), 2)]);
        // `none` may be a class.
        assert_eq!((found.columns[4].role, found.columns[4].distinct()), (Role::Label, Some(2)));
        Ok(())
    }
}
