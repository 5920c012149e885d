//! The sources in the user's cache, one process at a time.

use super::{FILES, HASH, VendoredError, toolchain};
use std::{
    env, fs,
    fs::{File, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
    process::Command,
};

/// Where the tool keeps what it can make again: the folder `NEARMARK_CACHE`, or one of the system's.
///
/// # Errors
/// If neither the environment nor the system names one.
pub fn cache_dir() -> Result<PathBuf, VendoredError> {
    match env::var_os("NEARMARK_CACHE").filter(|folder| !folder.is_empty()) {
        // Builds run in other folders.
        Some(folder) => {
            let folder = PathBuf::from(folder);
            std::path::absolute(&folder).map_err(|why| VendoredError::Cache { path: folder, why })
        }
        None => dirs::cache_dir().map(|caches| caches.join("nearmark")).ok_or(VendoredError::NoCache),
    }
}

/// The unpacked crates, for one process at a time: others wait until this is dropped.
///
/// Folders are those of the repository: `model-format`, `runtime`, `runtime/dsp`, `runtime/c`.
#[derive(Debug)]
pub struct Workspace {
    root: PathBuf,
    /// Held, and let go of by the system, however the process ends.
    _lock: File,
}

/// Writes the crates into `cache`, or finds them there. `on_wait` is called once if another process builds just now.
///
/// The folder is one for each version of tool and sources. What cargo has built in it stays; a file that was lost or
/// changed is written again.
///
/// # Errors
/// If the cache cannot be written.
pub fn unpack(cache: &Path, on_wait: impl FnOnce()) -> Result<Workspace, VendoredError> {
    let root = cache.join(format!("{}-{HASH}", env!("CARGO_PKG_VERSION")));
    let failed = |why| VendoredError::Cache { path: root.clone(), why };
    fs::create_dir_all(&root).map_err(failed)?;
    let lock = take_lock(&root.join(".lock"), on_wait).map_err(failed)?;
    for (name, text) in FILES {
        let path = root.join(name);
        // Cargo takes out of it what these crates do not need.
        if *name == "Cargo.lock" && path.exists() {
            continue;
        }
        write(&path, text.as_bytes())?;
    }
    Ok(Workspace { root, _lock: lock })
}

fn take_lock(path: &Path, on_wait: impl FnOnce()) -> io::Result<File> {
    let file = File::options().create(true).truncate(false).write(true).open(path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            on_wait();
            file.lock()?;
        }
        Err(TryLockError::Error(why)) => return Err(why),
    }
    Ok(file)
}

/// Writes a file of the cache, whole or not at all; one that is the same stays untouched, so that cargo builds nothing anew.
///
/// # Errors
/// If the cache cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), VendoredError> {
    if fs::read(path).is_ok_and(|found| found == bytes) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(path);
    let put = || -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let mut aside = tempfile::NamedTempFile::new_in(folder)?;
        aside.write_all(bytes)?;
        aside.persist(path)?;
        Ok(())
    };
    put().map_err(|why| VendoredError::Cache { path: path.to_owned(), why })
}

impl Workspace {
    /// Its folder.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where cargo builds.
    #[must_use]
    pub fn target_dir(&self) -> PathBuf {
        self.root.join("target")
    }

    /// `cargo COMMAND` in this workspace, whatever the environment sets for other builds; options are to be added.
    #[must_use]
    pub fn cargo(&self, command: &str) -> Command {
        let mut cargo = toolchain::cargo(command);
        cargo.current_dir(&self.root).arg("--target-dir").arg(self.target_dir());
        cargo
    }
}
