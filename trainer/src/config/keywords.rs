//! Choices as text: the same on the command line, in a configuration and in a model's provenance.

use crate::methods::ValueError;
use crate::methods::keywords::counted;
use crate::model::head::HeadChoice;
use crate::preprocess::{Components, Scaling};
use std::fmt::{self, Display};
use std::str::FromStr;

impl FromStr for HeadChoice {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let neighbors = counted(text, "knn").map(Self::Neighbors);
        let prototypes = || counted(text, "prototypes").map(Self::Prototypes);
        let means = (text == "mean").then_some(Self::Means);
        let error = || ValueError::new("mean, knn:K or prototypes:P", text);
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
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let found = SCALINGS.iter().find(|(_, keyword)| *keyword == text).map(|(scaling, _)| *scaling);
        found.ok_or_else(|| ValueError::new("auto, none, range, minmax, standard or unit", text))
    }
}

impl Display for Scaling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        SCALINGS.iter().filter(|(scaling, _)| scaling == self).try_for_each(|(_, keyword)| f.write_str(keyword))
    }
}

impl FromStr for Components {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let error = || ValueError::new("a share below 1, like 0.98, or a count", text);
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

/// Whether sensor windows become statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WindowChoice {
    /// If cross-validation on the training rows favors it.
    #[default]
    Auto,
    /// Always.
    Stats,
    /// Never.
    None,
}

impl FromStr for WindowChoice {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        match text {
            "auto" => Ok(Self::Auto),
            "stats" => Ok(Self::Stats),
            "none" => Ok(Self::None),
            _ => Err(ValueError::new("auto, stats or none", text)),
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

    fn round_trip<T: FromStr<Err = ValueError> + Display>(texts: &[&str]) {
        for text in texts {
            assert_eq!(text.parse::<T>().map(|value| value.to_string()).as_deref(), Ok(*text));
        }
    }

    #[test]
    fn every_choice_is_written_as_it_is_read() {
        round_trip::<HeadChoice>(&["mean", "knn:3", "prototypes:8"]);
        round_trip::<Scaling>(&["auto", "none", "range", "minmax", "standard", "unit"]);
        round_trip::<Components>(&["0.98", "12"]);
        round_trip::<WindowChoice>(&["auto", "stats", "none"]);
    }

    #[test]
    fn nonsense_is_refused_with_what_is_valid() {
        for text in ["knn", "knn:0", "knn:x", "means"] {
            assert!(text.parse::<HeadChoice>().is_err(), "{text}");
        }
        for text in ["1.5", "0", "-0.1", "all"] {
            assert!(text.parse::<Components>().is_err(), "{text}");
        }
        let error = "knn:x".parse::<HeadChoice>().map_err(|error| error.to_string());
        assert_eq!(error, Err("expected mean, knn:K or prototypes:P, got \"knn:x\"".to_owned()));
    }
}
