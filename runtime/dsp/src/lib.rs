//! nearmark's inner loops in the DSP instructions of Cortex-M4, Cortex-M7 and Cortex-M33.
//!
//! Bytes lie four to a word. `SXTB16` takes two of them apart into halves, `UXTAB16` subtracts at the same time from
//! what was negated before, and `SMLAD` multiplies two pairs of halves and adds both products to a sum: four terms in
//! four instructions, where plain code takes twelve. Stable Rust has no intrinsics for them, and the loops need more
//! registers than a compiler keeps in use: so each instruction that Rust code uses is one line of assembly, and the
//! innermost loops are functions of their own, called by safe ones that have checked all lengths.
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
mod tile;

#[cfg(has_dsp)]
pub use pairs::pair_sums;
#[cfg(not(has_dsp))]
pub use portable::{
    add_i4, add_i8, add_i16, l1_distances, pair_sums, products_i4, products_i8, squared_distances,
    squared_distances_u4, widen,
};
#[cfg(has_dsp)]
pub use sums::{
    add_i4, add_i8, add_i16, l1_distances, products_i4, products_i8, squared_distances, squared_distances_u4, widen,
};

/// Four rows, four inputs of each in a word; eight where they have 4 bits, the upper halves of bytes: those of the first
/// four lie in the lower halves of the four bytes, the others in the upper halves.
pub type Block = [u32; 4];
