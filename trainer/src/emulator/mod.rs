//! A model on an emulated board: its answers beside the host's, and what they cost.
//!
//! A small program, the harness, is built for the board with exactly the stages that the model needs; QEMU puts the
//! model into the board's flash and runs it on every row. What is counted are instructions, not cycles: caches, flash
//! wait states and pipelines are not emulated.
//!
//! ```no_run
//! use nearmark_train::{ModelFile, Run, emulator::{HarnessBuild, Workload, board::Board}};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let rows = nearmark_train::linalg::Mat::zeros(1, 1);
//! let board: Board = "m4f".parse()?;
//! let model = ModelFile::read("model.nmk")?;
//! let workload = Workload::new(&model, &rows, board)?;    // does it fit? what does the host answer?
//! let harness = HarnessBuild::for_workload(&workload).build(&Run::default(), || ())?;
//! let found = harness.run(&workload, &Run::default())?;
//! assert_eq!(found.differences(&workload).rows, 0);
//! println!("{} instructions", found.instructions_median());
//! # Ok(())
//! # }
//! ```

#[cfg(feature = "device")]
mod answers;
pub mod board;
#[cfg(feature = "device")]
mod error;
#[cfg(feature = "device")]
mod harness;
#[cfg(feature = "device")]
mod qemu;
#[cfg(feature = "vendored")]
pub mod vendored;
#[cfg(feature = "device")]
mod workload;

#[cfg(feature = "device")]
pub use self::{
    answers::{Answer, Cost, Differences, Found},
    error::DeviceError,
    harness::{Harness, HarnessBuild},
    workload::Workload,
};
