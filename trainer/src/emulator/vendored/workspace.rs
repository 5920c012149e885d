//! The sources in the user's cache, one process at a time.

use super::{FILES, HASH, VendoredError, cache, toolchain};
use std::{
    fs,
    fs::{File, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

/// The unpacked crates, for one process at a time: others wait until this is dropped.
///
/// Folders are those of the repository: `model-format`, `runtime`, `runtime/dsp`, `runtime/c`.
#[derive(Debug)]
pub struct Workspace {
    root: PathBuf,
    /// Released by the system, however the process ends.
    _lock: File,
}

/// Writes the crates into `cache`, or finds them there. `on_wait` is called once if another process is building.
///
/// Every version of the tool and its sources has its own folder. What cargo has built in it stays; a file that is missing
/// or was changed is written again.
///
/// # Errors
/// If the cache cannot be written.
pub fn unpack(cache: &Path, on_wait: impl FnOnce()) -> Result<Workspace, VendoredError> {
    let root = cache.join(format!("{}-{HASH}", env!("CARGO_PKG_VERSION")));
    let failed = |why| VendoredError::Cache { path: root.clone(), why };
    fs::create_dir_all(&root).map_err(failed)?;
    let lock = take_lock(&root.join(cache::BUILDING), on_wait).map_err(failed)?;
    for (name, text) in FILES {
        let path = root.join(name);
        // Cargo removes the packages that these crates do not need.
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

/// Writes a file of the cache, whole or not at all. An equal file stays untouched, so that cargo rebuilds nothing.
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
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(bytes)?;
        file.persist(path)?;
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
        self.root.join(cache::TARGETS)
    }

    /// `cargo COMMAND` in this workspace, without the settings that the environment has for other builds; the caller adds options.
    #[must_use]
    pub fn cargo(&self, command: &str) -> Command {
        let mut cargo = toolchain::cargo(command);
        cargo.current_dir(&self.root).arg("--target-dir").arg(self.target_dir());
        cargo
    }

    /// Runs a build for `target` to its end. Before it, builds used longest ago are removed from a cache that is larger
    /// than [`cache_limit`](super::cache_limit).
    ///
    /// # Errors
    /// [`VendoredError::NoRust`] without cargo, [`VendoredError::Build`] with cargo's message when it fails.
    pub fn build(&self, cargo: &mut Command, target: &str) -> Result<(), VendoredError> {
        cache::make_room(&self.root, target, cache::cache_limit()?)?;
        let built = toolchain::run(cargo);
        cache::mark_target(&self.root, target)?;
        built
    }

    /// The folder of a board's finished programs.
    #[must_use]
    pub fn programs(&self, name: &str) -> PathBuf {
        self.root.join(cache::PROGRAMS).join(name)
    }

    /// Notes that programs are used now, and keeps them from being removed as long as the result lives, also after the
    /// workspace is free for others.
    ///
    /// # Errors
    /// If the cache cannot be written.
    pub fn in_use(&self, programs: &Path) -> Result<InUse, VendoredError> {
        cache::mark(programs)?;
        let path = self.root.join(cache::RUNNING);
        // Whoever removes programs holds the workspace as well, so that this does not wait.
        let shared = || {
            let file = File::options().create(true).truncate(false).write(true).open(&path)?;
            file.lock_shared().map(|()| file)
        };
        shared()
            .map(|lock| InUse { _lock: Arc::new(lock) })
            .map_err(|why| VendoredError::Cache { path: path.clone(), why })
    }
}

/// Programs that are in use: no process removes them from the cache before this is dropped.
#[derive(Debug, Clone)]
pub struct InUse {
    _lock: Arc<File>,
}
