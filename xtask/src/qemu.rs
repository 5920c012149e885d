//! Makes QEMU available: from the system, or as a private copy below `target/`.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{apt, command::root, firmware};

const PACKAGES: [&str; 2] = ["qemu-system-arm", "qemu-system-misc"];

/// Finds QEMU or gets it, then prints which one will run.
pub(crate) fn ensure() -> Result<()> {
    if version().is_err() {
        println!("QEMU is not installed; unpacking a private copy into target/qemu/root");
        apt::unpack(&PACKAGES, &root().join("target/qemu/root")).with_context(|| {
            format!("no QEMU, and no private copy could be made; install it: apt-get install {}", PACKAGES.join(" "))
        })?;
    }
    print!("{}", version()?);
    Ok(())
}

/// What the runner script finds: it alone knows where to look.
fn version() -> Result<String> {
    let output = Command::new(firmware::folder().join("qemu")).arg("--version").output()?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
