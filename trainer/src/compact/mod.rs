//! Classifiers small enough for a microcontroller: a projection, a few kernel centers, a readout.
//!
//! A compact model embeds a prepared row `x` as
//!
//! ```text
//! u = P x + b          p ≪ n values
//! k_j = exp(−γ|u − z_j|²)   m centers
//! F = Aᵀ k + a         d values, and the nearest class point M_c decides
//! ```
//!
//! [`closed`] finds all of it without iterating, [`refine`] descends from there on what the device will decide by,
//! [`fit()`] chooses sizes and settings under a budget of bytes on held-out training rows. The result is an ordinary
//! [`Fitted`](crate::Fitted) model: it is exported, quantized and evaluated as every other.

mod adam;
pub mod closed;
mod core;
mod fit;
mod gradient;
mod products;
pub mod refine;
mod rounding;
mod shapes;
mod size;
mod theta;

pub use self::core::{Core, drop_unused};
pub use fit::{Compacted, Options, Setting, Trial, fit};
pub use size::{Numeric, Shape};
