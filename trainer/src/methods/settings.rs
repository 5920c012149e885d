//! A method's settings by name: each constructor takes those it knows, and whatever is left over is refused.

use super::Dim;
use super::features::FeatureChoice;
use super::keywords::{KernelName, ValueError};
use crate::error::ParamError;
use crate::kernel::{KernelChoice, Sigma};
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
            Self::Method { name, known } => format!("there is no method {name:?}; there are {}", known.join(", ")),
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
    #[must_use]
    pub fn value(key: &str, source: ValueError) -> Self {
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

/// Hands settings to a method's constructor and knows which nobody took.
///
/// ```
/// use nearmark_train::methods::{SettingError, SettingsParser};
///
/// let mut ridge = 0.01;
/// let settings = [("ridge".to_owned(), "0.1".to_owned()), ("rigde".to_owned(), "0.2".to_owned())];
/// let mut parser = SettingsParser::new(settings.into());
/// parser.number("ridge", &mut ridge)?;
/// assert_eq!(ridge, 0.1);
/// let error = parser.finish("lda").unwrap_err();
/// assert_eq!(error.to_string(), "lda takes no rigde; it takes ridge");
/// # Ok::<(), SettingError>(())
/// ```
#[derive(Debug)]
pub struct SettingsParser {
    left: Settings,
    known: Vec<&'static str>,
}

impl SettingsParser {
    /// A parser that nobody has taken anything from.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self { left: settings, known: Vec::new() }
    }

    /// The text of a setting, if it was given.
    fn text(&mut self, key: &'static str) -> Option<String> {
        self.known.push(key);
        self.left.remove(key)
    }

    /// A setting of any type that text can express, if it was given.
    ///
    /// # Errors
    /// [`SettingError::Value`] with what was `expected`.
    pub fn take<T: FromStr>(&mut self, key: &'static str, expected: &'static str) -> Result<Option<T>, SettingError> {
        let Some(text) = self.text(key) else { return Ok(None) };
        let parsed = text.parse().map_err(|_| SettingError::value(key, ValueError::new(expected, &text)));
        parsed.map(Some)
    }

    /// A setting whose type knows what it expects.
    ///
    /// # Errors
    /// [`SettingError::Value`] with the type's own explanation.
    pub fn parsed<T: FromStr<Err = ValueError>>(
        &mut self,
        key: &'static str,
        target: &mut T,
    ) -> Result<(), SettingError> {
        if let Some(text) = self.text(key) {
            *target = text.parse().map_err(|error| SettingError::value(key, error))?;
        }
        Ok(())
    }

    /// A real number.
    ///
    /// # Errors
    /// As [`take`](Self::take).
    pub fn number(&mut self, key: &'static str, target: &mut f64) -> Result<(), SettingError> {
        *target = self.take(key, "a number")?.unwrap_or(*target);
        Ok(())
    }

    /// A count.
    ///
    /// # Errors
    /// As [`take`](Self::take).
    pub fn count(&mut self, key: &'static str, target: &mut usize) -> Result<(), SettingError> {
        *target = self.take(key, "a count")?.unwrap_or(*target);
        Ok(())
    }

    /// `true` or `false`.
    ///
    /// # Errors
    /// As [`take`](Self::take).
    pub fn flag(&mut self, key: &'static str, target: &mut bool) -> Result<(), SettingError> {
        *target = self.take(key, "true or false")?.unwrap_or(*target);
        Ok(())
    }

    /// One of a few keywords.
    ///
    /// # Errors
    /// As [`take`](Self::take).
    pub fn choice<T: Copy>(
        &mut self,
        key: &'static str,
        expected: &'static str,
        keywords: &[(&str, T)],
        target: &mut T,
    ) -> Result<(), SettingError> {
        if let Some(text) = self.text(key) {
            let found = keywords.iter().find(|(keyword, _)| *keyword == text).map(|(_, value)| *value);
            *target = found.ok_or_else(|| SettingError::value(key, ValueError::new(expected, &text)))?;
        }
        Ok(())
    }

    /// `k` neighbors, where `auto` and `all` leave the number to the method.
    ///
    /// # Errors
    /// As [`take`](Self::take).
    pub fn neighbors(&mut self, target: &mut Option<usize>) -> Result<(), SettingError> {
        if let Some(text) = self.text("k") {
            let error = |_| SettingError::value("k", ValueError::new("a count, auto or all", &text));
            *target = match text.as_str() {
                "auto" | "all" => None,
                _ => Some(text.parse().map_err(error)?),
            };
        }
        Ok(())
    }

    /// `dim`, the length of the embedding.
    ///
    /// # Errors
    /// As [`parsed`](Self::parsed).
    pub fn dim(&mut self, target: &mut Dim) -> Result<(), SettingError> {
        self.parsed("dim", target)
    }

    /// `sigma`, the kernel's width.
    ///
    /// # Errors
    /// As [`parsed`](Self::parsed).
    pub fn sigma(&mut self, target: &mut Sigma) -> Result<(), SettingError> {
        self.parsed("sigma", target)
    }

    /// `features`, the form of the kernel's feature map.
    ///
    /// # Errors
    /// As [`parsed`](Self::parsed).
    pub fn features(&mut self, target: &mut FeatureChoice) -> Result<(), SettingError> {
        self.parsed("features", target)
    }

    /// `kernel` with its width `sigma`, and with `offset` where it is a polynomial.
    ///
    /// # Errors
    /// As [`parsed`](Self::parsed).
    pub fn kernel(&mut self, target: &mut KernelChoice) -> Result<(), SettingError> {
        let (own, own_sigma) = match *target {
            KernelChoice::Gaussian(sigma) => (KernelName::Gaussian, sigma),
            KernelChoice::Laplacian(sigma) => (KernelName::Laplacian, sigma),
            KernelChoice::Polynomial { sigma, degree, .. } => (KernelName::Polynomial(degree), sigma),
            KernelChoice::Linear => (KernelName::Linear, Sigma::Mean),
        };
        let mut name = own;
        self.parsed("kernel", &mut name)?;
        // A width relative to the mean distance suits every kernel of distances; polynomials have a default of their own.
        let mut sigma = if name == own || name == KernelName::Laplacian { own_sigma } else { Sigma::Mean };
        self.sigma(&mut sigma)?;
        let mut offset = 1.0;
        if matches!(name, KernelName::Polynomial(_)) {
            self.number("offset", &mut offset)?;
        }
        *target = match name {
            KernelName::Gaussian => KernelChoice::Gaussian(sigma),
            KernelName::Laplacian => KernelChoice::Laplacian(sigma),
            KernelName::Polynomial(degree) => KernelChoice::Polynomial { sigma, offset, degree },
            KernelName::Linear => KernelChoice::Linear,
        };
        Ok(())
    }

    /// As [`kernel`](Self::kernel), for methods that also come without one.
    ///
    /// # Errors
    /// As [`parsed`](Self::parsed).
    pub fn optional_kernel(&mut self, target: &mut Option<KernelChoice>) -> Result<(), SettingError> {
        target.as_mut().map_or(Ok(()), |kernel| self.kernel(kernel))
    }

    /// Refuses settings that the method did not take.
    ///
    /// # Errors
    /// [`SettingError::Unknown`] naming the first of them.
    pub fn finish(mut self, method: &str) -> Result<(), SettingError> {
        let Some((key, _)) = self.left.pop_first() else { return Ok(()) };
        self.known.sort_unstable();
        self.known.dedup();
        Err(SettingError::Unknown { method: method.to_owned(), key, known: self.known })
    }
}
