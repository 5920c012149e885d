//! A method's settings by name: each method takes those it knows, and whatever is left over is refused.

use super::features::FeatureChoice;
use super::keywords::{KernelName, ValueError, expecting};
use super::{Checked, Dim, Method, MethodParams};
use crate::error::ParamError;
use crate::kernel::{KernelChoice, Sigma};
use crate::retrieval;
use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::str::FromStr;

/// Settings as text by name, like `ridge` = `0.1`; what is absent keeps the method's default.
pub type Settings = BTreeMap<String, String>;

/// A setting that a method cannot take.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SettingError {
    /// No such method.
    Method {
        /// The name given.
        name: String,
        /// Those that exist.
        known: Vec<&'static str>,
    },
    /// The method has no such setting.
    Unknown {
        /// The method.
        method: String,
        /// The setting.
        key: String,
        /// Those it has.
        known: Vec<&'static str>,
    },
    /// A value that cannot be parsed.
    Value {
        /// The setting.
        key: String,
        /// What was expected.
        source: ValueError,
    },
    /// A value out of range.
    Range(ParamError),
}

impl SettingError {
    /// The message, with every parameter written as `name` gives it: a tool may print its own flags instead.
    #[must_use]
    pub fn describe(&self, name: &dyn Fn(&str) -> String) -> String {
        match self {
            Self::Method { name, known } => match retrieval::find(name) {
                Some(system) => {
                    format!("{name} cannot become a model: {}; recall compares it with others", system.no_model)
                }
                None => format!("there is no method {name:?}; there are {}", known.join(", ")),
            },
            Self::Unknown { method, key, known } if known.is_empty() => format!("{method} takes no {}", name(key)),
            Self::Unknown { method, key, known } => {
                let known: Vec<String> = known.iter().map(|key| name(key)).collect();
                format!("{method} takes no {}; it takes {}", name(key), known.join(", "))
            }
            Self::Value { key, source } => format!("{}: {source}", name(key)),
            Self::Range(error) => error.to_string(),
        }
    }

    /// A value of `key` that is not what was expected.
    pub(crate) fn value(key: &str, source: ValueError) -> Self {
        Self::Value { key: key.to_owned(), source }
    }
}

impl Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe(&str::to_owned))
    }
}

// The message already includes the cause.
impl std::error::Error for SettingError {}

impl From<ParamError> for SettingError {
    fn from(error: ParamError) -> Self {
        Self::Range(error)
    }
}

/// Reads a method's parameters from settings, checks them, records their values and refuses settings that nobody took.
///
/// ```
/// use nearmark_train::methods::SettingsParser;
///
/// let mut ridge = 0.01;
/// let settings = [("ridge".to_owned(), "0.1".to_owned()), ("rigde".to_owned(), "0.2".to_owned())];
/// let mut parser = SettingsParser::new(settings.into());
/// parser.not_negative("ridge", &mut ridge);
/// assert_eq!(ridge, 0.1);
/// let error = parser.finish("lda").unwrap_err();
/// assert_eq!(error.to_string(), "lda takes no rigde; it takes ridge");
/// ```
#[derive(Debug, Default)]
pub struct SettingsParser {
    left: Settings,
    known: Vec<&'static str>,
    /// The seed of everything random: the run's, else the parameters' own once they have named it.
    pub(super) seed: Option<u64>,
    /// Every parameter as text: the provenance of a model.
    pub(super) values: BTreeMap<&'static str, String>,
    /// The first text that could not be parsed.
    wrong: Option<SettingError>,
    /// The first value out of its range.
    pub(super) out_of_range: Option<ParamError>,
}

impl SettingsParser {
    /// A parser that nobody has taken anything from.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self { left: settings, ..Self::default() }
    }

    /// The method whose parameters, these by default, the settings may change.
    pub fn method(&mut self, mut params: impl MethodParams) -> Box<dyn Method> {
        params.settings(self);
        Box::new(Checked { params })
    }

    /// Whether a setting is given and was not taken yet.
    #[must_use]
    pub fn gives(&self, key: &str) -> bool {
        self.left.contains_key(key)
    }

    /// The value of a setting, if it was given and can be parsed.
    pub fn take<T>(&mut self, key: &'static str, parse: impl FnOnce(&str) -> Result<T, ValueError>) -> Option<T> {
        self.known.push(key);
        let parsed = parse(&self.left.remove(key)?);
        parsed.map_err(|error| self.wrong.get_or_insert(SettingError::value(key, error))).ok()
    }

    /// The value of a parameter as provenance prints it.
    pub fn record(&mut self, key: &'static str, value: impl Display) {
        self.values.insert(key, value.to_string());
    }

    /// Keeps the first error, for [`finish`](Self::finish).
    pub fn check(&mut self, result: Result<(), ParamError>) {
        self.out_of_range = self.out_of_range.take().or(result.err());
    }

    /// A setting whose type knows what it expects.
    pub fn parsed<T: FromStr<Err = ValueError> + Display>(&mut self, key: &'static str, target: &mut T) {
        self.replaced(key, target, str::parse);
    }

    fn replaced<T: Display>(
        &mut self,
        key: &'static str,
        target: &mut T,
        parse: impl FnOnce(&str) -> Result<T, ValueError>,
    ) {
        if let Some(value) = self.take(key, parse) {
            *target = value;
        }
        self.record(key, target);
    }

    /// A finite number, zero or more.
    pub fn not_negative(&mut self, key: &'static str, target: &mut f64) {
        self.replaced(key, target, expecting("a number"));
        self.check(ParamError::not_negative(key, *target));
    }

    /// As [`not_negative`](Self::not_negative), where `auto` leaves the number to the method.
    pub fn optional(&mut self, key: &'static str, target: &mut Option<f64>) {
        let parse = |text: &str| match text {
            "auto" => Ok(None),
            _ => expecting("a number or auto")(text).map(Some),
        };
        *target = self.take(key, parse).unwrap_or(*target);
        self.check(target.map_or(Ok(()), |value| ParamError::not_negative(key, value)));
        self.record(key, target.map_or_else(|| "auto".to_owned(), |value| value.to_string()));
    }

    /// A number from 0 to 1.
    pub fn share(&mut self, key: &'static str, target: &mut f64) {
        self.replaced(key, target, expecting("a number"));
        self.check(ParamError::check((0.0..=1.0).contains(target), key, "in 0..=1", *target));
    }

    /// A count of at least one.
    pub fn count(&mut self, key: &'static str, target: &mut usize) {
        self.replaced(key, target, expecting("a count"));
        self.check(ParamError::at_least_one(key, *target));
    }

    /// `true` or `false`.
    pub fn flag(&mut self, key: &'static str, target: &mut bool) {
        self.replaced(key, target, expecting("true or false"));
    }

    /// One of a few keywords.
    pub fn choice<T: Copy + PartialEq>(
        &mut self,
        key: &'static str,
        expected: &'static str,
        keywords: &[(&str, T)],
        target: &mut T,
    ) {
        let find = |text: &str| keywords.iter().find(|(keyword, _)| *keyword == text).map(|(_, value)| *value);
        if let Some(value) = self.take(key, |text| find(text).ok_or_else(|| ValueError::new(expected, text))) {
            *target = value;
        }
        if let Some((keyword, _)) = keywords.iter().find(|(_, value)| value == target) {
            self.record(key, keyword);
        }
    }

    /// `k` neighbors, where `auto` and `all` leave the number to the method, which prints it as `open`.
    pub fn neighbors(&mut self, open: &str, target: &mut Option<usize>) {
        let parse = |text: &str| match text {
            "auto" | "all" => Ok(None),
            _ => expecting("a count, auto or all")(text).map(Some),
        };
        *target = self.take("k", parse).unwrap_or(*target);
        self.check(ParamError::at_least_one("k", target.unwrap_or(1)));
        self.record("k", target.map_or_else(|| open.to_owned(), |k| k.to_string()));
    }

    /// `dim`, the length of the embedding.
    pub fn dim(&mut self, target: &mut Dim) {
        self.parsed("dim", target);
        self.check(target.check());
    }

    /// `sigma`, the kernel's width.
    pub fn sigma(&mut self, target: &mut Sigma) {
        self.parsed("sigma", target);
        self.check(target.check());
    }

    /// `features`, the form of the kernel's feature map.
    pub fn features(&mut self, target: &mut FeatureChoice) {
        self.parsed("features", target);
        self.check(target.check());
    }

    /// The seed, which is no setting: it belongs to the whole run.
    pub fn seed(&mut self, target: &mut u64) {
        *target = *self.seed.get_or_insert(*target);
        self.record("seed", target);
    }

    /// `kernel` with its width `sigma`, and with `offset` where it is a polynomial.
    pub fn kernel(&mut self, target: &mut KernelChoice) {
        let (own, own_sigma) = match *target {
            KernelChoice::Gaussian(sigma) => (KernelName::Gaussian, sigma),
            KernelChoice::Laplacian(sigma) => (KernelName::Laplacian, sigma),
            KernelChoice::Polynomial { sigma, degree, .. } => (KernelName::Polynomial(degree), sigma),
            KernelChoice::Linear => (KernelName::Linear, Sigma::Mean),
        };
        let name = self.take("kernel", str::parse).unwrap_or(own);
        // A width relative to the mean distance suits every kernel of distances; polynomials have a default of their own.
        let sigma = if name == own || name == KernelName::Laplacian { own_sigma } else { Sigma::Mean };
        let sigma = self.take("sigma", str::parse).unwrap_or(sigma);
        *target = match name {
            KernelName::Gaussian => KernelChoice::Gaussian(sigma),
            KernelName::Laplacian => KernelChoice::Laplacian(sigma),
            KernelName::Polynomial(degree) => {
                let own_offset = if let KernelChoice::Polynomial { offset, .. } = *target { offset } else { 1.0 };
                let offset = self.take("offset", expecting("a number")).unwrap_or(own_offset);
                KernelChoice::Polynomial { sigma, offset, degree }
            }
            KernelName::Linear => KernelChoice::Linear,
        };
        self.check(target.check());
        self.record("kernel", target);
    }

    /// As [`kernel`](Self::kernel), for methods that also come without one.
    pub fn optional_kernel(&mut self, target: &mut Option<KernelChoice>) {
        match target {
            Some(kernel) => self.kernel(kernel),
            None => self.record("kernel", "none"),
        }
    }

    /// Refuses wrong values and settings that the method did not take.
    ///
    /// # Errors
    /// The first value that cannot be parsed, else the first out of range, else [`SettingError::Unknown`].
    pub fn finish(mut self, method: &str) -> Result<(), SettingError> {
        if let Some(error) = self.wrong.or(self.out_of_range.map(SettingError::Range)) {
            return Err(error);
        }
        let Some((key, _)) = self.left.pop_first() else { return Ok(()) };
        self.known.sort_unstable();
        self.known.dedup();
        Err(SettingError::Unknown { method: method.to_owned(), key, known: self.known })
    }
}
