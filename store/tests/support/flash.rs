//! NOR flash in RAM: bits only fall until a page is erased, and power can fail in every word.

use embedded_storage::nor_flash::{ErrorType, NorFlash, NorFlashError, NorFlashErrorKind, ReadNorFlash};

/// What power loss leaves of a word that was being written, or of a page that was being erased.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Torn {
    /// Power failed before the step.
    Untouched,
    /// The first half of the bytes is done.
    Half,
    /// Some bits of every byte are done.
    Bits,
    /// Any bits at all.
    Garbage,
    /// As `Bits`, and the page behind the word is damaged: allowed by no data sheet, seen on boards all the same.
    RestOfPage,
    /// Power failed after the step, before the driver could report it.
    Done,
}

pub(crate) const EVERY_WAY: [Torn; 6] =
    [Torn::Untouched, Torn::Half, Torn::Bits, Torn::Garbage, Torn::RestOfPage, Torn::Done];

/// Why an access failed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failed {
    /// There is no power: nothing works until the next start.
    Power,
    /// The word was being written when power failed, and this chip writes no word twice.
    Twice,
    /// The test wanted an error.
    Once,
}

impl NorFlashError for Failed {
    fn kind(&self) -> NorFlashErrorKind {
        NorFlashErrorKind::Other
    }
}

#[derive(Clone, Debug)]
pub(crate) struct SimFlash<const WRITE: usize, const PAGE: usize> {
    pub(crate) bytes: Vec<u8>,
    /// Erasures of each page.
    pub(crate) erased: Vec<u32>,
    /// Words written and pages erased since the beginning.
    pub(crate) steps: u64,
    /// The step in which power fails, and what it leaves.
    pub(crate) cut: Option<(u64, Torn)>,
    /// The step that fails without power loss; it has no effect.
    pub(crate) fail: Option<u64>,
    /// Bits that no longer rise: (address, mask).
    pub(crate) stuck: Option<(usize, u8)>,
    pub(crate) dead: bool,
    /// Words that were written since their page was erased.
    touched: Vec<bool>,
    /// Words that power loss tore.
    torn: Vec<bool>,
    seed: u64,
}

impl<const WRITE: usize, const PAGE: usize> SimFlash<WRITE, PAGE> {
    /// Flash that some other program used before.
    pub(crate) fn new(pages: usize) -> Self {
        let len = pages * PAGE;
        let mut flash = Self {
            bytes: vec![0; len],
            erased: vec![0; pages],
            steps: 0,
            cut: None,
            fail: None,
            stuck: None,
            dead: false,
            touched: vec![true; len / WRITE],
            torn: vec![false; len / WRITE],
            seed: 1,
        };
        flash.bytes = (0..len).map(|_| flash.random()).collect();
        flash
    }

    /// Fails in the `after`th step from now.
    pub(crate) fn cut_in(&mut self, after: u64, torn: Torn) {
        self.seed = self.seed.wrapping_add(after * 6 + torn as u64);
        self.cut = Some((self.steps + after, torn));
    }

    /// Power is back.
    pub(crate) fn restart(&mut self) {
        (self.dead, self.cut) = (false, None);
    }

    /// The highest byte of `SplitMix64`.
    fn random(&mut self) -> u8 {
        self.seed = self.seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.seed ^ (self.seed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z >> 56) as u8
    }

    /// Moves bytes from what they are to `to`, or as far as power lasts.
    fn step(&mut self, from: usize, to: &[u8]) -> Result<Option<Torn>, Failed> {
        if self.dead {
            return Err(Failed::Power);
        }
        let step = self.steps;
        self.steps += 1;
        if self.fail == Some(step) {
            return Err(Failed::Once);
        }
        let torn = self.cut.filter(|(at, _)| *at == step).map(|(_, torn)| torn);
        let half = (to.len() / 2).max(1);
        for (at, to) in to.iter().enumerate() {
            let mask = match torn {
                None | Some(Torn::Done) => u8::MAX,
                Some(Torn::Untouched) => 0,
                Some(Torn::Half) => {
                    if at < half {
                        u8::MAX
                    } else {
                        0
                    }
                }
                Some(Torn::Bits | Torn::RestOfPage | Torn::Garbage) => self.random(),
            };
            let now = &mut self.bytes[from + at];
            *now = if torn == Some(Torn::Garbage) { mask } else { (*now & !mask) | (to & mask) };
        }
        if let Some((at, mask)) = self.stuck {
            self.bytes[at] &= !mask;
        }
        self.dead = torn.is_some();
        Ok(torn)
    }

    fn write_word(&mut self, address: usize, word: &[u8]) -> Result<(), Failed> {
        let at = address / WRITE;
        if !self.dead && self.torn[at] {
            return Err(Failed::Twice);
        }
        assert!(self.dead || !self.touched[at], "word {at} is written twice");
        let torn = self.step(address, word)?;
        self.touched[at] = true;
        let Some(torn) = torn else { return Ok(()) };
        self.torn[at] = torn != Torn::Untouched;
        if torn == Torn::RestOfPage {
            for behind in at + 1..(address / PAGE + 1) * PAGE / WRITE {
                self.torn[behind] = true;
                for byte in behind * WRITE..(behind + 1) * WRITE {
                    self.bytes[byte] = self.random();
                }
            }
        }
        self.touched[at] = torn != Torn::Untouched;
        Err(Failed::Power)
    }

    fn erase_page(&mut self, page: usize) -> Result<(), Failed> {
        let torn = self.step(page * PAGE, &[u8::MAX; PAGE])?;
        self.erased[page] += 1;
        let words = page * PAGE / WRITE..(page + 1) * PAGE / WRITE;
        if torn.is_none_or(|torn| torn == Torn::Done) {
            self.touched[words.clone()].fill(false);
            self.torn[words].fill(false);
        } else if torn != Some(Torn::Untouched) {
            self.touched[words.clone()].fill(true);
            self.torn[words].fill(true);
        }
        if torn.is_some() { Err(Failed::Power) } else { Ok(()) }
    }
}

impl<const WRITE: usize, const PAGE: usize> ErrorType for SimFlash<WRITE, PAGE> {
    type Error = Failed;
}

impl<const WRITE: usize, const PAGE: usize> ReadNorFlash for SimFlash<WRITE, PAGE> {
    const READ_SIZE: usize = 1;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), Failed> {
        if self.dead {
            return Err(Failed::Power);
        }
        bytes.copy_from_slice(&self.bytes[offset as usize..][..bytes.len()]);
        Ok(())
    }

    fn capacity(&self) -> usize {
        self.bytes.len()
    }
}

impl<const WRITE: usize, const PAGE: usize> NorFlash for SimFlash<WRITE, PAGE> {
    const WRITE_SIZE: usize = WRITE;
    const ERASE_SIZE: usize = PAGE;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), Failed> {
        let (from, to) = (from as usize, to as usize);
        assert!(from < to && from.is_multiple_of(PAGE) && to.is_multiple_of(PAGE), "{from}..{to}");
        (from / PAGE..to / PAGE).try_for_each(|page| self.erase_page(page))
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), Failed> {
        let offset = offset as usize;
        assert!(offset.is_multiple_of(WRITE) && bytes.len().is_multiple_of(WRITE) && !bytes.is_empty());
        for (at, word) in bytes.chunks(WRITE).enumerate() {
            self.write_word(offset + at * WRITE, word)?;
        }
        Ok(())
    }
}
