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
    /// Names of the classes where the core does without them, to name and compare answers by; else empty.
    #[serde(skip)] // in the tail, as what follows
    pub class_names: Vec<String>,
    /// Whether a sample that is a time series lies step by step, all channels of a step side by side.
    ///
    /// Window statistics say so in the core as well; a series without them says it here alone.
    #[serde(skip)]
    pub interleaved: bool,
    /// The training rows that a model is built on, its exemplars or landmarks: number of the row, and its class.
    #[serde(skip)]
    pub exemplars: Vec<(u64, u16)>,
    /// Whether the values of a sample are similarities to the exemplars, in their order: a given kernel.
    #[serde(skip)]
    pub similarities: bool,
}

/// What the payload ends with, unless all of it is the default: files without need not change.
type Tail = (Vec<String>, bool);
/// What follows the tail, on the same terms.
type Origins = (Vec<(u64, u16)>, bool);

impl Info {
    /// The provenance of a model file, if it has any.
    ///
    /// # Errors
    /// If the model is refused, or its trailer cannot be decoded or names another number of classes.
    pub fn from_model(bytes: &[u8]) -> Result<Option<Self>, LoadError> {
        Layout::from_bytes(bytes)?;
        let header = Header::read(bytes)?;
        let behind = bytes.get(header.core_len as usize..).unwrap_or_default();
        if behind.is_empty() {
            return Ok(None);
        }
        let (payload, _) = trailer::split(behind)?;
        let info = Self::decode(payload).map_err(|_| LoadError::Trailer)?;
        let named = info.class_names.is_empty() || info.class_names.len() == usize::from(header.classes);
        if named { Ok(Some(info)) } else { Err(LoadError::Trailer) }
    }

    fn decode(payload: &[u8]) -> Result<Self, postcard::Error> {
        let (mut info, tail): (Self, _) = postcard::take_from_bytes(payload)?;
        if !tail.is_empty() {
            let (tail, origins): (Tail, _) = postcard::take_from_bytes(tail)?;
            (info.class_names, info.interleaved) = tail;
            if !origins.is_empty() {
                (info.exemplars, info.similarities) = postcard::from_bytes::<Origins>(origins)?;
            }
        }
        Ok(info)
    }

    /// The trailer that carries this provenance.
    pub(crate) fn to_trailer(&self) -> Result<Vec<u8>, postcard::Error> {
        let mut payload = postcard::to_allocvec(self)?;
        let has_origins = !self.exemplars.is_empty() || self.similarities;
        if !self.class_names.is_empty() || self.interleaved || has_origins {
            payload.extend(postcard::to_allocvec(&(&self.class_names, self.interleaved))?);
        }
        if has_origins {
            payload.extend(postcard::to_allocvec(&(&self.exemplars, self.similarities))?);
        }
        let mut bytes = trailer::MAGIC.to_vec();
        bytes.extend((payload.len() as u32).to_le_bytes());
        bytes.extend(crc32(&payload).to_le_bytes());
        bytes.extend(payload);
        Ok(bytes)
    }
}
