//! The papers' experiments: their tables and figures, ours beside theirs.
//!
//! Every experiment is a file with a table: which data, which protocol, which methods, what the paper reports, what is
//! drawn. Data come from a folder (`NEARMARK_DATA` for the tool); [`Experiment::missing`] names the files it lacks.

mod bench;
mod coil20;
mod ebek;
mod mnist100;
mod orl_dple;
mod orl_nsse;
mod output;
mod report;
mod table;
mod yale;

pub use report::{Figure, Report, Row};

use crate::chart::ChartError;
use crate::error::{DataError, FitError};
use crate::evaluate::compare::{CompareError, EntryError};
use crate::io::ReadError;
use crate::run::Run;
use crate::train::TrainError;
use bench::Bench;
use std::path::{Path, PathBuf};

/// A file that an experiment reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// Its path below the data folder.
    pub path: &'static str,
    /// What it holds.
    pub content: &'static str,
    /// Where the data come from.
    pub from: &'static str,
}

impl Source {
    /// The file in this folder, if it is there: rows, which are called `X`, may also be a matrix of the same name saved by
    /// `SciPy` (`.npz`). Labels may not, since nothing reads them from such a file.
    fn file(&self, folder: &Path) -> Option<PathBuf> {
        let path = folder.join(self.path);
        let is_rows = path.file_stem().is_some_and(|stem| stem.to_string_lossy().starts_with('X'));
        let sparse = is_rows.then(|| path.with_extension("npz"));
        [Some(path), sparse].into_iter().flatten().find(|path| path.is_file())
    }
}

/// An experiment of a paper.
#[derive(Debug, Clone, Copy)]
pub struct Experiment {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it shows, in a few words.
    pub title: &'static str,
    /// The paper.
    pub paper: &'static str,
    /// How it is done.
    pub protocol: &'static str,
    /// The files it reads.
    pub sources: &'static [Source],
    measure: fn(&Bench<'_>) -> Result<Report, ReproError>,
}

/// Why an experiment could not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReproError {
    /// Files are not there.
    #[error("{}", missing_files(.0))]
    Missing(Vec<Source>),
    /// A file could not be read.
    #[error("reading {}: {why}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What is wrong with it; part of the message.
        why: ReadError,
    },
    /// The rows are not what the protocol needs.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A method of the table does not exist as it is written there.
    #[error(transparent)]
    Entry(#[from] EntryError),
    /// Methods could not be compared.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// Nothing could be retrieved.
    #[error(transparent)]
    Recall(#[from] crate::evaluate::recall::RecallError),
    /// A figure's fit failed.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// A figure could not be drawn.
    #[error(transparent)]
    Chart(#[from] ChartError),
    /// A figure's images could not be made.
    #[error(transparent)]
    Basis(#[from] crate::evaluate::figures::BasisError),
}

impl From<FitError> for ReproError {
    fn from(error: FitError) -> Self {
        Self::Train(error.into())
    }
}

fn missing_files(sources: &[Source]) -> String {
    let file = |source: &Source| format!("{} ({}; {})", source.path, source.content, source.from);
    let files: Vec<String> = sources.iter().map(file).collect();
    format!("missing {}", files.join("; "))
}

/// Every experiment, paper by paper.
pub const EXPERIMENTS: &[Experiment] = &[
    coil20::COIL20,
    orl_nsse::ORL_NSSE,
    yale::YALE,
    mnist100::MNIST100,
    ebek::EBEK_COIL20,
    ebek::EBEK_ISOLET,
    ebek::TEXTS,
    orl_dple::ORL_DPLE,
];

impl Experiment {
    /// The experiment of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        EXPERIMENTS.iter().find(|experiment| experiment.name == name)
    }

    /// The files that are not in the folder; all of them without one.
    #[must_use]
    pub fn missing(&self, folder: Option<&Path>) -> Vec<Source> {
        let lacks = |source: &&Source| folder.is_none_or(|folder| source.file(folder).is_none());
        self.sources.iter().filter(lacks).copied().collect()
    }

    /// Does the experiment with the data of a folder; a quick one has three repeats.
    ///
    /// # Errors
    /// [`ReproError`] naming the files that are missing, or what failed.
    pub fn run(&self, folder: &Path, quick: bool, run: &Run<'_>) -> Result<Report, ReproError> {
        let missing = self.missing(Some(folder));
        if !missing.is_empty() {
            return Err(ReproError::Missing(missing));
        }
        let mut report = (self.measure)(&Bench { folder, quick, run })?;
        report.add_notes_on_what_is_not_met();
        if quick {
            report.notes.push("a quick run: three repeats at most, whatever the protocol says".to_owned());
        }
        Ok(report)
    }
}

#[cfg(test)]
mod tests;
