//! The best model within limits of flash and RAM.

use super::desk::Settings;
use super::error::RecipeError;
use super::explored::Explored;
use super::method::build;
use super::words::WordError;
use super::{Numeric, Recipe, SettingError, Size, Trained};
use crate::compile::Export;
use crate::dataset::Dataset;
use crate::emulator::board::{Board, UnknownBoard};
use crate::methods::Method;
use crate::preprocess::Stage;
use crate::run::Run;
use crate::search::closed_form::Origin;
use crate::search::{self, Deadline, Kinds, Limits, Options, Start, Task, TrialStore, train::images};
use nearmark_format::Info;

/// Parameters of the search, beside those of a method.
const OWN: [&str; 3] = ["centers", "refine", "passes"];

impl Recipe {
    /// Whether the model has to keep limits.
    #[must_use]
    pub fn is_limited(&self) -> bool {
        self.flash.is_some() || self.ram.is_some() || self.insns.is_some()
    }

    fn limits(&self) -> Result<Limits, SettingError> {
        let wrong = |error: UnknownBoard| SettingError::Value {
            key: "--board".to_owned(),
            source: WordError { expected: "m0, m4f, m7, m33 or rv32", got: error.name().to_owned() },
        };
        let board = self.board.as_deref().map(str::parse::<Board>).transpose().map_err(wrong)?;
        let instructions = self.insns.map(|count| count.0).zip(board);
        Ok(Limits { flash: self.flash.map(|bytes| bytes.0), ram: self.ram.map(|bytes| bytes.0), instructions })
    }

    /// What can be told of a limited recipe before any work is done.
    pub(super) fn check_limited(&self) -> Result<(), RecipeError> {
        let no = |text: &str| Err(RecipeError::Contradiction(text.to_owned()));
        if self.insns.is_some() && self.board.is_none() {
            return no("instructions are counted on a board: --board m0, m4f, m7, m33 or rv32");
        }
        if self.head.is_some() {
            return no("a model within limits has one point per class; leave out --head");
        }
        if self.pca.is_some() {
            return no("within limits the projection is searched for; leave out --pca");
        }
        if self.keep_embedding {
            return no("within limits the embedding is searched for; leave out --keep-embedding");
        }
        if self.method == "knn" {
            return no("knn keeps every row; within limits take another method, like auto");
        }
        self.search_options()?;
        if self.method == "auto" {
            // CMVDA knows every setting that the search itself could have.
            let unused = [
                ("--dim", self.dim.is_some()),
                ("--kernel", self.kernel.is_some()),
                ("--sigma", self.sigma.is_some()),
                ("--features", self.features.is_some()),
            ];
            if let Some((flag, _)) = unused.iter().find(|(_, said)| *said) {
                return no(&format!("within limits {flag} is searched for, unless --method names a method"));
            }
        }
        self.guide()?;
        Ok(())
    }

    /// The method whose embedding the model learns; none where class indicators are it.
    fn guide(&self) -> Result<Option<Box<dyn Method>>, SettingError> {
        let mut set = self.set.clone();
        set.retain(|key, _| !OWN.contains(&key.as_str()));
        let (dim, kernel, sigma, features, seed) = (self.dim, self.kernel, self.sigma, self.features, self.seed);
        let said = Settings { dim, kernel, sigma, features, set, seed };
        let plain = said.set.is_empty() && (dim, kernel, sigma, features) == (None, None, None, None);
        match self.method.as_str() {
            // Their regression on class indicators is what a compact model does.
            "auto" | "cmvda" | "lda" if plain => Ok(None),
            "auto" => build("cmvda", said).map(Some),
            name => build(name, said).map(Some),
        }
    }

    /// What `--set` says of the search itself.
    fn search_options(&self) -> Result<Options, SettingError> {
        let mut options = Options::within(self.limits()?);
        options.seed = self.seed;
        options.numeric = match self.numeric {
            Numeric::F32 => Some(search::Numeric::F32),
            Numeric::I8 => Some(search::Numeric::I8),
            Numeric::Auto => None,
        };
        options.kinds = match self.method.as_str() {
            "auto" => Kinds::All,
            "lda" => Kinds::Linear,
            _ => Kinds::Kernel,
        };
        if self.method == "ebek" {
            options.origin = Origin::Exemplars;
        }
        let said = |key: &str| self.set.get(key);
        let wrong = |key: &str, expected: &'static str, got: &str| SettingError::Value {
            key: key.to_owned(),
            source: WordError { expected, got: got.to_owned() },
        };
        if let Some(text) = said("centers") {
            options.origin = match text.as_str() {
                "means" => Origin::Means,
                "landmarks" => Origin::Landmarks,
                "exemplars" => Origin::Exemplars,
                _ => return Err(wrong("centers", "means, landmarks or exemplars", text)),
            };
        }
        if let Some(text) = said("refine") {
            options.refine = text.parse().map_err(|_| wrong("refine", "true or false", text))?;
        }
        if let Some(text) = said("passes") {
            let passes = text.parse().ok().filter(|passes| (1..=100_000).contains(passes));
            options.passes = Some(passes.ok_or_else(|| wrong("passes", "1 to 100000", text))?);
        }
        Ok(options)
    }

    /// Searches, fits and exports within the limits.
    pub(super) fn compacted(
        &self,
        data: &Dataset,
        run: &Run<'_>,
        complete: impl FnOnce(&mut Info),
    ) -> Result<Trained, RecipeError> {
        self.explored(data, &Exploration::default(), run)?.trained(self, data, complete)
    }

    /// Searches within the limits.
    pub(crate) fn explored(
        &self,
        data: &Dataset,
        exploration: &Exploration<'_>,
        run: &Run<'_>,
    ) -> Result<Explored, RecipeError> {
        self.check(data)?;
        let mut options = self.search_options()?;
        (options.arms, options.floats) = (exploration.arms, exploration.floats && options.numeric.is_none());
        let method = self.guide()?;
        let alternatives = exploration.alternatives.iter().map(|name| build(name, Settings::default()));
        let alternatives = alternatives.collect::<Result<Vec<_>, _>>()?;
        let image = self.image.map(|Size(rows, cols)| (rows, cols));
        let image = if self.series.is_some() { None } else { image.or_else(|| images::guess(data)) };
        let mut notes = Vec::new();
        if let (None, Some((rows, cols))) = (self.image, image) {
            notes.push(format!("rows look like images of {rows}x{cols} pixels and are tried as such"));
        }
        let fronts = self.fronts(data, image, run)?;
        let (stages, names): (Vec<Vec<Stage>>, Vec<String>) = fronts.into_iter().map(|f| (f.stages, f.name)).unzip();
        let export = Export { names: self.names, exemplars: false, ..Export::default() };
        let (cache, deadline, method) = (exploration.cache, exploration.deadline, method.as_deref());
        let task =
            Task { image, method, alternatives: &alternatives, cache, deadline, ..Task::new(data, &stages, &export) };
        let found = search::fit(&task, &options, run)?;
        if stages.len() > 1 {
            notes.push(format!("{} chosen among {}", names[found.preprocessing], names.join(", ")));
        }
        let target = found.evaluation.trial.candidate.target;
        let learned = if target == 0 { method } else { alternatives.get(target - 1).map(AsRef::as_ref) };
        let linear = matches!(found.evaluation.trial.candidate.start, Start::Linear(_));
        let plain = if linear { "lda" } else { "cmvda" };
        let method = learned.map_or((plain.to_owned(), Vec::new()), |m| (m.name().to_owned(), m.params()));
        Ok(Explored { preprocessing: names[found.preprocessing].clone(), found, method, notes })
    }
}

/// How far to search beyond one choice after the other.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Exploration<'a> {
    /// Candidates of successive halving.
    pub(crate) arms: usize,
    /// Whether floats are tried even where integers cost nothing.
    pub(crate) floats: bool,
    /// Methods whose embeddings are tried as targets as well.
    pub(crate) alternatives: &'a [&'a str],
    /// Trials of earlier searches.
    pub(crate) cache: Option<&'a dyn TrialStore>,
    /// When to stop.
    pub(crate) deadline: Option<&'a Deadline>,
}
