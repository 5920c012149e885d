//! Fits supervised embeddings on a workstation, for models that run on a microcontroller.
//!
//! ```
//! use nearmark_train::data::{split, synthetic};
//! use nearmark_train::methods::cmvda::Cmvda;
//! use nearmark_train::Pipeline;
//!
//! // Two half moons that no line separates; one class axis each by kernel regression.
//! let data = synthetic::moons(100, 0.1, 0);
//! let (train, test) = split::stratified(&data, 0.3, 0).apply(&data);
//! let fitted = Pipeline::new(&Cmvda::default()).fit(&train)?;
//!
//! assert_eq!(fitted.dim(), 2);
//! assert!(fitted.accuracy(&test)? > 0.95);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Rows become a [`Dataset`]; a [`Pipeline`] learns [`stages`], a [`Method`] and a
//! [`Head`]; the [`Fitted`] model embeds and classifies in f64 and describes itself in the few terms that the
//! device knows.

pub mod anatomy;
pub mod board;
pub mod certify;
pub mod compact;
pub mod compare;
pub mod cost;
pub mod data;
#[cfg(feature = "device")]
pub mod device;
#[cfg(feature = "embedded")]
pub mod embedded;
mod error;
pub mod eval;
pub mod export;
mod fitted;
pub mod graph;
mod head;
pub mod kernel;
mod kmeans;
pub mod linalg;
mod map;
mod memory;
pub mod methods;
pub mod neighbors;
mod par;
mod pipeline;
pub mod quantize;
pub mod recipe;
mod rng;
mod run;
#[cfg(feature = "files")]
pub mod source;
pub mod stages;
#[cfg(feature = "tune")]
pub mod tune;

pub use data::{Dataset, Number};
pub use error::{DataError, FitError, ParamError};
pub use fitted::{Fitted, TracePoint};
pub use head::{Head, HeadChoice};
pub use kernel::{Kernel, KernelChoice, Sigma};
pub use kmeans::kmeans;
pub use map::{Basis, Map};
pub use methods::Method;
pub use pipeline::Pipeline;
pub use rng::Rng;
pub use run::{Progress, Run};
