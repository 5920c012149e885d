//! Words and missing cells become numbers: by the rows at hand, or as a model has them.

use super::error::{CellProblem, ReadError, listed, shorten};
use super::layout::{Layout, Role};
use super::number;
use super::options::Missing;
use crate::dataset::{Categories, Coding, Preparation};
use crate::linalg::{Mat, column};
use std::collections::HashMap;

/// Columns that are named in one note.
const NAMED: usize = 6;
/// Different words that a column may have: more are an id or free text.
const WORDS: usize = 1000;

/// A column of words.
#[derive(Debug)]
pub(super) struct Coded {
    pub(super) name: String,
    pub(super) coding: Coding,
    /// Its words where a model has them.
    pub(super) values: Option<Vec<String>>,
}

impl Coded {
    pub(super) fn width(&self) -> usize {
        match (&self.values, self.coding) {
            (Some(values), Coding::OneHot) => values.len(),
            _ => 1,
        }
    }

    pub(super) fn book(&self) -> Book {
        let names = self.values.clone().unwrap_or_default();
        let numbers = names.iter().enumerate().map(|(number, name)| (name.clone(), number)).collect();
        Book { names, numbers, is_closed: self.values.is_some() }
    }
}

/// Words in the order in which they were met, or in that of a model.
#[derive(Debug, Default)]
pub(super) struct Book {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
    is_closed: bool,
}

impl Book {
    /// The number of a word; NaN where there is none and `filled` says that this will be mended.
    pub(super) fn number(&mut self, cell: &[u8], filled: bool) -> Result<f64, CellProblem> {
        let text = std::str::from_utf8(cell).map_err(|_| CellProblem::NotUtf8)?;
        if number::is_missing_label(cell) {
            return if filled { Ok(f64::NAN) } else { Err(CellProblem::NoWord) };
        }
        if let Some(number) = self.numbers.get(text) {
            return Ok(*number as f64);
        }
        if self.is_closed {
            return Err(CellProblem::UnknownWord(shorten(text), listed(&self.names)));
        }
        let number = self.names.len();
        self.numbers.insert(text.to_owned(), number);
        self.names.push(text.to_owned());
        Ok(number as f64)
    }

    /// The words in order, and the new number of each: by value if all are integers, else by bytes.
    fn sorted(&self) -> (Vec<String>, Vec<usize>) {
        if self.is_closed {
            return (self.names.clone(), (0..self.names.len()).collect());
        }
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        let integer = |number: usize| self.names[number].parse::<i64>().ok();
        if order.iter().all(|&number| integer(number).is_some()) {
            order.sort_by_key(|&number| (integer(number), &self.names[number]));
        } else {
            order.sort_by_key(|&number| &self.names[number]);
        }
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| place[old] = new);
        (order.iter().map(|&number| self.names[number].clone()).collect(), place)
    }
}

/// Rows whose cells are all numbers.
pub(super) struct Prepared {
    pub(super) rows: Mat,
    pub(super) features: Vec<String>,
    /// The column of each feature.
    pub(super) columns: Vec<usize>,
    pub(super) preparation: Preparation,
    pub(super) notes: Vec<String>,
}

impl Layout {
    /// Puts numbers in place of words, and values in place of missing cells.
    pub(super) fn prepare(&self, mut cells: Mat, books: &mut [Book]) -> Result<Prepared, ReadError> {
        let columns = self.columns();
        let mut categories: Vec<Option<Categories>> = vec![None; columns.len()];
        let words = columns.iter().enumerate().filter(|(_, number)| self.roles[**number] == Role::Category);
        for (next, (cell, &number)) in words.enumerate() {
            let (coded, (values, places)) = (&self.coded[next], books[next].sorted());
            if values.len() > WORDS {
                let position = self.position(number);
                let message =
                    format!("column {position} has {} different words, at most {WORDS} are read", values.len());
                return Err(ReadError::Invalid(message));
            }
            cells.column_mut(cell).iter_mut().filter(|code| !code.is_nan()).for_each(|code| {
                *code = places[*code as usize] as f64;
            });
            categories[cell] = Some(Categories { column: coded.name.clone(), coding: coded.coding, values });
        }
        let mut notes = Vec::new();
        let mut fill = Vec::new();
        if self.missing == Missing::Median && self.known.is_none() && cells.nrows() > 0 {
            fill = self.medians(&cells, &columns, &categories, &mut notes)?;
        }
        let features = self.names().map_or_else(Vec::new, |_| self.expanded_names(&columns, &categories));
        let mut expanded = Vec::new();
        for (cell, categories) in categories.iter().enumerate() {
            match (categories, fill.get(cell)) {
                (Some(categories), Some(code)) => categories.push(*code as usize, &mut expanded),
                (None, Some(value)) => expanded.push(*value),
                (_, None) => {}
            }
        }
        let preparation = Preparation { categories: categories.iter().flatten().cloned().collect(), fill: expanded };
        let known = self.known_fill(&features);
        let values = if preparation.fill.is_empty() { known.as_slice() } else { preparation.fill.as_slice() };
        let rows = expand(cells, &categories, values)?;
        let of =
            |(cell, number): (usize, &usize)| vec![*number; categories[cell].as_ref().map_or(1, Categories::width)];
        let columns = columns.iter().enumerate().flat_map(of).collect();
        Ok(Prepared { rows, features, columns, preparation, notes })
    }

    fn expanded_names(&self, columns: &[usize], categories: &[Option<Categories>]) -> Vec<String> {
        let own = |number: usize| vec![self.name(number).cloned().unwrap_or_default()];
        let names = columns.iter().zip(categories);
        names
            .flat_map(|(&number, categories)| categories.as_ref().map_or_else(|| own(number), Categories::names))
            .collect()
    }

    /// The features' names, none if there is no header; words must be known.
    pub(super) fn features(&self) -> Vec<String> {
        let mut coded = self.coded.iter();
        let of = |number: usize| match self.roles[number] {
            Role::Category => coded.next().map(|coded| Categories {
                column: coded.name.clone(),
                coding: coded.coding,
                values: coded.values.clone().unwrap_or_default(),
            }),
            _ => None,
        };
        let columns = self.columns();
        let categories: Vec<Option<Categories>> = columns.iter().copied().map(of).collect();
        self.names().map_or_else(Vec::new, |_| self.expanded_names(&columns, &categories))
    }

    /// What a model fills in, in the order of these features.
    fn known_fill(&self, features: &[String]) -> Vec<f64> {
        let Some(known) = &self.known else { return Vec::new() };
        let by_name = |(place, name): (usize, &String)| {
            let place = known.features.iter().position(|other| other == name).unwrap_or(place);
            known.preparation.fill.get(place).copied().unwrap_or(f64::NAN)
        };
        if features.is_empty() {
            known.preparation.fill.clone()
        } else {
            features.iter().enumerate().map(by_name).collect()
        }
    }

    /// The median of every column, and the most frequent word of a column of words.
    fn medians(
        &self,
        cells: &Mat,
        columns: &[usize],
        categories: &[Option<Categories>],
        notes: &mut Vec<String>,
    ) -> Result<Vec<f64>, ReadError> {
        let mut filled = Vec::new();
        let mut fill = Vec::with_capacity(columns.len());
        for (cell, &number) in columns.iter().enumerate() {
            let mut present: Vec<f64> = column(cells, cell).iter().copied().filter(|value| !value.is_nan()).collect();
            let missing = cells.nrows() - present.len();
            let position = self.position(number);
            if present.is_empty() {
                let message = format!("column {position} is empty: option `drop` leaves it out");
                return Err(ReadError::Invalid(message));
            }
            present.sort_by(f64::total_cmp);
            // The lower of two in the middle: a value that was measured keeps integers integers.
            let median = present[(present.len() - 1) / 2];
            let frequent = || {
                let same = present.chunk_by(|a, b| a == b);
                // Of equally frequent words the first.
                same.rev().max_by_key(|same| same.len()).map_or(median, |same| same[0])
            };
            fill.push(if categories[cell].is_some() { frequent() } else { median });
            if missing > 0 {
                filled.push(format!("{missing} in column {position}"));
            }
        }
        if !filled.is_empty() {
            let more = if filled.len() > NAMED {
                format!(" and {} columns more", filled.len() - NAMED)
            } else {
                String::new()
            };
            let filled = filled[..filled.len().min(NAMED)].join(", ");
            notes.push(format!("missing cells filled in by the median of all rows: {filled}{more}"));
        }
        Ok(fill)
    }
}

/// Rows with every word as its values, and `fill` in place of what is missing.
fn expand(mut cells: Mat, categories: &[Option<Categories>], fill: &[f64]) -> Result<Mat, ReadError> {
    let width = |categories: &Option<Categories>| categories.as_ref().map_or(1, Categories::width);
    let total: usize = categories.iter().map(width).sum();
    if categories.iter().all(Option::is_none) {
        for (cell, mut column) in cells.column_iter_mut().enumerate() {
            let Some(fill) = fill.get(cell) else { break };
            column.iter_mut().filter(|value| value.is_nan()).for_each(|value| *value = *fill);
        }
        return Ok(cells);
    }
    let rows = cells.nrows();
    let mut gather = super::gather::Gather::new(rows, total)?;
    let mut first = 0;
    for (cell, categories) in categories.iter().enumerate() {
        let width = width(categories);
        for (row, &value) in column(&cells, cell).iter().enumerate() {
            for part in 0..width {
                let number = match categories {
                    _ if value.is_nan() => fill.get(first + part).copied().unwrap_or(f64::NAN),
                    Some(Categories { coding: Coding::OneHot, .. }) => f64::from(u8::from(value as usize == part)),
                    _ => value,
                };
                gather.column_mut(first + part)[row] = number;
            }
        }
        first += width;
    }
    Ok(gather.finish())
}
