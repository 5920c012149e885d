//! Figures of a fit: the course of NSSE's alternation, embedded rows in the plane, and the rows or axes that a model is
//! made of as images.

mod basis;
mod scatter;
mod trace;

pub use basis::{BasisError, basis};
pub use scatter::{Rows, scatter};
pub use trace::{STARTS, Trace, traces, traces_charts, traces_csv};
