//! svmlight and libsvm files: a label and the values that are not zero, by their number, in every line.

use super::error::{CellProblem, ReadError, shorten};
use super::table::open_text;
use super::{Options, Raw, Want, number};
use crate::dataset::is_usable;
use crate::linalg::Csr;
use crate::linalg::csr::MAX_COLUMNS;
use crate::run::Run;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Lines from one look at cancellation to the next.
const STRIDE: usize = 4096;

/// What has been read so far. Columns are as written, from 0 or 1 on.
#[derive(Debug, Default)]
struct Lines {
    labels: Vec<String>,
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
    /// The first line with an index 0.
    zero: Option<usize>,
    queries: bool,
}

/// Reads `LABEL INDEX:VALUE INDEX:VALUE … # comment`.
pub(super) fn read(path: &Path, options: &Options, want: Want, run: &Run<'_>) -> Result<Raw, ReadError> {
    let (input, _) = open_text(path)?;
    let mut input = BufReader::with_capacity(1 << 17, input);
    let mut lines = Lines { starts: vec![0], ..Lines::default() };
    let mut text = Vec::new();
    for line in 1.. {
        text.clear();
        if input.read_until(b'\n', &mut text)? == 0 {
            break;
        }
        if line % STRIDE == 0 {
            run.step("reading", 0, 1)?;
        }
        let text = std::str::from_utf8(&text)
            .map_err(|_| ReadError::cell(format!("line {line}"), 0, &CellProblem::NotUtf8))?;
        lines.push(line, text.strip_prefix('\u{FEFF}').unwrap_or(text))?;
    }
    lines.finish(options, want)
}

impl Lines {
    fn push(&mut self, line: usize, text: &str) -> Result<(), ReadError> {
        let fault = |why: String| ReadError::Invalid(format!("line {line}: {why}"));
        let text = text.split('#').next().unwrap_or_default();
        let mut words = text.split_ascii_whitespace();
        let Some(label) = words.next() else { return Ok(()) };
        self.labels.push(label_of(label).map_err(fault)?);
        let start = self.values.len();
        for word in words {
            let Some((index, value)) = word.split_once(':') else {
                return Err(fault(format!("`{}` is no INDEX:VALUE", shorten(word))));
            };
            if index == "qid" {
                self.queries = true;
                continue;
            }
            let index = match index.parse::<u32>() {
                Ok(index) if index as usize <= MAX_COLUMNS => index,
                _ => return Err(fault(format!("index `{}`, expected 0 to {MAX_COLUMNS}", shorten(index)))),
            };
            if let Some(&before) = self.indices.get(start..).and_then(|row| row.last())
                && index <= before
            {
                return Err(fault(format!("index {index} comes after {before}: indices must ascend")));
            }
            let parsed = number::parse(value.as_bytes());
            let Some(value) = parsed.filter(|value| is_usable(*value)) else {
                return Err(fault(format!("index {index}: {}", number::problem(value.as_bytes(), parsed))));
            };
            if index == 0 {
                self.zero.get_or_insert(line);
            }
            self.indices.push(index);
            self.values.push(value);
        }
        self.starts.push(self.values.len());
        Ok(())
    }

    /// Rows with columns counted from 0.
    fn finish(mut self, options: &Options, want: Want) -> Result<Raw, ReadError> {
        if self.labels.is_empty() {
            return Err(crate::DataError::NoRows.into());
        }
        let mut notes = Vec::new();
        if self.queries {
            notes.push("qid is ignored".to_owned());
        }
        let inputs = if let Want::Inputs(inputs) = want { Some(inputs) } else { options.inputs };
        let base = match (options.index_base, self.zero) {
            (Some(1), Some(line)) => {
                return Err(ReadError::Invalid(format!("line {line}: index 0, but option `index_base` is 1")));
            }
            (Some(base), _) => u32::from(base),
            (None, Some(line)) => {
                notes.push(format!("indices count from 0, since line {line} has an index 0"));
                0
            }
            (None, None) => {
                notes.extend(self.check_base(inputs)?);
                1
            }
        };
        self.indices.iter_mut().for_each(|index| *index -= base);
        let most = self.indices.iter().max().map_or(1, |index| *index as usize + 1);
        // A file does not state its columns: the last ones may have no value in it.
        let columns = inputs.unwrap_or(most);
        if most > columns {
            return Err(crate::DataError::Width { expected: columns, got: most }.into());
        }
        let rows = Csr::new(columns, self.starts, self.indices, self.values);
        let rows = rows.map_err(|error| ReadError::damaged("svmlight file", error))?;
        Ok(Raw { notes, ..Raw::sparse(rows, Some(self.labels)) })
    }

    /// Compares indices without a 0 with a model's inputs: they count from 1, unless a file that counts from 0 has no value
    /// in its first column.
    fn check_base(&self, inputs: Option<usize>) -> Result<Option<String>, ReadError> {
        let (Some(inputs), Some(&most)) = (inputs, self.indices.iter().max()) else { return Ok(None) };
        let (most, last) = (most as usize, inputs.saturating_sub(1));
        if most > inputs {
            return Err(ReadError::Invalid(format!(
                "index {most}, but the model takes {inputs} input values: 1 to {inputs}, or 0 to {last} where indices \
                 count from 0"
            )));
        }
        let note =
            "indices count from 1, since none is 0; if those of the training file count from 0, add --index-base 0";
        // The last index would be one too many if they counted from 0.
        Ok((most < inputs).then(|| note.to_owned()))
    }
}

/// A class by number or name; `+1` and `1.0` are `1`.
fn label_of(text: &str) -> Result<String, String> {
    if text.contains(':') {
        return Err(format!("`{}` where the label should be", shorten(text)));
    }
    match text.parse::<f64>() {
        Ok(value) if value.fract() == 0.0 && value.abs() < 1e15 => Ok((value as i64).to_string()),
        Ok(value) => Err(CellProblem::Fraction(value).to_string()),
        Err(_) if text.contains(',') => Err(format!("`{}`: a row has one label", shorten(text))),
        Err(_) => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str, options: &Options, want: Want) -> Result<Raw, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let path = folder.path().join("x.svm");
        std::fs::write(&path, text).map_err(|error| error.to_string())?;
        read(&path, options, want, &Run::default()).map_err(|error| error.to_string())
    }

    fn rows(raw: &Raw) -> Vec<Vec<f64>> {
        let Some(rows) = &raw.sparse else { return Vec::new() };
        (0..rows.nrows()).map(|i| rows.dense(&[i]).iter().copied().collect()).collect()
    }

    #[test]
    fn labels_indices_comments_and_queries_are_read() -> Result<(), String> {
        let text = "# all\n+1 1:0.5 3:2 # first\n\n-1 qid:7 2:1e-1\r\n+1\n";
        let raw = read_text(text, &Options::default(), Want::Labelled)?;
        assert_eq!(rows(&raw), [vec![0.5, 0.0, 2.0], vec![0.0, 0.1, 0.0], vec![0.0, 0.0, 0.0]]);
        assert_eq!(raw.labels, Some(["1", "-1", "1"].map(String::from).to_vec()));
        assert_eq!(raw.notes, ["qid is ignored"]);
        let raw = read_text("cat 0:1 2:3\ndog 1:4", &Options::default(), Want::Labelled)?;
        assert_eq!(rows(&raw), [vec![1.0, 0.0, 3.0], vec![0.0, 4.0, 0.0]]);
        assert_eq!(raw.notes, ["indices count from 0, since line 1 has an index 0"]);
        Ok(())
    }

    #[test]
    fn the_base_may_be_named_and_columns_may_be_missing() -> Result<(), String> {
        let base = |base| Options { index_base: Some(base), ..Options::default() };
        assert_eq!(rows(&read_text("1 1:5\n", &base(0), Want::Labelled)?), [vec![0.0, 5.0]]);
        assert_eq!(rows(&read_text("1 1:5\n", &base(1), Want::Inputs(3))?), [vec![5.0, 0.0, 0.0]]);
        let inputs = Options { inputs: Some(2), ..Options::default() };
        assert_eq!(rows(&read_text("1 1:5\n", &inputs, Want::Labelled)?), [vec![5.0, 0.0]]);
        let wide = read_text("1 4:5\n", &Options::default(), Want::Inputs(3)).err();
        let both = "index 4, but the model takes 3 input values: 1 to 3, or 0 to 2 where indices count from 0";
        assert_eq!(wide.as_deref(), Some(both));
        let wide = read_text("1 0:1 3:5\n", &Options::default(), Want::Inputs(3)).err();
        assert_eq!(wide.as_deref(), Some("model takes 3 input values, got 4"));
        let zero = read_text("2 1:1\n1 0:5\n", &base(1), Want::Labelled).err();
        assert_eq!(zero.as_deref(), Some("line 2: index 0, but option `index_base` is 1"));
        Ok(())
    }

    #[test]
    fn indices_that_fit_a_model_from_0_and_from_1_get_a_note() -> Result<(), String> {
        let notes = |text: &str, options: &Options| read_text(text, options, Want::Inputs(3)).map(|raw| raw.notes);
        let found = notes("1 1:5\n2 2:1\n", &Options::default())?;
        assert!(found[0].starts_with("indices count from 1, since none is 0; if"), "{found:?}");
        // An index 3 is the third of three columns, or the fourth.
        assert!(notes("1 1:5\n2 3:1\n", &Options::default())?.is_empty());
        for base in [0, 1] {
            assert!(notes("1 1:5\n", &Options { index_base: Some(base), ..Options::default() })?.is_empty());
        }
        let inputs = Options { inputs: Some(3), ..Options::default() };
        assert_eq!(read_text("1 1:5\n", &inputs, Want::Labelled)?.notes.len(), 1);
        assert!(read_text("1 1:5\n", &Options::default(), Want::Labelled)?.notes.is_empty());
        Ok(())
    }

    #[test]
    fn wrong_lines_are_named() {
        for (text, message) in [
            ("", "no rows"),
            ("1 1:1\n2 3:1 2:1\n", "line 2: index 2 comes after 3: indices must ascend"),
            ("1 3:1 3:1\n", "line 1: index 3 comes after 3: indices must ascend"),
            ("1 3:nan\n", "line 1: index 3: `nan` is not a finite number"),
            ("1 3:1e300\n", "line 1: index 3: `1e300` is too large, at most 1e17 can be computed with"),
            ("1 3:\n", "line 1: index 3: the cell is empty, expected a number"),
            ("1 3\n", "line 1: `3` is no INDEX:VALUE"),
            ("1 -3:1\n", "line 1: index `-3`, expected 0 to 16777216"),
            ("1 4294967296:1\n", "line 1: index `4294967296`, expected 0 to 16777216"),
            ("1.5 1:1\n", "line 1: the label 1.5 is neither an integer nor text"),
            ("1,2 1:1\n", "line 1: `1,2`: a row has one label"),
            ("1:1 2:1\n", "line 1: `1:1` where the label should be"),
        ] {
            let found = read_text(text, &Options::default(), Want::Labelled).err();
            assert_eq!(found.as_deref(), Some(message), "{text}");
        }
    }
}
