//! From parameters to a run, and back.

use super::parameters::{METHOD_PARAMETERS, SEARCH_SETTINGS};
use super::{
    AUTO, BudgetSearch, Bytes, Common, Config, ConfigError, ConvolutionChoice, Count, FixedFit, Image, Input,
    MethodChoice, Numeric, Parameters, Series, WindowChoice,
};
use crate::emulator::board::NAMES;
use crate::methods::{Method, MethodEntry, Registry, SettingError, SettingsParser, ValueError, expecting};
use crate::model::head::HeadChoice;
use crate::preprocess::Scaling;
use crate::search::Limits;
use crate::search::closed_form::Origin;

/// Keywords of where kernel centers come from.
const ORIGINS: [(&str, Option<Origin>); 3] =
    [("means", Some(Origin::Means)), ("landmarks", Some(Origin::Landmarks)), ("exemplars", Some(Origin::Exemplars))];
/// More passes than anyone would wait for.
const MAX_PASSES: usize = 100_000;

impl TryFrom<Parameters> for Config {
    type Error = ConfigError;

    /// With the built-in methods.
    fn try_from(parameters: Parameters) -> Result<Self, ConfigError> {
        parameters.config(&Registry::default())
    }
}

impl Parameters {
    /// The run that these parameters describe, with the methods of this registry.
    ///
    /// # Errors
    /// [`ConfigError`] naming the parameter that does not exist, has a wrong value, or does not apply to this run.
    pub fn config(&self, registry: &Registry) -> Result<Config, ConfigError> {
        if self.is_budget() {
            self.budget(registry).map(Config::Budget)
        } else {
            self.fixed(registry).map(Config::Fixed)
        }
    }

    fn fixed(&self, registry: &Registry) -> Result<FixedFit, ConfigError> {
        // A board without instructions to count on it is refused.
        self.limits()?;
        if matches!(self.conv, Some(ConvolutionChoice::One | ConvolutionChoice::Two)) {
            return Err(ConfigError::refused(
                "conv",
                "convolutions are chosen for a budget; give flash, ram or insns too",
            ));
        }
        if self.quick == Some(true) {
            return Err(ConfigError::refused("quick", "a fit without a budget has no search to shorten; leave it out"));
        }
        let method = self.method_choice(registry, Some(Registry::DEFAULT_METHOD))?;
        let common = self.common(method, Numeric::F32)?;
        if counts_only(&common) {
            return Err(ConfigError::refused("window", "counts are chosen for a budget; give flash, ram or insns too"));
        }
        let tune_params = self.tune_params.unwrap_or(false);
        if common.method.entry.is_some() {
            let method = common.build_method()?;
            if tune_params {
                refuse_untunable(method.as_ref(), &common.method, registry)?;
            }
        }
        let keep_embedding = self.keep_embedding.unwrap_or(false);
        Ok(FixedFit { common, pca: self.pca, head: self.head, keep_embedding, tune_params })
    }

    fn budget(&self, registry: &Registry) -> Result<BudgetSearch, ConfigError> {
        for (parameter, given, reason) in [
            (
                "head",
                self.head == Some(HeadChoice::Items),
                "a budget search keeps one point per class, items keep every row; fit without a budget",
            ),
            ("head", self.head.is_some(), "a budget search makes one point per class; leave it out"),
            ("pca", self.pca.is_some(), "a budget search finds the projection itself; leave it out"),
            (
                "keep_embedding",
                self.keep_embedding == Some(true),
                "a budget search finds the embedding itself; leave it out",
            ),
            ("tune_params", self.tune_params == Some(true), "a budget search chooses its own settings; leave it out"),
        ] {
            if given {
                return Err(ConfigError::refused(parameter, reason));
            }
        }
        let method = self.method_choice(registry, None)?;
        let searched = METHOD_PARAMETERS.into_iter().find(|&key| method.settings.contains_key(key));
        if let (None, Some(parameter)) = (method.entry, searched) {
            return Err(ConfigError::refused(parameter, "a budget search finds it itself, unless a method is named"));
        }
        let common = self.common(method, Numeric::Auto)?;
        self.refuse_convolutions(&common)?;
        let (convolution, quick) = (self.conv.unwrap_or_default(), self.quick.unwrap_or(false));
        let search = BudgetSearch { common, convolution, quick, ..self.search_settings(self.limits()?)? };
        search.target_embedding()?;
        let common = &search.common;
        if counts_only(common) && !matches!(common.method.name(), AUTO | "lda") {
            let reason = "counts have a linear readout of the classes; leave it out";
            return Err(ConfigError::refused("method", reason));
        }
        if search.centers.is_some() && common.method.entry.is_some() && common.build_method()?.is_linear() {
            let reason = format!("{} is linear and has no kernel centers; leave it out", common.method.name());
            return Err(ConfigError::refused("centers", reason));
        }
        if search.passes.is_some() && !search.refine {
            return Err(ConfigError::refused("passes", "with refine=false closed forms are not trained; leave it out"));
        }
        Ok(search)
    }

    /// Refuses convolutions that were asked for where they cannot be.
    fn refuse_convolutions(&self, common: &Common) -> Result<(), ConfigError> {
        if !matches!(self.conv, Some(ConvolutionChoice::One | ConvolutionChoice::Two)) {
            return Ok(());
        }
        let reason = match common.input {
            Input::Series(_) => "a sensor window is no image; leave it out",
            Input::Image(image) if image.pool > 1 => "convolutions shrink images themselves; leave pool out",
            _ if common.method.entry.is_some() => "convolutions are trained on the classes; leave the method out",
            _ if common.numeric == Numeric::F32 => "convolutions are trained for integers; leave numeric out",
            _ => return Ok(()),
        };
        Err(ConfigError::refused("conv", reason))
    }

    fn method_choice(&self, registry: &Registry, default: Option<MethodEntry>) -> Result<MethodChoice, ConfigError> {
        let entry = match self.method.as_deref() {
            None => default,
            Some(AUTO) => None,
            Some(name) => Some(registry.find(name)?),
        };
        Ok(MethodChoice { entry, settings: self.method_settings()? })
    }

    fn common(&self, method: MethodChoice, numeric: Numeric) -> Result<Common, ConfigError> {
        Ok(Common {
            input: self.input()?,
            scale: self.scale.unwrap_or(Scaling::Auto),
            method,
            numeric: self.numeric.unwrap_or(numeric),
            names: self.names.unwrap_or(true),
            seed: self.seed.unwrap_or(0),
        })
    }

    fn input(&self) -> Result<Input, ConfigError> {
        if self.series.is_some() && self.image.is_some() {
            return Err(ConfigError::refused("image", "a row is a sensor window or an image, not both"));
        }
        let pool = self.pool.unwrap_or(1);
        if self.image.is_none() && pool != 1 {
            return Err(needs("pool", "image", "the rows and columns of a row of pixels, like 28x28"));
        }
        if let Some(size) = self.image {
            let image = Image { size, pool };
            image.pooling()?;
            self.refuse_series_parameters()?;
            return Ok(Input::Image(image));
        }
        let Some(size) = self.series else {
            self.refuse_series_parameters()?;
            return Ok(Input::Table);
        };
        let window = self.window.unwrap_or_default();
        if window == WindowChoice::None && self.segments.is_some() {
            return Err(ConfigError::refused("segments", "raw windows have no statistics; leave it out"));
        }
        if window == WindowChoice::Counts && self.segments.is_some() {
            return Err(ConfigError::refused("segments", "counts choose parts of the window themselves; leave it out"));
        }
        let interleaved = self.interleaved.unwrap_or(false);
        let series = Series { size, interleaved, window, segments: self.segments.unwrap_or(1) };
        series.statistics(series.segments)?;
        Ok(Input::Series(series))
    }

    fn refuse_series_parameters(&self) -> Result<(), ConfigError> {
        let given = [
            ("window", matches!(self.window, Some(WindowChoice::Stats | WindowChoice::Counts))),
            ("segments", self.segments.is_some()),
            ("interleaved", self.interleaved == Some(true)),
        ];
        let found = given.into_iter().find(|(_, given)| *given);
        let error = |(name, _)| needs(name, "series", "the channels and time steps of a row, like 6x100");
        found.map(error).map_or(Ok(()), Err)
    }

    fn limits(&self) -> Result<Limits, ConfigError> {
        let instructions = match (self.insns, self.board) {
            (Some(count), Some(board)) => Some((count.0, board)),
            (Some(_), None) => return Err(needs("insns", "board", NAMES.as_str())),
            (None, Some(_)) => return Err(needs("board", "insns", "the instructions to be kept on it, like 20k")),
            (None, None) => None,
        };
        Ok(Limits { flash: self.flash.map(|bytes| bytes.0), ram: self.ram.map(|bytes| bytes.0), instructions })
    }

    /// What the settings say of the search itself.
    fn search_settings(&self, limits: Limits) -> Result<BudgetSearch, SettingError> {
        let mut search = BudgetSearch::within(limits);
        let own = self.set.iter().filter(|(key, _)| SEARCH_SETTINGS.contains(&key.as_str()));
        let mut parser = SettingsParser::new(own.map(|(key, value)| (key.clone(), value.clone())).collect());
        parser.choice("centers", "means, landmarks or exemplars", &ORIGINS, &mut search.centers);
        parser.flag("refine", &mut search.refine);
        search.passes = parser.take("passes", expecting("1 to 100000"));
        parser.finish("search")?;
        if let Some(passes) = search.passes.filter(|passes| !(1..=MAX_PASSES).contains(passes)) {
            return Err(SettingError::value("passes", ValueError::new("1 to 100000", &passes.to_string())));
        }
        Ok(search)
    }
}

impl BudgetSearch {
    /// The method whose embedding the model learns; `None` where class indicators are that embedding.
    pub(crate) fn target_embedding(&self) -> Result<Option<Box<dyn Method>>, SettingError> {
        let MethodChoice { entry, settings } = &self.common.method;
        let entry = entry.unwrap_or(Registry::DEFAULT_METHOD);
        // The regression of these two on class indicators is what a searched model does anyway.
        if settings.is_empty() && ["cmvda", "lda"].contains(&entry.name) {
            return Ok(None);
        }
        entry.build(settings, self.common.seed).map(Some)
    }
}

/// Whether windows are to become counts, whatever else would do.
fn counts_only(common: &Common) -> bool {
    matches!(common.input, Input::Series(Series { window: WindowChoice::Counts, .. }))
}

/// Refuses to tune a method that has nothing to tune, or nothing left.
fn refuse_untunable(method: &dyn Method, choice: &MethodChoice, registry: &Registry) -> Result<(), ConfigError> {
    // Which settings can be tuned does not depend on the rows.
    let keys: Vec<&str> = method.tunable(2, 100).iter().map(|tunable| tunable.key).collect();
    let (name, others) = (choice.name(), registry.tunable().join(", "));
    if keys.is_empty() {
        let reason = format!("{name} has no settings to tune; these methods have: {others}");
        return Err(ConfigError::refused("tune_params", reason));
    }
    if keys.iter().all(|key| choice.settings.contains_key(*key)) {
        let reason = format!("every setting of {name} that can be tuned is given: {}", keys.join(", "));
        return Err(ConfigError::refused("tune_params", reason));
    }
    Ok(())
}

fn needs(parameter: &'static str, missing: &'static str, what: &'static str) -> ConfigError {
    ConfigError::Needs { parameter, missing, what }
}

impl From<&Config> for Parameters {
    /// The parameters that describe this run, with nothing left to defaults.
    fn from(config: &Config) -> Self {
        let mut parameters = common_parameters(config.common());
        match config {
            Config::Fixed(fit) => {
                parameters.pca = fit.pca;
                parameters.head = fit.head;
                parameters.keep_embedding = Some(fit.keep_embedding);
                parameters.tune_params = fit.tune_params.then_some(true);
            }
            Config::Budget(search) => {
                let limits = &search.limits;
                parameters.conv = Some(search.convolution);
                parameters.flash = limits.flash.map(Bytes);
                parameters.ram = limits.ram.map(Bytes);
                parameters.insns = limits.instructions.map(|(count, _)| Count(count));
                parameters.board = limits.instructions.map(|(_, board)| board);
                parameters.quick = search.quick.then_some(true);
                let origin = ORIGINS.iter().find(|(_, origin)| search.centers.is_some() && *origin == search.centers);
                let given = [
                    ("centers", origin.map(|(keyword, _)| (*keyword).to_owned())),
                    ("refine", Some(search.refine.to_string())),
                    ("passes", search.passes.map(|passes| passes.to_string())),
                ];
                parameters.set.extend(given.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
            }
        }
        parameters
    }
}

fn common_parameters(common: &Common) -> Parameters {
    let mut parameters = Parameters {
        method: Some(common.method.name().to_owned()),
        scale: Some(common.scale),
        numeric: Some(common.numeric),
        names: Some(common.names),
        seed: Some(common.seed),
        set: common.method.settings.clone(),
        ..Parameters::default()
    };
    for name in METHOD_PARAMETERS {
        // Those were read from text: what cannot be read again stays among the settings.
        if let Some(text) = parameters.set.remove(name)
            && parameters.assign(name, &text).is_err()
        {
            parameters.set.insert(name.to_owned(), text);
        }
    }
    match common.input {
        Input::Table => {}
        Input::Series(series) => {
            parameters.series = Some(series.size);
            parameters.interleaved = Some(series.interleaved);
            parameters.window = Some(series.window);
            // Raw windows and counts have no segments.
            let has_segments = !matches!(series.window, WindowChoice::None | WindowChoice::Counts);
            parameters.segments = has_segments.then_some(series.segments);
        }
        Input::Image(image) => {
            parameters.image = Some(image.size);
            parameters.pool = Some(image.pool);
        }
    }
    parameters
}

#[cfg(test)]
pub(crate) mod tests;
