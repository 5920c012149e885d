//! The compiler's targets, installed by rustup if they are missing.

use std::{path::Path, process::Command};

use anyhow::{Result, bail};

use crate::command::{read, root, run, succeeds};

/// Bare-metal targets that every check needs.
pub(crate) const DEVICE: [&str; 4] =
    ["thumbv6m-none-eabi", "thumbv7em-none-eabihf", "thumbv8m.main-none-eabihf", "riscv32imc-unknown-none-elf"];

/// A Linux target; checked if its standard library can be installed.
pub(crate) const LINUX: &str = "aarch64-unknown-linux-gnu";

/// Adds the device targets that are missing.
pub(crate) fn ensure() -> Result<()> {
    let missing = missing(&DEVICE)?;
    if missing.is_empty() {
        return Ok(());
    }
    if !add(&missing) {
        bail!("targets are missing and rustup could not add them: rustup target add {}", missing.join(" "));
    }
    Ok(())
}

/// Whether the standard library of the Linux target is installed or could be.
pub(crate) fn linux() -> Result<bool> {
    let missing = missing(&[LINUX])?;
    Ok(missing.is_empty() || add(&missing))
}

fn add(targets: &[&str]) -> bool {
    let mut rustup = Command::new("rustup");
    run(rustup.args(["target", "add"]).args(targets).current_dir(root())).is_ok()
}

/// Asks the compiler, so that toolchains without rustup work too.
fn missing<'a>(targets: &[&'a str]) -> Result<Vec<&'a str>> {
    let sysroot = read(Command::new("rustc").args(["--print", "sysroot"]).current_dir(root()))?;
    let libraries = Path::new(sysroot.trim()).join("lib/rustlib");
    Ok(targets.iter().copied().filter(|target| !libraries.join(target).join("lib").is_dir()).collect())
}

/// Adds clippy and rustfmt where they are missing.
pub(crate) fn components() -> Result<()> {
    for name in ["clippy", "rustfmt"] {
        let tool = if name == "rustfmt" { "fmt" } else { name };
        if !succeeds(Command::new("cargo").args([tool, "--version"]).current_dir(root())) {
            run(Command::new("rustup").args(["component", "add", name]).current_dir(root()))?;
        }
    }
    Ok(())
}
