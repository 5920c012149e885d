//! The first 28 bytes: all that a linker script, a macro or a curious person needs to know.
//!
//! Reading is `const`, so `include_model!` turns sizes into constants and a missing stage into a
//! compile error.

use core::ops::Range;

use crate::error::LoadError;

/// The first four bytes of every model. A name; the version is the byte after it.
pub const MAGIC: [u8; 4] = *b"NMK1";
/// The format version this crate reads and writes.
pub const VERSION: u8 = 1;
/// Bytes of the header.
pub const HEADER_LEN: usize = 28;
/// Flag: a provenance trailer follows the core.
pub const FLAG_TRAILER: u8 = 1;
/// Where the flags byte lies; the checksum leaves it out so that `strip` need not recompute it.
pub const FLAGS_OFFSET: usize = 5;
/// Where the checksum lies.
pub const CRC_BYTES: Range<usize> = 12..16;

/// The header, as it lies in memory; see `FORMAT.md` for the bytes.
#[derive(Copy, Clone, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Header {
    /// [`MAGIC`].
    pub magic: [u8; 4],
    /// [`VERSION`].
    pub version: u8,
    /// Bit 0: a provenance trailer follows the core.
    pub flags: u8,
    /// Stages needed, a bit each; see [`needs`](crate::needs).
    pub needs: u16,
    /// Bytes of header, metadata, sections and extras: what lies in flash.
    pub core_len: u32,
    /// CRC-32 of the core without the flags byte and itself; also the model's id.
    pub crc: u32,
    /// Values per sample.
    pub inputs: u32,
    /// Length of the embedding.
    pub dim: u16,
    /// Number of classes.
    pub classes: u16,
    /// Scratch words that `classify` needs.
    pub scratch: u32,
}

impl Header {
    /// Reads the header at the start of `bytes`.
    ///
    /// # Errors
    /// If there are too few bytes, the name is not `NMK1` or the version is not 1.
    pub const fn read(bytes: &[u8]) -> Result<Self, LoadError> {
        let Some(b) = bytes.first_chunk::<HEADER_LEN>() else {
            return Err(LoadError::TooShort);
        };
        if u32_at(b, 0) != u32::from_le_bytes(MAGIC) {
            return Err(LoadError::NotAModel);
        }
        if b[4] != VERSION {
            return Err(LoadError::Version(b[4]));
        }
        Ok(Self {
            magic: MAGIC,
            version: VERSION,
            flags: b[FLAGS_OFFSET],
            needs: u16_at(b, 6),
            core_len: u32_at(b, 8),
            crc: u32_at(b, CRC_BYTES.start),
            inputs: u32_at(b, 16),
            dim: u16_at(b, 20),
            classes: u16_at(b, 22),
            scratch: u32_at(b, 24),
        })
    }

    /// The header as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; HEADER_LEN] {
        bytemuck::cast(*self)
    }
}

const fn u16_at(b: &[u8; HEADER_LEN], at: usize) -> u16 {
    u16::from_le_bytes([b[at], b[at + 1]])
}

const fn u32_at(b: &[u8; HEADER_LEN], at: usize) -> u32 {
    u32::from_le_bytes([b[at], b[at + 1], b[at + 2], b[at + 3]])
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: Header = Header {
        magic: MAGIC,
        version: VERSION,
        flags: 1,
        needs: 0x81,
        core_len: 1_000_000,
        crc: 0xDEAD_BEEF,
        inputs: 600,
        dim: 9,
        classes: 10,
        scratch: 73,
    };

    #[test]
    fn header_survives_a_round_trip() {
        assert_eq!(Header::read(&HEADER.to_bytes()), Ok(HEADER));
    }

    #[test]
    fn name_and_version_are_told_apart() {
        let mut bytes = HEADER.to_bytes();
        bytes[4] = 2;
        assert_eq!(Header::read(&bytes), Err(LoadError::Version(2)));
        bytes[0] = b'X';
        assert_eq!(Header::read(&bytes), Err(LoadError::NotAModel));
        assert_eq!(Header::read(&bytes[..27]), Err(LoadError::TooShort));
    }
}
