//! What an experiment works with: its data folder, its repeats, its threads.

use super::{ReproError, Source};
use crate::dataset::Dataset;
use crate::io::{self, Options};
use crate::run::Run;
use std::path::{Path, PathBuf};

/// Repeats of a quick run.
const QUICK: usize = 3;

/// The place where an experiment is done.
pub(super) struct Bench<'a> {
    pub(super) folder: &'a Path,
    pub(super) quick: bool,
    pub(super) run: &'a Run<'a>,
}

impl Bench<'_> {
    /// Repeats to do, of so many that the paper has.
    pub(super) fn repeats(&self, full: usize) -> usize {
        if self.quick { full.min(QUICK) } else { full }
    }

    /// Rows and labels of two arrays.
    pub(super) fn arrays(&self, rows: Source, labels: Source) -> Result<Dataset, ReproError> {
        let options = Options { labels: Some(self.file(labels)?), ..Options::default() };
        self.load(rows, "", &options)
    }

    /// A part of a file of arrays.
    pub(super) fn part(&self, source: Source, part: &str) -> Result<Dataset, ReproError> {
        self.load(source, part, &Options::default())
    }

    fn file(&self, source: Source) -> Result<PathBuf, ReproError> {
        source.file(self.folder).ok_or_else(|| ReproError::Missing(vec![source]))
    }

    fn load(&self, source: Source, part: &str, options: &Options) -> Result<Dataset, ReproError> {
        let path = self.file(source)?;
        let name = format!("{}{part}", path.display());
        let loaded = io::load(&name, options, self.run).map_err(|why| ReproError::Read { path, why })?;
        Ok(loaded.data)
    }
}
