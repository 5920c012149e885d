//! Rows for an existing model, in blocks: a text table of any length is read in bounded memory.

use super::error::ReadError;
use super::form::Form;
use super::table::{Table, delimiter_of, open_text};
use super::{Options, Raw, Shape, Want, form_of, read};
use crate::dataset::{check_finite, filled_rows};
use crate::linalg::Mat;
use crate::run::Run;

/// Rows per block: enough to keep every core busy, few enough that their memory does not matter.
const ROWS: usize = 1024;

/// Some consecutive rows of the data.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// At most 1024 rows, as wide as the model's input.
    pub rows: Mat,
    /// Their labels, if the data have any.
    pub labels: Option<Vec<String>>,
    /// Number of the first of them, counted from 0.
    pub first: usize,
}

/// The rows of the data, block by block; ends at the first error.
pub struct Blocks {
    rows: Rows,
    next: usize,
}

/// Where the blocks come from.
enum Rows {
    Text(Box<Table>),
    Loaded(Box<Raw>),
    Done,
}

/// Opens data for a model of `inputs` values per row.
///
/// A table of as many columns has no label. One column more is the label: the one that `options` name, else the last.
/// Text tables are read block by block as the iterator advances, other forms at once.
///
/// # Errors
/// As [`load`](super::load), and for rows of another width.
pub fn stream(name: &str, options: &Options, inputs: usize) -> Result<Blocks, ReadError> {
    let want = Want::Inputs(inputs);
    let rows = match form_of(name, options)? {
        // Windows are cut from a whole log.
        Form::Text(path) if options.window_rows.is_none() => {
            let (input, _) = open_text(&path)?;
            Rows::Text(Box::new(Table::open(input, delimiter_of(&path), options, want)?))
        }
        form => {
            let raw = read(&form, options, want, &Run::default())?;
            if raw.width() != inputs {
                return Err(crate::DataError::Width { expected: inputs, got: raw.width() }.into());
            }
            check_finite(&raw.rows)?;
            Rows::Loaded(Box::new(raw))
        }
    };
    Ok(Blocks { rows, next: 0 })
}

impl Blocks {
    /// The shape of a row, as far as the data define it.
    #[must_use]
    pub fn shape(&self) -> Shape {
        if let Rows::Loaded(raw) = &self.rows { raw.shape } else { Shape::Flat }
    }

    /// What people should know about the reading, as [`Loaded::notes`](super::Loaded::notes).
    #[must_use]
    pub fn notes(&self) -> &[String] {
        if let Rows::Loaded(raw) = &self.rows { &raw.notes } else { &[] }
    }

    /// The columns' names; empty if they have none.
    #[must_use]
    pub fn features(&self) -> Vec<String> {
        match &self.rows {
            Rows::Text(table) => table.layout.features(),
            Rows::Loaded(raw) => raw.features.clone(),
            Rows::Done => Vec::new(),
        }
    }

    fn advance(&mut self) -> Result<Option<Block>, ReadError> {
        let first = self.next;
        let block = match &mut self.rows {
            Rows::Text(table) => {
                let (mut values, mut words) = (Vec::new(), table.layout.words());
                let count = table.read(ROWS, &mut values, &mut words)?;
                let raw = table.layout.raw(Mat::from_row_slice(count, table.layout.cells(), &values), words)?;
                Block { rows: raw.rows, labels: raw.labels, first }
            }
            Rows::Loaded(raw) => {
                let most = raw.sparse.as_ref().map_or(ROWS, |rows| filled_rows(rows.ncols()));
                let count = most.min(raw.rows.nrows() - first);
                let labels = raw.labels.as_ref().map(|labels| labels[first..first + count].to_vec());
                let rows = match &raw.sparse {
                    Some(rows) => rows.dense(&(first..first + count).collect::<Vec<_>>()),
                    None => raw.rows.rows(first, count).into_owned(),
                };
                Block { rows, labels, first }
            }
            Rows::Done => return Ok(None),
        };
        self.next += block.rows.nrows();
        Ok((block.rows.nrows() > 0).then_some(block))
    }
}

impl Iterator for Blocks {
    type Item = Result<Block, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let block = self.advance().transpose();
        if !matches!(block, Some(Ok(_))) {
            self.rows = Rows::Done;
        }
        block
    }
}

impl std::fmt::Debug for Blocks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Blocks").field("next", &self.next).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn long_tables_come_in_blocks_with_their_first_row() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("x.csv");
        let lines: Vec<String> = (0..2500).map(|i| format!("{i},{},c{}", 2 * i, i % 3)).collect();
        fs::write(&path, format!("a,b,kind\n{}\n", lines.join("\n")))?;
        let blocks = stream(&path.to_string_lossy(), &Options::default(), 2)?.collect::<Result<Vec<_>, _>>()?;
        let places: Vec<(usize, usize)> = blocks.iter().map(|block| (block.first, block.rows.nrows())).collect();
        assert_eq!(places, [(0, 1024), (1024, 1024), (2048, 452)]);
        assert_eq!(blocks[2].rows[(451, 1)], 4998.0);
        assert_eq!(blocks[1].labels.as_ref().map(|labels| labels[0].as_str()), Some("c1"));
        let unlabelled =
            stream(&path.to_string_lossy(), &Options { drop: vec!["kind".parse()?], ..Options::default() }, 2)?;
        assert!(unlabelled.flatten().all(|block| block.labels.is_none()));
        Ok(())
    }

    #[test]
    fn a_fault_ends_the_stream() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("x.csv");
        fs::write(&path, "1,2\n3,4\n5,x\n7,8\n")?;
        let mut blocks = stream(&path.to_string_lossy(), &Options::default(), 2)?;
        let message = blocks.next().and_then(Result::err).map(|e| e.to_string());
        assert!(message.is_some_and(|message| message.starts_with("line 3, column 1: `x` is not a number")));
        assert!(blocks.next().is_none());
        Ok(())
    }

    #[test]
    fn forms_that_are_read_at_once_come_in_blocks_too() -> Result<(), ReadError> {
        let blocks = stream("builtin:digits", &Options::default(), 64)?.collect::<Result<Vec<_>, _>>()?;
        assert_eq!(blocks.iter().map(|block| block.rows.nrows()).collect::<Vec<_>>(), [1024, 773]);
        let message = stream("builtin:digits", &Options::default(), 63).map_err(|e| e.to_string()).err();
        assert_eq!(message.as_deref(), Some("model takes 63 input values, got 64"));
        Ok(())
    }
}
