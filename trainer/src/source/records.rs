//! A text table cut into cells, with the line on which each record begins.
//!
//! Written here because messages must name the right line: the csv crate counts blank lines and Windows line ends to
//! the record before them. Cells without quotes are spans of the line as it was read, nothing is copied.

use super::error::SourceError;
use std::io::{BufRead, BufReader, Read};

/// The longest record: a million wide columns, but not a disk image without any line end.
const LONGEST: u64 = 64 << 20;

/// One line of cells; a quoted cell may span several.
#[derive(Debug, Default)]
pub(super) struct Record {
    /// Line on which it begins, counted from 1.
    pub(super) line: usize,
    text: Vec<u8>,
    cells: Vec<(usize, usize)>,
}

impl Record {
    /// Number of cells.
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// The cells without spaces around them.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.cells.iter().map(|&(start, end)| self.text[start..end].trim_ascii())
    }

    /// One cell, without spaces around it.
    pub(super) fn cell(&self, cell: usize) -> Option<&[u8]> {
        self.cells.get(cell).map(|&(start, end)| self.text[start..end].trim_ascii())
    }

    /// One cell as text, for headers and messages.
    pub(super) fn text(&self, cell: usize) -> String {
        String::from_utf8_lossy(self.cell(cell).unwrap_or_default()).into_owned()
    }
}

/// Records one after the other.
pub(super) struct Records {
    input: BufReader<Box<dyn Read + Send>>,
    delimiter: Option<u8>,
    line: usize,
}

impl Records {
    /// Cells apart by `delimiter`, or by what the first line suggests.
    pub(super) fn new(input: Box<dyn Read + Send>, delimiter: Option<u8>) -> Self {
        Self { input: BufReader::with_capacity(1 << 17, input), delimiter, line: 0 }
    }

    /// Reads the next record that is not blank; `false` at the end.
    pub(super) fn read(&mut self, record: &mut Record) -> Result<bool, SourceError> {
        record.text.clear();
        record.cells.clear();
        while self.read_line(&mut record.text)? {
            record.line = self.line;
            if !record.text.iter().all(|&byte| byte == b' ') {
                let delimiter = *self.delimiter.get_or_insert_with(|| guess_delimiter(&record.text));
                if record.text.contains(&b'"') {
                    self.cut_quoted(record, delimiter)?;
                } else {
                    cut(&record.text, delimiter, &mut record.cells);
                }
                return Ok(true);
            }
            record.text.clear();
        }
        Ok(false)
    }

    /// Appends the next line without its end.
    fn read_line(&mut self, text: &mut Vec<u8>) -> Result<bool, SourceError> {
        let start = text.len();
        let room = LONGEST.saturating_sub(start as u64);
        if self.input.by_ref().take(room).read_until(b'\n', text)? == 0 {
            return Ok(false);
        }
        if text.len() as u64 >= LONGEST {
            return Err(SourceError::NotText { what: "not a table: a line is longer than 64 MB" });
        }
        self.line += 1;
        if self.line == 1 {
            if text.starts_with(b"\xEF\xBB\xBF") {
                text.drain(..3);
            }
            if text.starts_with(b"\xFF\xFE") || text.starts_with(b"\xFE\xFF") {
                return Err(SourceError::NotText { what: "UTF-16 text, expected UTF-8: save it again as UTF-8" });
            }
        }
        if text.len() > start && text.ends_with(b"\n") {
            text.pop();
        }
        if text.len() > start && text.ends_with(b"\r") {
            text.pop();
        }
        Ok(true)
    }

    /// As [`cut`], where a cell may begin with a quote: it then ends at the next single one, and may hold delimiters,
    /// line ends (whichever, they become `\n`) and doubled quotes.
    fn cut_quoted(&mut self, record: &mut Record, delimiter: u8) -> Result<(), SourceError> {
        let mut source = std::mem::take(&mut record.text);
        let mut at = 0;
        loop {
            let start = record.text.len();
            at += source[at..].iter().take_while(|&&byte| byte == b' ').count();
            if source.get(at) == Some(&b'"') {
                at += 1;
                loop {
                    match (source.get(at), source.get(at + 1)) {
                        (Some(b'"'), Some(b'"')) => {
                            record.text.push(b'"');
                            at += 2;
                        }
                        (Some(b'"'), _) => {
                            at += 1;
                            break;
                        }
                        (Some(&byte), _) => {
                            record.text.push(byte);
                            at += 1;
                        }
                        (None, _) => {
                            source.push(b'\n');
                            if !self.read_line(&mut source)? {
                                return Err(SourceError::OpenQuote { line: record.line });
                            }
                        }
                    }
                }
            }
            let rest = source[at..].iter().take_while(|&&byte| byte != delimiter).count();
            record.text.extend_from_slice(&source[at..at + rest]);
            record.cells.push((start, record.text.len()));
            at += rest;
            if at >= source.len() {
                return Ok(());
            }
            at += 1;
        }
    }
}

fn cut(text: &[u8], delimiter: u8, cells: &mut Vec<(usize, usize)>) {
    let mut start = 0;
    for (at, _) in text.iter().enumerate().filter(|(_, byte)| **byte == delimiter) {
        cells.push((start, at));
        start = at + 1;
    }
    cells.push((start, text.len()));
}

/// The delimiter of a first line. Semicolons win over commas that can be decimal commas, one between digits per cell.
fn guess_delimiter(line: &[u8]) -> u8 {
    let mut quoted = false;
    let (mut commas, mut semicolons, mut tabs) = (0, 0, 0);
    let (mut commas_in_cell, mut decimal) = (0, true);
    for (at, byte) in line.iter().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b',' if !quoted => {
                let is_digit = |at: Option<usize>| at.and_then(|at| line.get(at)).is_some_and(u8::is_ascii_digit);
                commas += 1;
                commas_in_cell += 1;
                decimal &= commas_in_cell == 1 && is_digit(at.checked_sub(1)) && is_digit(Some(at + 1));
            }
            b';' if !quoted => {
                semicolons += 1;
                commas_in_cell = 0;
            }
            b'\t' if !quoted => tabs += 1,
            _ => {}
        }
    }
    if semicolons > 0 && decimal && semicolons >= tabs {
        b';'
    } else if tabs > commas {
        b'\t'
    } else {
        b','
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut_all(text: &[u8]) -> Result<Vec<(usize, Vec<String>)>, SourceError> {
        let mut records = Records::new(Box::new(std::io::Cursor::new(text.to_vec())), None);
        let mut record = Record::default();
        let mut all = Vec::new();
        while records.read(&mut record)? {
            all.push((record.line, (0..record.len()).map(|i| record.text(i)).collect()));
        }
        Ok(all)
    }

    fn line(line: usize, cells: &[&str]) -> (usize, Vec<String>) {
        (line, cells.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn lines_are_counted_as_an_editor_counts_them() -> Result<(), SourceError> {
        let text = b"\xEF\xBB\xBFa, b \r\n\r\n1,\"x\r\ny\"\r\n  \r\n3,4";
        assert_eq!(cut_all(text)?, [line(1, &["a", "b"]), line(3, &["1", "x\ny"]), line(6, &["3", "4"])]);
        Ok(())
    }

    #[test]
    fn quotes_hold_delimiters_and_doubled_quotes() -> Result<(), SourceError> {
        assert!(matches!(cut_all(b"1,2\n3,\"a\n4,5\n"), Err(SourceError::OpenQuote { line: 2 })));
        assert_eq!(cut_all(b"\"\",2")?, [line(1, &["", "2"])]);
        let text = br#"1, "a,b" ,"say ""hi""",,5" tall,"#;
        assert_eq!(cut_all(text)?, [line(1, &["1", "a,b", "say \"hi\"", "", "5\" tall", ""])]);
        Ok(())
    }

    #[test]
    fn the_first_line_tells_the_delimiter() {
        assert_eq!(guess_delimiter(b"a,b;c,d"), b',');
        assert_eq!(guess_delimiter(b"1,5;2,5;a"), b';');
        assert_eq!(guess_delimiter(b"1\t2,5\t3"), b'\t');
        assert_eq!(guess_delimiter(b"\"a;b;c\",d"), b',');
        assert_eq!(guess_delimiter(b"alone"), b',');
    }

    #[test]
    fn utf_16_is_named() {
        let message = cut_all(b"\xFF\xFEa\0,\0b\0").map_err(|e| e.to_string());
        assert_eq!(message, Err("UTF-16 text, expected UTF-8: save it again as UTF-8".into()));
    }
}
