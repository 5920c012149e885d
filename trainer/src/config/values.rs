//! Values of parameters as text: the same on the command line, in a configuration and in a model's provenance. In a file
//! they may be scalars as well: `dim = 5` and `dim = "5"` mean the same.

use crate::emulator::board::{Board, NAMES};
use crate::kernel::Sigma;
use crate::methods::features::FeatureChoice;
use crate::methods::keywords::counted;
use crate::methods::{Dim, KernelName, Settings, ValueError};
use crate::model::head::HeadChoice;
use crate::preprocess::{Components, Scaling};
use serde::de::{Deserialize, Deserializer, Error};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::str::FromStr;

/// A number of bytes, like `16k`; k = 1024.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub usize);

impl FromStr for Bytes {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let lower = text.trim().to_lowercase();
        let (number, unit) = match lower.strip_suffix("kb").or(lower.strip_suffix("kib")).or(lower.strip_suffix('k')) {
            Some(number) => (number, 1024.0),
            None => (lower.strip_suffix('b').unwrap_or(&lower), 1.0),
        };
        let bytes = number.trim().parse::<f64>().map(|number| number * unit).ok();
        // A file's length has 32 bits.
        let valid = bytes.filter(|bytes| bytes.fract() == 0.0 && (1.0..=f64::from(u32::MAX)).contains(bytes));
        let error = || ValueError::new("bytes like 2048, 16k or 1.5k (k = 1024)", text);
        valid.map(|bytes| Self(bytes as usize)).ok_or_else(error)
    }
}

impl Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_multiple_of(1024) { write!(f, "{}k", self.0 / 1024) } else { write!(f, "{}", self.0) }
    }
}

/// A number of instructions, like `20k`; k = 1000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Count(pub u64);

impl FromStr for Count {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let trimmed = text.trim();
        let (number, unit) = match (trimmed.strip_suffix('k'), trimmed.strip_suffix('M')) {
            (Some(number), _) => (number, 1e3),
            (_, Some(number)) => (number, 1e6),
            _ => (trimmed, 1.0),
        };
        let count = number.parse::<f64>().map(|number| (number * unit).round()).ok();
        let valid = count.filter(|count| (1.0..=1e15).contains(count));
        let error = || ValueError::new("a count like 20000, 20k or 1.5M", text);
        valid.map(|count| Self(count as u64)).ok_or_else(error)
    }
}

impl Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_multiple_of(1000) { write!(f, "{}k", self.0 / 1000) } else { write!(f, "{}", self.0) }
    }
}

/// Two sizes above zero, written `AxB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size(pub usize, pub usize);

impl FromStr for Size {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let size = |side: &str| side.trim().parse().ok().filter(|&size: &usize| size > 0);
        let found = text.split_once(['x', 'X', '×']).and_then(|(a, b)| Some(Self(size(a)?, size(b)?)));
        found.ok_or_else(|| ValueError::new("two sizes like 28x28", text))
    }
}

impl Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.0, self.1)
    }
}

/// In what numbers the device computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Numeric {
    /// Single precision.
    #[default]
    F32,
    /// Integers: a quarter of the bytes, and fast without a float unit.
    I8,
    /// Integers, if held-out rows lose less by them than one standard error.
    Auto,
}

/// How many layers of convolutions images go through first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ConvolutionChoice {
    /// As many as held-out rows favor.
    #[default]
    Auto,
    /// None.
    None,
    /// One.
    One,
    /// Two.
    Two,
}

/// What sensor windows become.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WindowChoice {
    /// If cross-validation on the training rows favors it.
    #[default]
    Auto,
    /// Always.
    Stats,
    /// Counts of fixed convolutions, within a budget.
    Counts,
    /// Never.
    None,
}

/// Choices that are written as one keyword each.
macro_rules! keywords {
    ($type:ident, $expected:literal, $($choice:ident = $keyword:literal),+) => {
        impl FromStr for $type {
            type Err = ValueError;

            fn from_str(text: &str) -> Result<Self, ValueError> {
                match text {
                    $($keyword => Ok(Self::$choice),)+
                    _ => Err(ValueError::new($expected, text)),
                }
            }
        }

        impl Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Self::$choice => $keyword),+ })
            }
        }
    };
}

keywords!(Numeric, "f32, i8 or auto", F32 = "f32", I8 = "i8", Auto = "auto");
keywords!(ConvolutionChoice, "auto, none, one or two", Auto = "auto", None = "none", One = "one", Two = "two");
keywords!(
    WindowChoice,
    "auto, stats, counts or none",
    Auto = "auto",
    Stats = "stats",
    Counts = "counts",
    None = "none"
);
keywords!(
    Scaling,
    "auto, none, range, minmax, standard or unit",
    Auto = "auto",
    None = "none",
    Range = "range",
    MinMax = "minmax",
    Standard = "standard",
    Unit = "unit"
);

impl FromStr for HeadChoice {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let neighbors = counted(text, "knn").map(Self::Neighbors);
        let prototypes = || counted(text, "prototypes").map(Self::Prototypes);
        let word = match text {
            "mean" => Some(Self::Means),
            "items" => Some(Self::Items),
            _ => None,
        };
        let error = || ValueError::new("mean, knn:K, prototypes:P or items", text);
        word.or(neighbors).or_else(prototypes).ok_or_else(error)
    }
}

impl Display for HeadChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Means => write!(f, "mean"),
            Self::Neighbors(k) => write!(f, "knn:{k}"),
            Self::Prototypes(count) => write!(f, "prototypes:{count}"),
            Self::Items => write!(f, "items"),
        }
    }
}

impl FromStr for Components {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let count = text.parse().ok().map(Self::Count);
        let found = count.or_else(|| text.parse().ok().map(Self::Variance)).filter(|found| found.check().is_ok());
        found.ok_or_else(|| ValueError::new("a share below 1, like 0.98, or a count", text))
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

/// A scalar of a configuration file.
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(untagged)]
pub(super) enum Scalar {
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
}

impl Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Float(value) => value.fmt(f),
            Self::Text(value) => value.fmt(f),
        }
    }
}

/// What a parameter may hold.
pub(super) trait Value: Sized + Display {
    fn parse(text: &str) -> Result<Self, ValueError>;

    fn scalar(&self) -> Scalar {
        Scalar::Text(self.to_string())
    }
}

macro_rules! text_values {
    ($($type:ty),+) => {
        $(impl Value for $type {
            fn parse(text: &str) -> Result<Self, ValueError> {
                text.parse()
            }
        })+
    };
}

text_values!(Dim, HeadChoice, Scaling, Components, KernelName, Sigma, FeatureChoice);
text_values!(Size, ConvolutionChoice, WindowChoice, Numeric, Bytes, Count);

macro_rules! counts {
    ($($type:ty),+) => {
        $(impl Value for $type {
            fn parse(text: &str) -> Result<Self, ValueError> {
                text.parse().map_err(|_| ValueError::new("a count", text))
            }

            fn scalar(&self) -> Scalar {
                // Files know no unsigned integers.
                i64::try_from(*self).map_or_else(|_| Scalar::Text(self.to_string()), Scalar::Int)
            }
        })+
    };
}

counts!(usize, u64);

impl Value for bool {
    fn parse(text: &str) -> Result<Self, ValueError> {
        text.parse().map_err(|_| ValueError::new("true or false", text))
    }

    fn scalar(&self) -> Scalar {
        Scalar::Bool(*self)
    }
}

impl Value for String {
    fn parse(text: &str) -> Result<Self, ValueError> {
        Ok(text.to_owned())
    }
}

impl Value for Board {
    fn parse(text: &str) -> Result<Self, ValueError> {
        text.parse().map_err(|_| ValueError::new(NAMES.as_str(), text))
    }

    fn scalar(&self) -> Scalar {
        Scalar::Text(self.name.to_owned())
    }
}

pub(super) fn read<'de, D: Deserializer<'de>, T: Value>(from: D) -> Result<Option<T>, D::Error> {
    T::parse(&Scalar::deserialize(from)?.to_string()).map(Some).map_err(D::Error::custom)
}

#[allow(clippy::ref_option, reason = "serde passes fields like this")]
pub(super) fn write<S: Serializer, T: Value>(value: &Option<T>, to: S) -> Result<S::Ok, S::Error> {
    value.as_ref().map(Value::scalar).serialize(to)
}

pub(super) fn read_table<'de, D: Deserializer<'de>>(from: D) -> Result<Settings, D::Error> {
    let table = BTreeMap::<String, Scalar>::deserialize(from)?;
    Ok(table.into_iter().map(|(key, value)| (key, value.to_string())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_and_written<T: FromStr<Err = ValueError> + Display>(text: &str) -> Result<String, ValueError> {
        text.parse::<T>().map(|value| value.to_string())
    }

    #[test]
    fn every_value_is_written_as_it_is_read() {
        for (read, texts) in [
            (read_and_written::<HeadChoice> as fn(&str) -> _, &["mean", "knn:3", "prototypes:8", "items"][..]),
            (read_and_written::<Scaling>, &["auto", "none", "range", "minmax", "standard", "unit"]),
            (read_and_written::<Components>, &["0.98", "12"]),
            (read_and_written::<ConvolutionChoice>, &["auto", "none", "one", "two"]),
            (read_and_written::<WindowChoice>, &["auto", "stats", "counts", "none"]),
            (read_and_written::<Numeric>, &["auto", "f32", "i8"]),
            (read_and_written::<Size>, &["28x28"]),
        ] {
            for text in texts {
                assert_eq!(read(text).as_deref(), Ok(*text));
            }
        }
        for (text, bytes, written) in [("2048", 2048, "2k"), ("1.5k", 1536, "1536"), ("16 KiB", 16_384, "16k")] {
            let read = text.parse::<Bytes>();
            assert_eq!((read.clone(), read.map(|b| b.to_string()).as_deref()), (Ok(Bytes(bytes)), Ok(written)));
        }
        for (text, count) in [("20k", 20_000), ("1.5M", 1_500_000), ("7", 7)] {
            assert_eq!(text.parse::<Count>(), Ok(Count(count)));
        }
    }

    #[test]
    fn nonsense_is_refused_with_what_is_valid() {
        for (read, texts) in [
            (read_and_written::<HeadChoice> as fn(&str) -> _, &["knn", "knn:0", "knn:x", "means"][..]),
            (read_and_written::<Components>, &["1.5", "0", "-0.1", "all"]),
            (read_and_written::<Bytes>, &["", "k", "0", "-1k", "0.3", "5G", "x"]),
            (read_and_written::<Size>, &["", "k", "0", "-1k", "0.3", "5G", "x"]),
            (read_and_written::<Count>, &["", "k", "0", "-1k", "5G"]),
        ] {
            for text in texts {
                assert!(read(text).is_err(), "{text}");
            }
        }
        let error = "knn:x".parse::<HeadChoice>().map_err(|error| error.to_string());
        assert_eq!(error, Err("expected mean, knn:K, prototypes:P or items, got \"knn:x\"".to_owned()));
    }
}
