//! Why a model could not be run on a board.

use crate::emulator::board::Board;
use crate::emulator::vendored::VendoredError;
use crate::error::FitError;
use crate::evaluate::EvalError;
use std::io;

/// Why a model could not be run on a board.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// The board cannot take the model, the rows or the options.
    #[error("{0}")]
    Unsuitable(String),
    /// The host cannot classify the rows.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// There is no QEMU: the program that was looked for, and the command that installs it.
    #[error("{0} was not found: install it ({1}), or name its folder in NEARMARK_QEMU")]
    NoQemu(&'static str, &'static str),
    /// The harness could not be unpacked or built.
    #[error(transparent)]
    Build(#[from] VendoredError),
    /// The run failed, with the output of the emulator or the program.
    #[error("the run on {0} failed: {1}")]
    Failed(Board, String),
    /// A file could not be read or written.
    #[error("{0}: {1}")]
    Io(String, io::Error),
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl From<FitError> for DeviceError {
    /// The only failure of a step.
    fn from(_: FitError) -> Self {
        Self::Cancelled
    }
}

/// Names what was being done when the system refused.
pub(super) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> DeviceError {
    move |why| DeviceError::Io(what.into(), why)
}
