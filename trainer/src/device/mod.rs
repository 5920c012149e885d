//! A model on an emulated board: its answers beside the host's, and what they cost.
//!
//! A small program, the harness, is built for the board with exactly the stages that the model needs; QEMU puts the
//! model into the board's flash and runs it on every row. What is counted are instructions, not cycles: caches, flash
//! wait states and pipelines are not emulated.
//!
//! ```no_run
//! use nearmark_train::{Run, board::Board, device::{Job, Recipe}};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (bytes, rows) = (Vec::new(), nearmark_train::linalg::Mat::zeros(1, 1));
//! let board: Board = "m4f".parse()?;
//! let job = Job::new(&bytes, &rows, board)?;              // does it fit? what does the host say?
//! let harness = Recipe::for_job(&job).build(&Run::default(), || ())?;
//! let found = harness.run(&job, &Run::default())?;
//! assert_eq!(found.differences(&job).rows, 0);
//! println!("{} instructions", found.instructions_median());
//! # Ok(())
//! # }
//! ```

mod answers;
mod error;
mod harness;
mod job;
mod qemu;

pub use answers::{Answer, Cost, Differences, Found};
pub use error::DeviceError;
pub use harness::{Harness, Recipe};
pub use job::Job;
pub use qemu::find as find_qemu;
