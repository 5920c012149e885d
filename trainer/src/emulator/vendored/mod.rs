//! The crates that run on a device, carried inside the tool and built where the repository is not.
//!
//! Firmware in C needs a library for its processor, and a board under QEMU a program: both are made of the runtime's
//! sources. These are embedded, written to the user's cache as a small cargo workspace, and built there.
//!
//! ```no_run
//! use nearmark_train::emulator::vendored;
//!
//! let workspace = vendored::unpack(&vendored::cache_dir()?, || eprintln!("waiting for another nearmark"))?;
//! vendored::ensure_target("thumbv6m-none-eabi")?; // an error tells the command that helps
//! let mut build = workspace.cargo("build");
//! build.args(["--release", "--package", "nearmark", "--target", "thumbv6m-none-eabi"]);
//! vendored::run(&mut build)?;
//! # Ok::<(), vendored::EmbeddedError>(())
//! ```

mod library;
mod toolchain;
mod workspace;

pub use library::c_library;
pub use toolchain::{ensure_target, host, run};
pub use workspace::{Workspace, cache_dir, unpack, write};

use std::{io, path::PathBuf};

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Why nothing could be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbeddedError {
    /// The system names no cache.
    #[error("no folder for caches is known; name one in NEARMARK_CACHE")]
    NoCache,
    /// The cache cannot be written.
    #[error("the cache {}: {why}", path.display())]
    Cache {
        /// Where.
        path: PathBuf,
        /// What the system says.
        why: io::Error,
    },
    /// There is no Rust compiler.
    #[error("{program} is needed and was not found; https://rustup.rs installs it")]
    NoRust {
        /// `cargo` or `rustc`.
        program: &'static str,
    },
    /// The compiler knows no such target.
    #[error("the Rust compiler knows no target '{0}'; rustc --print target-list tells all")]
    UnknownTarget(String),
    /// The compiler lacks the target's libraries.
    #[error("the Rust compiler has no libraries for {0}; add them: rustup target add {0}")]
    NoTarget(String),
    /// A build failed.
    #[error("{command} failed: {told}")]
    Build {
        /// What was run.
        command: String,
        /// Its complaint.
        told: String,
    },
}

/// What tells these sources from those of another build of the tool.
#[must_use]
pub fn hash() -> &'static str {
    HASH
}

/// A file of the embedded crates by its path in the repository, as `runtime/c/include/nearmark.h`.
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
