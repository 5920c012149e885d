//! The flags that say how DATA is read.

use super::Usage;
use clap::Args;
use nearmark_train::ModelFile;
use nearmark_train::config::Size;
use nearmark_train::dataset::Preparation;
use nearmark_train::io::{Column, Known, Missing, Options, ReadError};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

#[derive(Debug, Clone, Default, PartialEq, Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[command(next_help_heading = "Reading DATA")]
pub(crate) struct DataArgs {
    /// Label column of a table (CSV, TSV, Parquet), by name or number; numbers count from 0, or from the end as -1
    /// [default: the last column]
    #[arg(long, value_name = "NAME|INDEX", allow_hyphen_values = true)]
    pub(crate) label: Option<String>,
    /// File with the labels of arrays or IDX images: .npy, IDX, or text with one label per line
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    /// Groups, such as persons, that hold-out and cross-validation must not split: a column of a table (then no
    /// feature), or the name of an array beside X and y
    #[arg(long, value_name = "NAME|INDEX", allow_hyphen_values = true)]
    pub(crate) group: Option<String>,
    /// Whether the first line of a CSV or TSV file names the columns [default: detected automatically]
    #[arg(long, value_name = "yes|no", value_parser = yes_or_no)]
    pub(crate) header: Option<bool>,
    /// Columns of a table to ignore, by name or number, separated by commas
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) drop: Vec<String>,
    /// What stands before decimals in a text table: `.` or `,` [default: .]
    #[arg(long, value_name = ".|,", value_parser = [".", ","])]
    pub(crate) decimal: Option<String>,
    /// Rows of a table with missing cells (empty, NA, NaN, null, ?): refuse them, leave them out, or fill in the column's
    /// median, a missing word as the most frequent one; models keep what they fill in [default: error]
    #[arg(long, value_name = "error|drop|median", value_parser = ["error", "drop", "median"])]
    pub(crate) missing: Option<String>,
    /// NA, N/A, NaN and null are classes where they are labels
    #[arg(long, value_name = "keep", value_parser = ["keep"])]
    pub(crate) label_na: Option<String>,
    /// Columns of words that become a column of 0 and 1 for each word, separated by commas; models keep the words
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) onehot: Vec<String>,
    /// Columns of words that become the numbers of the words in order, from 0, by alphabet
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) codes: Vec<String>,
    /// Rows of a window: the table is a log with a row per time step and a column per channel
    #[arg(long, value_name = "N")]
    pub(crate) window_rows: Option<usize>,
    /// Rows from one window to the next [default: --window-rows, so that windows do not overlap]
    #[arg(long, value_name = "N")]
    pub(crate) step: Option<usize>,
    /// Column with the time of a log's rows, in seconds or as dates (then no feature): no window contains a gap
    #[arg(long, value_name = "NAME|INDEX", allow_hyphen_values = true)]
    pub(crate) time: Option<String>,
    /// The label of a window: the most frequent one of its rows, or that of its last row [default: majority]
    #[arg(long, value_name = "majority|end", value_parser = ["majority", "end"])]
    pub(crate) label_at: Option<String>,
    /// The order of an array's three axes: rows, channels, time (nct), or rows, time, channels (ntc) [default: nct]
    #[arg(long, value_name = "nct|ntc", value_parser = ["nct", "ntc"])]
    pub(crate) layout: Option<String>,
    /// Height and width of an image: image files are resized to it, rows of a table are interpreted as such images
    #[arg(long, value_name = "HxW")]
    #[serde(skip)]
    pub(crate) image: Option<Size>,
    /// A flag of `fit` alone, here to be kept with its siblings.
    #[arg(skip)]
    pub(crate) id: Option<String>,
    /// A flag of `fit` and `recall`.
    #[arg(skip)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) unlabelled: bool,
    /// Number of the first column of an svmlight file, 0 or 1 [default: 0 if an index is 0, else 1]
    #[arg(long, value_name = "0|1", value_parser = clap::value_parser!(u8).range(0..=1))]
    pub(crate) index_base: Option<u8>,
}

fn yes_or_no(text: &str) -> Result<bool, &'static str> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("expected yes or no"),
    }
}

impl DataArgs {
    /// The library's options for rows of a model, with its words and what it fills in.
    pub(crate) fn options_for(&self, model: &ModelFile) -> Options {
        let preparation = model.info().map_or_else(Preparation::default, |info| Preparation::of(&info.params));
        let known = Known { features: model.feature_names().to_vec(), preparation };
        Options { known: Some(known), ..self.options() }
    }

    /// The library's options; `image` may also come from a configuration file.
    pub(crate) fn options(&self) -> Options {
        let column = |text: &String| text.parse::<Column>().unwrap_or_else(|never| match never {});
        Options {
            label: self.label.as_ref().map(column),
            labels: self.labels.clone(),
            group: self.group.as_ref().map(column),
            header: self.header,
            drop: self.drop.iter().map(column).collect(),
            id: self.id.as_ref().map(column),
            unlabelled: self.unlabelled,
            image: self.image.map(|Size(rows, cols)| (rows, cols)),
            index_base: self.index_base,
            decimal_comma: self.decimal.as_deref() == Some(","),
            missing: self.missing.as_deref().map(|missing| match missing {
                "drop" => Missing::Drop,
                "median" => Missing::Median,
                _ => Missing::Error,
            }),
            label_na: self.label_na.is_some(),
            onehot: self.onehot.iter().map(column).collect(),
            codes: self.codes.iter().map(column).collect(),
            window_rows: self.window_rows,
            step: self.step,
            time: self.time.as_ref().map(column),
            label_at_end: self.label_at.as_deref() == Some("end"),
            time_first: self.layout.as_deref() == Some("ntc"),
            known: None,
            inputs: None,
        }
    }
}

/// Replaces the library's names of options by flags. A flag that does not apply to the form of DATA is wrong usage.
pub(crate) fn in_flags(error: ReadError) -> anyhow::Error {
    let text = error.to_string();
    let message = flagged(&text);
    match error {
        ReadError::Inapplicable(..) => Usage(message).into(),
        _ if message == text => error.into(),
        _ => anyhow::anyhow!(message),
    }
}

/// Text with `--name` in place of every "option `name`".
pub(crate) fn flagged(text: &str) -> String {
    let mut parts = text.split("option `");
    let mut message = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once('`').unwrap_or((part, ""));
        message.extend(["--", &name.replace('_', "-"), rest]);
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_called_flags() {
        let text = "line 1: `a` is no number; option `onehot` or option `label_na` keep helps";
        assert_eq!(flagged(text), "line 1: `a` is no number; --onehot or --label-na keep helps");
    }
}
