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

pub mod auto;
pub mod budget;
#[cfg(feature = "tune")]
mod cache;
mod candidate;
mod choices;
pub mod closed_form;
mod comparison;
mod core;
mod error;
mod files;
mod final_evaluation;
mod fit;
mod halving;
mod job;
mod ledger;
mod memo;
#[cfg(feature = "tune")]
mod plot;
mod preprocessing;
mod preprocessing_candidates;
#[cfg(feature = "tune")]
mod report;
mod schedule;
mod space;
mod splits;
mod task;
pub mod train;
#[cfg(feature = "tune")]
pub mod tune;

pub use self::core::{Core, drop_unused};
pub use candidate::{Setting, Start, Trial};
pub use error::{CompactError, Smallest};
pub use files::File;
pub use final_evaluation::Verdict;
pub use fit::{Compacted, fit};
pub use ledger::Ledger;
pub use space::limits::Limits;
pub use space::size::{Numeric, Shape};
pub use task::{Kinds, Options, Task};
pub use train::prune::Keep;
pub use train::samples::Samples;
