//! `nearmark device` on every board: the trainer's tests that plain `cargo test` leaves out.

use std::process::Command;

use anyhow::Result;

use crate::{
    command::{cargo, run},
    qemu, targets,
};

/// Gets what they need and runs them.
pub(crate) fn print() -> Result<()> {
    targets::ensure()?;
    qemu::ensure()?;
    check()
}

/// Runs them; one at a time, since each builds for boards with all cores.
pub(crate) fn check() -> Result<()> {
    let mut test = cargo("test --release --package nearmark-train --test device -- --ignored --test-threads 1");
    run_with_qemu(&mut test)
}

fn run_with_qemu(command: &mut Command) -> Result<()> {
    if let Some(folder) = qemu::private()? {
        command.env("NEARMARK_QEMU", folder);
    }
    run(command)
}
