//! Why bytes were not accepted as a model.

use core::fmt;

use crate::needs;

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
    /// The model needs stages that this build leaves out; bits for [`needs::names`].
    Stage(u32),
    /// A polynomial kernel in the INT profile, which has none.
    IntegerPolynomial,
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
            Self::Stage(bits) => {
                f.write_str("model needs cargo features that this build leaves out:")?;
                needs::names(*bits).try_for_each(|name| write!(f, " {name}"))
            }
            Self::IntegerPolynomial => f.write_str("polynomial kernels have no INT profile: store the model in F32"),
            Self::Meta => f.write_str("model metadata is not valid"),
            Self::Dimension => f.write_str("model has a size that is zero, overflows or disagrees with another"),
            Self::NonFinite => f.write_str("model holds a value that is not finite"),
            Self::Trailer => f.write_str("provenance trailer is missing, unannounced or damaged"),
        }
    }
}

impl core::error::Error for LoadError {}

/// What the checks of metadata and sections find: one byte, where [`LoadError`] takes three words.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Meta,
    Dimension,
    NonFinite,
}

impl From<Fault> for LoadError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Meta => Self::Meta,
            Fault::Dimension => Self::Dimension,
            Fault::NonFinite => Self::NonFinite,
        }
    }
}
