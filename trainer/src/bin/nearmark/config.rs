//! A run in a file: `--save-config` writes it, `--config` repeats it.

use crate::args::{DataArgs, FitArgs, Usage};
use crate::output;
use anyhow::{Context, Result};
use nearmark_train::config::Recipe;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Config {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) output: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) holdout: Option<f64>,
    pub(crate) input: DataArgs,
    pub(crate) recipe: Recipe,
}

impl Config {
    fn read(path: &Path) -> Result<Self> {
        let what = || format!("reading {}", path.display());
        let text = std::fs::read_to_string(path).with_context(what)?;
        toml::from_str(&text).with_context(what)
    }

    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let text = toml::to_string(self).context("describing this run")?;
        output::bytes(path, format!("# nearmark fit --config {}\n\n{text}", path.display()).as_bytes())
    }

    /// The file's settings, and over them those of the command line.
    pub(crate) fn of(args: &FitArgs) -> Result<Self> {
        let mut config = args.config.as_deref().map_or_else(|| Ok(Self::default()), Self::read)?;
        config.data = args.data.clone().or(config.data);
        config.output = args.output.clone().or(config.output);
        config.holdout = args.holdout.or(config.holdout);
        if args.input != DataArgs::default() {
            let DataArgs { label, labels, group, header, drop, image } = args.input.clone();
            config.input.label = label.or(config.input.label);
            config.input.labels = labels.or(config.input.labels);
            config.input.group = group.or(config.input.group);
            config.input.header = header.or(config.input.header);
            config.input.image = image;
            if !drop.is_empty() {
                config.input.drop = drop;
            }
        }
        config.recipe = args.recipe.over(config.recipe, args.input.image);
        Ok(config)
    }

    /// What to read, and where to write.
    pub(crate) fn ends(&self) -> Result<(&str, &Path)> {
        let missing = |what: &str| Usage(format!("{what} is missing; see `nearmark fit --help`"));
        let data = self.data.as_deref().ok_or_else(|| missing("DATA"))?;
        let output = self.output.as_deref().ok_or_else(|| missing("the model to write (-o M.nmk)"))?;
        Ok((data, output))
    }
}
