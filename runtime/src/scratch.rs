//! Memory that belongs to the caller.

use core::ops::{Deref, DerefMut};

/// Working memory for one model: `Scratch<{ gestures::SCRATCH }>`.
///
/// It can live in a `static`, on the stack, or be any `&mut [u32]` of your own.
#[derive(Clone, Debug)]
pub struct Scratch<const WORDS: usize>([u32; WORDS]);

impl<const WORDS: usize> Scratch<WORDS> {
    /// Zeroed words.
    #[must_use]
    pub const fn new() -> Self {
        Self([0; WORDS])
    }
}

impl<const WORDS: usize> Default for Scratch<WORDS> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const WORDS: usize> Deref for Scratch<WORDS> {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.0
    }
}

impl<const WORDS: usize> DerefMut for Scratch<WORDS> {
    fn deref_mut(&mut self) -> &mut [u32] {
        &mut self.0
    }
}
