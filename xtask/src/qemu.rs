//! Makes QEMU available: from the system, or as a private copy below `target/` that needs no root.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use crate::{
    command::{read, root, run},
    firmware,
};

const PACKAGES: [&str; 2] = ["qemu-system-arm", "qemu-system-misc"];

/// Finds QEMU or gets it, then prints which one will run.
pub(crate) fn ensure() -> Result<()> {
    if let Ok(found) = version() {
        print!("{found}");
        return Ok(());
    }
    let folder = root().join("target/qemu");
    println!("QEMU is not there; unpacking a private copy into target/qemu");
    install(&folder).with_context(|| {
        format!("no QEMU, and no private copy could be made; install it: apt-get install {}", PACKAGES.join(" "))
    })?;
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

/// Downloads the packages and unpacks them, leaving the system as it is.
fn install(folder: &Path) -> Result<()> {
    let unpacked = folder.join("unpacking");
    for dir in ["cache/archives/partial", "lists/partial", "unpacking"] {
        fs::create_dir_all(folder.join(dir))?;
    }
    let apt = Apt::new(folder)?;
    // The system's package lists usually do and cost nothing; stale or missing ones are fetched anew, aside.
    if apt.download(&[]).is_err() {
        let lists = format!("Dir::State::lists={}", folder.join("lists").display());
        run(apt.command(&["-o", &lists]).args(["-qq", "update"]))?;
        apt.download(&["-o", &lists])?;
    }
    for deb in apt.archives()? {
        run(Command::new("dpkg-deb").arg("-x").arg(&deb).arg(&unpacked))?;
    }
    // Renamed last: an interrupted copy is never taken for a whole one.
    let whole = folder.join("root");
    if whole.exists() {
        fs::remove_dir_all(&whole)?;
    }
    fs::rename(&unpacked, whole)?;
    fs::remove_dir_all(folder.join("cache"))?;
    Ok(())
}

/// apt on private folders.
struct Apt {
    cache: PathBuf,
    status: PathBuf,
}

impl Apt {
    /// Writes apt a list of installed packages without QEMU's: an installed part of another version would
    /// otherwise forbid the rest.
    fn new(folder: &Path) -> Result<Self> {
        let system = Path::new("/var/lib/dpkg/status");
        let installed = fs::read_to_string(system).with_context(|| format!("reading {}", system.display()))?;
        let status = folder.join("status");
        fs::write(&status, without_qemu(&installed))?;
        Ok(Self { cache: folder.join("cache"), status })
    }

    fn command(&self, options: &[&str]) -> Command {
        let mut command = Command::new("apt-get");
        command
            .arg("-o")
            .arg(format!("Dir::State::status={}", self.status.display()))
            .arg("-o")
            .arg(format!("Dir::Cache={}", self.cache.display()))
            .args(["-o", "Debug::NoLocking=1"])
            .args(options);
        command
    }

    fn download(&self, options: &[&str]) -> Result<()> {
        let mut command = self.command(options);
        command.args(["-qq", "-y", "--no-install-recommends", "--download-only", "install"]).args(PACKAGES);
        read(&mut command).map(drop)
    }

    fn archives(&self) -> Result<Vec<PathBuf>> {
        let mut debs = Vec::new();
        for entry in fs::read_dir(self.cache.join("archives"))? {
            let path = entry?.path();
            if path.extension().is_some_and(|ending| ending == "deb") {
                debs.push(path);
            }
        }
        Ok(debs)
    }
}

/// dpkg's status file less the stanzas of QEMU's packages.
fn without_qemu(status: &str) -> String {
    let kept = status.split_inclusive("\n\n").filter(|stanza| !stanza.starts_with("Package: qemu-"));
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_stanzas_of_qemu_are_left_out() {
        let status = "Package: a\nDepends: qemu-utils\n\nPackage: qemu-utils\nStatus: ok\n\nPackage: z\n";
        assert_eq!(without_qemu(status), "Package: a\nDepends: qemu-utils\n\nPackage: z\n");
    }
}
