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
pub mod closed;
mod core;
mod error;
mod files;
mod fit;
mod gradient;
mod halving;
pub mod images;
mod ledger;
mod limits;
mod parts;
mod products;
pub mod refine;
mod rounding;
mod samples;
mod search;
mod setting;
mod shapes;
mod size;
mod theta;

pub use self::core::{Core, drop_unused};
pub use error::{CompactError, Smallest};
pub use files::File;
pub use fit::{Compacted, Kinds, Options, Task, fit};
pub use ledger::Ledger;
pub use limits::Limits;
pub use samples::Samples;
pub use search::Verdict;
pub use setting::{Setting, Start, Trial};
pub use size::{Numeric, Shape};
