//! The provenance trailer behind the core: its envelope, which devices check, and its content,
//! which only workstations read.

use crate::{LoadError, crc::crc32};

/// The first four bytes of a trailer.
pub const MAGIC: [u8; 4] = *b"NMKI";

/// The payload of the trailer at the start of `bytes`, and what follows it.
pub(crate) fn split(bytes: &[u8]) -> Result<(&[u8], &[u8]), LoadError> {
    let (&[m0, m1, m2, m3, l0, l1, l2, l3, c0, c1, c2, c3], rest) =
        bytes.split_first_chunk::<12>().ok_or(LoadError::Trailer)?;
    let len = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
    let (payload, rest) = rest.split_at_checked(len).ok_or(LoadError::Trailer)?;
    let crc = u32::from_le_bytes([c0, c1, c2, c3]);
    if [m0, m1, m2, m3] == MAGIC && crc == crc32(payload) { Ok((payload, rest)) } else { Err(LoadError::Trailer) }
}
