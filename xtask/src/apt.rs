//! Debian packages unpacked into a private folder: without root, and without changes to the system.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};

use crate::command::{read, run};

/// Downloads `packages` with their dependencies and unpacks them into `folder`.
pub(crate) fn unpack(packages: &[&str], folder: &Path) -> Result<()> {
    let work = folder.with_extension("tmp");
    let unpacked = work.join("root");
    for dir in ["cache/archives/partial", "lists/partial", "root"] {
        fs::create_dir_all(work.join(dir))?;
    }
    let apt = Apt::new(&work)?;
    // The system's package lists usually suffice; if they are stale or missing, new ones are fetched to a private folder.
    if apt.download(packages, &[]).is_err() {
        let lists = format!("Dir::State::lists={}", work.join("lists").display());
        run(apt.command(&["-o", &lists]).args(["-qq", "update"]))?;
        apt.download(packages, &["-o", &lists])?;
    }
    for deb in apt.archives()? {
        run(Command::new("dpkg-deb").arg("-x").arg(&deb).arg(&unpacked))?;
    }
    // Renamed last: an interrupted copy is never mistaken for a complete one.
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::rename(&unpacked, folder)?;
    fs::remove_dir_all(work)?;
    Ok(())
}

/// apt-get on private folders.
struct Apt {
    cache: PathBuf,
    status: PathBuf,
}

impl Apt {
    /// Writes a list of installed packages without QEMU's: an installed part of another version would conflict.
    fn new(work: &Path) -> Result<Self> {
        let system = Path::new("/var/lib/dpkg/status");
        let installed = fs::read_to_string(system).with_context(|| format!("reading {}", system.display()))?;
        let status = work.join("status");
        fs::write(&status, without_qemu(&installed))?;
        Ok(Self { cache: work.join("cache"), status })
    }

    fn command(&self, options: &[&str]) -> Command {
        let mut command = Command::new("apt-get");
        let (status, cache) = (self.status.display(), self.cache.display());
        for option in [&format!("Dir::State::status={status}"), &format!("Dir::Cache={cache}"), "Debug::NoLocking=1"] {
            command.args(["-o", option]);
        }
        command.args(options);
        command
    }

    fn download(&self, packages: &[&str], options: &[&str]) -> Result<()> {
        let mut command = self.command(options);
        command.args(["-qq", "-y", "--no-install-recommends", "--download-only", "install"]).args(packages);
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
