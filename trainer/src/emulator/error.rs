//! Why a model could not be run on a board.

use crate::emulator::board::Board;
use crate::emulator::vendored::VendoredError;
use crate::error::FitError;
use crate::evaluate::EvalError;
use std::{io, path::PathBuf};

/// Why a model could not be run on a board.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// The model is larger than the flash.
    #[error(
        "the model takes {bytes} bytes of flash, and {board} has room for {room}: a smaller model or another board helps"
    )]
    Flash {
        /// Bytes of the model.
        bytes: usize,
        /// Bytes that the board has for a model.
        room: usize,
        /// The board.
        board: Board,
    },
    /// Buffers are larger than the RAM.
    #[error(
        "a row takes {row} bytes and the model {scratch} bytes of RAM, and {board} has room for {room} in all: fewer inputs or another board help"
    )]
    Ram {
        /// Bytes of a row.
        row: usize,
        /// Bytes of scratch and embedding.
        scratch: usize,
        /// Bytes that the board has for buffers.
        room: usize,
        /// The board.
        board: Board,
    },
    /// DSP instructions are of no use.
    #[error("no DSP instructions here: {0}")]
    Dsp(String),
    /// The host cannot classify the rows.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// There is no QEMU.
    #[error("{program} was not found: install it ({install}), or name its folder in NEARMARK_QEMU")]
    NoQemu {
        /// What was looked for.
        program: &'static str,
        /// The command that installs it.
        install: &'static str,
    },
    /// The harness could not be unpacked or built.
    #[error(transparent)]
    Build(#[from] VendoredError),
    /// A folder given as the runtime's is not.
    #[error("{}: no crate nearmark there; the folder of its Cargo.toml is expected", .0.display())]
    Runtime(PathBuf),
    /// A built program makes no sense.
    #[error("the program {}: {why}", path.display())]
    Program {
        /// Which one.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The run failed.
    #[error("the run on {board} failed: {told}")]
    Failed {
        /// Where.
        board: Board,
        /// What the emulator or the program said.
        told: String,
    },
    /// A file could not be read or written.
    #[error("{what}: {why}")]
    Io {
        /// What was being done.
        what: &'static str,
        /// What the system says.
        why: io::Error,
    },
    /// Somebody asked to stop.
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
pub(super) fn io(what: &'static str) -> impl FnOnce(io::Error) -> DeviceError {
    move |why| DeviceError::Io { what, why }
}
