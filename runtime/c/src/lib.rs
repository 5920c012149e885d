//! nearmark for C and C++: a static library, a header, and memory that belongs to the caller.
//!
//! `include/nearmark.h` is made of this crate by `cargo xtask c-header`; the comments here are its comments.
//! This is one of the two crates where `unsafe` may live. What it adds to the runtime is the distrust that a
//! C caller deserves: pointers that are null or misaligned, lengths that do not fit, models and memories that
//! were never set up are error codes, not faults.
//!
//! # The contract of every function
//! What cannot be checked is the caller's promise, and every `unsafe` block here rests on it:
//! * a pointer that is neither null nor misaligned points to as many values as the length beside it says;
//! * what a function writes overlaps nothing else that it is given;
//! * a model's bytes stay where they are, unchanged, as long as the model is used;
//! * nothing that one call writes (answers, scratch, a memory) is used by another thread during the call. A
//!   model is only read: any number of threads may share it.
#![no_std]
#![allow(non_camel_case_types, reason = "types have the names that C sees")]
#![allow(clippy::missing_safety_doc, reason = "one contract for all functions, above")]

// On a host the standard library brings the panic handler.
#[cfg(not(target_os = "none"))]
extern crate std;

// In the order of the header, and apart, or the formatter would sort them.
mod status;

mod model;

mod classify;

mod rank;

mod items;

mod embed;

mod memory;

mod recall;

mod stream;

#[cfg(all(target_os = "none", feature = "panic-handler"))]
mod panic;
mod pointers;

pub use classify::*;
pub use embed::*;
pub use items::*;
pub use memory::*;
pub use model::*;
pub use rank::*;
pub use recall::*;
pub use status::*;
pub use stream::*;
