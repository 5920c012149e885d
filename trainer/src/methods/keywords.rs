//! Settings of methods as text: the same on the command line, in a configuration and in a model's provenance.

use super::Dim;
use super::features::FeatureChoice;
use crate::kernel::Sigma;
use std::fmt::{self, Display};
use std::str::FromStr;

/// A value that is none of those expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, got {got:?}")]
pub struct ValueError {
    /// What is valid.
    pub expected: &'static str,
    /// What was given.
    pub got: String,
}

impl ValueError {
    /// What was `expected`, and what was given instead.
    #[must_use]
    pub fn new(expected: &'static str, got: &str) -> Self {
        Self { expected, got: got.to_owned() }
    }
}

/// Parses text of any type, and where that fails names what was `expected`.
pub(crate) fn expecting<T: FromStr>(expected: &'static str) -> impl Fn(&str) -> Result<T, ValueError> {
    move |text| text.parse().map_err(|_| ValueError::new(expected, text))
}

/// The count of `keyword:COUNT`.
pub(crate) fn counted(text: &str, keyword: &str) -> Option<usize> {
    text.strip_prefix(keyword)?.strip_prefix(':')?.parse().ok().filter(|&count| count > 0)
}

impl FromStr for Dim {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        match text {
            "auto" => Ok(Self::Auto),
            "all" => Ok(Self::All),
            _ => {
                let count = text.parse().ok().filter(|&count| count > 0);
                count.map(Self::Count).ok_or_else(|| ValueError::new("auto, all or a count above zero", text))
            }
        }
    }
}

impl FromStr for Sigma {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let error = || ValueError::new("mean, a multiple of it like 0.71x, or a width above zero", text);
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
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let found = match text.split_once(':') {
            None if text == "auto" => Some(Self::Auto),
            None if text == "exact" => Some(Self::Exact),
            Some((keyword @ "nystrom", _)) => match text.strip_suffix(":kmeans") {
                Some(text) => counted(text, keyword).map(Self::KMeans),
                None => counted(text, keyword).map(Self::Nystrom),
            },
            Some((keyword @ "random", _)) => counted(text, keyword).map(Self::Random),
            Some((keyword @ "signs", _)) => counted(text, keyword).map(Self::Signs),
            _ => None,
        };
        found.ok_or_else(|| ValueError::new("auto, exact, nystrom:M, nystrom:M:kmeans, random:M or signs:M", text))
    }
}

/// A kernel by name; its width is a setting of its own.
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
    /// Rows are the kernel matrix.
    Precomputed,
}

impl FromStr for KernelName {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        match text {
            "gaussian" | "rbf" => Ok(Self::Gaussian),
            "laplacian" => Ok(Self::Laplacian),
            "linear" => Ok(Self::Linear),
            "precomputed" => Ok(Self::Precomputed),
            "polynomial" => Ok(Self::Polynomial(2)),
            _ => match counted(text, "polynomial") {
                Some(degree) if degree <= 8 => Ok(Self::Polynomial(degree as u32)),
                _ => {
                    Err(ValueError::new("gaussian, laplacian, polynomial:DEGREE (1 to 8), linear or precomputed", text))
                }
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
            Self::Precomputed => write!(f, "precomputed"),
        }
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
    fn every_setting_is_written_as_it_is_read() {
        round_trip::<Dim>(&["auto", "all", "7"]);
        round_trip::<Sigma>(&["mean", "0.71x", "2.5"]);
        round_trip::<FeatureChoice>(&["auto", "exact", "nystrom:100", "nystrom:100:kmeans", "random:64", "signs:64"]);
        round_trip::<KernelName>(&["gaussian", "laplacian", "polynomial:3", "linear", "precomputed"]);
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["0", "-1", "many", ""] {
            assert!(text.parse::<Dim>().is_err(), "{text}");
        }
        for text in ["0", "-1x", "x", "NaN", "inf"] {
            assert!(text.parse::<Sigma>().is_err(), "{text}");
        }
        for text in ["nystrom", "nystrom:0", "nystrom:kmeans", "nystrom:9:means", "random:9:kmeans", "signs:x"] {
            assert!(text.parse::<FeatureChoice>().is_err(), "{text}");
        }
        assert!("polynomial:9".parse::<KernelName>().is_err());
    }
}
