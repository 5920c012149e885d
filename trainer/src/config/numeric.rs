//! Floats or integers.

use crate::methods::ValueError;
use std::fmt::{self, Display};
use std::str::FromStr;

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

impl FromStr for Numeric {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        match text {
            "f32" => Ok(Self::F32),
            "i8" => Ok(Self::I8),
            "auto" => Ok(Self::Auto),
            _ => Err(ValueError::new("f32, i8 or auto", text)),
        }
    }
}

impl Display for Numeric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F32 => "f32",
            Self::I8 => "i8",
            Self::Auto => "auto",
        })
    }
}
