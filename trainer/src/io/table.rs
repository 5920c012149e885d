//! Text tables: CSV and TSV, plain or gzipped, read in bounded memory.

use super::error::{CellProblem, ReadError};
use super::gather::{self, BLOCK};
use super::header::is_header;
use super::layout::{Layout, Role, Words};
use super::number;
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
        let named = options.label.iter().chain(&options.group).chain(&options.id).chain(&options.drop).any(is_named);
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
        for count in 0..limit {
            if self.next_record()?.is_none() {
                return Ok(count);
            }
            self.take(values, words)?;
        }
        Ok(limit)
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

    /// Sorts the current record's cells into values, label and group.
    fn take(&self, values: &mut Vec<f64>, words: &mut Words) -> Result<(), ReadError> {
        let (line, got, expected) = (self.record.line, self.record.len(), self.layout.roles.len());
        if got != expected {
            let first = self.first;
            return Err(ReadError::Invalid(format!("line {line}: {got} columns, but line {first} has {expected}")));
        }
        for (column, (cell, role)) in self.record.iter().zip(&self.layout.roles).enumerate() {
            let fault = |why| ReadError::cell(format!("line {line}"), self.layout.position(column), &why);
            match role {
                Role::Feature => match number::parse(cell) {
                    Some(value) if crate::dataset::is_usable(value) => values.push(value),
                    parsed => return Err(fault(number::problem(cell, parsed))),
                },
                Role::Label => words.labels.push(word(cell, CellProblem::EmptyLabel).map_err(fault)?),
                Role::Group => words.groups.push(word(cell, CellProblem::EmptyGroup).map_err(fault)?),
                Role::Id => words.ids.push(word(cell, CellProblem::EmptyId).map_err(fault)?),
                Role::Dropped => {}
            }
        }
        Ok(())
    }

    /// All rows at once.
    pub(super) fn into_raw(mut self, run: &Run<'_>, progress: impl Fn() -> (u64, u64)) -> Result<Raw, ReadError> {
        let width = self.layout.width();
        let (mut blocks, mut words) = (Vec::new(), Words::default());
        loop {
            let mut block = Vec::with_capacity(BLOCK * width);
            let count = self.read(BLOCK, &mut block, &mut words)?;
            if !block.is_empty() {
                block.shrink_to_fit();
                blocks.push(block);
            }
            let (done, total) = progress();
            run.step("reading", (done >> 10) as usize, (total >> 10) as usize)?;
            if count < BLOCK {
                break;
            }
        }
        let rows = gather::assemble(blocks, width)?;
        Ok(self.layout.raw(rows, words))
    }
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
