//! The search for the most accurate model within a budget of flash, RAM and instructions.
//!
//! A compact model embeds a preprocessed row `x` as
//!
//! ```text
//! u = P x + b               p ≪ n values
//! k_j = exp(−γ|u − z_j|²)   m kernel centers
//! F = Aᵀ k + a              d values, and the nearest class point M_c decides
//! ```
//!
//! or as `F = P x + b` without centers. The result of the search is an ordinary [`Fitted`](crate::Fitted) model and a
//! model to encode.
//!
//! Calls go one way, from the top of this picture to the bottom:
//!
//! ```text
//! tune ─── pareto          several budgets: the front of accuracy and size, its table and chart
//!   │
//! explore                  a configuration as a task of the search, and what was found as a model file
//!   └─ holdouts            blocks of the file, where like rows lie together
//! budget                   fit(): the best model within limits, fitted again to all rows
//!   │  ├─ ladder           the best models of smaller budgets are candidates too
//!   │  └─ preprocessing    poolings, statistics and scalings worth a try, and which of them pays
//! strategy                 which candidates are tried: choices one after the other, successive halving, finalists
//!   │  └─ space            dimensions within the limits; their bytes, scratch and instructions
//! evaluate                 train this candidate and score it on held-out rows
//!   │  ├─ splits           cross-validation or a hold-out
//!   │  ├─ cache            trials of earlier searches
//!   │  └─ compile          model file and the runtime's answers, for the final evaluation
//! candidate                dimensions + closed form + training = a compact model; when one is better than another
//!   │  └─ schedule         how long training takes
//! closed_form | train      no iteration            | training by Adam with fake quantization
//! ```
//!
//! `auto` stands apart: it makes the choices that a fixed fit leaves open.

pub(crate) mod auto;
mod budget;
mod cache;
mod candidate;
pub mod closed_form;
mod compact_model;
mod convolution;
mod counts;
mod error;
mod evaluate;
pub(crate) mod explore;
pub(crate) mod holdouts;
mod known;
mod ladder;
mod outlook;
#[cfg(feature = "tune")]
mod pareto;
mod preprocessing;
mod schedule;
mod space;
pub(crate) mod splits;
mod strategy;
mod task;
pub mod train;
#[cfg(feature = "tune")]
pub mod tune;

pub use budget::{SearchResult, fit};
pub use cache::{CacheError, TrialCache};
pub use candidate::{Candidate, Start, Trial};
pub use compact_model::{CompactModel, drop_unused};
pub use convolution::{ConvolutionTask, Layers};
pub use counts::{CountsTask, Variant};
pub use error::{Smallest, TrainError};
pub use evaluate::{CompiledModel, FinalEvaluation};
pub use holdouts::BothHoldouts;
pub use space::dimensions::{Dimensions, Limits, Numeric};
pub use space::inputs::Inputs;
pub use task::{Deadline, Kinds, Options, Task};
pub use train::Keep;
