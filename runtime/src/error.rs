//! What can go wrong with a sample once a model has loaded: a length, or a value.

use core::fmt;

use nearmark_format::Num;

/// Why a sample was not classified.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
#[repr(u32)] // whole words are moved by registers, odd bytes by a call to memcpy
pub enum Error {
    /// The sample has the wrong length.
    InputLen {
        /// Values that the model takes.
        needed: usize,
        /// Values that came.
        got: usize,
    },
    /// The sample's values are of another type than the model's.
    InputType {
        /// The type that the model takes; `f32` is always taken.
        needed: Num,
    },
    /// The output slice has the wrong length.
    OutputLen {
        /// Values that the call writes.
        needed: usize,
        /// Values that there is room for.
        got: usize,
    },
    /// The scratch slice is too short.
    Scratch {
        /// Words that the model needs.
        needed: usize,
        /// Words that came.
        got: usize,
    },
    /// A value or a distance is not finite: the sample holds infinities, NaN or values that are too large.
    NotFinite,
    /// The model takes no series: it has neither window statistics nor counts.
    NotASeries,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InputLen { needed, got } => write!(f, "model takes {needed} input values, got {got}"),
            Self::InputType { needed } => write!(f, "model takes samples of {} or f32", needed.name()),
            Self::OutputLen { needed, got } => write!(f, "{needed} values to write, but room for {got}"),
            Self::Scratch { needed, got } => write!(f, "model needs {needed} scratch words, got {got}"),
            Self::NotASeries => f.write_str("model takes no series: it has neither window statistics nor counts"),
            Self::NotFinite => {
                f.write_str("a value or a distance is not finite: the sample holds NaN, infinities or too large values")
            }
        }
    }
}

impl core::error::Error for Error {}

/// Checks a length exactly.
pub(crate) fn input_len(needed: usize, got: usize) -> Result<(), Error> {
    if needed == got { Ok(()) } else { Err(Error::InputLen { needed, got }) }
}
