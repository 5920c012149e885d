//! Makes QEMU available: the system's, or a private copy in `target/`.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use crate::{apt, command::root, firmware};

const PACKAGES: [&str; 2] = ["qemu-system-arm", "qemu-system-misc"];

/// Finds or installs QEMU and prints the version that will run.
pub(crate) fn ensure() -> Result<()> {
    if version().is_err() {
        println!("QEMU is not installed: unpacking a private copy into target/qemu/root");
        apt::unpack(&PACKAGES, &root().join("target/qemu/root")).with_context(|| {
            format!("QEMU is missing and could not be unpacked; install it: apt-get install {}", PACKAGES.join(" "))
        })?;
    }
    print!("{}", version()?);
    Ok(())
}

/// A folder with the programs of the private copy, for `NEARMARK_QEMU`; `None` if the system's QEMU is used.
pub(crate) fn private() -> Result<Option<PathBuf>> {
    let copy = root().join("target/qemu/root");
    if !version()?.contains(&copy.display().to_string()) {
        return Ok(None);
    }
    let folder = root().join("target/qemu/bin");
    fs::create_dir_all(&folder)?;
    for program in ["qemu-system-arm", "qemu-system-riscv32"] {
        let script = folder.join(program);
        // Renamed into place: another process may just be starting it.
        let aside = folder.join(format!(".{program}.{}", std::process::id()));
        fs::write(&aside, wrapper(&copy, program))?;
        fs::set_permissions(&aside, fs::Permissions::from_mode(0o755))?;
        fs::rename(&aside, &script)?;
    }
    Ok(Some(folder))
}

/// A script that starts a program with the libraries it was unpacked with.
fn wrapper(copy: &Path, program: &str) -> String {
    let copy = copy.display();
    format!(
        "#!/bin/sh
for dir in '{copy}'/usr/lib/*-linux-gnu '{copy}'/lib/*-linux-gnu; do
    LD_LIBRARY_PATH=$dir${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}
done
export LD_LIBRARY_PATH
exec '{copy}/usr/bin/{program}' \"$@\"
"
    )
}

/// The QEMU that the runner script finds.
fn version() -> Result<String> {
    let output = Command::new(firmware::folder().join("qemu")).arg("--version").output()?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
