//! Where things lie in the region: two banks, each a header and slots of one size.
//!
//! ```text
//! bank    header | slot 0 | slot 1 | … | unused slots, erased
//! header  magic, generation, model id, dim                    CRC-32
//! slot    kind << 16 | class, dim words                       CRC-32
//! ```
//!
//! Words are little-endian. Header and slots are rounded up to the flash's unit of writing; the rest of the last
//! unit stays erased. The CRC of a slot begins with generation and model id, so a record that an interrupted erasure
//! left behind, or one of another model, never counts.

use core::ops::Range;

use nearmark::format::Crc32;

/// `NMS1`, little-endian.
const MAGIC: u32 = u32::from_le_bytes(*b"NMS1");

/// Words of a header before its CRC.
pub(crate) const HEADER_WORDS: u32 = 4;

/// What begins a region that no store has used: bank 0 is written first.
const BEFORE_FIRST: Bank = Bank { second: true, generation: 0, model: 0, dim: 0 };

/// A bank by what its header states.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Bank {
    /// Which half of the region.
    pub(crate) second: bool,
    /// Grows by one whenever a bank is written anew.
    pub(crate) generation: u32,
    /// Id of the model that its samples belong to.
    pub(crate) model: u32,
    /// Words of a sample.
    pub(crate) dim: u32,
}

impl Bank {
    /// The bank that the next compaction leaves if there was none.
    pub(crate) const fn before_first() -> Self {
        BEFORE_FIRST
    }

    /// What a valid header states.
    pub(crate) fn from_header(second: bool, first: u32, rest: [u32; 3]) -> Option<Self> {
        let [generation, model, dim] = rest;
        (first == MAGIC).then_some(Self { second, generation, model, dim })
    }

    /// The header's first word, and the others.
    pub(crate) fn header(&self) -> (u32, [u32; 3]) {
        (MAGIC, [self.generation, self.model, self.dim])
    }

    /// The bank that takes over.
    pub(crate) fn next(&self, model: u32, dim: u32) -> Self {
        Self { second: !self.second, generation: self.generation.wrapping_add(1), model, dim }
    }

    /// What the CRC of each of its slots begins with.
    pub(crate) fn seed(&self) -> Crc32 {
        let mut crc = Crc32::new();
        crc.update(&self.generation.to_le_bytes());
        crc.update(&self.model.to_le_bytes());
        crc
    }
}

/// The region, cut into two banks.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Layout {
    start: u32,
    /// Bytes of a bank: whole pages.
    bank: u32,
    /// Bytes that are read or written at once: a power of two.
    unit: u32,
}

/// Why a region cannot be used.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum RegionFault {
    TooSmall { needed: u32, got: u32 },
    Misaligned,
}

impl Layout {
    /// Two banks with room for `capacity` samples of `dim` words each. Every bank has two slots more: one that
    /// completes it, and one for the change that a full memory still takes.
    pub(crate) fn new(
        region: &Range<u32>,
        page: u32,
        unit: u32,
        dim: u32,
        capacity: usize,
    ) -> Result<Self, RegionFault> {
        if region.start.checked_rem(page).is_none_or(|rest| rest != 0) {
            return Err(RegionFault::Misaligned);
        }
        let got = region.end.saturating_sub(region.start);
        let half = got / 2;
        let bank = half - half.checked_rem(page).unwrap_or(0);
        let layout = Self { start: region.start, bank, unit };
        let slots = u32::try_from(capacity).unwrap_or(u32::MAX).saturating_add(2);
        let least = layout.stride(dim).saturating_mul(slots).saturating_add(layout.header_bytes());
        let least = least.checked_next_multiple_of(page).unwrap_or(u32::MAX);
        if bank < least {
            return Err(RegionFault::TooSmall { needed: least.saturating_mul(2), got });
        }
        Ok(layout)
    }

    /// Bytes of `words` and their CRC.
    pub(crate) fn bytes(&self, words: u32) -> u32 {
        let last = self.unit.wrapping_sub(1);
        words.saturating_add(1).saturating_mul(4).saturating_add(last) & !last
    }

    fn header_bytes(&self) -> u32 {
        self.bytes(HEADER_WORDS)
    }

    /// Bytes from one slot to the next.
    fn stride(&self, dim: u32) -> u32 {
        self.bytes(dim.saturating_add(1))
    }

    /// Slots of a bank for samples of `dim` words.
    pub(crate) fn slots(&self, dim: u32) -> u32 {
        self.bank.saturating_sub(self.header_bytes()).checked_div(self.stride(dim)).unwrap_or(0)
    }

    /// The addresses of a bank.
    pub(crate) fn range(&self, second: bool) -> Range<u32> {
        let start = if second { self.start.wrapping_add(self.bank) } else { self.start };
        start..start.wrapping_add(self.bank)
    }

    /// The address of a slot that the bank has.
    pub(crate) fn slot(&self, bank: &Bank, at: u32) -> u32 {
        let slots = self.range(bank.second).start.wrapping_add(self.header_bytes());
        slots.wrapping_add(self.stride(bank.dim).wrapping_mul(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_is_cut_into_banks_of_whole_pages() {
        // Slots of (1 + 2 + 1) words; the header takes 20 bytes, in units of 8 three of them.
        let layout = Layout::new(&(256..1024), 128, 8, 2, 4).unwrap();
        assert_eq!((layout.range(false), layout.range(true)), (256..640, 640..1024));
        assert_eq!(layout.slots(2), (384 - 24) / 16);
        let bank = BEFORE_FIRST.next(7, 2);
        assert_eq!((layout.slot(&bank, 0), layout.slot(&bank, 3)), (256 + 24, 256 + 24 + 48));
    }

    #[test]
    fn a_region_that_is_too_small_is_refused_with_what_is_needed() {
        // 20 + 6 · 16 = 116 bytes: a page of 128 bytes for each bank.
        assert!(Layout::new(&(0..256), 128, 4, 2, 4).is_ok());
        let fault = RegionFault::TooSmall { needed: 256, got: 255 };
        assert_eq!(Layout::new(&(0..255), 128, 4, 2, 4).unwrap_err(), fault);
        let fault = RegionFault::TooSmall { needed: 512, got: 256 };
        assert_eq!(Layout::new(&(0..256), 128, 4, 2, 6).unwrap_err(), fault);
        assert_eq!(Layout::new(&(64..512), 128, 4, 2, 4).unwrap_err(), RegionFault::Misaligned);
        for dim in [1 << 29, u32::MAX] {
            let TooSmall { needed, .. } = Layout::new(&(0..256), 128, 4, dim, 4).unwrap_err() else { panic!("{dim}") };
            assert_eq!(needed, u32::MAX);
        }
    }

    use RegionFault::TooSmall;
}
