//! Results on disk, so that a long series of runs can be interrupted and resumed.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::peers::RUNTIME;
use super::settings::Settings;

/// Fields of the fit's output that are published.
const PUBLISHED: [&str; 6] = ["id", "method", "params", "budget", "ram_bytes", "parts"];

/// One fit and its evaluation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) set: String,
    /// In bytes.
    pub(crate) budget: u64,
    pub(crate) seed: u64,
    /// None until it has run.
    pub(crate) outcome: Option<Outcome>,
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// Version and checksum of the tool.
    pub(crate) tool: String,
    /// On the test rows, by the runtime on the model file.
    pub(crate) accuracy: f64,
    /// The core of the model.
    pub(crate) flash_bytes: u64,
    /// Of the fit.
    pub(crate) seconds: f64,
    /// What it costs on a board; results of older tools have none.
    #[serde(default)]
    pub(crate) board: Option<Board>,
    /// The whole JSON output of `fit`.
    pub(crate) fit: serde_json::Value,
}

/// What a model costs on an emulated Cortex-M4F, with DSP instructions where it is an integer model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Board {
    /// The runtime with exactly the stages of this model, without the model.
    pub(crate) code_bytes: u64,
    /// Instructions of a classification, the median over a few rows.
    pub(crate) instructions: u64,
}

impl Outcome {
    /// Model and code in flash.
    pub(crate) fn total_bytes(&self) -> u64 {
        self.flash_bytes + self.board.map_or(RUNTIME, |board| board.code_bytes)
    }

    pub(crate) fn instructions(&self) -> Option<u64> {
        self.board.map(|board| board.instructions)
    }
}

impl Run {
    pub(crate) fn new(set: &str, budget: u64, seed: u64) -> Self {
        Self { set: set.to_owned(), budget, seed, outcome: None }
    }

    /// The run without paths of one machine and long lists.
    pub(crate) fn public(&self) -> Self {
        let mut run = self.clone();
        if let Some(fit) = run.outcome.as_mut().and_then(|outcome| outcome.fit.as_object_mut()) {
            fit.retain(|key, _| PUBLISHED.contains(&key.as_str()));
        }
        run
    }

    fn is_like(&self, other: &Self) -> bool {
        (&self.set, self.budget, self.seed) == (&other.set, other.budget, other.seed)
    }

    fn is_by(&self, tool: &str) -> bool {
        self.outcome.as_ref().is_some_and(|outcome| outcome.tool == tool)
    }
}

/// Everything that was measured in this checkout, oldest first.
#[derive(Debug)]
pub(crate) struct Results {
    path: PathBuf,
    runs: Vec<Run>,
}

impl Results {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let runs = match fs::read_to_string(path) {
            Ok(text) => serde_json::from_str(&text).with_context(|| format!("reading {}", path.display()))?,
            Err(why) if why.kind() == ErrorKind::NotFound => Vec::new(),
            Err(why) => return Err(why).with_context(|| format!("reading {}", path.display())),
        };
        Ok(Self { path: path.to_owned(), runs })
    }

    /// The result of this run by this tool.
    pub(crate) fn find(&self, wanted: &Run, tool: &str) -> Option<&Run> {
        self.runs.iter().rev().find(|run| run.is_like(wanted) && run.is_by(tool))
    }

    /// The results of these runs by this tool; runs without one are left out.
    pub(crate) fn of(&self, wanted: &[Run], tool: &str) -> Vec<Run> {
        wanted.iter().filter_map(|run| self.find(run, tool)).cloned().collect()
    }

    /// The newest result of each run that the settings select, by any tool.
    pub(crate) fn latest(&self, settings: &Settings) -> Vec<Run> {
        let wanted = settings.sets.iter().flat_map(|set| settings.runs(*set));
        wanted.filter_map(|wanted| self.runs.iter().rev().find(|run| run.is_like(&wanted)).cloned()).collect()
    }

    /// Drops the results of these settings by this tool.
    pub(crate) fn forget(&mut self, settings: &Settings, tool: &str) -> Result<()> {
        let wanted: Vec<Run> = settings.sets.iter().flat_map(|set| settings.runs(*set)).collect();
        self.runs.retain(|run| !(run.is_by(tool) && wanted.iter().any(|wanted| run.is_like(wanted))));
        self.save()
    }

    /// Adds a result and saves the file.
    pub(crate) fn push(&mut self, run: Run) -> Result<()> {
        self.runs.push(run);
        self.save()
    }

    fn save(&self) -> Result<()> {
        // Written to another file first: an interrupted write loses nothing.
        let aside = self.path.with_extension("json.part");
        let saved = serde_json::to_string_pretty(&self.runs)
            .map_err(anyhow::Error::from)
            .and_then(|text| Ok(fs::write(&aside, text)?))
            .and_then(|()| Ok(fs::rename(&aside, &self.path)?));
        saved.with_context(|| format!("writing {}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_results_hold_no_paths() {
        let fit = serde_json::json!({ "model": "somewhere/d.nmk", "params": { "dim": "9" } });
        let outcome = Outcome { tool: String::new(), accuracy: 0.9, flash_bytes: 2000, seconds: 1.5, board: None, fit };
        let run = Run { outcome: Some(outcome), ..Run::new("digits", 2048, 0) }.public();
        assert_eq!(run.outcome.map(|outcome| outcome.fit), Some(serde_json::json!({ "params": { "dim": "9" } })));
    }

    #[test]
    fn results_are_saved_and_belong_to_one_tool() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("results.json");
        let run = |seed, tool: &str, accuracy| {
            let fit = serde_json::json!({ "flash_bytes": 2000 });
            let board = Some(Board { code_bytes: 5000, instructions: 10_000 });
            let outcome = Outcome { tool: tool.to_owned(), accuracy, flash_bytes: 2000, seconds: 1.5, board, fit };
            Run { outcome: Some(outcome), ..Run::new("digits", 2048, seed) }
        };
        let mut results = Results::open(&path)?;
        results.push(run(0, "old", 0.9))?;
        results.push(run(0, "new", 0.95))?;
        results.push(run(1, "old", 0.8))?;
        let mut results = Results::open(&path)?;
        let wanted = [Run::new("digits", 2048, 0), Run::new("digits", 2048, 1)];
        assert_eq!(results.of(&wanted, "new"), [run(0, "new", 0.95)]);
        assert_eq!(results.find(&Run::new("digits", 4096, 0), "new"), None);
        let settings = Settings::parse(&["--sets", "digits", "--budgets", "2k", "--seeds", "0..2"])?;
        assert_eq!(results.latest(&settings), [run(0, "new", 0.95), run(1, "old", 0.8)]);
        results.forget(&settings, "old")?;
        assert_eq!(Results::open(&path)?.latest(&settings), [run(0, "new", 0.95)]);
        Ok(())
    }
}
