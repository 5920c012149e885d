//! What is compared: a method by name, with settings of its own if need be.

use crate::config::{AUTO, Config, ConfigError, Parameters};
use crate::methods::{Registry, SettingError, ValueError};

/// The default list: the methods of the papers, and three classics.
pub const DEFAULT_METHODS: &str = "nsse,cmvca,cmvda,ebek,dple,kdple,knn,lda,pca";

/// One of the methods compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// What it is called in the table.
    pub name: String,
    /// How it is fitted.
    pub config: Config,
}

/// An entry that cannot be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{entry}: {why}")]
pub struct EntryError {
    /// The entry as given.
    pub entry: String,
    /// What is wrong with it; part of the message, hence no source of its own.
    pub why: ConfigError,
}

impl Entry {
    /// Reads `METHOD[:KEY=VALUE]...`, like `cmvda:ridge=0.1:sigma=mean` or `ebek:head=knn:1`.
    ///
    /// What `shared` sets applies where the method has it; what the entry sets must exist. A key is one of
    /// [`Parameters::ALL`] or else a setting of the method. A piece without `=` belongs to the value before it.
    ///
    /// # Errors
    /// [`EntryError`] naming the entry, and the method, parameter or value at fault.
    pub fn parse(text: &str, shared: &Parameters) -> Result<Self, EntryError> {
        let parameters = Self::parameters(text, shared)?;
        let config = Config::try_from(parameters).map_err(|why| EntryError { entry: text.trim().to_owned(), why })?;
        Ok(Self { name: text.trim().to_owned(), config })
    }

    /// The parameters of an entry, method and settings checked: before the rows are known, their shape may be open.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn parameters(text: &str, shared: &Parameters) -> Result<Parameters, EntryError> {
        let text = text.trim();
        checked(text, shared).map_err(|why| EntryError { entry: text.to_owned(), why: why.into() })
    }

    /// Reads entries separated by commas.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn list(text: &str, shared: &Parameters) -> Result<Vec<Self>, EntryError> {
        text.split(',').map(|entry| Self::parse(entry, shared)).collect()
    }

    /// The settings that follow the name of an entry.
    pub(crate) fn pairs(text: &str) -> Result<Vec<(&str, String)>, SettingError> {
        pairs(text.split(':').skip(1))
    }
}

fn checked(text: &str, shared: &Parameters) -> Result<Parameters, SettingError> {
    let mut pieces = text.split(':');
    let method = pieces.next().unwrap_or_default();
    // What `auto` chooses from is not known before it has seen rows.
    let entry = if method == AUTO { None } else { Some(Registry::default().find(method)?) };
    let mut parameters = match entry {
        Some(entry) => shared.adapted(entry)?,
        None => Parameters { method: Some(AUTO.to_owned()), ..shared.clone() },
    };
    for (key, value) in pairs(pieces)? {
        // What is shared can be left out again.
        match (key, value.as_str()) {
            ("pca", "none") => parameters.remove(key),
            _ => parameters.assign(key, &value)?,
        }
    }
    if let Some(entry) = entry {
        entry.build(&parameters.method_settings()?, parameters.seed.unwrap_or(0))?;
    }
    Ok(parameters)
}

/// `KEY=VALUE` pairs; `head=knn:1` was split at its colon and is joined again here.
fn pairs<'a>(pieces: impl Iterator<Item = &'a str>) -> Result<Vec<(&'a str, String)>, SettingError> {
    let mut pairs: Vec<(&str, String)> = Vec::new();
    for piece in pieces {
        match (piece.split_once('='), pairs.last_mut()) {
            (Some((key, value)), _) => pairs.push((key.trim(), value.trim().to_owned())),
            (None, Some((_, value))) => {
                value.push(':');
                value.push_str(piece.trim());
            }
            (None, None) => {
                return Err(SettingError::value("setting", ValueError::new("METHOD:KEY=VALUE", piece)));
            }
        }
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HeadChoice, Sigma, preprocess::Components};

    fn refusal(text: &str) -> String {
        Entry::parse(text, &Parameters::default()).err().map_or_else(String::new, |error| error.to_string())
    }

    #[test]
    fn the_default_methods_exist() -> Result<(), EntryError> {
        assert_eq!(Entry::list(DEFAULT_METHODS, &Parameters::default())?.len(), 9);
        Ok(())
    }

    #[test]
    fn an_entry_may_set_what_applies_to_it_alone() -> Result<(), EntryError> {
        let pca = Some(Components::Variance(0.98));
        let shared = Parameters { pca, sigma: Some(Sigma::Mean), ..Parameters::default() };
        let entries = Entry::list("lda, cmvda:ridge=0.1:sigma=2x,ebek:head=knn:1:order=scan:pca=none", &shared)?;
        let fixed = |index: usize| Parameters::from(&entries[index].config);
        // LDA has no kernel and drops the width that the others share.
        assert_eq!((fixed(0).sigma, fixed(0).pca), (None, pca));
        assert_eq!(entries[1].name, "cmvda:ridge=0.1:sigma=2x");
        assert_eq!((fixed(1).sigma, fixed(1).set["ridge"].as_str()), (Some(Sigma::Factor(2.0)), "0.1"));
        assert_eq!((fixed(2).head, fixed(2).set["order"].as_str()), (Some(HeadChoice::Neighbors(1)), "scan"));
        assert_eq!((fixed(2).sigma, fixed(2).pca), (Some(Sigma::Mean), None));
        Ok(())
    }

    #[test]
    fn what_an_entry_sets_must_exist() {
        assert!(refusal("forest").starts_with("forest: there is no method \"forest\"; there are nsse"));
        assert_eq!(refusal("lda:mu1=3"), "lda:mu1=3: lda takes no mu1; it takes dim, ridge");
        assert_eq!(refusal("lda:sigma=mean"), "lda:sigma=mean: lda takes no sigma; it takes dim, ridge");
        let expected = "lda:head=knn: head: expected mean, knn:K, prototypes:P or items, got \"knn\"";
        assert_eq!(refusal("lda:head=knn"), expected);
        assert_eq!(refusal("lda:knn"), "lda:knn: setting: expected METHOD:KEY=VALUE, got \"knn\"");
        assert!(!refusal("").is_empty());
    }
}
