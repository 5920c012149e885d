//! The static library for a target.

use std::path::PathBuf;

use anyhow::Result;

use crate::command::{cargo, root, run};

/// How the library is built.
#[derive(Clone, Copy)]
pub(crate) enum Build<'a> {
    /// For firmware, with these features or the default ones.
    Small(Option<&'a str>),
    /// Instrumented for a sanitizer: `address` or `thread`.
    Sanitized(&'a str),
}

/// Builds it in `target/c`, separate from other builds of the same crates, and returns its path.
pub(crate) fn build(target: &str, build: Build<'_>) -> Result<PathBuf> {
    let mut folder = root().join("target/c/device");
    // By `rustc --crate-type`: beside an rlib there is no link-time optimization.
    let mut command = cargo("rustc --quiet --release --package nearmark-c --crate-type staticlib");
    command.args(["--target", target]);
    match build {
        Build::Small(features) => {
            for (key, value) in [("OPT_LEVEL", "s"), ("LTO", "fat"), ("CODEGEN_UNITS", "1"), ("DEBUG", "none")] {
                command.env(format!("CARGO_PROFILE_RELEASE_{key}"), value);
            }
            if let Some(features) = features {
                command.args(["--no-default-features", "--features"]).arg(format!("panic-handler,{features}"));
            }
        }
        // Sanitizers are not stable, and their instrumentation changes no ABI: `core` comes as it is.
        Build::Sanitized(sanitizer) => {
            folder.set_file_name(sanitizer);
            let flags = format!("-Zsanitizer={sanitizer} -Cunsafe-allow-abi-mismatch=sanitizer");
            command.env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", flags);
        }
    }
    run(command.env("CARGO_TARGET_DIR", &folder))?;
    Ok(folder.join(target).join("release/libnearmark_c.a"))
}
