//! A run in a file: `--save-config` writes it, `--config` repeats it. Paths in it are relative to the file.

use crate::args::{DataArgs, FitArgs, Usage};
use crate::output;
use anyhow::{Context, Result, anyhow};
use nearmark_train::config::Parameters;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RunFile {
    pub(crate) data: Option<String>,
    pub(crate) output: Option<PathBuf>,
    pub(crate) holdout: Option<f64>,
    pub(crate) input: DataArgs,
    pub(crate) model: Parameters,
}

impl RunFile {
    fn read(path: &Path) -> Result<Self> {
        let what = || format!("reading {}", path.display());
        let text = std::fs::read_to_string(path).with_context(what)?;
        let mut run: Self = toml::from_str(&text).map_err(|error| {
            // The error's own text draws the line over several lines.
            let line = 1 + error.span().map_or(0, |span| text[..span.start].matches('\n').count());
            anyhow!("{}, line {line}: {}", path.display(), error.message())
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        // Absolute paths stay as they are.
        run.map_paths(|path| folder.join(path));
        Ok(run)
    }

    pub(crate) fn write(mut self, path: &Path) -> Result<()> {
        let what = || format!("writing {}", path.display());
        let folder = std::path::absolute(path).with_context(what)?;
        let folder = folder.parent().unwrap_or(Path::new(""));
        let here = std::env::current_dir().with_context(what)?;
        // A path outside of the file's folder is written in full: it stays right wherever the tool is called from.
        self.map_paths(|path| {
            let whole = here.join(path);
            if folder == here {
                path.to_owned()
            } else {
                whole.strip_prefix(folder).map_or(whole.clone(), Path::to_owned)
            }
        });
        let text = toml::to_string(&self).context("describing this run")?;
        output::bytes(path, format!("# nearmark fit --config {}\n\n{text}", path.display()).as_bytes())
    }

    fn map_paths(&mut self, map: impl Fn(&Path) -> PathBuf) {
        // Built-in data are no file.
        if let Some(data) = self.data.as_mut().filter(|data| !data.starts_with("builtin:")) {
            *data = map(Path::new(data)).to_string_lossy().into_owned();
        }
        for path in [&mut self.output, &mut self.input.labels].into_iter().flatten() {
            *path = map(path);
        }
    }

    /// The file's settings, and over them those of the command line.
    pub(crate) fn of(args: &FitArgs) -> Result<Self> {
        let mut run = args.config.as_deref().map_or_else(|| Ok(Self::default()), Self::read)?;
        run.data = args.data.clone().or(run.data);
        run.output = args.output.clone().or(run.output);
        run.holdout = args.holdout.or(run.holdout);
        let DataArgs { label, labels, group, header, drop, image, index_base, .. } = args.input.clone();
        let DataArgs { decimal, missing, label_na, onehot, codes, .. } = args.input.clone();
        let DataArgs { window_rows, step, time, label_at, layout, .. } = args.input.clone();
        run.input.label = label.or(run.input.label);
        run.input.labels = labels.or(run.input.labels);
        run.input.group = group.or(run.input.group);
        run.input.header = header.or(run.input.header);
        run.input.id = args.id.clone().or(run.input.id);
        run.input.unlabelled |= args.unlabelled;
        run.input.index_base = index_base.or(run.input.index_base);
        run.input.decimal = decimal.or(run.input.decimal);
        run.input.missing = missing.or(run.input.missing);
        run.input.window_rows = window_rows.or(run.input.window_rows);
        run.input.step = step.or(run.input.step);
        run.input.time = time.or(run.input.time);
        run.input.label_at = label_at.or(run.input.label_at);
        run.input.layout = layout.or(run.input.layout);
        run.input.label_na = label_na.or(run.input.label_na);
        let lists = [(drop, &mut run.input.drop), (onehot, &mut run.input.onehot), (codes, &mut run.input.codes)];
        for (given, kept) in lists.into_iter().filter(|(given, _)| !given.is_empty()) {
            *kept = given;
        }
        run.model = args.model.over(run.model, image);
        Ok(run)
    }

    pub(crate) fn ends(&self) -> Result<(String, PathBuf)> {
        let missing = |what: &str| Usage(format!("{what} is missing; see `nearmark fit --help`"));
        let data = self.data.clone().ok_or_else(|| missing("DATA"))?;
        let output = self.output.clone().ok_or_else(|| missing("the model to write (-o M.nmk)"))?;
        Ok((data, output))
    }
}
