//! Text tables: CSV and TSV, plain or gzipped, read in bounded memory.

use super::error::{CellProblem, ReadError, shorten};
use super::gather::{self, BLOCK};
use super::header::is_header;
use super::layout::{Layout, Role, Words};
use super::number;
use super::options::Missing;
use super::records::{Record, Records};
use super::{Options, Raw, Want};
use crate::run::Run;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

/// Lines that are read before it is decided whether the first is a header.
const AHEAD: usize = 64;

/// A text table, open at its first row.
pub(super) struct Table {
    records: Records,
    ahead: VecDeque<Record>,
    record: Record,
    pub(super) layout: Layout,
    first: usize,
}

impl Table {
    /// Reads as far as it takes to know the columns.
    pub(super) fn open(
        input: Box<dyn Read + Send>,
        delimiter: Option<u8>,
        options: &Options,
        want: Want,
    ) -> Result<Self, ReadError> {
        let mut records = Records::new(input, delimiter);
        let mut first = Record::default();
        if !records.read(&mut first)? {
            return Err(no_rows("the file is empty"));
        }
        let mut ahead = Vec::new();
        for _ in 0..AHEAD {
            let mut record = Record::default();
            if !records.read(&mut record)? {
                break;
            }
            ahead.push(record);
        }
        let names: Vec<String> = (0..first.len()).map(|i| first.text(i)).collect();
        let is_named = |column: &super::Column| column.as_name().is_some_and(|name| names.iter().any(|n| n == name));
        let columns =
            options.label.iter().chain(&options.group).chain(&options.id).chain(&options.drop).chain(&options.time);
        let named = columns.chain(&options.onehot).chain(&options.codes).any(is_named);
        let found = || {
            // A name that does not exist is reported below, once it is known whether there is a header at all.
            let label = Layout::new(None, first.len(), options, want).map_or(first.len().checked_sub(1), |l| l.label());
            is_header(&first, &ahead, label)
        };
        let header = options.header.unwrap_or_else(|| named || found());
        let layout = Layout::new(header.then_some(&names), first.len(), options, want)?;
        let line = first.line;
        let mut ahead: VecDeque<Record> = ahead.into();
        if !header {
            ahead.push_front(first);
        } else if ahead.is_empty() {
            return Err(no_rows("there is only a header"));
        }
        Ok(Self { records, ahead, record: Record::default(), layout, first: line })
    }

    /// Appends up to `limit` rows, one after the other, with their labels, groups and ids; returns how many there were.
    pub(super) fn read(&mut self, limit: usize, values: &mut Vec<f64>, words: &mut Words) -> Result<usize, ReadError> {
        let mut count = 0;
        while count < limit {
            if self.next_record()?.is_none() {
                break;
            }
            count += usize::from(self.take(values, words)?);
        }
        Ok(count)
    }

    /// The next row as it stands in the file.
    pub(super) fn next_record(&mut self) -> Result<Option<&Record>, ReadError> {
        if let Some(record) = self.ahead.pop_front() {
            self.record = record;
        } else if !self.records.read(&mut self.record)? {
            return Ok(None);
        }
        Ok(Some(&self.record))
    }

    /// What separates cells.
    pub(super) fn delimiter(&self) -> Option<u8> {
        self.records.delimiter()
    }

    /// Sorts the current record's cells into values, label and group; `false` if the row is left out.
    fn take(&self, values: &mut Vec<f64>, words: &mut Words) -> Result<bool, ReadError> {
        let (line, got, expected) = (self.record.line, self.record.len(), self.layout.roles.len());
        if got != expected {
            let first = self.first;
            return Err(ReadError::Invalid(format!("line {line}: {got} columns, but line {first} has {expected}")));
        }
        if self.layout.missing == Missing::Drop && self.lacks_something() {
            words.left_out += 1;
            words.breaks.push(words.rows);
            return Ok(false);
        }
        let mut book = 0;
        for (column, (cell, role)) in self.record.iter().zip(&self.layout.roles).enumerate() {
            let fault = |why| ReadError::table_cell(format!("line {line}"), self.layout.position(column), &why);
            match role {
                Role::Feature => values.push(self.number(cell).map_err(fault)?),
                Role::Category => {
                    let number = words.books[book].number(cell, self.layout.missing == Missing::Median);
                    values.push(number.map_err(fault)?);
                    book += 1;
                }
                Role::Label if !self.layout.any_label && !cell.is_empty() && number::is_missing_label(cell) => {
                    let text = shorten(&String::from_utf8_lossy(cell));
                    return Err(fault(CellProblem::MissingLabel(text)));
                }
                Role::Label => words.labels.push(word(cell, CellProblem::EmptyLabel).map_err(fault)?),
                Role::Group => words.groups.push(word(cell, CellProblem::EmptyGroup).map_err(fault)?),
                Role::Id => words.ids.push(word(cell, CellProblem::EmptyId).map_err(fault)?),
                Role::Time => {
                    let time = || CellProblem::NoTime(shorten(&String::from_utf8_lossy(cell)));
                    let seconds = if self.layout.decimal_comma { number::parse_with_comma(cell) } else { None };
                    words.times.push(seconds.or_else(|| number::time(cell)).ok_or_else(time).map_err(fault)?);
                }
                Role::Dropped => {}
            }
        }
        words.rows += 1;
        Ok(true)
    }

    /// A cell as a number, NaN where it is missing and will be filled in.
    fn number(&self, cell: &[u8]) -> Result<f64, CellProblem> {
        if self.layout.missing == Missing::Median && number::is_missing(cell) {
            return Ok(f64::NAN);
        }
        let comma = self.layout.decimal_comma;
        match if comma { number::parse_with_comma(cell) } else { number::parse(cell) } {
            Some(value) if crate::dataset::is_usable(value) => Ok(value),
            None if comma && number::parse(cell).is_some() => {
                Err(CellProblem::DecimalPoint(shorten(&String::from_utf8_lossy(cell))))
            }
            parsed => Err(number::problem(cell, parsed)),
        }
    }

    /// Whether a cell that is needed is missing.
    fn lacks_something(&self) -> bool {
        self.record.iter().zip(&self.layout.roles).any(|(cell, role)| match role {
            Role::Feature => number::is_missing(cell),
            Role::Category => number::is_missing_label(cell),
            Role::Label if !self.layout.any_label => number::is_missing_label(cell),
            Role::Label | Role::Group | Role::Id | Role::Time => cell.is_empty(),
            Role::Dropped => false,
        })
    }

    /// Appends all rows in blocks; `progress` states what is read, and how much there is.
    pub(super) fn read_all(
        &mut self,
        blocks: &mut Vec<Vec<f64>>,
        words: &mut Words,
        run: &Run<'_>,
        progress: impl Fn() -> (u64, u64),
    ) -> Result<(), ReadError> {
        let width = self.layout.cells();
        loop {
            let mut block = Vec::with_capacity(BLOCK * width);
            let count = self.read(BLOCK, &mut block, words)?;
            if !block.is_empty() {
                block.shrink_to_fit();
                blocks.push(block);
            }
            let (done, total) = progress();
            run.step("reading", (done >> 10) as usize, (total >> 10) as usize)?;
            if count < BLOCK {
                return Ok(());
            }
        }
    }

    /// All rows of this table alone.
    pub(super) fn into_raw(mut self, run: &Run<'_>, progress: impl Fn() -> (u64, u64)) -> Result<Raw, ReadError> {
        let (mut blocks, mut words) = (Vec::new(), self.layout.words());
        self.read_all(&mut blocks, &mut words, run, progress)?;
        assemble(&self.layout, blocks, words)
    }
}

/// The rows of one or several tables of the same columns.
pub(super) fn assemble(layout: &Layout, blocks: Vec<Vec<f64>>, words: Words) -> Result<Raw, ReadError> {
    let rows = gather::assemble(blocks, layout.cells())?;
    if words.left_out > 0 && rows.nrows() == 0 {
        return Err(no_rows("something is missing in every one"));
    }
    layout.raw(rows, words)
}

fn no_rows(why: &str) -> ReadError {
    ReadError::Invalid(format!("no rows: {why}"))
}

/// A label, group or id as text.
fn word(cell: &[u8], empty: CellProblem) -> Result<String, CellProblem> {
    match std::str::from_utf8(cell) {
        Ok("") => Err(empty),
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(CellProblem::NotUtf8),
    }
}

/// Opens a text file, decompressed if its name ends in .gz; the second handle states how far it is read.
pub(super) fn open_text(path: &Path) -> Result<(Box<dyn Read + Send>, File), ReadError> {
    let file = File::open(path)?;
    let same = file.try_clone()?;
    let packed = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
    Ok((if packed { Box::new(flate2::read::MultiGzDecoder::new(file)) } else { Box::new(file) }, same))
}

/// The delimiter that a file name promises: tabs for .tsv, none for .csv.
pub(super) fn delimiter_of(path: &Path) -> Option<u8> {
    let name = path.to_string_lossy().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    Path::new(name).extension().is_some_and(|ending| ending == "tsv").then_some(b'\t')
}

pub(super) fn read(path: &Path, options: &Options, want: Want, run: &Run<'_>) -> Result<Raw, ReadError> {
    let total = path.metadata()?.len();
    let (input, file) = open_text(path)?;
    let table = Table::open(input, delimiter_of(path), options, want)?;
    // A pipe has no position.
    table.into_raw(run, || ((&file).stream_position().unwrap_or(0), total))
}
