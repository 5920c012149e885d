//! Why bytes were not accepted as a model.

use core::fmt;

/// The reason a model was refused.
///
/// Everything is checked once, on load; a model that loads can be trusted with any sample.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadError {
    /// Fewer bytes than a header.
    TooShort,
    /// The bytes do not begin with `NMK1`.
    NotAModel,
    /// Another version of the format.
    Version(u8),
    /// The header's lengths do not fit the bytes given.
    Length {
        /// Bytes that the header promises.
        needed: u32,
        /// Bytes that came.
        got: u32,
    },
    /// The bytes do not begin at a multiple of four.
    Misaligned,
    /// The checksum does not match: the bytes are damaged.
    Checksum,
    /// The model needs a stage that this build leaves out; the cargo feature's name.
    Stage(&'static str),
    /// Metadata that is no valid combination of stages.
    Meta,
    /// A size that is zero, overflows or disagrees with another.
    Dimension,
    /// A value that is not finite.
    NonFinite,
    /// The provenance trailer is missing, unannounced or damaged.
    Trailer,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooShort => f.write_str("too short to be a nearmark model"),
            Self::NotAModel => f.write_str("not a nearmark model"),
            Self::Version(v) => write!(f, "model format version {v}, but this build reads version 1"),
            Self::Length { needed, got } => write!(f, "model takes {needed} bytes, got {got}"),
            Self::Misaligned => f.write_str(
                "model bytes must begin at a multiple of 4: embed them with nearmark::include_model! or load them into an AlignedBuf",
            ),
            Self::Checksum => f.write_str("checksum does not match, the model is damaged"),
            Self::Stage(name) => write!(f, "model needs the cargo feature `{name}`, which this build leaves out"),
            Self::Meta => f.write_str("model metadata is not valid"),
            Self::Dimension => f.write_str("model has a size that is zero, overflows or disagrees with another"),
            Self::NonFinite => f.write_str("model holds a value that is not finite"),
            Self::Trailer => f.write_str("provenance trailer is missing, unannounced or damaged"),
        }
    }
}

impl core::error::Error for LoadError {}
