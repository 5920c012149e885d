//! The crates that run on a device, carried inside the tool and built where the repository is not.
//!
//! Firmware in C needs a library for its processor, and a board under QEMU a program: both are built from the runtime's
//! sources. The tool contains these, writes them to the user's cache as a small cargo workspace, and builds there.
//!
//! ```no_run
//! use nearmark_train::emulator::vendored;
//!
//! let workspace = vendored::unpack(&vendored::cache_dir()?, || eprintln!("waiting for another nearmark"))?;
//! vendored::ensure_target("thumbv6m-none-eabi")?; // an error names the command that helps
//! let mut build = workspace.cargo("build");
//! build.args(["--release", "--package", "nearmark", "--target", "thumbv6m-none-eabi"]);
//! vendored::run(&mut build)?;
//! # Ok::<(), vendored::VendoredError>(())
//! ```

mod library;
mod toolchain;
mod workspace;

pub use library::c_library;
pub use toolchain::{ensure_target, host, run};
pub use workspace::{Workspace, cache_dir, unpack, write};

use std::{io, path::PathBuf};

include!(concat!(env!("OUT_DIR"), "/vendored.rs"));

/// Why nothing could be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VendoredError {
    /// The system names no cache.
    #[error("no folder for caches is known; name one in NEARMARK_CACHE")]
    NoCache,
    /// The cache cannot be written.
    #[error("the cache {}: {why}", path.display())]
    Cache {
        /// Where.
        path: PathBuf,
        /// The system's error.
        why: io::Error,
    },
    /// There is no Rust compiler.
    #[error("{program} is needed and was not found; https://rustup.rs installs it")]
    NoRust {
        /// `cargo` or `rustc`.
        program: &'static str,
    },
    /// The compiler knows no such target.
    #[error("the Rust compiler knows no target '{0}'; rustc --print target-list lists all")]
    UnknownTarget(String),
    /// The compiler lacks the target's libraries.
    #[error("the Rust compiler has no libraries for {0}; add them: rustup target add {0}")]
    NoTarget(String),
    /// A build failed.
    #[error("{command} failed: {message}")]
    Build {
        /// What was run.
        command: String,
        /// Its error output.
        message: String,
    },
}

/// A hash of these sources: another build of the tool may have others.
#[must_use]
pub fn hash() -> &'static str {
    HASH
}

/// A file of the vendored crates by its path in the repository, as `runtime/c/include/nearmark.h`.
#[must_use]
pub fn file(path: &str) -> Option<&'static str> {
    let at = FILES.binary_search_by(|(name, _)| (*name).cmp(path)).ok()?;
    FILES.get(at).map(|(_, text)| *text)
}

/// Every file below a folder of the repository, with its path.
pub fn files(folder: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES.iter().copied().filter(move |(name, _)| name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
}

#[cfg(test)]
mod tests;
