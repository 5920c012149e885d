//! The best model within limits of flash and RAM.

use super::desk::Settings;
use super::method::build;
use super::train::RecipeError;
use super::words::{WindowChoice, WordError};
use super::{Numeric, Recipe, SettingError, Size, Trained};
use crate::board::{Board, UnknownBoard};
use crate::compact::closed::Origin;
use crate::compact::{self, Compacted, Kinds, Ledger, Limits, Options, Setting, Start, Task, Verdict, images};
use crate::data::Dataset;
use crate::export::{Export, ExportError, data_hash};
use crate::methods::Method;
use crate::run::Run;
use crate::stages::{Pool, Scaling, Stage, Window};
use nearmark_format::Info;

/// Blocks of pixels, or of time steps, to try summing.
const BLOCKS: [usize; 4] = [2, 3, 4, 5];
/// Pixels that must be left of a side.
const SIDE: usize = 4;
/// Parts of a window to try taking statistics of.
const SEGMENTS: [usize; 2] = [2, 4];
/// Parameters of the search, beside those of a method.
const OWN: [&str; 3] = ["centers", "refine", "passes"];

/// How a model within limits was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Budgeted {
    /// The setting that was chosen, and how its file did on rows held out.
    pub verdict: Verdict,
    /// Mean smoothed cross-entropy before and after the descent; none for a closed form.
    pub objective: Option<(f64, f64)>,
    /// How many settings were tried.
    pub tried: usize,
}

/// A way to prepare rows, with what to say of it.
struct Front {
    stages: Vec<Stage>,
    name: String,
}

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
            Numeric::F32 => Some(compact::Numeric::F32),
            Numeric::I8 => Some(compact::Numeric::I8),
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
        let rivals = exploration.rivals.iter().map(|name| build(name, Settings::default()));
        let rivals = rivals.collect::<Result<Vec<_>, _>>()?;
        let image = self.image.map(|Size(rows, cols)| (rows, cols));
        let image = if self.series.is_some() { None } else { image.or_else(|| images::guess(data)) };
        let mut notes = Vec::new();
        if let (None, Some((rows, cols))) = (self.image, image) {
            notes.push(format!("rows look like images of {rows}x{cols} pixels and are tried as such"));
        }
        let fronts = self.fronts(data, image, run)?;
        let (stages, names): (Vec<Vec<Stage>>, Vec<String>) = fronts.into_iter().map(|f| (f.stages, f.name)).unzip();
        let export = Export { names: self.names, exemplars: false, ..Export::default() };
        let (ledger, method) = (exploration.ledger, method.as_deref());
        let task = Task { image, method, rivals: &rivals, ledger, ..Task::new(data, &stages, &export) };
        let found = compact::fit(&task, &options, run)?;
        if stages.len() > 1 {
            notes.push(format!("{} chosen among {}", names[found.front], names.join(", ")));
        }
        let guide = found.verdict.trial.setting.guide;
        let learned = if guide == 0 { method } else { rivals.get(guide - 1).map(AsRef::as_ref) };
        let linear = matches!(found.verdict.trial.setting.start, Start::Linear(_));
        let plain = if linear { "lda" } else { "cmvda" };
        let method = learned.map_or((plain.to_owned(), Vec::new()), |m| (m.name().to_owned(), m.params()));
        Ok(Explored { front: names[found.front].clone(), found, method, notes })
    }

    /// The ways to prepare rows that are worth a try, the plainest first.
    fn fronts(&self, data: &Dataset, image: Option<(usize, usize)>, run: &Run<'_>) -> Result<Vec<Front>, RecipeError> {
        let mut firsts: Vec<(Option<Stage>, String)> = Vec::new();
        if let Some(Size(channels, steps)) = self.series {
            let stats = |segments: usize| -> Result<(Option<Stage>, String), RecipeError> {
                let window = Window::new(channels, steps, segments, self.interleaved)?;
                Ok((Some(Stage::Window(window)), format!("statistics of {segments} segments")))
            };
            if self.window != WindowChoice::None {
                firsts.push(stats(self.segments)?);
                let more = SEGMENTS.into_iter().filter(|&s| self.segments == 1 && s <= steps / 2);
                firsts.extend(more.map(stats).collect::<Result<Vec<_>, _>>()?);
            }
            if self.window != WindowChoice::Stats {
                firsts.push((None, "raw windows".to_owned()));
                let (rows, cols) = if self.interleaved { (steps, channels) } else { (channels, steps) };
                for by in BLOCKS.into_iter().filter(|by| steps.is_multiple_of(*by) && steps / by >= SIDE) {
                    let block = if self.interleaved { (by, 1) } else { (1, by) };
                    let pool = Stage::Pool(Pool::by(1, rows, cols, block)?);
                    firsts.push((Some(pool), format!("windows pooled by {by} steps")));
                }
            }
        } else if let (Some(pool), true) = (self.pool()?, self.pool != 1) {
            firsts.push((Some(Stage::Pool(pool)), format!("pooled by {}", self.pool)));
        } else {
            firsts.push((None, "rows as they are".to_owned()));
            if let Some((rows, cols)) = image {
                let divides = |by: &usize| rows.is_multiple_of(*by) && cols.is_multiple_of(*by);
                for by in BLOCKS.into_iter().filter(|by| divides(by) && rows.min(cols) / by >= SIDE) {
                    firsts.push((Some(Stage::Pool(Pool::new(1, rows, cols, by)?)), format!("pooled by {by}")));
                }
            }
        }
        // Values that are alike need no scaling of their own, like pixels; columns of a table may be of any kind.
        let table = self.scale == Scaling::Auto && self.series.is_none() && image.is_none();
        let standard = table && Scaling::choose(data.rows()) != Scaling::Standard;
        let front = |(first, name): (Option<Stage>, String)| -> Result<Front, RecipeError> {
            let gathered = first.as_ref().map(|stage| stage.apply(data.rows(), run.thread_count()));
            let gathered = gathered.transpose().map_err(crate::FitError::from)?;
            let scale = self.scale.fit(gathered.as_ref().unwrap_or(data.rows())).map(Stage::Scale);
            Ok(Front { stages: first.into_iter().chain(scale).collect(), name })
        };
        let mut fronts: Vec<Front> = firsts.into_iter().map(front).collect::<Result<_, _>>()?;
        if standard {
            let stages = Scaling::Standard.fit(data.rows()).map(Stage::Scale).into_iter().collect();
            fronts.push(Front { stages, name: "columns of variance 1".to_owned() });
        }
        Ok(fronts)
    }
}

/// How far to search beyond one choice after the other.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Exploration<'a> {
    /// Settings for successive halving.
    pub(crate) arms: usize,
    /// Whether floats are tried even where integers cost nothing.
    pub(crate) floats: bool,
    /// Methods whose embedding is tried as well.
    pub(crate) rivals: &'a [&'a str],
    /// What was measured before, and when to stop.
    pub(crate) ledger: Option<&'a dyn Ledger>,
}

/// What a search within limits found.
pub(crate) struct Explored {
    pub(crate) found: Compacted,
    /// The method that the model learned from, with its parameters.
    method: (String, Vec<(&'static str, String)>),
    front: String,
    notes: Vec<String>,
}

impl Explored {
    /// The method's name.
    #[cfg(feature = "tune")]
    pub(crate) fn method(&self) -> &str {
        &self.method.0
    }

    /// The model file, with its provenance.
    pub(crate) fn trained(
        self,
        recipe: &Recipe,
        data: &Dataset,
        complete: impl FnOnce(&mut Info),
    ) -> Result<Trained, RecipeError> {
        let Self { found, method: (method, own), front, mut notes } = self;
        notes.extend(found.file.report.as_ref().map(|report| format!("integers: {report}")));
        let mut params = described(&found.verdict.trial.setting);
        params.push(("front".to_owned(), front));
        params.extend(found.objective.map(|(before, after)| {
            ("objective".to_owned(), format!("cross-entropy over class distances {before:.4} -> {after:.4}"))
        }));
        params.extend(own.into_iter().filter(|(name, _)| *name != "seed").map(|(n, v)| (n.to_owned(), v)));
        params.sort();
        params.dedup_by(|a, b| a.0 == b.0);
        let mut info = Info {
            tool: concat!("nearmark ", env!("CARGO_PKG_VERSION")).to_owned(),
            method,
            params,
            seed: recipe.seed,
            data_hash: data_hash(data),
            rows: data.len() as u64,
            scores: vec![("held out".to_owned(), found.verdict.trial.accuracy)],
            feature_names: Vec::new(),
        };
        recipe.tell(&mut info, data);
        complete(&mut info);
        let mut model = found.file.model;
        model.info = Some(info);
        let bytes = model.encode().map_err(ExportError::from)?;
        let budgeted = Budgeted { verdict: found.verdict, objective: found.objective, tried: found.trials.len() };
        let (recipe, candidates) = (recipe.clone(), Vec::new());
        Ok(Trained { bytes, fitted: found.fitted, recipe, candidates, budgeted: Some(budgeted), notes })
    }
}

/// A setting as parameters by name.
fn described(setting: &Setting) -> Vec<(String, String)> {
    let shape = &setting.shape;
    let mut params = vec![("kept features".to_owned(), format!("{} of {}", shape.kept, shape.features))];
    let mut add = |name: &str, value: String| params.push((name.to_owned(), value));
    add("dim", shape.dim.to_string());
    if let Start::Centers(start) = &setting.start {
        add("projected", shape.projected.to_string());
        add("centers", format!("{} {:?}", shape.centers, start.origin).to_lowercase());
        add("start", format!("{:?}", start.directions).to_lowercase());
        add("sigma", format!("{:.3}x", start.sigma));
    }
    match &setting.refine {
        None => add("descent", "none".to_owned()),
        Some(p) => {
            add("descent", format!("{} steps of {} rows at rate {:.3}", p.steps, p.batch, p.rate));
            add("smoothing", p.smoothing.to_string());
            add("noise", p.noise.to_string());
            add("shift", p.shift.to_string());
        }
    }
    params
}
