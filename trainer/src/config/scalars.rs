//! Values of parameters as scalars of a file or as text: `dim = 5` and `dim = "5"` mean the same.

use super::amounts::{Bytes, Count, Size};
use super::keywords::WindowChoice;
use super::numeric::Numeric;
use crate::emulator::board::Board;
use crate::kernel::Sigma;
use crate::methods::features::FeatureChoice;
use crate::methods::{Dim, KernelName, Settings, ValueError};
use crate::model::head::HeadChoice;
use crate::preprocess::{Components, Scaling};
use serde::de::{Deserialize, Deserializer, Error};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt::{self, Display};

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
pub(super) trait Value: Sized {
    fn parse(text: &str) -> Result<Self, ValueError>;
    fn scalar(&self) -> Scalar;
}

macro_rules! text_values {
    ($($type:ty),+) => {
        $(impl Value for $type {
            fn parse(text: &str) -> Result<Self, ValueError> {
                text.parse()
            }

            fn scalar(&self) -> Scalar {
                Scalar::Text(self.to_string())
            }
        })+
    };
}

text_values!(
    Dim,
    HeadChoice,
    Scaling,
    Components,
    KernelName,
    Sigma,
    FeatureChoice,
    Size,
    WindowChoice,
    Numeric,
    Bytes,
    Count
);

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

    fn scalar(&self) -> Scalar {
        Scalar::Text(self.clone())
    }
}

impl Value for Board {
    fn parse(text: &str) -> Result<Self, ValueError> {
        text.parse().map_err(|_| ValueError::new("m0, m4f, m7, m33 or rv32", text))
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

/// Reads a table of scalars as text.
pub(super) fn read_table<'de, D: Deserializer<'de>>(from: D) -> Result<Settings, D::Error> {
    let table = BTreeMap::<String, Scalar>::deserialize(from)?;
    Ok(table.into_iter().map(|(key, value)| (key, value.to_string())).collect())
}
