//! nearmark's inner loops in the DSP instructions of Cortex-M4, Cortex-M7 and Cortex-M33.
//!
//! Bytes lie four to a word. `UXTB16` takes two of them apart into halves, and `SMLAD` multiplies
//! two pairs of halves and adds both products to a sum: four terms in four instructions, where
//! plain code takes twelve. Stable Rust has no intrinsics for them, so each is one line of
//! assembly here; everything around them is safe code, and slices keep their bounds.
//!
//! Sums wrap, so that their order does not matter: [`portable`] gives the same bits, on every
//! input. It also stands in where the target has no such instructions, that is, on a host.
#![no_std]

pub mod portable;

#[cfg(has_dsp)]
mod instructions;
#[cfg(has_dsp)]
mod pairs;
#[cfg(has_dsp)]
mod sums;

#[cfg(has_dsp)]
pub use pairs::pair_sums;
#[cfg(not(has_dsp))]
pub use portable::{add_i8, add_i16, l1_distances, map_i8, map_i16, pair_sums, products_i8, squared_distances};
#[cfg(has_dsp)]
pub use sums::{add_i8, add_i16, l1_distances, map_i8, map_i16, products_i8, squared_distances};

/// Four rows, four inputs of each in a word.
pub type Block = [u32; 4];
