//! Bytes at an address that models can be read from in place.

use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};

/// A byte buffer that begins at a multiple of 16 (on common hosts), as `include_model!` places
/// models in flash.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlignedBuf {
    blocks: Vec<u128>,
    len: usize,
}

impl From<&[u8]> for AlignedBuf {
    fn from(bytes: &[u8]) -> Self {
        let mut buf = Self { blocks: alloc::vec![0; bytes.len().div_ceil(16)], len: bytes.len() };
        buf.copy_from_slice(bytes);
        buf
    }
}

impl Deref for AlignedBuf {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.blocks)[..self.len]
    }
}

impl DerefMut for AlignedBuf {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.blocks)[..self.len]
    }
}
