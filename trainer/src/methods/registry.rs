//! Every method by name: what the command line, a configuration and a comparison can ask for.

use super::settings::{SettingError, Settings, SettingsParser};
use super::{Method, MethodParams};
use std::fmt;

/// A method that can be asked for by name.
#[derive(Clone, Copy)]
pub struct MethodEntry {
    /// The name, which is also [`Method::name`].
    pub name: &'static str,
    /// What it does, in a few words.
    pub description: &'static str,
    /// Takes the settings that the method has, by [`SettingsParser::method`].
    pub from_settings: fn(&mut SettingsParser) -> Box<dyn Method>,
}

/// The built-in methods, those of the papers first.
const METHODS: &[MethodEntry] = &[
    super::nsse::NSSE,
    super::cmvca::CMVCA,
    super::cmvda::CMVDA,
    super::cmvda::CMVDA_R,
    super::ebek::EBEK,
    super::dple::DPLE,
    super::dple::KDPLE,
    super::knn::KNN,
    super::pca::PCA,
    super::lda::LDA,
    super::cmvca::KPCA,
    super::cmvca::KECA,
    super::kda::KDA,
    super::lpp::LPP,
    super::lfda::LFDA,
    super::lde::LDE,
    super::lfda::KLFDA,
    super::lde::KLDE,
    super::suplap::SUPLAP,
];

impl MethodEntry {
    pub(super) const fn new(
        name: &'static str,
        description: &'static str,
        from_settings: fn(&mut SettingsParser) -> Box<dyn Method>,
    ) -> Self {
        Self { name, description, from_settings }
    }

    /// The method whose parameters start from their defaults.
    pub(super) const fn of<P: MethodParams + Default>(name: &'static str, description: &'static str) -> Self {
        Self { name, description, from_settings: |settings| settings.method(P::default()) }
    }

    /// The method with these settings and this seed of everything random in it.
    ///
    /// # Errors
    /// [`SettingError`] naming the setting that does not exist or has a wrong value.
    pub fn build(&self, settings: &Settings, seed: u64) -> Result<Box<dyn Method>, SettingError> {
        let mut parser = SettingsParser::new(settings.clone());
        parser.seed = Some(seed);
        let method = (self.from_settings)(&mut parser);
        parser.finish(self.name)?;
        Ok(method)
    }
}

// Names are unique within a registry; functions cannot be compared reliably.
impl PartialEq for MethodEntry {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl fmt::Debug for MethodEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MethodEntry").field(&self.name).finish()
    }
}

/// The methods that a configuration may name; by default the built-in ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Registry {
    entries: Vec<MethodEntry>,
}

impl Default for Registry {
    fn default() -> Self {
        Self { entries: METHODS.to_vec() }
    }
}

impl Registry {
    /// What a fit takes when no method is named.
    pub const DEFAULT_METHOD: MethodEntry = super::cmvda::CMVDA;

    /// The same registry with one more method, which replaces one of the same name.
    #[must_use]
    pub fn with(mut self, entry: MethodEntry) -> Self {
        self.entries.retain(|other| other.name != entry.name);
        self.entries.push(entry);
        self
    }

    /// The methods in order.
    #[must_use]
    pub fn entries(&self) -> &[MethodEntry] {
        &self.entries
    }

    /// Their names in order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.entries.iter().map(|entry| entry.name)
    }

    /// The names of those with settings that can be tuned.
    #[must_use]
    pub fn tunable(&self) -> Vec<&'static str> {
        let built = |entry: &MethodEntry| entry.build(&Settings::new(), 0).is_ok_and(|method| method.is_tunable());
        self.entries.iter().filter(|entry| built(entry)).map(|entry| entry.name).collect()
    }

    /// The method of this name.
    ///
    /// # Errors
    /// [`SettingError::Method`] with the names that exist.
    pub fn find(&self, name: &str) -> Result<MethodEntry, SettingError> {
        let found = self.entries.iter().find(|entry| entry.name == name).copied();
        found.ok_or_else(|| SettingError::Method { name: name.to_owned(), known: self.names().collect() })
    }
}

/// Every built-in method with its default settings, those of the papers first.
///
/// # Errors
/// None for the methods as they are: a test builds all of them.
pub fn with_defaults() -> Result<Vec<Box<dyn Method>>, SettingError> {
    METHODS.iter().map(|entry| entry.build(&Settings::new(), 0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::{cmvca, cmvda, dple, lde, pca};

    fn build(name: &str, settings: &[(&str, &str)]) -> Result<Box<dyn Method>, SettingError> {
        let settings = settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        Registry::default().find(name)?.build(&settings, 0)
    }

    fn refusal(name: &str, settings: &[(&str, &str)]) -> Option<String> {
        build(name, settings).err().map(|error| error.to_string())
    }

    #[test]
    fn every_name_builds_the_method_of_that_name() -> Result<(), SettingError> {
        let built: Vec<&str> = with_defaults()?.iter().map(|method| method.name()).collect();
        assert_eq!(built, Registry::default().names().collect::<Vec<_>>());
        Ok(())
    }

    #[test]
    fn a_method_without_a_kernel_has_a_linear_map() -> Result<(), Box<dyn std::error::Error>> {
        let data = crate::dataset::synthetic::blobs(3, 12, 4, 1.0, 0);
        for method in with_defaults()? {
            let linear = matches!(method.fit(&data)?.map(), crate::Map::Linear(_) | crate::Map::Identity { .. });
            assert_eq!(method.is_linear(), linear, "{}", method.name());
        }
        Ok(())
    }

    #[test]
    fn settings_left_out_keep_the_defaults_of_the_type() -> Result<(), SettingError> {
        let keca = cmvca::Params { score: cmvca::Score::Entropy, ..cmvca::Params::default() };
        let defaults: [&dyn Method; 5] = [
            &cmvda::Cmvda::default(),
            &cmvca::Cmvca::new(keca)?,
            &dple::Dple::kdple(),
            &lde::Lde::new(lde::Params::kernel())?,
            &pca::Pca::default(),
        ];
        for method in defaults {
            assert_eq!(build(method.name(), &[])?.params(), method.params(), "{}", method.name());
        }
        Ok(())
    }

    #[test]
    fn a_parameter_is_set_by_the_name_that_provenance_prints() -> Result<(), SettingError> {
        for method in with_defaults()? {
            for (key, value) in method.params() {
                // A kernel is printed with its width, and the axes of PCA with their unit; the seed is no setting.
                if !["kernel", "dim", "seed"].contains(&key) {
                    build(method.name(), &[(key, &value)])?;
                }
            }
        }
        Ok(())
    }

    #[test]
    fn an_unknown_setting_is_refused_with_those_that_exist() {
        let known = "dim, features, kernel, ridge, sigma";
        assert_eq!(refusal("cmvda", &[("mu1", "3")]), Some(format!("cmvda takes no mu1; it takes {known}")));
        assert_eq!(
            refusal("lda", &[("features", "exact")]).as_deref(),
            Some("lda takes no features; it takes dim, ridge")
        );
        assert_eq!(refusal("cmvda", &[("ridge", "x")]).as_deref(), Some("ridge: expected a number, got \"x\""));
        let missing = refusal("svm", &[]);
        assert!(missing.as_deref().is_some_and(|text| text.starts_with("there is no method \"svm\"; there are nsse,")));
    }

    #[test]
    fn a_message_may_name_parameters_as_a_tool_does() {
        let error = build("lda", &[("features", "exact")]).err();
        let text = error.map(|error| error.describe(&|name| format!("--{name}")));
        assert_eq!(text.as_deref(), Some("lda takes no --features; it takes --dim, --ridge"));
    }

    #[test]
    fn a_kernel_keeps_the_methods_relative_width() -> Result<(), SettingError> {
        let params = build("cmvda", &[("kernel", "laplacian")])?.params();
        assert!(params.contains(&("kernel", "laplacian, sigma 0.71x".to_owned())), "{params:?}");
        Ok(())
    }
}
