//! `cargo xtask c`: the C interface, held to Rust's answers on the host and on boards.

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

/// Everything that must hold of the C interface, with what it needs.
pub(crate) fn print() -> Result<()> {
    targets::ensure()?;
    qemu::ensure()?;
    check()
}

/// The header is the code's, C programs on the host and on boards get Rust's bits, and no call can panic.
pub(crate) fn check() -> Result<()> {
    header::check()?;
    // With overflow checks; the release build is tested with the workspace.
    run(&mut cargo("test --quiet --package nearmark-c"))?;
    host::check()?;
    boards::check()
}

/// What `nearmark export --lang c` writes, with what it needs.
pub(crate) fn print_exported() -> Result<()> {
    targets::ensure()?;
    qemu::ensure()?;
    exported::check()
}

/// The same, where that is there.
pub(crate) fn check_exported() -> Result<()> {
    exported::check()
}

/// Writes the header anew.
pub(crate) fn write_header() -> Result<()> {
    header::write()
}
