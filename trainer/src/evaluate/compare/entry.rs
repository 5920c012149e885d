//! What is compared: a method by name, with settings of its own if need be.

use crate::config::{Recipe, SettingError, WordError};
use std::str::FromStr;

/// The default list: the methods of the papers, and three classics.
pub const DEFAULT_METHODS: &str = "nsse,cmvca,cmvda,ebek,dple,kdple,knn,lda,pca";

/// One contender.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// What it is called in the table.
    pub name: String,
    /// How it is fitted.
    pub recipe: Recipe,
}

/// An entry that cannot be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{entry}: {why}")]
pub struct EntryError {
    /// The entry as given.
    pub entry: String,
    /// What is wrong with it; part of the message, hence no source of its own.
    pub why: SettingError,
}

impl Entry {
    /// Reads `METHOD[:KEY=VALUE]...`, like `cmvda:ridge=0.1:sigma=mean` or `ebek:head=knn:1`.
    ///
    /// Settings in `shared` apply where the method has them; those of the entry itself must be the method's. A key is a setting
    /// that every fit has (`dim`, `head`, `scale`, `pca`, `kernel`, `sigma`, `features`, `series`, `window`,
    /// `segments`, `image`, `pool`, `seed`) or else a parameter of the method. A piece without `=` belongs to the value
    /// before it.
    ///
    /// # Errors
    /// [`EntryError`] naming the entry, and the method, key or value at fault.
    pub fn parse(text: &str, shared: &Recipe) -> Result<Self, EntryError> {
        let text = text.trim();
        let failed = |why| EntryError { entry: text.to_owned(), why };
        let mut pieces = text.split(':');
        let method = pieces.next().unwrap_or_default();
        // What `auto` shall choose from is not known before it has seen rows.
        let mut recipe = match method {
            "auto" => Recipe { method: method.to_owned(), ..shared.clone() },
            _ => shared.adapted(method).map_err(failed)?,
        };
        for (key, value) in pairs(pieces).map_err(failed)? {
            set(&mut recipe, key, &value).map_err(failed)?;
        }
        if method != "auto" {
            recipe.method().map_err(failed)?;
        }
        Ok(Self { name: text.to_owned(), recipe })
    }

    /// Reads entries separated by commas.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn list(text: &str, shared: &Recipe) -> Result<Vec<Self>, EntryError> {
        text.split(',').map(|entry| Self::parse(entry, shared)).collect()
    }
}

/// `KEY=VALUE` pairs; `head=knn:1` has been cut at its colon and is mended here.
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
                let source = WordError { expected: "METHOD:KEY=VALUE", got: piece.to_owned() };
                return Err(SettingError::Value { key: "setting".to_owned(), source });
            }
        }
    }
    Ok(pairs)
}

fn set(recipe: &mut Recipe, key: &str, value: &str) -> Result<(), SettingError> {
    let word = |source| SettingError::Value { key: key.to_owned(), source };
    match key {
        "dim" => recipe.dim = Some(value.parse().map_err(word)?),
        "head" => recipe.head = Some(value.parse().map_err(word)?),
        "scale" => recipe.scale = value.parse().map_err(word)?,
        "pca" => recipe.pca = if value == "none" { None } else { Some(value.parse().map_err(word)?) },
        "kernel" => recipe.kernel = Some(value.parse().map_err(word)?),
        "sigma" => recipe.sigma = Some(value.parse().map_err(word)?),
        "features" => recipe.features = Some(value.parse().map_err(word)?),
        "series" => recipe.series = Some(value.parse().map_err(word)?),
        "window" => recipe.window = value.parse().map_err(word)?,
        "segments" => recipe.segments = count(value).map_err(word)?,
        "image" => recipe.image = Some(value.parse().map_err(word)?),
        "pool" => recipe.pool = count(value).map_err(word)?,
        "seed" => recipe.seed = count(value).map_err(word)?,
        _ => drop(recipe.set.insert(key.to_owned(), value.to_owned())),
    }
    Ok(())
}

fn count<T: FromStr>(value: &str) -> Result<T, WordError> {
    value.parse().map_err(|_| WordError { expected: "a count", got: value.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HeadChoice, Sigma, preprocess::Components};

    fn parsed(text: &str) -> Result<Entry, String> {
        Entry::parse(text, &Recipe::default()).map_err(|error| error.to_string())
    }

    #[test]
    fn the_default_methods_exist() -> Result<(), EntryError> {
        assert_eq!(Entry::list(DEFAULT_METHODS, &Recipe::default())?.len(), 9);
        Ok(())
    }

    #[test]
    fn an_entry_may_say_what_applies_to_it_alone() -> Result<(), EntryError> {
        let shared = Recipe { pca: Some(Components::Variance(0.98)), sigma: Some(Sigma::Mean), ..Recipe::default() };
        let entries = Entry::list("lda, cmvda:ridge=0.1:sigma=2x,ebek:head=knn:1:order=scan:pca=none", &shared)?;
        // LDA has no kernel and sheds the width that the others share.
        assert_eq!((entries[0].recipe.sigma, entries[0].recipe.pca), (None, shared.pca));
        assert_eq!(entries[1].name, "cmvda:ridge=0.1:sigma=2x");
        assert_eq!(entries[1].recipe.sigma, Some(Sigma::Factor(2.0)));
        assert_eq!(entries[1].recipe.set["ridge"], "0.1");
        assert_eq!(entries[2].recipe.head, Some(HeadChoice::Neighbors(1)));
        assert_eq!(entries[2].recipe.set["order"], "scan");
        assert_eq!((entries[2].recipe.sigma, entries[2].recipe.pca), (Some(Sigma::Mean), None));
        Ok(())
    }

    #[test]
    fn what_an_entry_says_must_be_known() {
        assert!(
            matches!(parsed("svm"), Err(text) if text.starts_with("svm: there is no method \"svm\"; there are nsse"))
        );
        assert_eq!(parsed("lda:mu1=3"), Err("lda:mu1=3: lda takes no mu1; it takes ridge".to_owned()));
        assert_eq!(parsed("lda:sigma=mean"), Err("lda:sigma=mean: lda takes no --sigma".to_owned()));
        let expected = "lda:head=knn: head: expected mean, knn:K or prototypes:P, got \"knn\"";
        assert_eq!(parsed("lda:head=knn"), Err(expected.to_owned()));
        let expected = "lda:knn: setting: expected METHOD:KEY=VALUE, got \"knn\"";
        assert_eq!(parsed("lda:knn"), Err(expected.to_owned()));
        assert!(parsed("").is_err());
    }
}
