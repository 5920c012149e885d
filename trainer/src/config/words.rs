//! Choices as words: the same text on the command line, in a configuration and in a model's provenance.

use crate::kernel::Sigma;
use crate::methods::Dim;
use crate::methods::features::FeatureChoice;
use crate::model::head::HeadChoice;
use crate::preprocess::{Components, Scaling};
use std::fmt::{self, Display};
use std::str::FromStr;

/// A word that is none of those expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, got {got:?}")]
pub struct WordError {
    /// What may be said.
    pub expected: &'static str,
    /// What was said.
    pub got: String,
}

impl WordError {
    pub(super) fn new(expected: &'static str, got: &str) -> Self {
        Self { expected, got: got.to_owned() }
    }
}

/// `what:COUNT`.
fn counted(text: &str, what: &str) -> Option<usize> {
    text.strip_prefix(what)?.strip_prefix(':')?.parse().ok().filter(|&count| count > 0)
}

impl FromStr for Dim {
    type Err = WordError;

    fn from_str(text: &str) -> Result<Self, WordError> {
        match text {
            "auto" => Ok(Self::Auto),
            "all" => Ok(Self::All),
            _ => match text.parse() {
                Ok(count) if count > 0 => Ok(Self::Count(count)),
                _ => Err(WordError::new("auto, all or a count above zero", text)),
            },
        }
    }
}

impl FromStr for HeadChoice {
    type Err = WordError;

    fn from_str(text: &str) -> Result<Self, WordError> {
        let neighbors = counted(text, "knn").map(Self::Neighbors);
        let prototypes = || counted(text, "prototypes").map(Self::Prototypes);
        let means = (text == "mean").then_some(Self::Means);
        let error = || WordError::new("mean, knn:K or prototypes:P", text);
        means.or(neighbors).or_else(prototypes).ok_or_else(error)
    }
}

impl Display for HeadChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Means => write!(f, "mean"),
            Self::Neighbors(k) => write!(f, "knn:{k}"),
            Self::Prototypes(count) => write!(f, "prototypes:{count}"),
        }
    }
}

const SCALINGS: [(Scaling, &str); 6] = [
    (Scaling::Auto, "auto"),
    (Scaling::None, "none"),
    (Scaling::Range, "range"),
    (Scaling::MinMax, "minmax"),
    (Scaling::Standard, "standard"),
    (Scaling::Unit, "unit"),
];

impl FromStr for Scaling {
    type Err = WordError;

    fn from_str(text: &str) -> Result<Self, WordError> {
        let found = SCALINGS.iter().find(|(_, word)| *word == text).map(|(scaling, _)| *scaling);
        found.ok_or_else(|| WordError::new("auto, none, range, minmax, standard or unit", text))
    }
}

impl Display for Scaling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        SCALINGS.iter().filter(|(scaling, _)| scaling == self).try_for_each(|(_, word)| f.write_str(word))
    }
}

impl FromStr for Components {
    type Err = WordError;

    fn from_str(text: &str) -> Result<Self, WordError> {
        let error = || WordError::new("a share below 1, like 0.98, or a count", text);
        let found = match text.parse::<usize>() {
            Ok(count) => Self::Count(count),
            Err(_) => Self::Variance(text.parse().map_err(|_| error())?),
        };
        found.check().map_err(|_| error())?;
        Ok(found)
    }
}

impl Display for Components {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variance(share) => write!(f, "{share}"),
            Self::Count(count) => write!(f, "{count}"),
        }
    }
}

impl FromStr for Sigma {
    type Err = WordError;

    fn from_str(text: &str) -> Result<Self, WordError> {
        let error = || WordError::new("mean, a multiple of it like 0.71x, or a width above zero", text);
        let found = match (text, text.strip_suffix('x')) {
            ("mean", _) => Self::Mean,
            (_, Some(factor)) => Self::Factor(factor.parse().map_err(|_| error())?),
            (value, None) => Self::Value(value.parse().map_err(|_| error())?),
        };
        found.check().map_err(|_| error())?;
        Ok(found)
    }
}

impl FromStr for FeatureChoice {
    type Err = WordError;

    fn from_str(text: &str) -> Result<Self, WordError> {
        let plain = match text {
            "auto" => Some(Self::Auto),
            "exact" => Some(Self::Exact),
            _ => None,
        };
        let nystrom = || counted(text, "nystrom").map(Self::Nystrom);
        let random = || counted(text, "random").map(Self::Random);
        let signs = || counted(text, "signs").map(Self::Signs);
        let error = || WordError::new("auto, exact, nystrom:M, random:M or signs:M", text);
        plain.or_else(nystrom).or_else(random).or_else(signs).ok_or_else(error)
    }
}

/// A kernel by name; its width is said apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum KernelName {
    /// Gaussian.
    Gaussian,
    /// Laplacian.
    Laplacian,
    /// Polynomial of this degree.
    Polynomial(u32),
    /// The plain inner product.
    Linear,
}

impl FromStr for KernelName {
    type Err = WordError;

    fn from_str(text: &str) -> Result<Self, WordError> {
        match text {
            "gaussian" | "rbf" => Ok(Self::Gaussian),
            "laplacian" => Ok(Self::Laplacian),
            "linear" => Ok(Self::Linear),
            "polynomial" => Ok(Self::Polynomial(2)),
            _ => match counted(text, "polynomial") {
                Some(degree) if degree <= 8 => Ok(Self::Polynomial(degree as u32)),
                _ => Err(WordError::new("gaussian, laplacian, polynomial:DEGREE (1 to 8) or linear", text)),
            },
        }
    }
}

impl Display for KernelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gaussian => write!(f, "gaussian"),
            Self::Laplacian => write!(f, "laplacian"),
            Self::Polynomial(degree) => write!(f, "polynomial:{degree}"),
            Self::Linear => write!(f, "linear"),
        }
    }
}

/// Whether sensor windows become statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WindowChoice {
    /// When a hold-out of the training rows agrees.
    #[default]
    Auto,
    /// Always.
    Stats,
    /// Never.
    None,
}

impl FromStr for WindowChoice {
    type Err = WordError;

    fn from_str(text: &str) -> Result<Self, WordError> {
        match text {
            "auto" => Ok(Self::Auto),
            "stats" => Ok(Self::Stats),
            "none" => Ok(Self::None),
            _ => Err(WordError::new("auto, stats or none", text)),
        }
    }
}

impl Display for WindowChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Stats => "stats",
            Self::None => "none",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip<T: FromStr<Err = WordError> + Display>(words: &[&str]) {
        for word in words {
            assert_eq!(word.parse::<T>().map(|value| value.to_string()).as_deref(), Ok(*word));
        }
    }

    #[test]
    fn every_choice_is_written_as_it_is_read() {
        round_trip::<Dim>(&["auto", "all", "7"]);
        round_trip::<HeadChoice>(&["mean", "knn:3", "prototypes:8"]);
        round_trip::<Scaling>(&["auto", "none", "range", "minmax", "standard", "unit"]);
        round_trip::<Components>(&["0.98", "12"]);
        round_trip::<Sigma>(&["mean", "0.71x", "2.5"]);
        round_trip::<FeatureChoice>(&["auto", "exact", "nystrom:100", "random:64", "signs:64"]);
        round_trip::<KernelName>(&["gaussian", "laplacian", "polynomial:3", "linear"]);
        round_trip::<WindowChoice>(&["auto", "stats", "none"]);
    }

    #[test]
    fn nonsense_is_refused_with_what_may_be_said() {
        for word in ["0", "-1", "many", ""] {
            assert!(word.parse::<Dim>().is_err(), "{word}");
        }
        for word in ["knn", "knn:0", "knn:x", "means"] {
            assert!(word.parse::<HeadChoice>().is_err(), "{word}");
        }
        for word in ["0", "-1x", "x", "NaN", "inf"] {
            assert!(word.parse::<Sigma>().is_err(), "{word}");
        }
        for word in ["1.5", "0", "-0.1", "all"] {
            assert!(word.parse::<Components>().is_err(), "{word}");
        }
        let error = "knn:x".parse::<HeadChoice>().map_err(|error| error.to_string());
        assert_eq!(error, Err("expected mean, knn:K or prototypes:P, got \"knn:x\"".to_owned()));
    }
}
