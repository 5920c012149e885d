//! Keeps a [`Memory`], what a nearmark device has learned, in NOR flash. Every change is atomic: after a power
//! failure in any write or erasure the device finds the state before the change or after it. `no_std`, no heap, no
//! panics, no unsafe code.
//!
//! ```
//! # use embedded_storage::nor_flash::{ErrorType, NorFlash, NorFlashErrorKind, ReadNorFlash};
//! # struct Flash([u8; 8192]);
//! # impl ErrorType for Flash { type Error = NorFlashErrorKind; }
//! # impl ReadNorFlash for Flash {
//! #     const READ_SIZE: usize = 1;
//! #     fn read(&mut self, at: u32, bytes: &mut [u8]) -> Result<(), Self::Error> {
//! #         bytes.copy_from_slice(&self.0[at as usize..][..bytes.len()]);
//! #         Ok(())
//! #     }
//! #     fn capacity(&self) -> usize { self.0.len() }
//! # }
//! # impl NorFlash for Flash {
//! #     const WRITE_SIZE: usize = 4;
//! #     const ERASE_SIZE: usize = 4096;
//! #     fn erase(&mut self, from: u32, to: u32) -> Result<(), Self::Error> {
//! #         self.0[from as usize..to as usize].fill(u8::MAX);
//! #         Ok(())
//! #     }
//! #     fn write(&mut self, at: u32, bytes: &[u8]) -> Result<(), Self::Error> {
//! #         self.0[at as usize..][..bytes.len()].copy_from_slice(bytes);
//! #         Ok(())
//! #     }
//! # }
//! # let mut driver = Flash([0; 8192]);
//! use nearmark_store::{OtherModel, Store};
//!
//! nearmark::include_model!(mod gestures = "../../tests/golden/gaussian.nmk");
//! let model = gestures::model()?;
//! let mut scratch = nearmark::Scratch::<{ gestures::SCRATCH }>::new();
//! let window = [0.25; gestures::INPUTS];
//!
//! // Two pages of flash, up to eight samples.
//! let mut store = Store::<_, 8, { gestures::DIM }>::open(&mut driver, 0..8192, &model, OtherModel::Refuse)?;
//! let wave = store.memory().next_class(&model);
//! store.enroll(&model, &window, wave, &mut scratch)?;
//!
//! // Power fails; the device starts again.
//! drop(store);
//! let store = Store::<_, 8, { gestures::DIM }>::open(&mut driver, 0..8192, &model, OtherModel::Refuse)?;
//! assert_eq!(store.memory().classify(&model, &window, &mut scratch)?.class(), wave);
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! `Store` takes a driver with the blocking traits of `embedded-storage`, `AsyncStore` one with those of
//! `embedded-storage-async` (feature `async`, on by default). Both write the same bytes.
//!
//! ## What is promised
//!
//! - **Atomic changes.** `enroll`, `forget`, `undo` and `clear` take effect as a whole or not at all. If a call
//!   fails without power loss, the memory in RAM is as it was (after a failed `clear` it may be empty already);
//!   flash holds the state before or after, and the next successful change makes both agree by moving to the other
//!   bank.
//! - **One model.** Samples belong to the model that was there when they were enrolled, by its id. A store for
//!   another model does not open (`OtherModel::Refuse`), or opens empty and takes the region over with its first
//!   change (`OtherModel::Replace`); until then the old model's samples stay readable for the old model.
//! - **No wear without change.** Opening, classifying, forgetting what is not there and enrolling into a full
//!   memory write nothing.
//! - **Bounded wear.** The region is cut into two banks of whole pages, which are erased in turn. A page is erased
//!   at most once in 2 · `changes_per_compaction` changes; that number is the slots of a bank less `P` and one.
//!   With two pages of 4 kB, 8 samples and 16 coordinates (slots of 72 bytes) these are 94 changes: flash for
//!   10 000 erasures lasts for 940 000 changes. A power failure costs at most one slot or one erasure more;
//!   `clear` erases both banks.
//! - **A full store is an error**: `memory is full, it holds 8 prototypes`. A region that could not hold `P`
//!   samples does not open, and the error states the bytes that are needed.
//! - **Worn flash is noticed.** Each record is read back; `NotWritten` names the address. The next change goes to
//!   the other bank.
//!
//! ## What it needs
//!
//! - A region that begins at a page, of at least 2 · (header + (`P` + 2) · slot) bytes, each half rounded up to
//!   pages. A slot takes 8 bytes and 4 per coordinate, rounded up to the unit of writing; the header takes 20,
//!   rounded up likewise.
//! - Units of reading and writing that are powers of two up to 32 bytes. No word is written twice between erasures,
//!   so flash with ECC per word works. A word that was torn by a power failure must read as some bytes, not as an
//!   error of the driver, and as the same bytes each time. If flash cannot be read, erase the region.
//! - RAM for the `Memory` and a few words beside it.
//!
//! ## Why not sequential-storage
//!
//! `sequential-storage` 8.0.2 was tried first, with the probe that this project uses for its own crates: a program
//! that links only if no panic is left. Its map (`store_item`, `remove_item`, `fetch_item`, no cache) and its queue
//! (`push`, `pop`) do not link on Cortex-M0, neither at `opt-level` `s` nor at `3`: they index slices and assert,
//! and an `async fn` has a panic of its own for a future that is polled after its end. With panics allowed, the map
//! takes 10.6 kB of flash and the queue 8.1 kB at `s`, before anything of a memory is stored. Removing an item
//! writes a word twice, which flash with ECC refuses, and forgetting a class of several samples would be several
//! changes instead of one.
//!
//! This crate takes 5.4 kB on Cortex-M0, 0.9 kB of which are `memcpy` and `memset`, and links without a panic on
//! Cortex-M0, Cortex-M4 and RISC-V (`cargo xtask size`).
//!
//! ## How it works
//!
//! Each bank has a header (magic, generation, model id, coordinates) and slots of one size. A slot records a
//! sample, a forgotten class, an undone sample, or that the bank is complete. A change is one slot. If a bank is
//! full, the samples are written to the other bank, after its erasure and a header with the next generation; the
//! record *complete* comes last. The newest bank with that record counts; whatever interrupts a compaction leaves
//! the bank before it untouched.
//!
//! Each record ends in a CRC-32 that starts from generation and model id, so a torn record, the remains of an
//! interrupted erasure, or a record of another model never counts. Slots that do not check are skipped, and the
//! first slot behind the last used one is written next.
//!
//! ## How it was tested
//!
//! The tests cut the power in every single byte, word of 4, 8 and 32 bytes and erased page of 26 changes, with six
//! kinds of damage: nothing done, half done, some bits done, any bits, the rest of the page damaged as well, all
//! done but not reported. In words, the change after each cut is cut at every step, too, which makes more than 32
//! 000 cuts. Random sequences of changes and cuts are compared with a list in RAM. Futures of `AsyncStore` are
//! dropped after every number of polls.
#![no_std]

#[cfg(test)]
extern crate std;

mod error;
mod journal;
mod layout;
mod record;

pub use error::Error;
#[cfg(feature = "async")]
pub use journal::AsyncStore;
pub use journal::{OtherModel, Store};

#[cfg(doc)]
use nearmark::Memory;
