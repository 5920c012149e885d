//! Fits supervised embeddings on a workstation, for models that run on a microcontroller.
//!
//! ```
//! use nearmark_train::dataset::{split, synthetic};
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
//! Rows become a [`Dataset`]; a [`Pipeline`] learns [preprocessing](preprocess), a [`Method`] and a [`Head`]; the
//! [`Fitted`] model embeds and classifies in f64. [`compile`] turns it into a [`ModelFile`], which [`evaluate`] runs as
//! the device would, [`codegen`] turns into source code and [`emulator`] runs on emulated boards.

#[cfg(feature = "charts")]
pub mod chart;
pub mod codegen;
pub mod compile;
pub mod config;
pub mod dataset;
pub mod emulator;
mod error;
mod escape;
pub mod evaluate;
mod graph;
#[cfg(feature = "files")]
pub mod io;
pub mod kernel;
mod kmeans;
pub mod linalg;
mod memory;
pub mod methods;
pub mod model;
pub mod neighbors;
mod parallel;
mod pipeline;
pub mod preprocess;
#[cfg(all(feature = "charts", feature = "files"))]
pub mod repro;
pub mod retrieval;
mod rng;
mod run;
pub mod search;
mod statistics;
pub mod train;

pub use dataset::{Dataset, Number};
pub use error::{DataError, FitError, ParamError};
pub use evaluate::{EvalError, Evaluation};
pub use kernel::{Kernel, KernelChoice, Sigma};
pub use methods::Method;
pub use model::{Basis, Choice, Fitted, Head, HeadChoice, Inspection, Map, ModelFile, ReadError, TracePoint};
pub use pipeline::Pipeline;
pub use rng::Rng;
pub use run::{Progress, Run, SearchPlan, Workload};
pub use train::{TrainError, Trained, train};
