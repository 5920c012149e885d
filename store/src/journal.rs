//! The store itself, written once for drivers that block and for those that wait.
//!
//! A macro, because an `async fn` cannot serve both: the compiler adds a panic to it, for a future that is polled
//! after its end, and a blocking program would carry that path.

use core::ops::Range;

use nearmark::{ClassId, Memory, Model, Sample};

use crate::{
    error::Error,
    layout::{Bank, HEADER_WORDS, Layout, RegionFault},
    record::{Aligned, Decoder, Encoder, Found, Kind, PIECE, Replay, tag},
};

/// What a store does with the samples of another model that it finds in flash.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum OtherModel {
    /// It does not open, and names both models.
    Refuse,
    /// It opens empty. Flash keeps the samples until the first change is stored, which makes the region this model's.
    Replace,
}

/// Bytes to read and to write at once.
const fn unit(read: usize, write: usize) -> u32 {
    let unit = if read > write { read } else { write };
    assert!(read.is_power_of_two() && write.is_power_of_two(), "flash is read and written in powers of two");
    assert!(unit <= PIECE, "flash is written in units of at most 32 bytes");
    unit as u32
}

macro_rules! store {
    ($(#[$doc:meta])* $name:ident, $flash:path, {$($fn:tt)*}, {$($wait:tt)*}) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<F, const P: usize, const D: usize> {
            flash: F,
            layout: Layout,
            memory: Memory<P, D>,
            /// The bank that counts.
            bank: Bank,
            /// Its first slot that nothing was written to.
            next: u32,
            /// Whether the bank may differ from the memory, so that the next change needs the other bank.
            stale: bool,
        }

        impl<F: $flash, const P: usize, const D: usize> $name<F, P, D> {
            const UNIT: u32 = unit(F::READ_SIZE, F::WRITE_SIZE);

            /// Reads what the region holds. Nothing is written: a device that restarts often does not wear its flash.
            ///
            /// The driver may be borrowed: `&mut F` is a driver, too.
            ///
            /// # Errors
            /// If the region is too small or misaligned, flash cannot be read, the samples are another model's and
            /// `other` refuses them, or they are more than `P`.
            pub $($fn)* open(
                mut flash: F,
                region: Range<u32>,
                model: &Model<'_>,
                other: OtherModel,
            ) -> Result<Self, Error<F::Error>> {
                let memory = Memory::new(model)?;
                let dim = model.dim() as u32;
                let layout = match Layout::new(&region, F::ERASE_SIZE as u32, Self::UNIT, dim, P) {
                    Ok(layout) => layout,
                    Err(RegionFault::TooSmall { needed, got }) => return Err(Error::Region { needed, got }),
                    Err(RegionFault::Misaligned) => {
                        return Err(Error::Misaligned { page: F::ERASE_SIZE as u32, got: region.start });
                    }
                };
                let capacity = u32::try_from(flash.capacity()).unwrap_or(u32::MAX);
                if region.end > capacity {
                    let got = capacity.saturating_sub(region.start);
                    return Err(Error::Region { needed: region.end.saturating_sub(region.start), got });
                }
                let banks = [
                    Self::bank(&mut flash, &layout, false)$($wait)*?,
                    Self::bank(&mut flash, &layout, true)$($wait)*?,
                ];
                let mut store = Self { flash, layout, memory, bank: Bank::before_first(), next: 0, stale: true };
                store.load(banks, model, other)$($wait)*?;
                Ok(store)
            }

            /// The samples, and everything that a [`Memory`] does without changing.
            #[must_use]
            pub const fn memory(&self) -> &Memory<P, D> {
                &self.memory
            }

            /// Stores a sample as a prototype of `class`, in flash and in RAM.
            ///
            /// # Errors
            /// As [`Memory::enroll`], which leaves flash alone, and if flash fails. Then the memory is as it was, and
            /// what the next start finds is the state before or after.
            pub $($fn)* enroll<S: Sample + ?Sized>(
                &mut self,
                model: &Model<'_>,
                x: &S,
                class: ClassId,
                scratch: &mut [u32],
            ) -> Result<(), Error<F::Error>> {
                let before = self.memory.len();
                self.memory.enroll(model, x, class, scratch)?;
                let kept = self.change(before, Kind::Sample, class)$($wait)*;
                if kept.is_err() {
                    self.memory.undo();
                }
                kept
            }

            /// Drops every prototype of a class and returns how many there were; none costs no write.
            ///
            /// # Errors
            /// If flash fails. Then the memory is as it was.
            pub $($fn)* forget(&mut self, class: ClassId) -> Result<usize, Error<F::Error>> {
                if self.memory.iter().all(|(label, _)| label != class) {
                    return Ok(0);
                }
                self.change(self.memory.len(), Kind::Forget, class)$($wait)*?;
                Ok(self.memory.forget(class))
            }

            /// Drops the prototype stored last, if there is one.
            ///
            /// # Errors
            /// If flash fails. Then the memory is as it was.
            pub $($fn)* undo(&mut self) -> Result<Option<ClassId>, Error<F::Error>> {
                let Some((class, _)) = self.memory.iter().last() else { return Ok(None) };
                self.change(self.memory.len(), Kind::Undo, class)$($wait)*?;
                Ok(self.memory.undo())
            }

            /// Drops every prototype and erases what flash held of them, another model's included.
            ///
            /// # Errors
            /// If flash fails. Then what the next start finds is the state before or after.
            pub $($fn)* clear(&mut self) -> Result<(), Error<F::Error>> {
                let before = self.bank.second;
                self.compact(0)$($wait)*?;
                self.memory.clear();
                let old = self.layout.range(before);
                self.flash.erase(old.start, old.end)$($wait)*.map_err(Error::Flash)
            }

            /// Changes that fit between two compactions, at least. Each compaction erases one of the two banks in turn, so
            /// a page is erased at most once in twice as many changes.
            #[must_use]
            pub fn changes_per_compaction(&self) -> u32 {
                let reserved = u32::try_from(P).unwrap_or(u32::MAX).saturating_add(1);
                self.layout.slots(self.dim()).saturating_sub(reserved)
            }

            /// Gives the driver back.
            pub fn close(self) -> F {
                self.flash
            }

            /// Words of a sample.
            fn dim(&self) -> u32 {
                self.memory.dim() as u32
            }

            /// Takes the newest complete bank.
            $($fn)* load(
                &mut self,
                banks: [Option<Bank>; 2],
                model: &Model<'_>,
                other: OtherModel,
            ) -> Result<(), Error<F::Error>> {
                let [first, second] = banks;
                let swap = first.zip(second).is_some_and(|(first, second)| second.generation > first.generation);
                let newest_first = if swap { [second, first] } else { [first, second] };
                for bank in newest_first.into_iter().flatten() {
                    self.memory.clear();
                    let ours = bank.model == model.id() && bank.dim == self.dim();
                    let replay = self.replay(&bank, model, ours)$($wait)*?;
                    if !replay.complete {
                        continue;
                    }
                    if !ours && other == OtherModel::Refuse {
                        let error = nearmark::MemoryError::OtherModel { needed: bank.model, got: model.id() };
                        return Err(Error::Memory(error));
                    }
                    (self.bank, self.next, self.stale) = (bank, replay.next, !ours);
                    return Ok(());
                }
                self.memory.clear();
                Ok(())
            }

            /// A bank by its header, if that is whole.
            $($fn)* bank(flash: &mut F, layout: &Layout, second: bool) -> Result<Option<Bank>, Error<F::Error>> {
                let mut rest = [0; HEADER_WORDS as usize - 1];
                let crc = nearmark::format::Crc32::new();
                let decoder = Decoder::new(crc, HEADER_WORDS, &mut rest);
                let start = layout.range(second).start;
                match Self::read(flash, start, layout.bytes(HEADER_WORDS), decoder)$($wait)*? {
                    Found::Whole(first) => Ok(Bank::from_header(second, first, rest)),
                    Found::Blank | Found::Damaged => Ok(None),
                }
            }

            /// Replays a bank's slots into the memory, or only looks for its end if it is another model's.
            $($fn)* replay(&mut self, bank: &Bank, model: &Model<'_>, ours: bool) -> Result<Replay, Error<F::Error>> {
                let mut replay = Replay::default();
                let words = bank.dim.saturating_add(1);
                for at in 0..self.layout.slots(bank.dim) {
                    let mut sample = [0; D];
                    let decoder = Decoder::new(bank.seed(), words, &mut sample);
                    let address = self.layout.slot(bank, at);
                    let found = Self::read(&mut self.flash, address, self.layout.bytes(words), decoder)$($wait)*?;
                    let sample = sample.get(..bank.dim as usize).unwrap_or_default();
                    let memory = ours.then_some((model, &mut self.memory));
                    replay.take(at, found, sample, memory)?;
                }
                Ok(replay)
            }

            /// Records a change. If the bank has no slot left, the `before` samples that there were before it move to the
            /// other bank first.
            $($fn)* change(&mut self, before: usize, kind: Kind, class: ClassId) -> Result<(), Error<F::Error>> {
                if self.stale || self.next >= self.layout.slots(self.dim()) {
                    self.compact(before)$($wait)*?;
                }
                self.append(kind, class)$($wait)*
            }

            /// Writes the oldest `kept` samples of the memory to the other bank, which then counts. Its last record
            /// completes it; until then the bank before it counts.
            $($fn)* compact(&mut self, kept: usize) -> Result<(), Error<F::Error>> {
                self.stale = true;
                let bank = self.bank.next(self.memory.model_id(), self.dim());
                let range = self.layout.range(bank.second);
                self.flash.erase(range.start, range.end)$($wait)*.map_err(Error::Flash)?;
                let (first, rest) = bank.header();
                let crc = nearmark::format::Crc32::new();
                Self::write(&mut self.flash, &self.layout, range.start, crc, (first, &rest, HEADER_WORDS))$($wait)*?;
                let words = bank.dim.saturating_add(1);
                let mut next = 0;
                for (class, sample) in self.memory.iter().take(kept) {
                    let address = self.layout.slot(&bank, next);
                    let record = (tag(Kind::Sample, class), sample, words);
                    Self::write(&mut self.flash, &self.layout, address, bank.seed(), record)$($wait)*?;
                    next = next.wrapping_add(1);
                }
                let address = self.layout.slot(&bank, next);
                let record = (tag(Kind::Complete, ClassId(0)), [].as_slice(), words);
                Self::write(&mut self.flash, &self.layout, address, bank.seed(), record)$($wait)*?;
                (self.bank, self.next, self.stale) = (bank, next.wrapping_add(1), false);
                Ok(())
            }

            /// Appends a record; that of a sample holds the memory's newest.
            $($fn)* append(&mut self, kind: Kind, class: ClassId) -> Result<(), Error<F::Error>> {
                let newest = self.memory.iter().last().filter(|_| kind == Kind::Sample);
                let sample = newest.map_or([].as_slice(), |(_, sample)| sample);
                let address = self.layout.slot(&self.bank, self.next);
                let record = (tag(kind, class), sample, self.bank.dim.saturating_add(1));
                // Until the record is known to be whole, flash may hold the state before or after.
                self.stale = true;
                Self::write(&mut self.flash, &self.layout, address, self.bank.seed(), record)$($wait)*?;
                self.stale = false;
                self.next = self.next.wrapping_add(1);
                Ok(())
            }

            /// Writes a record: its first word, the others, and how many there are with zeros behind them. Then reads it.
            $($fn)* write(
                flash: &mut F,
                layout: &Layout,
                address: u32,
                crc: nearmark::format::Crc32,
                (first, rest, words): (u32, &[u32], u32),
            ) -> Result<(), Error<F::Error>> {
                let mut encoder = Encoder::new(crc);
                encoder.push(first);
                let zeros = core::iter::repeat(0);
                let rest = rest.iter().copied().chain(zeros).take(words.saturating_sub(1) as usize);
                let mut at = address;
                for word in rest {
                    encoder.push(word);
                    if encoder.is_full() {
                        flash.write(at, encoder.piece(PIECE as u32))$($wait)*.map_err(Error::Flash)?;
                        encoder.clear();
                        at = at.wrapping_add(PIECE as u32);
                    }
                }
                encoder.seal();
                let bytes = layout.bytes(words);
                let left = address.wrapping_add(bytes).wrapping_sub(at);
                flash.write(at, encoder.piece(left))$($wait)*.map_err(Error::Flash)?;
                let decoder = Decoder::new(crc, words, &mut []);
                let found = Self::read(flash, address, bytes, decoder)$($wait)*?;
                if found == Found::Whole(first) { Ok(()) } else { Err(Error::NotWritten { address }) }
            }

            /// Reads `bytes` bytes of a record or of the place for one.
            $($fn)* read(
                flash: &mut F,
                address: u32,
                bytes: u32,
                mut decoder: Decoder<'_>,
            ) -> Result<Found, Error<F::Error>> {
                let mut piece = Aligned([0; PIECE]);
                let mut read = 0;
                while read < bytes {
                    let len = bytes.wrapping_sub(read).min(PIECE as u32);
                    let piece = piece.0.get_mut(..len as usize).unwrap_or_default();
                    flash.read(address.wrapping_add(read), piece)$($wait)*.map_err(Error::Flash)?;
                    decoder.take(piece);
                    read = read.wrapping_add(len);
                }
                Ok(decoder.found())
            }
        }
    };
}

store! {
    /// A [`Memory`] of up to `P` samples of up to `D` coordinates, kept in flash by a driver that blocks.
    Store, embedded_storage::nor_flash::NorFlash, {fn}, {}
}

#[cfg(feature = "async")]
store! {
    /// As [`Store`](crate::Store), for a driver that waits without blocking.
    ///
    /// A future that is dropped before its end is like a failure of flash: the next start finds the state before or
    /// after, and the next change writes what the memory in RAM holds, the newest sample of a dropped `enroll` included.
    AsyncStore, embedded_storage_async::nor_flash::NorFlash, {async fn}, {.await}
}
