//! Names the nearest class of a sample on a microcontroller.
//!
//! A model made by the nearmark trainer lies in flash; this crate reads it in place, embeds a
//! sample and names its nearest class. No heap, no panics, no unsafe code; the same bits on every
//! target, so the accuracy measured on the workstation is the accuracy on the board.
//!
//! ```
//! // The model, in flash: its sizes are constants.
//! nearmark::include_model!(mod shapes = "../../tests/golden/gaussian.nmk");
//!
//! let model = shapes::model()?; // every byte is checked, once
//! let mut scratch = nearmark::Scratch::<{ shapes::SCRATCH }>::new();
//!
//! let sample = [0.25; shapes::INPUTS];
//! let answer = model.classify(&sample, &mut scratch)?;
//! assert!(answer.is_known() && answer.margin() > 0.0);
//!
//! // The three best classes, nearest first.
//! let best = model.rank::<3, _>(&sample, &mut scratch)?;
//! assert_eq!(best[0].class(), answer.class());
//!
//! // Retrieval: the three nearest stored items, by their ids.
//! let items = model.nearest::<3>(&sample, &mut scratch)?;
//! assert!(items[0].distance_sq() <= items[1].distance_sq());
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! # Stages
//! A sample passes window statistics, counts of a series, pooling, selection, scaling, projection, kernel centers or
//! random features, a readout and a head, as far as the model has them. Each stage is a cargo
//! feature, all on by default; `nearmark inspect` prints the features that a model needs. A model
//! computes in floats (feature `f32`) or in integers (`int`); `dsp` speeds integers up on Cortex-M4,
//! M7 and M33.
//!
//! # Promises
//! * `classify` allocates nothing and needs [`Model::scratch_words`] words from the caller.
//! * After [`Model::from_bytes`] only a slice of the wrong length or values that are not finite
//!   can fail, and nothing can panic.
//! * Sums have a fixed order and no fused multiply-add, or are sums of integers: results agree to the
//!   bit between targets.
//! * With an integer model and an integer sample there is no float arithmetic at all.
#![no_std]

#[cfg(test)]
#[macro_use]
extern crate std;

#[cfg(feature = "batch")]
mod batch;
mod error;
mod f32;
#[doc(hidden)]
pub mod ffi;
mod head;
mod include;
#[cfg(feature = "int")]
mod int;
mod items;
mod knn;
mod memory;
mod model;
mod prediction;
mod rank;
mod sample;
mod scratch;
mod series;
mod slices;
mod stream;

pub use error::Error;
pub use items::Item;
pub use memory::{Memory, MemoryError};
pub use model::Model;
pub use nearmark_format as format;
pub use nearmark_format::{LoadError, Num};
pub use prediction::{Candidate, ClassId, Prediction, RawDistances};
pub use sample::Sample;
pub use scratch::Scratch;
pub use stream::Stream;

/// What `include_model!` expands to.
#[doc(hidden)]
pub mod __private {
    pub use crate::include::{Aligned, core_of, header_of};
}
