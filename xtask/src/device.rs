//! `nearmark device` on every board: the trainer's tests that plain `cargo test` skips, and the measurements behind
//! its cost model.

use std::process::Command;

use anyhow::Result;

use crate::{
    command::{cargo, root, run},
    qemu, targets,
};

/// Installs what the tests need and runs them.
pub(crate) fn print() -> Result<()> {
    targets::ensure()?;
    qemu::ensure()?;
    check()
}

/// Runs the tests, one at a time, since each builds for boards with all cores.
pub(crate) fn check() -> Result<()> {
    let tests = "--test device --test readme -- --ignored --test-threads 1";
    run_with_qemu(&mut cargo(&format!("test --release --package nearmark-train {tests}")))
}

/// Measures models on every board and fits the cost model to them; half an hour.
pub(crate) fn cost_model() -> Result<()> {
    targets::ensure()?;
    qemu::ensure()?;
    let mut example = cargo("run --release --package nearmark-train --example cost_model -- measure");
    // Some hundred programs that nothing else uses.
    run_with_qemu(example.env("NEARMARK_CACHE", root().join("target/cost-model")))
}

fn run_with_qemu(command: &mut Command) -> Result<()> {
    if let Some(folder) = qemu::private()? {
        command.env("NEARMARK_QEMU", folder);
    }
    run(command)
}
