//! The crates that run on a device, carried inside the tool, so that they can be built without the repository.
//!
//! Firmware in C needs a library for its processor, and a board under QEMU a program: both are made of the runtime's
//! sources. The tool carries them, writes them to the user's cache as a small cargo workspace, and builds there.
//!
//! ```no_run
//! use nearmark_train::emulator::vendored;
//!
//! vendored::ensure_target("thumbv6m-none-eabi")?; // the error has the command that installs it
//! let workspace = vendored::unpack(&vendored::cache_dir()?, || eprintln!("waiting for another nearmark"))?;
//! let library: Vec<u8> = vendored::c_library(&workspace, "thumbv6m-none-eabi", None)?;
//! # Ok::<(), vendored::VendoredError>(())
//! ```

mod cache;
mod toolchain;
mod workspace;

pub use cache::{Build, BuildKind, Contents, cache_dir, cache_limit, clear, contents};
pub use toolchain::{ensure_target, host};
#[cfg(feature = "device")]
pub(super) use workspace::write;
pub use workspace::{Workspace, c_library, unpack};

use std::{io, path::PathBuf};

include!(concat!(env!("OUT_DIR"), "/vendored.rs"));

/// Why nothing could be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VendoredError {
    /// The system names no cache.
    #[error("the system has no folder for caches; name one in NEARMARK_CACHE")]
    NoCache,
    /// `NEARMARK_CACHE_LIMIT` is no number of bytes.
    #[error("NEARMARK_CACHE_LIMIT is `{0}`, expected a number of bytes like 500M or 2G")]
    Limit(String),
    /// The cache cannot be written.
    #[error("the cache {path}: {why}", path = .0.display(), why = .1)]
    Cache(PathBuf, io::Error),
    /// There is no Rust compiler: `cargo` or `rustc`.
    #[error("{0} is needed and was not found; https://rustup.rs installs it")]
    NoRust(&'static str),
    /// The compiler knows no such target.
    #[error("the Rust compiler knows no target '{0}'; rustc --print target-list prints all")]
    UnknownTarget(String),
    /// The compiler lacks the target's libraries.
    #[error("the Rust compiler has no libraries for {0}; add them: rustup target add {0}")]
    NoTarget(String),
    /// The command of a build failed, with this message.
    #[error("{0} failed: {1}")]
    Build(String, String),
}

/// Every file below a folder of the repository, with its path.
#[cfg(feature = "device")]
pub(super) fn files(folder: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES.iter().copied().filter(move |(name, _)| name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
}

#[cfg(test)]
mod tests;
