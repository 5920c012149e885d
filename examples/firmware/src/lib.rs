//! What the programs share: the board, and the golden models.

#![no_std]

pub mod golden;

pub use nearmark_board::{count, entry, stack};
