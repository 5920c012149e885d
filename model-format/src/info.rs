//! Provenance: where a model came from. It stays on the workstation; `strip` cuts it off.

use alloc::{string::String, vec::Vec};

use serde::{Deserialize, Serialize};

use crate::{Layout, LoadError, crc::crc32, header::Header, trailer};

/// How a model was made. Never the time, the host, a path or the number of threads: the same
/// data and seed give the same file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Info {
    /// Name and version of the tool.
    pub tool: String,
    /// Name of the method.
    pub method: String,
    /// Parameters, sorted by name.
    pub params: Vec<(String, String)>,
    /// The seed.
    pub seed: u64,
    /// Hash of the parsed rows and labels.
    pub data_hash: [u8; 16],
    /// Training rows.
    pub rows: u64,
    /// Named scores, such as hold-out accuracy.
    pub scores: Vec<(String, f64)>,
    /// Names of the features, if the data had them.
    pub feature_names: Vec<String>,
}

impl Info {
    /// The provenance of a model file, if it has any.
    ///
    /// # Errors
    /// If the model is refused, or its trailer cannot be decoded.
    pub fn from_model(bytes: &[u8]) -> Result<Option<Self>, LoadError> {
        Layout::from_bytes(bytes)?;
        let header = Header::read(bytes)?;
        let behind = bytes.get(header.core_len as usize..).unwrap_or_default();
        if behind.is_empty() {
            return Ok(None);
        }
        let (payload, _) = trailer::split(behind)?;
        postcard::from_bytes(payload).map(Some).map_err(|_| LoadError::Trailer)
    }

    /// The trailer that carries this provenance.
    pub(crate) fn to_trailer(&self) -> Result<Vec<u8>, postcard::Error> {
        let payload = postcard::to_allocvec(self)?;
        let mut bytes = trailer::MAGIC.to_vec();
        bytes.extend((payload.len() as u32).to_le_bytes());
        bytes.extend(crc32(&payload).to_le_bytes());
        bytes.extend(payload);
        Ok(bytes)
    }
}
