//! What a classification costs, from the model's shape alone: arithmetic, and instructions on a board.
//!
//! ```
//! use nearmark_train::{Method, compile, dataset::synthetic, emulator::board::Board, methods::cmvda::Cmvda, model::cost};
//!
//! let fitted = Cmvda::default().fit(&synthetic::moons(50, 0.1, 0))?;
//! let shape = cost::Shape::of(&compile::model(&fitted)?.encode()?);
//! let board: Board = "m4f".parse()?;
//! let instructions = cost::instructions(&shape, board, false);
//! // Half the centers take fewer instructions and half the exponentials.
//! let smaller = cost::Shape { centers: shape.centers / 2, ..shape };
//! assert!(cost::instructions(&smaller, board, false) < instructions);
//! assert_eq!(smaller.operations().exponentials, shape.operations().exponentials / 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`terms`] counts how often each loop of the runtime turns; `table.rs`, written by `cargo xtask cost-model`, has the
//! instructions per turn, fitted to measurements under QEMU. Predictions for models that were kept from that fit are
//! within 10 %: the measurements are in `data/cost`, and a test holds the table to them.

mod operations;
mod series;
mod shape;
mod stages;
mod table;
pub mod terms;

pub use operations::Operations;
pub(crate) use series::Work;
pub use shape::Shape;

use crate::emulator::board::Board;
use terms::Term;

/// The boards that were measured, by name, and whether with DSP instructions.
///
/// Cortex-M7 runs the code of Cortex-M4F, instruction by instruction.
pub const MEASURED: [(&str, bool); 6] =
    [("m0", false), ("m4f", false), ("m33", false), ("rv32", false), ("m4f", true), ("m33", true)];

/// Instructions of a multiplication of the filters of an image, and of an output: without and with DSP instructions.
/// An estimate, which `cargo xtask cost-model` does not measure yet.
const FILTERS: [[f64; 2]; 2] = [[3.5, 14.0], [1.9, 10.0]];
/// The same on a Cortex-M0, which has the fewest registers.
const SMALL_FILTERS: [f64; 2] = [4.5, 14.0];

/// Instructions of one `classify` on a board: an estimate of the median that `nearmark device` counts.
///
/// `dsp` makes a difference only to integer models on boards that have DSP instructions.
///
/// # Panics
/// For a board without measurements: one that is not in [`BOARDS`](crate::emulator::board::BOARDS).
#[must_use]
pub fn instructions(shape: &Shape, board: Board, dsp: bool) -> u64 {
    let name = if board.name == "m7" { "m4f" } else { board.name };
    let dsp = dsp && board.dsp && shape.int;
    let Some(at) = MEASURED.iter().position(|measured| *measured == (name, dsp)) else {
        panic!("{board} was never measured: `cargo xtask cost-model` does that")
    };
    let found =
        if shape.int { sum(&terms::int(shape), &table::INT, at) } else { sum(&terms::float(shape), &table::FLOAT, at) };
    let filters = FILTERS[usize::from(dsp)];
    let [product, output] = if shape.int && name == "m0" { SMALL_FILTERS } else { filters };
    let convolution = product * f64::from(shape.filter_products) + output * f64::from(shape.filter_outputs);
    (found + convolution).round() as u64
}

/// The terms weighted by one column of a table.
fn sum<const BOARDS: usize>(terms: &[Term], costs: &[[f64; BOARDS]], at: usize) -> f64 {
    terms.iter().zip(costs).map(|((_, count), costs)| count * costs[at]).sum()
}

#[cfg(test)]
mod tests;
