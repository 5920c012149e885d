//! Flash in RAM that start-up code leaves alone, with a reset in the middle of a chosen word.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use cortex_m::peripheral::SCB;
use embedded_storage::nor_flash::{ErrorType, NorFlash, NorFlashErrorKind, ReadNorFlash, check_erase, check_write};

const PAGE: usize = 256;
const PAGES: usize = BYTES as usize / PAGE;
/// Bytes of the whole flash: two pages.
pub const BYTES: u32 = 512;

/// The bits of a word that a reset in its middle still writes.
const TORN: u32 = 0xFFFF_0000;

/// RAM keeps its contents in a reset, and the linker puts nothing into this section at the start.
#[unsafe(link_section = ".uninit.flash")]
static WORDS: [AtomicU32; PAGE * PAGES / 4] = [const { AtomicU32::new(0) }; PAGE * PAGES / 4];

/// Counters that outlive a reset, as a debugger would hold them.
pub struct Lasting(AtomicU32);

impl Lasting {
    pub const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    pub fn get(&self) -> u32 {
        self.0.load(Relaxed)
    }

    pub fn set(&self, value: u32) {
        self.0.store(value, Relaxed);
    }
}

/// The flash driver.
pub struct Flash {
    /// Words and pages to write or erase until the reset; none comes without it.
    pub reset_in: Option<u32>,
}

impl Flash {
    /// Whether the reset comes in this word or page.
    fn is_last(&mut self) -> bool {
        let left = self.reset_in;
        self.reset_in = left.and_then(|left| left.checked_sub(1));
        left == Some(0)
    }
}

impl ErrorType for Flash {
    type Error = NorFlashErrorKind;
}

impl ReadNorFlash for Flash {
    const READ_SIZE: usize = 4;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), Self::Error> {
        let words = WORDS.iter().skip(offset as usize / 4);
        for (to, word) in bytes.chunks_exact_mut(4).zip(words) {
            to.copy_from_slice(&word.load(Relaxed).to_le_bytes());
        }
        Ok(())
    }

    fn capacity(&self) -> usize {
        PAGE * PAGES
    }
}

impl NorFlash for Flash {
    const WRITE_SIZE: usize = 4;
    const ERASE_SIZE: usize = PAGE;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), Self::Error> {
        check_erase(self, from, to)?;
        for page in WORDS.chunks(PAGE / 4).take(to as usize / PAGE).skip(from as usize / PAGE) {
            let last = self.is_last();
            for word in page {
                word.fetch_or(if last { TORN } else { u32::MAX }, Relaxed);
            }
            if last {
                SCB::sys_reset();
            }
        }
        Ok(())
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), Self::Error> {
        check_write(self, offset, bytes.len())?;
        for (from, word) in bytes.as_chunks().0.iter().zip(WORDS.iter().skip(offset as usize / 4)) {
            let last = self.is_last();
            let kept = if last { TORN } else { 0 };
            word.fetch_and(u32::from_le_bytes(*from) | kept, Relaxed);
            if last {
                SCB::sys_reset();
            }
        }
        Ok(())
    }
}
