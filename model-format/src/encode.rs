//! Writing a model: what can go wrong, and the judge of what was written.

use alloc::vec::Vec;
use core::fmt;

use crate::{
    AlignedBuf, Layout, LoadError, ModelBuf,
    header::{FLAGS_OFFSET, Header},
    write::Writer,
};

/// Why a model could not be written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeError {
    /// An array has the wrong length.
    Length {
        /// Which array.
        what: &'static str,
        /// Values that the other sizes ask for.
        needed: usize,
        /// Values that it has.
        got: usize,
    },
    /// An array is stored in a type that the profile does not allow.
    Type(&'static str),
    /// A size that the format cannot express.
    TooLarge(&'static str),
    /// The finished bytes were refused by the reader.
    Refused(LoadError),
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { what, needed, got } => write!(f, "{what} takes {needed} values, got {got}"),
            Self::Type(what) => write!(f, "{what} is stored in a type that the model's profile does not allow"),
            Self::TooLarge(what) => write!(f, "{what} is larger than the format can express"),
            Self::Refused(why) => write!(f, "not a valid model: {why}"),
        }
    }
}

impl core::error::Error for EncodeError {}

impl ModelBuf {
    /// The model as a file: core, and trailer if it has provenance.
    ///
    /// # Errors
    /// If arrays disagree in size or type, or a rule of the format is broken.
    pub fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        let bytes = Writer::write(self)?;
        // One judge of validity: what the reader refuses is never written.
        Layout::from_bytes(&AlignedBuf::from(bytes.as_slice())).map_err(EncodeError::Refused)?;
        Ok(bytes)
    }
}

/// A model without its provenance: exactly what lies in flash.
///
/// # Errors
/// If the bytes are not a valid model.
pub fn strip(bytes: &[u8]) -> Result<Vec<u8>, LoadError> {
    Layout::from_bytes(&AlignedBuf::from(bytes))?;
    let core_len = Header::read(bytes)?.core_len as usize;
    let mut core = bytes.get(..core_len).ok_or(LoadError::TooShort)?.to_vec();
    core[FLAGS_OFFSET] = 0;
    Ok(core)
}
