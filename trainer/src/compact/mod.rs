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
//! or, where that is enough, as `F = P x + b` without any centers.
//!
//! [`closed`] finds all of it without iterating, [`refine`] descends from there on what the device will decide by,
//! [`fit()`] chooses sizes and settings under a budget of bytes on held-out training rows. The result is an ordinary
//! [`Fitted`](crate::Fitted) model: it is exported, quantized and evaluated as every other.

mod adam;
mod choices;
pub mod closed;
mod core;
mod error;
mod files;
mod fit;
mod front;
mod gradient;
mod halving;
pub mod images;
mod job;
mod ledger;
mod lengths;
mod limits;
mod memo;
mod parts;
mod products;
mod pruning;
pub mod refine;
mod rounding;
mod samples;
mod search;
mod setting;
mod shapes;
mod size;
mod task;
mod theta;
mod verdict;

pub use self::core::{Core, drop_unused};
pub use error::{CompactError, Smallest};
pub use files::File;
pub use fit::{Compacted, fit};
pub use ledger::Ledger;
pub use limits::Limits;
pub use pruning::Keep;
pub use samples::Samples;
pub use setting::{Setting, Start, Trial};
pub use size::{Numeric, Shape};
pub use task::{Kinds, Options, Task};
pub use verdict::Verdict;
