//! Parquet files: numbers column by column, in the order in which the trainer's matrices are stored.

use super::error::{CellProblem, ReadError, listed};
use super::gather::Gather;
use super::layout::{Layout, Role};
use super::meaning::Meaning;
use super::number;
use super::options::Missing;
use super::survey::Survey;
use super::value::Value;
use super::{Column, Options, Raw, Want};
use crate::error::DataError;
use crate::run::Run;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::fs::File;
use std::path::Path;

const BATCH: usize = 4096;

/// pandas stores its row index as a last column of such a name; it is neither a feature nor a label.
const PANDAS_INDEX: &str = "__index_level_";

/// A file whose columns are known.
struct Opened {
    reader: SerializedFileReader<File>,
    layout: Layout,
    meanings: Vec<Meaning>,
    /// Rows of each row group.
    chunks: Vec<usize>,
    rows: usize,
}

fn open(path: &Path, options: &Options, want: Want) -> Result<Opened, ReadError> {
    let reader = SerializedFileReader::new(File::open(path)?).map_err(|error| damaged(&error))?;
    let metadata = reader.metadata();
    let schema = metadata.file_metadata().schema_descr();
    let names: Vec<String> = schema.columns().iter().map(|column| column.path().string()).collect();
    let layout = layout(&names, options, want)?;
    let meanings = schema.columns().iter().map(|column| Meaning::of(column)).collect::<Vec<_>>();
    let chunks = metadata.row_groups().iter().map(|group| usize::try_from(group.num_rows()).unwrap_or(0));
    let chunks: Vec<usize> = chunks.collect();
    let rows = chunks.iter().try_fold(0_usize, |sum, rows| sum.checked_add(*rows));
    let rows = rows.filter(|&rows| i64::try_from(rows) == Ok(metadata.file_metadata().num_rows()));
    let rows = rows
        .ok_or_else(|| ReadError::damaged("not a complete Parquet file", "row groups contradict the number of rows"))?;
    if rows == 0 {
        return Err(DataError::NoRows.into());
    }
    Ok(Opened { reader, layout, meanings, chunks, rows })
}

pub(super) fn read(path: &Path, options: &Options, want: Want, run: &Run<'_>) -> Result<Raw, ReadError> {
    let file = open(path, options, want)?;
    check_types(&file.layout, &file.meanings)?;
    let layout = &file.layout;
    let mut gather = Gather::new(file.rows, layout.cells())?;
    let mut words = layout.words();
    let (places, books) = (places(layout), layout.places_of_words());
    // Rows to be left out, and whether a missing cell is an error.
    let mut gone = vec![false; file.rows];
    let (drops, fills) = (layout.missing == Missing::Drop, layout.missing == Missing::Median);
    file.each(run, |column, chunk, reader| {
        let Chunk { first, count, .. } = *chunk;
        let role = layout.roles[column];
        chunk.read(reader, |row, cell| {
            let cell = cell.filter(|cell| !cell.is_missing());
            if role == Role::Time {
                let time = match cell.ok_or(CellProblem::Null)? {
                    Value::Text(text) => number::time(text.trim_ascii()),
                    value => Some(value.number()),
                };
                words.times.push(time.ok_or_else(|| CellProblem::NoTime(String::new()))?);
                return Ok(());
            }
            let Some(place) = places[column] else {
                let label = match cell {
                    Some(cell) => cell.label()?,
                    None if drops => String::new(),
                    None => return Err(CellProblem::Null),
                };
                let is_missing = number::is_missing_label(label.as_bytes());
                if role == Role::Label && is_missing && !label.is_empty() && !layout.any_label && !drops {
                    return Err(CellProblem::MissingLabel(label));
                }
                gone[first + row] |=
                    label.is_empty() || role == Role::Label && is_missing && !layout.any_label && drops;
                words.of(role).push(label);
                return Ok(());
            };
            gather.column_mut(place)[first..first + count][row] = match (cell, books[column]) {
                (None, _) if drops || fills => f64::NAN,
                (None, _) => return Err(CellProblem::Null),
                (Some(Value::Text(text)), Some(book)) => words.books[book].number(text.trim_ascii(), drops || fills)?,
                (Some(cell), Some(book)) => words.books[book].number(cell.label()?.as_bytes(), false)?,
                (Some(cell), None) => cell.number(),
            };
            gone[first + row] |= drops && gather.column_mut(place)[first + row].is_nan();
            Ok(())
        })
    })?;
    let mut cells = gather.finish();
    let kept: Vec<usize> = (0..file.rows).filter(|&row| !gone[row]).collect();
    if kept.len() < file.rows {
        if kept.is_empty() {
            return Err(DataError::NoRows.into());
        }
        cells = cells.select_rows(&kept);
        words.keep(&kept, file.rows);
    }
    layout.raw(cells, words)
}

/// The place of each column among the features, if it is one.
fn places(layout: &Layout) -> Vec<Option<usize>> {
    let mut places = vec![None; layout.roles.len()];
    for (place, column) in layout.columns().into_iter().enumerate() {
        places[column] = Some(place);
    }
    places
}

/// Looks at every column, whatever it holds.
pub(super) fn survey(path: &Path, options: &Options, want: Want, run: &Run<'_>) -> Result<Survey, ReadError> {
    let file = open(path, options, want)?;
    let mut survey = Survey::of(&file.layout, None);
    survey.rows = file.rows;
    file.each(run, |column, chunk, reader| match (file.meanings[column], &mut survey.columns[column]) {
        (Meaning::Other("a time"), found) => {
            found.dates += chunk.count;
            Ok(())
        }
        (Meaning::Other(kind), found) => {
            found.word(chunk.first, kind.as_bytes());
            found.words += chunk.count - 1;
            Ok(())
        }
        (_, found) => chunk.read(reader, |row, cell| {
            found.value(chunk.first + row, cell);
            Ok(())
        }),
    })?;
    Ok(survey)
}

impl Opened {
    /// Calls `each` with the chunks of every column that is not dropped.
    fn each(
        &self,
        run: &Run<'_>,
        mut each: impl FnMut(usize, &Chunk, ColumnReader) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        let columns = self.layout.roles.len();
        let mut first = 0;
        for (number, &count) in self.chunks.iter().enumerate() {
            let group = self.reader.get_row_group(number).map_err(|error| damaged(&error))?;
            for column in (0..columns).filter(|&column| self.layout.roles[column] != Role::Dropped) {
                run.step("reading", first * columns + column * count, self.rows * columns)?;
                let position = self.layout.position(column);
                let chunk = Chunk { meaning: self.meanings[column], position, first, count };
                let reader = group.get_column_reader(column).map_err(|error| damaged(&error))?;
                each(column, &chunk, reader)?;
            }
            first += count;
        }
        Ok(())
    }
}

fn layout(names: &Vec<String>, options: &Options, want: Want) -> Result<Layout, ReadError> {
    let mut options = options.clone();
    let index = names.iter().enumerate().filter(|(_, name)| name.starts_with(PANDAS_INDEX));
    options.drop.extend(index.map(|(column, _)| Column::Index(column)));
    Layout::new(Some(names), names.len(), &options, want)
}

/// Refuses columns that are no numbers before anything is read.
fn check_types(layout: &Layout, meanings: &[Meaning]) -> Result<(), ReadError> {
    for (column, (role, meaning)) in layout.roles.iter().zip(meanings).enumerate() {
        let expected = match role {
            Role::Feature if !meaning.is_number() => "numbers",
            Role::Time if *meaning == Meaning::Other("a list") => "one time per row",
            Role::Label if *meaning == Meaning::Other("a list") => "one label per row",
            Role::Label | Role::Group | Role::Id | Role::Category if matches!(meaning, Meaning::Other(_)) => {
                "text or integers"
            }
            _ => continue,
        };
        let position = layout.position(column);
        let hint = match (role, meaning) {
            (Role::Feature, Meaning::Text) => {
                "; option `onehot` or option `codes` reads words, option `drop` leaves a column out"
            }
            (Role::Feature, _) => "; option `drop` leaves the column out",
            _ => "",
        };
        return Err(ReadError::Invalid(format!("column {position} is of type {meaning}, expected {expected}{hint}")));
    }
    Ok(())
}

/// The values of one column in one row group.
struct Chunk {
    meaning: Meaning,
    position: String,
    /// Number of the group's first row.
    first: usize,
    count: usize,
}

impl Chunk {
    fn read<F>(&self, reader: ColumnReader, each: F) -> Result<(), ReadError>
    where
        F: FnMut(usize, Option<Value<'_>>) -> Result<(), CellProblem>,
    {
        let meaning = self.meaning;
        match reader {
            ColumnReader::BoolColumnReader(reader) => self.batches(reader, |v| Value::Integer(i64::from(*v)), each),
            ColumnReader::Int32ColumnReader(reader) => self.batches(reader, |v| meaning.int32(*v), each),
            ColumnReader::Int64ColumnReader(reader) => self.batches(reader, |v| meaning.int64(*v), each),
            ColumnReader::FloatColumnReader(reader) => self.batches(reader, |v| Value::Real(f64::from(*v)), each),
            ColumnReader::DoubleColumnReader(reader) => self.batches(reader, |v| Value::Real(*v), each),
            ColumnReader::ByteArrayColumnReader(reader) => self.batches(reader, |v| meaning.bytes(v.data()), each),
            ColumnReader::FixedLenByteArrayColumnReader(reader) => {
                self.batches(reader, |v| meaning.bytes(v.data()), each)
            }
            // Refused by its type already.
            ColumnReader::Int96ColumnReader(_) => Ok(()),
        }
    }

    fn batches<T: DataType>(
        &self,
        mut reader: ColumnReaderImpl<T>,
        cell: impl for<'v> Fn(&'v T::T) -> Value<'v>,
        mut each: impl FnMut(usize, Option<Value<'_>>) -> Result<(), CellProblem>,
    ) -> Result<(), ReadError> {
        let mut values = Vec::new();
        let mut levels = Vec::new();
        let mut done = 0;
        while done < self.count {
            values.clear();
            levels.clear();
            let batch = BATCH.min(self.count - done);
            let read = reader.read_records(batch, Some(&mut levels), None, &mut values);
            let (records, present, _) = read.map_err(|error| damaged(&error))?;
            if records == 0 {
                let why = format!("column {} ends after {} rows", self.position, self.first + done);
                return Err(ReadError::damaged("not a complete Parquet file", why));
            }
            let fault = |row, problem| {
                ReadError::table_cell(format!("row {}", self.first + done + row), &self.position, &problem)
            };
            // Where values are missing, levels say which; the others follow each other.
            let full = levels.iter().copied().max().unwrap_or(0).max(1);
            let mut stored = values.iter();
            for row in 0..records {
                let is_missing = present < records && levels.get(row).is_none_or(|level| *level < full);
                let value = if is_missing { None } else { stored.next() };
                each(done + row, value.map(&cell)).map_err(|problem| fault(row, problem))?;
            }
            done += records;
        }
        Ok(())
    }
}

fn damaged(error: &ParquetError) -> ReadError {
    let text = error.to_string();
    let text = text.strip_prefix("Parquet error: ").unwrap_or(&text);
    ReadError::damaged("not a complete Parquet file", listed(&[text]))
}
