//! The static library for C.

use super::{VendoredError, Workspace};
use std::fs;

/// Builds `nearmark-c` for a target triple, with the given features or with all stages, and returns the library's bytes.
///
/// # Errors
/// [`VendoredError::Build`] with cargo's message.
pub fn c_library(workspace: &Workspace, target: &str, features: Option<&[&str]>) -> Result<Vec<u8>, VendoredError> {
    // By `cargo rustc --crate-type`: a crate that is also an rlib gets no link-time optimization.
    let mut build = workspace.cargo("rustc");
    build.args(["--release", "--package", "nearmark-c", "--crate-type", "staticlib", "--target", target]);
    if let Some(features) = features {
        build.args(["--no-default-features", "--features", &features.join(",")]);
    }
    workspace.build(&mut build, target)?;
    let name = if target.contains("msvc") { "nearmark_c.lib" } else { "libnearmark_c.a" };
    let path = workspace.target_dir().join(target).join("release").join(name);
    fs::read(&path).map_err(|why| VendoredError::Cache(path, why))
}
