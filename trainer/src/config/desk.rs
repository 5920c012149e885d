//! Where a method picks up what was said of it.

use super::method::SettingError;
use super::words::{KernelName, WordError};
use crate::kernel::{KernelChoice, Sigma};
use crate::methods::Dim;
use crate::methods::features::FeatureChoice;
use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

/// What is said of a method; whatever is left out keeps the method's default.
#[derive(Debug, Clone, Default)]
pub(super) struct Settings {
    pub(super) dim: Option<Dim>,
    pub(super) kernel: Option<KernelName>,
    pub(super) sigma: Option<Sigma>,
    pub(super) features: Option<FeatureChoice>,
    pub(super) set: BTreeMap<String, String>,
    pub(super) seed: u64,
}

/// Hands settings to a method and keeps account of those that nobody took.
pub(super) struct Desk {
    said: Settings,
    known: Vec<&'static str>,
    left: BTreeSet<&'static str>,
}

impl Desk {
    pub(super) fn new(said: Settings) -> Self {
        let mut left = BTreeSet::new();
        let words = [
            ("dim", said.dim.is_some()),
            ("kernel", said.kernel.is_some()),
            ("sigma", said.sigma.is_some()),
            ("features", said.features.is_some()),
        ];
        left.extend(words.into_iter().filter(|(_, said)| *said).map(|(word, _)| word));
        Self { said, known: Vec::new(), left }
    }

    /// A parameter of `--set`, if it was said.
    pub(super) fn take<T: FromStr>(
        &mut self,
        key: &'static str,
        expected: &'static str,
    ) -> Result<Option<T>, SettingError> {
        self.known.push(key);
        let Some(text) = self.said.set.remove(key) else { return Ok(None) };
        let error = WordError { expected, got: text.clone() };
        text.parse().map(Some).map_err(|_| SettingError::Value { key: key.to_owned(), source: error })
    }

    pub(super) fn number(&mut self, key: &'static str, target: &mut f64) -> Result<(), SettingError> {
        *target = self.take(key, "a number")?.unwrap_or(*target);
        Ok(())
    }

    pub(super) fn count(&mut self, key: &'static str, target: &mut usize) -> Result<(), SettingError> {
        *target = self.take(key, "a count")?.unwrap_or(*target);
        Ok(())
    }

    /// A count, or a word for the method's own choice.
    pub(super) fn neighbors(&mut self, target: &mut Option<usize>) -> Result<(), SettingError> {
        if let Some(text) = self.take::<String>("k", "")? {
            let source = || WordError { expected: "a count, auto or all", got: text.clone() };
            *target = match text.as_str() {
                "auto" | "all" => None,
                _ => Some(text.parse().map_err(|_| SettingError::Value { key: "k".to_owned(), source: source() })?),
            };
        }
        Ok(())
    }

    pub(super) fn flag(&mut self, key: &'static str, target: &mut bool) -> Result<(), SettingError> {
        *target = self.take(key, "true or false")?.unwrap_or(*target);
        Ok(())
    }

    /// One of a few words.
    pub(super) fn word<T: Copy>(
        &mut self,
        key: &'static str,
        expected: &'static str,
        words: &[(&str, T)],
        target: &mut T,
    ) -> Result<(), SettingError> {
        if let Some(text) = self.take::<String>(key, expected)? {
            let found = words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
            let source = WordError { expected, got: text };
            *target = found.ok_or_else(|| SettingError::Value { key: key.to_owned(), source })?;
        }
        Ok(())
    }

    pub(super) fn dim(&mut self, target: &mut Dim) {
        self.left.remove("dim");
        *target = self.said.dim.unwrap_or(*target);
    }

    pub(super) fn sigma(&mut self, target: &mut Sigma) {
        self.left.remove("sigma");
        *target = self.said.sigma.unwrap_or(*target);
    }

    pub(super) fn features(&mut self, target: &mut FeatureChoice) {
        self.left.remove("features");
        *target = self.said.features.unwrap_or(*target);
    }

    /// The kernel with its width; `offset` belongs to polynomials.
    pub(super) fn kernel(&mut self, target: &mut KernelChoice) -> Result<(), SettingError> {
        self.left.remove("kernel");
        self.left.remove("sigma");
        let (own, own_sigma) = match *target {
            KernelChoice::Gaussian(sigma) => (KernelName::Gaussian, sigma),
            KernelChoice::Laplacian(sigma) => (KernelName::Laplacian, sigma),
            KernelChoice::Polynomial { sigma, degree, .. } => (KernelName::Polynomial(degree), sigma),
            KernelChoice::Linear => (KernelName::Linear, Sigma::Mean),
        };
        let name = self.said.kernel.unwrap_or(own);
        let same = name == own;
        // A width relative to the mean distance fits any kernel that measures distances; polynomials start afresh.
        let inherited = if same || name == KernelName::Laplacian { own_sigma } else { Sigma::Mean };
        let sigma = self.said.sigma.unwrap_or(inherited);
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

    pub(super) fn optional_kernel(&mut self, target: &mut Option<KernelChoice>) -> Result<(), SettingError> {
        target.as_mut().map_or(Ok(()), |kernel| self.kernel(kernel))
    }

    /// Refuses what no one took.
    pub(super) fn close(mut self, method: &str) -> Result<(), SettingError> {
        let left = self.left.first().map(|key| format!("--{key}"));
        let Some(key) = left.or_else(|| self.said.set.keys().next().cloned()) else { return Ok(()) };
        self.known.sort_unstable();
        let known = if key.starts_with("--") { Vec::new() } else { self.known };
        Err(SettingError::Unknown { method: method.to_owned(), key, known })
    }
}
