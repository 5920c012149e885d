//! Records as words with a CRC behind them, cut into pieces for the flash.

use nearmark::{ClassId, MemoryError, Model, format::Crc32};

/// Bytes that are read or written at once: whole units of every flash, and little stack.
pub(crate) const PIECE: usize = 32;

/// What a slot records.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A sample of a class.
    Sample = 1,
    /// Every sample of a class before it is gone.
    Forget = 2,
    /// The newest sample before it is gone.
    Undo = 3,
    /// The bank holds all that the bank before it did: from here on it counts.
    Complete = 4,
}

/// The first word of a slot.
pub(crate) fn tag(kind: Kind, class: ClassId) -> u32 {
    (kind as u32) << 16 | u32::from(class.0)
}

/// What the first word of a slot states.
fn untag(tag: u32) -> Option<(Kind, ClassId)> {
    let kinds = [Kind::Sample, Kind::Forget, Kind::Undo, Kind::Complete];
    let kind = kinds.into_iter().find(|kind| *kind as u32 == tag >> 16)?;
    Some((kind, ClassId(tag as u16)))
}

/// Bytes in RAM as drivers with DMA or wide units want them.
#[repr(align(32))]
pub(crate) struct Aligned(pub(crate) [u8; PIECE]);

/// Collects words and hands them out piece by piece, the CRC last.
pub(crate) struct Encoder {
    crc: Crc32,
    piece: Aligned,
    filled: usize,
}

impl Encoder {
    pub(crate) fn new(crc: Crc32) -> Self {
        Self { crc, piece: Aligned([u8::MAX; PIECE]), filled: 0 }
    }

    /// Takes a word of the record.
    pub(crate) fn push(&mut self, word: u32) {
        self.crc.update(&word.to_le_bytes());
        self.put(word);
    }

    /// Takes the CRC of all words so far.
    pub(crate) fn seal(&mut self) {
        self.put(self.crc.finish());
    }

    fn put(&mut self, word: u32) {
        let room = self.piece.0.iter_mut().skip(self.filled);
        room.zip(word.to_le_bytes()).for_each(|(to, byte)| *to = byte);
        self.filled = self.filled.wrapping_add(4);
    }

    /// Whether the piece must be written before the next word.
    pub(crate) fn is_full(&self) -> bool {
        self.filled >= PIECE
    }

    /// The piece, padded with erased bytes to `len`.
    pub(crate) fn piece(&self, len: u32) -> &[u8] {
        self.piece.0.get(..len as usize).unwrap_or_default()
    }

    /// Empties the piece.
    pub(crate) fn clear(&mut self) {
        self.piece.0.iter_mut().for_each(|byte| *byte = u8::MAX);
        self.filled = 0;
    }
}

/// What was read where a record may be.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Erased: nothing was ever written here.
    Blank,
    /// Not what was written: power failed meanwhile, or the flash is worn.
    Damaged,
    /// A whole record; its first word.
    Whole(u32),
}

/// Reads a record piece by piece.
pub(crate) struct Decoder<'a> {
    crc: Crc32,
    /// Words before the CRC.
    words: u32,
    at: u32,
    first: u32,
    /// The words behind the first, as far as there is room.
    rest: &'a mut [u32],
    stored: u32,
    blank: bool,
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(crc: Crc32, words: u32, rest: &'a mut [u32]) -> Self {
        Self { crc, words, at: 0, first: 0, rest, stored: 0, blank: true }
    }

    pub(crate) fn take(&mut self, piece: &[u8]) {
        self.blank &= piece.iter().all(|byte| *byte == u8::MAX);
        for bytes in piece.as_chunks().0 {
            let word = u32::from_le_bytes(*bytes);
            if self.at < self.words {
                self.crc.update(bytes);
                let behind = (self.at as usize).checked_sub(1);
                match behind {
                    None => self.first = word,
                    Some(at) => self.rest.get_mut(at).into_iter().for_each(|room| *room = word),
                }
            } else if self.at == self.words {
                self.stored = word;
            }
            self.at = self.at.wrapping_add(1);
        }
    }

    pub(crate) fn found(self) -> Found {
        if self.blank {
            return Found::Blank;
        }
        if self.crc.finish() == self.stored { Found::Whole(self.first) } else { Found::Damaged }
    }
}

/// A bank's slots, replayed from the first to the last.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Replay {
    /// Whether the bank was completed.
    pub(crate) complete: bool,
    /// The slot behind the last one that is not blank.
    pub(crate) next: u32,
}

impl Replay {
    /// Takes what slot `at` holds. `memory` is `None` where only completeness matters.
    pub(crate) fn take<const P: usize, const D: usize>(
        &mut self,
        at: u32,
        found: Found,
        words: &[u32],
        memory: Option<(&Model<'_>, &mut nearmark::Memory<P, D>)>,
    ) -> Result<(), MemoryError> {
        if found != Found::Blank {
            self.next = at.wrapping_add(1);
        }
        let Found::Whole(tag) = found else { return Ok(()) };
        let Some((kind, class)) = untag(tag) else { return Ok(()) };
        self.complete |= kind == Kind::Complete;
        let Some((model, memory)) = memory else { return Ok(()) };
        match kind {
            Kind::Sample => memory.restore(model, class, words)?,
            Kind::Forget => {
                memory.forget(class);
            }
            Kind::Undo => {
                memory.undo();
            }
            Kind::Complete => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    /// A record of three words as flash would hold it in units of 16 bytes.
    fn record() -> Vec<u8> {
        let mut encoder = Encoder::new(Crc32::new());
        for word in [tag(Kind::Sample, ClassId(5)), 1, 2] {
            encoder.push(word);
        }
        encoder.seal();
        encoder.piece(16).to_vec()
    }

    fn decode(bytes: &[u8]) -> (Found, [u32; 2]) {
        let mut rest = [0; 2];
        let mut decoder = Decoder::new(Crc32::new(), 3, &mut rest);
        bytes.chunks(8).for_each(|piece| decoder.take(piece));
        (decoder.found(), rest)
    }

    #[test]
    fn a_record_comes_back() {
        assert_eq!(decode(&record()), (Found::Whole(0x1_0005), [1, 2]));
        assert_eq!(untag(0x1_0005), Some((Kind::Sample, ClassId(5))));
        assert_eq!(decode(&[u8::MAX; 16]).0, Found::Blank);
    }

    #[test]
    fn a_record_with_any_bit_changed_is_damaged() {
        for bit in 0..128 {
            let mut bytes = record();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(decode(&bytes).0, Found::Damaged, "bit {bit}");
        }
    }

    #[test]
    fn a_record_written_in_part_is_damaged() {
        for written in 1..16 {
            let mut bytes = record();
            bytes[written..].fill(u8::MAX);
            assert_eq!(decode(&bytes).0, Found::Damaged, "{written} bytes");
        }
    }

    #[test]
    fn kinds_that_this_version_does_not_have_are_no_records() {
        assert_eq!((untag(0), untag(5 << 16), untag(u32::MAX)), (None, None, None));
    }
}
