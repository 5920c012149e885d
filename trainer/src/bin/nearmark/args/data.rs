//! The flags that say how DATA is read.

use super::Usage;
use clap::Args;
use nearmark_train::config::Size;
use nearmark_train::io::{Column, Options, ReadError};
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
            inputs: None,
        }
    }
}

/// Replaces the library's name of an option by the flag. A flag that does not apply to the form of DATA is wrong usage.
pub(crate) fn in_flags(error: ReadError) -> anyhow::Error {
    let Some(option) = error.option() else { return error.into() };
    let flag = option.replace('_', "-");
    let message = error.to_string().replace(&format!("option `{option}`"), &format!("--{flag}"));
    match error {
        ReadError::Inapplicable(..) => Usage(message).into(),
        _ => anyhow::anyhow!(message),
    }
}
