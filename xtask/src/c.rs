//! `cargo xtask c`: compares the answers of the C interface with Rust's, on the host and on boards.

mod boards;
mod exported;
mod gcc;
mod header;
mod host;
mod library;
mod model;
mod symbols;

use anyhow::Result;

use crate::{
    command::{cargo, run},
    qemu, targets,
};

/// Installs what the checks of the C interface need and runs them.
pub(crate) fn print() -> Result<()> {
    targets::ensure()?;
    qemu::ensure()?;
    check()
}

/// The header is up to date, C programs on the host and on boards get the same bits as Rust, and no call can panic.
pub(crate) fn check() -> Result<()> {
    header::check()?;
    // With overflow checks; the release build is tested with the workspace.
    run(&mut cargo("test --quiet --package nearmark-c"))?;
    host::check()?;
    boards::check()
}

/// Installs what the checks of exported C projects need and runs them.
pub(crate) fn print_exported() -> Result<()> {
    targets::ensure()?;
    qemu::ensure()?;
    exported::check()
}

/// Checks exported C projects.
pub(crate) fn check_exported() -> Result<()> {
    exported::check()
}

/// Generates the header.
pub(crate) fn write_header() -> Result<()> {
    header::write()
}
