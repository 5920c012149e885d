//! Words in a configuration file: any scalar may stand for one.

use super::words::WordError;
use serde::de::{Deserialize, Deserializer, Error};
use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::str::FromStr;

/// A scalar of a configuration file as text: `dim = 5` and `dim = "5"` mean the same.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Scalar {
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

/// Reads any scalar as a word.
pub(super) fn read<'de, D: Deserializer<'de>, T: FromStr<Err = WordError>>(from: D) -> Result<T, D::Error> {
    Scalar::deserialize(from)?.to_string().parse().map_err(D::Error::custom)
}

/// As [`read`], for what may be left out.
pub(super) fn read_some<'de, D: Deserializer<'de>, T: FromStr<Err = WordError>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    read(from).map(Some)
}

/// Reads a table of scalars as texts.
pub(super) fn read_table<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, String>, D::Error> {
    let table = BTreeMap::<String, Scalar>::deserialize(from)?;
    Ok(table.into_iter().map(|(key, value)| (key, value.to_string())).collect())
}

/// Writes a choice as its word.
pub(super) fn write<S: serde::Serializer, T: Display>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}

/// As [`write`], for what may be left out (which serde skips).
#[allow(clippy::ref_option, reason = "serde hands fields over like this")]
pub(super) fn write_some<S: serde::Serializer, T: Display>(value: &Option<T>, to: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => to.collect_str(value),
        None => to.serialize_none(),
    }
}
