//! The compiler's targets, added where rustup may.

use std::{path::Path, process::Command};

use anyhow::{Result, bail};

use crate::command::{read, root, run, succeeds};

/// Bare-metal targets that every check needs.
pub(crate) const DEVICE: [&str; 4] =
    ["thumbv6m-none-eabi", "thumbv7em-none-eabihf", "thumbv8m.main-none-eabihf", "riscv32imc-unknown-none-elf"];

/// A Linux board; checked where its standard library can be had.
pub(crate) const LINUX: &str = "aarch64-unknown-linux-gnu";

/// Adds the device targets that are missing.
pub(crate) fn ensure() -> Result<()> {
    let missing = missing(&DEVICE)?;
    if missing.is_empty() {
        return Ok(());
    }
    if !add(&missing) {
        bail!("missing targets, and rustup could not add them: rustup target add {}", missing.join(" "));
    }
    Ok(())
}

/// Whether the Linux board's standard library is there, or could be added.
pub(crate) fn linux() -> Result<bool> {
    let missing = missing(&[LINUX])?;
    Ok(missing.is_empty() || add(&missing))
}

fn add(targets: &[&str]) -> bool {
    let mut rustup = Command::new("rustup");
    run(rustup.args(["target", "add"]).args(targets).current_dir(root())).is_ok()
}

/// Asks the compiler itself, so that toolchains without rustup count too.
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
