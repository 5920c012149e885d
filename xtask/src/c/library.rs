//! The static library for a target.

use std::path::PathBuf;

use anyhow::Result;

use crate::command::{cargo, root, run};

/// How the library is built.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Build {
    /// As firmware wants it.
    Small,
    /// For debuggers and sanitizers on the host.
    Plain,
    /// Every access of memory told to the thread sanitizer.
    Sanitized,
}

/// Builds it below `target/c`, apart from other builds of the same crates, and returns its path.
pub(crate) fn build(target: &str, build: Build) -> Result<PathBuf> {
    let folder = root().join("target/c").join(if build == Build::Sanitized { "sanitized" } else { "plain" });
    // By `rustc --crate-type`: beside an rlib there is no link-time optimization.
    let mut command = cargo("rustc --quiet --release --package nearmark-c --crate-type staticlib");
    command.args(["--target", target]).env("CARGO_TARGET_DIR", &folder);
    match build {
        Build::Small => {
            for (key, value) in [("OPT_LEVEL", "s"), ("LTO", "fat"), ("CODEGEN_UNITS", "1"), ("DEBUG", "none")] {
                command.env(format!("CARGO_PROFILE_RELEASE_{key}"), value);
            }
        }
        Build::Plain => {}
        // The sanitizer is not stable, and its instrumentation changes no ABI: `core` comes as it is.
        Build::Sanitized => {
            let flags = "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer";
            command.env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", flags);
        }
    }
    run(&mut command)?;
    Ok(folder.join(target).join("release/libnearmark_c.a"))
}
