//! The static library for C.

use super::{VendoredError, Workspace, run};
use std::fs;

/// Builds `nearmark-c` for a target as rustc names it, with these of its features or with all stages, and returns the
/// library's bytes.
///
/// # Errors
/// [`VendoredError::Build`] with cargo's complaint.
pub fn c_library(workspace: &Workspace, target: &str, features: Option<&[&str]>) -> Result<Vec<u8>, VendoredError> {
    // By `rustc --crate-type`: beside an rlib there is no link-time optimization.
    let mut build = workspace.cargo("rustc");
    build.args(["--release", "--package", "nearmark-c", "--crate-type", "staticlib", "--target", target]);
    if let Some(features) = features {
        build.args(["--no-default-features", "--features", &features.join(",")]);
    }
    run(&mut build)?;
    let name = if target.contains("msvc") { "nearmark_c.lib" } else { "libnearmark_c.a" };
    let path = workspace.target_dir().join(target).join("release").join(name);
    fs::read(&path).map_err(|why| VendoredError::Cache { path, why })
}
