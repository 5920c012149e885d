//! A text table cut into cells, with the line on which each record begins.
//!
//! Lines are counted here, because messages must name the right one: the csv crate attributes blank lines and Windows line
//! ends to the record before them. Splitting a line into cells is left to csv-core.

use super::error::ReadError;
use csv_core::{ReadRecordResult, Reader};
use std::io::{BufRead, BufReader, Read};

/// The longest record: a million wide columns, but not a disk image without any line end.
const LONGEST: u64 = 64 << 20;

/// One line of cells; a quoted cell may span several.
#[derive(Debug, Default)]
pub(super) struct Record {
    /// Line on which it begins, counted from 1.
    pub(super) line: usize,
    text: Vec<u8>,
    /// Where each cell ends.
    ends: Vec<usize>,
}

impl Record {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).filter_map(|cell| self.cell(cell))
    }

    /// One cell, without spaces around it.
    pub(super) fn cell(&self, cell: usize) -> Option<&[u8]> {
        let start = if cell == 0 { 0 } else { *self.ends.get(cell - 1)? };
        Some(self.text[start..*self.ends.get(cell)?].trim_ascii())
    }

    /// One cell as text, for headers and messages.
    pub(super) fn text(&self, cell: usize) -> String {
        String::from_utf8_lossy(self.cell(cell).unwrap_or_default()).into_owned()
    }
}

pub(super) struct Records {
    input: BufReader<Box<dyn Read + Send>>,
    delimiter: Option<u8>,
    cutter: Option<Reader>,
    line: usize,
    source: Vec<u8>,
}

impl Records {
    /// Records whose cells are separated by `delimiter`, or by the one that the first line suggests.
    pub(super) fn new(input: Box<dyn Read + Send>, delimiter: Option<u8>) -> Self {
        let input = BufReader::with_capacity(1 << 17, input);
        Self { input, delimiter, cutter: None, line: 0, source: Vec::new() }
    }

    /// What separates cells, once a line was read.
    pub(super) fn delimiter(&self) -> Option<u8> {
        self.delimiter
    }

    /// Reads the next record that is not blank; `false` at the end.
    pub(super) fn read(&mut self, record: &mut Record) -> Result<bool, ReadError> {
        loop {
            self.source.clear();
            if !self.read_line()? {
                return Ok(false);
            }
            if !self.source.iter().all(|&byte| byte == b' ') {
                record.line = self.line;
                self.cut(record)?;
                return Ok(true);
            }
        }
    }

    /// Cuts the line just read; where a quote stays open, the next lines belong to it.
    fn cut(&mut self, record: &mut Record) -> Result<(), ReadError> {
        let delimiter = *self.delimiter.get_or_insert_with(|| guess_delimiter(&self.source));
        let new = || csv_core::ReaderBuilder::new().delimiter(delimiter).build();
        let mut cutter = self.cutter.take().unwrap_or_else(new);
        cutter.reset();
        // Cells are never longer than the text they are cut from.
        record.text.resize(self.source.len() + 1, 0);
        record.ends.resize(record.ends.capacity().max(16), 0);
        let (mut at, mut written, mut cells) = (0, 0, 0);
        self.source.push(b'\n');
        loop {
            let (result, read, wrote, cut) =
                cutter.read_record(&self.source[at..], &mut record.text[written..], &mut record.ends[cells..]);
            (at, written, cells) = (at + read, written + wrote, cells + cut);
            match result {
                ReadRecordResult::Record | ReadRecordResult::End => break,
                ReadRecordResult::OutputEndsFull => record.ends.resize(2 * record.ends.len(), 0),
                ReadRecordResult::OutputFull => record.text.resize(2 * record.text.len() + 1, 0),
                ReadRecordResult::InputEmpty => {
                    self.source.clear();
                    at = 0;
                    if !self.read_line()? {
                        let message = format!("line {}: a quote opens here and is never closed", record.line);
                        return Err(ReadError::Invalid(message));
                    }
                    self.source.push(b'\n');
                    if (written + self.source.len()) as u64 > LONGEST {
                        return Err(too_long());
                    }
                    record.text.resize(written + self.source.len(), 0);
                }
            }
        }
        record.text.truncate(written);
        record.ends.truncate(cells);
        self.cutter = Some(cutter);
        Ok(())
    }

    /// Takes the next line, without its end: LF, CR LF, or CR alone as some spreadsheets still write it.
    fn read_line(&mut self) -> Result<bool, ReadError> {
        let mut any = false;
        loop {
            let read = self.input.fill_buf()?;
            if read.is_empty() {
                break;
            }
            any = true;
            let end = read.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            self.source.extend_from_slice(&read[..end.unwrap_or(read.len())]);
            if self.source.len() as u64 >= LONGEST {
                return Err(too_long());
            }
            let Some(end) = end else {
                let read = read.len();
                self.input.consume(read);
                continue;
            };
            let carriage_return = read[end] == b'\r';
            self.input.consume(end + 1);
            // The other half of CR LF may lie in the next piece of the file.
            if carriage_return && self.input.fill_buf()?.first() == Some(&b'\n') {
                self.input.consume(1);
            }
            break;
        }
        self.line += usize::from(any);
        if any && self.line == 1 {
            check_encoding(&mut self.source)?;
        }
        Ok(any)
    }
}

/// Removes the mark of UTF-8 from the first line, and refuses those of other encodings by name.
fn check_encoding(text: &mut Vec<u8>) -> Result<(), ReadError> {
    if text.starts_with(b"\xEF\xBB\xBF") {
        text.drain(..3);
    }
    // The mark of UTF-32 begins like that of UTF-16.
    let utf_32 = text.starts_with(b"\xFF\xFE\0\0") || text.starts_with(b"\0\0\xFE\xFF");
    let utf_16 = text.starts_with(b"\xFF\xFE") || text.starts_with(b"\xFE\xFF");
    if utf_32 || utf_16 {
        let name = if utf_32 { "UTF-32" } else { "UTF-16" };
        return Err(ReadError::Invalid(format!("{name} text, expected UTF-8: save it again as UTF-8")));
    }
    Ok(())
}

fn too_long() -> ReadError {
    ReadError::Invalid("not a table: a line is longer than 64 MB".into())
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

    fn cut_all(text: &[u8]) -> Result<Vec<(usize, Vec<String>)>, ReadError> {
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
    fn lines_are_counted_as_an_editor_counts_them() -> Result<(), ReadError> {
        let text = b"\xEF\xBB\xBFa, b \r\n\r\n1,\"x\r\ny\"\r\n  \r\n3,4";
        assert_eq!(cut_all(text)?, [line(1, &["a", "b"]), line(3, &["1", "x\ny"]), line(6, &["3", "4"])]);
        Ok(())
    }

    #[test]
    fn a_carriage_return_alone_ends_a_line() -> Result<(), ReadError> {
        assert_eq!(cut_all(b"a,b\r1,2\r3,4")?, [line(1, &["a", "b"]), line(2, &["1", "2"]), line(3, &["3", "4"])]);
        // CR LF is one end, also where a piece of the file ends between the two.
        let input = std::io::Cursor::new(b"1,2\r").chain(std::io::Cursor::new(b"\n3,4\r\n"));
        let mut records = Records::new(Box::new(input), None);
        let mut record = Record::default();
        assert!(records.read(&mut record)? && records.read(&mut record)?);
        assert_eq!((record.line, record.text(0)), (2, "3".to_owned()));
        assert!(!records.read(&mut record)?);
        Ok(())
    }

    #[test]
    fn other_encodings_are_refused_by_name() {
        let message = |text: &[u8]| cut_all(text).map_err(|e| e.to_string()).err().unwrap_or_default();
        assert!(message(b"\xFF\xFEa\0").starts_with("UTF-16 text"));
        assert!(message(b"\xFF\xFE\0\0a\0\0\0").starts_with("UTF-32 text"));
        assert!(message(b"\0\0\xFE\xFF\0\0\0a").starts_with("UTF-32 text"));
    }

    #[test]
    fn quotes_hold_delimiters_and_doubled_quotes() -> Result<(), ReadError> {
        let message = cut_all(b"1,2\n3,\"a\n4,5\n").map_err(|e| e.to_string());
        assert_eq!(message, Err("line 2: a quote opens here and is never closed".into()));
        assert_eq!(cut_all(b"\"\",2")?, [line(1, &["", "2"])]);
        let text = br#"1,"a,b","say ""hi""",,5" tall,"#;
        assert_eq!(cut_all(text)?, [line(1, &["1", "a,b", "say \"hi\"", "", "5\" tall", ""])]);
        Ok(())
    }

    #[test]
    fn the_first_line_determines_the_delimiter() {
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
