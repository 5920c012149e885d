//! How many instructions a classification takes on a board, told from the model's shape alone.
//!
//! ```
//! use nearmark_train::{Method, compile, dataset::synthetic, emulator::board::Board, methods::cmvda::Cmvda, model::cost};
//!
//! let fitted = Cmvda::default().fit(&synthetic::moons(50, 0.1, 0))?;
//! let shape = cost::Shape::of(&compile::model(&fitted)?.encode()?)?;
//! let board: Board = "m4f".parse()?;
//! let instructions = cost::instructions(&shape, board, false);
//! // Fewer centers take fewer.
//! let smaller = cost::Shape { centers: shape.centers / 2, ..shape };
//! assert!(cost::instructions(&smaller, board, false) < instructions);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The runtime's loops say what is counted ([`terms`]), and measurements under QEMU what each costs
//! (`table.rs`, written by `cargo xtask cost-model`). Models that had no part in the fit are met to within 10 %; the
//! measurements are in `data/cost`, and a test holds the table to them.

mod shape;
mod table;
pub mod terms;

pub use shape::Shape;

use crate::emulator::board::Board;
use terms::Term;

/// What was measured: boards by name, without and with DSP instructions.
///
/// Cortex-M7 runs the code of Cortex-M4F, instruction by instruction.
pub const MEASURED: [(&str, bool); 6] =
    [("m0", false), ("m4f", false), ("m33", false), ("rv32", false), ("m4f", true), ("m33", true)];

/// Instructions of one `classify` on a board, as `nearmark device` would find in the median.
///
/// DSP instructions make a difference to integer models on boards that have them only.
#[must_use]
pub fn instructions(shape: &Shape, board: Board, dsp: bool) -> u64 {
    let name = if board.name == "m7" { "m4f" } else { board.name };
    let dsp = dsp && board.dsp && shape.int;
    let at = MEASURED.iter().position(|measured| *measured == (name, dsp)).unwrap_or(0);
    let found =
        if shape.int { sum(&terms::int(shape), &table::INT, at) } else { sum(&terms::float(shape), &table::FLOAT, at) };
    found.round() as u64
}

/// What the terms cost in one column of a table.
fn sum<const BOARDS: usize>(terms: &[Term], costs: &[[f64; BOARDS]], at: usize) -> f64 {
    terms.iter().zip(costs).map(|((_, count), costs)| count * costs[at]).sum()
}

#[cfg(test)]
mod tests;
