//! The parameters of a run, each defined once: its name, type and help.

use super::values::{self, Bytes, ConvolutionChoice, Count, Numeric, Size, Value, WindowChoice};
use crate::emulator::board::Board;
use crate::kernel::Sigma;
use crate::methods::features::FeatureChoice;
use crate::methods::{Dim, KernelName, MethodEntry, SettingError, Settings, ValueError};
use crate::model::head::HeadChoice;
use crate::preprocess::{Components, Scaling};
use serde::{Deserialize, Serialize};

/// What a tool has to know of a parameter to offer it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, as in a file.
    pub name: &'static str,
    /// What stands for its value in a help text; empty where it is either true or false.
    pub placeholder: &'static str,
    /// What it does.
    pub help: &'static str,
}

/// Defines [`Parameters`] from one list, with everything that has to treat each of them alike.
macro_rules! parameters {
    ($($(#[doc = $help:literal])+ $name:ident: $type:ty = $placeholder:literal,)+) => {
        /// What a user writes of a run. All of it is optional; what is left out keeps its default.
        #[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct Parameters {
            $(
                $(#[doc = $help])+
                #[serde(deserialize_with = "values::read", serialize_with = "values::write")]
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $name: Option<$type>,
            )+
            /// Settings of the method, and of the budget search, by name.
            #[serde(deserialize_with = "values::read_table", skip_serializing_if = "Settings::is_empty")]
            pub set: Settings,
        }

        impl Parameters {
            /// Every parameter but the method's own settings.
            pub const ALL: &[Parameter] = &[$(
                Parameter {
                    name: stringify!($name),
                    placeholder: $placeholder,
                    help: concat!($($help),+).trim_ascii(),
                },
            )+];

            /// Sets a parameter by name; a name that is none of [`ALL`](Self::ALL) is a setting of the method.
            ///
            /// # Errors
            /// [`SettingError::Value`] when the text is no value of that parameter.
            pub fn assign(&mut self, name: &str, text: &str) -> Result<(), SettingError> {
                let error = |error| SettingError::value(name, error);
                match name {
                    $(stringify!($name) => self.$name = Some(Value::parse(text).map_err(error)?),)+
                    _ => drop(self.set.insert(name.to_owned(), text.to_owned())),
                }
                Ok(())
            }

            /// Leaves out a parameter or a setting.
            pub fn remove(&mut self, name: &str) {
                match name {
                    $(stringify!($name) => self.$name = None,)+
                    _ => {}
                }
                self.set.remove(name);
            }

            /// These parameters, and where they leave one out, that of `base`.
            #[must_use]
            pub fn over(self, mut base: Self) -> Self {
                // A method's setting may be given as a parameter here and among the settings there.
                let own = self.settings().unwrap_or_default();
                for name in METHOD_PARAMETERS.into_iter().filter(|name| own.contains_key(*name)) {
                    base.remove(name);
                }
                base.set.extend(self.set);
                Self { $($name: self.$name.or(base.$name),)+ set: base.set }
            }
        }
    };
}

parameters! {
    /// Embedding method; `auto` compares methods by cross-validation [default: cmvda; auto within a budget]
    method: String = "METHOD",
    /// Length of the embedding: auto, all or a count [default: auto]
    dim: Dim = "D",
    /// Classifier on the embedding: mean, knn:K, prototypes:P per class, or items, which keeps every row with its id
    /// for `search` [default: mean; without labels items]
    head: HeadChoice = "HEAD",
    /// auto, none, range (all values to 0..1), minmax or standard (per column), unit (length of a row)
    /// [default: auto]
    scale: Scaling = "SCALE",
    /// Principal axes first: a share of the variance like 0.98, or a count
    pca: Components = "SHARE|P",
    /// gaussian, laplacian, polynomial:DEGREE, linear, or precomputed: rows are the kernel matrix, and the model takes
    /// similarities to its exemplars [default: gaussian]
    kernel: KernelName = "KERNEL",
    /// The kernel's width: mean (pairwise distance), a multiple of it like 0.71x, or a value
    /// [default: 0.71x for cmvda, mean for others]
    sigma: Sigma = "SIGMA",
    /// Kernel approximation: auto, exact (every row is a center), nystrom:M (M rows are centers), nystrom:M:kmeans (M centers
    /// by k-means), or random features from a seed, which save flash and cost instructions: random:M, or the faster
    /// signs:M [default: auto]
    features: FeatureChoice = "FEATURES",
    /// Tune the method's settings by repeated hold-outs of the rows; those that are given stay as they are
    tune_params: bool = "",
    /// A row is a sensor window of C channels and T steps (detected automatically for arrays of three dimensions)
    series: Size = "CxT",
    /// What windows become: stats, counts (how often fixed convolutions exceed a threshold; within a budget), none, or auto,
    /// what cross-validation favors [default: auto]
    window: WindowChoice = "WINDOW",
    /// Statistics of each of so many segments of the window [default: 1]
    segments: usize = "S",
    /// The device delivers windows with channels side by side, step by step
    interleaved: bool = "",
    /// Rows and columns of an image: what a row of pixels stands for, or the size to bring images to
    image: Size = "HxW",
    /// Sum blocks of this many by this many pixels first [default: 1]
    pool: usize = "K",
    /// Learned convolutions of images, within a budget: auto (if held-out rows favor them), none, one or two layers
    /// [default: auto]
    conv: ConvolutionChoice = "CONV",
    /// f32, i8 (integers throughout) or auto (integers if accuracy on hold-out rows falls by less than one
    /// standard error) [default: f32; auto within a budget]
    numeric: Numeric = "NUMERIC",
    /// Search for the best model of at most so many bytes of flash, class names included: 2048, 16k (k = 1024)
    flash: Bytes = "BYTES",
    /// The same for bytes of scratch RAM
    ram: Bytes = "BYTES",
    /// The same for instructions of one classification on a board, by a cost model: 20000, 20k (k = 1000)
    insns: Count = "N",
    /// The board that instructions are counted on
    board: Board = "BOARD",
    /// Search more coarsely within the budget, in about a fifth of the time: a little less accurate
    quick: bool = "",
    /// Store class names
    names: bool = "",
    /// Do not simplify the embedding: the model may be larger
    keep_embedding: bool = "",
    /// Seed of everything random [default: 0]
    seed: u64 = "SEED",
}

/// Settings of methods that are parameters of their own, since most methods have them.
pub(super) const METHOD_PARAMETERS: [&str; 4] = ["dim", "kernel", "sigma", "features"];

/// Settings of the budget search itself, beside those of a method.
pub(super) const SEARCH_SETTINGS: [&str; 3] = ["centers", "refine", "passes"];

impl Parameters {
    /// Whether the run is a search within a budget.
    #[must_use]
    pub fn is_budget(&self) -> bool {
        self.flash.is_some() || self.ram.is_some() || self.insns.is_some()
    }

    /// Every setting of the method by name, those that are parameters of their own included.
    ///
    /// # Errors
    /// [`SettingError::Value`] when one is given twice.
    pub(super) fn settings(&self) -> Result<Settings, SettingError> {
        let mut settings = self.set.clone();
        let own = [
            self.dim.map(|dim| dim.to_string()),
            self.kernel.map(|kernel| kernel.to_string()),
            self.sigma.map(|sigma| sigma.to_string()),
            self.features.map(|features| features.to_string()),
        ];
        for (name, text) in METHOD_PARAMETERS.into_iter().zip(own) {
            let Some(text) = text else { continue };
            if let Some(other) = settings.insert(name.to_owned(), text.clone())
                && other != text
            {
                return Err(SettingError::value(name, ValueError::new("one value", &format!("{text} and {other}"))));
            }
        }
        Ok(settings)
    }

    /// As [`settings`](Self::settings), less those of the budget search.
    pub(crate) fn method_settings(&self) -> Result<Settings, SettingError> {
        let mut settings = self.settings()?;
        if self.is_budget() {
            settings.retain(|key, _| !SEARCH_SETTINGS.contains(&key.as_str()));
        }
        Ok(settings)
    }

    /// The same parameters for another method, less the settings that it does not have: one set of them serves many
    /// methods.
    ///
    /// # Errors
    /// [`SettingError`] when a setting that it has cannot be used.
    pub fn adapted(&self, method: MethodEntry) -> Result<Self, SettingError> {
        let mut own = Self { method: Some(method.name.to_owned()), ..self.clone() };
        loop {
            match method.build(&own.method_settings()?, own.seed.unwrap_or(0)) {
                Err(SettingError::Unknown { key, .. }) => own.remove(&key),
                // A linear model has no centers to search for.
                Ok(linear) if own.is_budget() && own.set.contains_key("centers") && linear.is_linear() => {
                    own.remove("centers");
                }
                // One flag serves methods that can be tuned and others.
                Ok(plain) if own.tune_params == Some(true) && !plain.is_tunable() => own.tune_params = None,
                built => return built.map(|_| own),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::Registry;

    fn settings(pairs: &[(&str, &str)]) -> Settings {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn settings_that_another_method_does_not_have_are_dropped() -> Result<(), SettingError> {
        let set = settings(&[("ridge", "0.1"), ("mu1", "200")]);
        let shared =
            Parameters { sigma: Some(Sigma::Mean), features: Some(FeatureChoice::Exact), set, ..Default::default() };
        let lda = shared.adapted(Registry::default().find("lda")?)?;
        assert_eq!((lda.sigma, lda.features, lda.set), (None, None, settings(&[("ridge", "0.1")])));
        assert_eq!(lda.method.as_deref(), Some("lda"));
        Ok(())
    }

    #[test]
    fn a_search_keeps_its_own_settings_where_they_mean_something() -> Result<(), SettingError> {
        let set = settings(&[("passes", "10"), ("mu1", "200"), ("centers", "landmarks")]);
        let shared = Parameters { flash: Some(Bytes(1024)), set, ..Default::default() };
        let own = settings(&[("passes", "10"), ("centers", "landmarks")]);
        assert_eq!(shared.adapted(Registry::default().find("cmvda")?)?.set, own);
        let linear = settings(&[("passes", "10")]);
        assert_eq!(shared.adapted(Registry::default().find("lda")?)?.set, linear, "no centers");
        Ok(())
    }

    #[test]
    fn a_setting_has_one_value() {
        let set = settings(&[("dim", "5")]);
        let twice = Parameters { dim: Some(Dim::Count(7)), set, ..Default::default() };
        let error = twice.settings().map_err(|error| error.to_string());
        assert_eq!(error, Err("dim: expected one value, got \"7 and 5\"".to_owned()));
    }

    #[test]
    fn parameters_are_assigned_by_name_and_laid_over_others() -> Result<(), SettingError> {
        let mut file = Parameters::default();
        for (name, text) in [("pca", "0.98"), ("keep_embedding", "true"), ("seed", "7"), ("ridge", "0.1")] {
            file.assign(name, text)?;
        }
        let mut flags = Parameters { seed: Some(8), ..Parameters::default() };
        flags.assign("mu1", "3")?;
        let both = flags.over(file);
        assert_eq!((both.pca, both.keep_embedding), (Some(Components::Variance(0.98)), Some(true)));
        assert_eq!((both.seed, both.set), (Some(8), settings(&[("mu1", "3"), ("ridge", "0.1")])));
        let file = Parameters { dim: Some(Dim::Count(5)), ..Parameters::default() };
        let flags = Parameters { set: settings(&[("dim", "7")]), ..Parameters::default() };
        assert_eq!(flags.over(file).settings()?["dim"], "7");
        let error = Parameters::default().assign("segments", "few").map_err(|error| error.to_string());
        assert_eq!(error, Err("segments: expected a count, got \"few\"".to_owned()));
        Ok(())
    }
}
