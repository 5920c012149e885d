//! How a file's columns and images are to be read.

use clap::Args;
use nearmark_train::config::Size;
use nearmark_train::io::{Column, Options};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

#[derive(Debug, Clone, Default, PartialEq, Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[command(next_help_heading = "Reading DATA")]
pub(crate) struct DataArgs {
    /// The label's column, by name or by number: from 0, or from the end as -1; the last by default
    #[arg(long, value_name = "NAME|INDEX", allow_hyphen_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) label: Option<String>,
    /// The labels of an X.npy: .npy, or text with one label per line
    #[arg(long, value_name = "FILE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) labels: Option<PathBuf>,
    /// What hold-outs must not split, such as a person: a column, which is then no feature, or an array beside X and y
    #[arg(long, value_name = "NAME|INDEX", allow_hyphen_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) group: Option<String>,
    /// Whether the first line names the columns: yes or no; found out by default
    #[arg(long, value_name = "yes|no", value_parser = yes_or_no)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) header: Option<bool>,
    /// Columns to leave out, by name or number, separated by commas
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) drop: Vec<String>,
    /// Rows and columns of an image: what a row of pixels stands for, or the size to bring images to
    #[arg(long, value_name = "HxW")]
    #[serde(skip)]
    pub(crate) image: Option<Size>,
}

fn yes_or_no(text: &str) -> Result<bool, &'static str> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("expected yes or no"),
    }
}

impl DataArgs {
    /// As the library takes it; `image` may also come from a configuration.
    pub(crate) fn options(&self) -> Options {
        let column = |text: &String| text.parse::<Column>().unwrap_or_else(|never| match never {});
        Options {
            label: self.label.as_ref().map(column),
            labels: self.labels.clone(),
            group: self.group.as_ref().map(column),
            header: self.header,
            drop: self.drop.iter().map(column).collect(),
            image: self.image.map(|Size(rows, cols)| (rows, cols)),
        }
    }
}
