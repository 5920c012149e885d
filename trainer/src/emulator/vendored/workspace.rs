//! The sources in the user's cache, one process at a time.

use super::{FILES, HASH, VendoredError, cache, toolchain};
use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    process::Command,
};

/// The unpacked crates, for one process at a time: others wait until this is dropped.
///
/// Folders are those of the repository: `model-format`, `runtime`, `runtime/dsp`, `runtime/c`.
#[derive(Debug)]
pub struct Workspace {
    pub(crate) root: PathBuf,
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
    let failed = |why| VendoredError::Cache(root.clone(), why);
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
    if let Some(lock) = cache::try_lock(path)? {
        return Ok(lock);
    }
    on_wait();
    let file = cache::open(path)?;
    file.lock()?;
    Ok(file)
}

/// Writes a file of the cache, whole or not at all. An equal file stays untouched, so that cargo rebuilds nothing.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), VendoredError> {
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
    put().map_err(|why| VendoredError::Cache(path.to_owned(), why))
}

impl Workspace {
    /// Where cargo builds.
    pub(crate) fn target_dir(&self) -> PathBuf {
        self.root.join(cache::TARGETS)
    }

    /// `cargo COMMAND` in this workspace, without the settings that the environment has for other builds; the caller adds options.
    pub(crate) fn cargo(&self, command: &str) -> Command {
        let mut cargo = toolchain::cargo(command);
        cargo.current_dir(&self.root).arg("--target-dir").arg(self.target_dir());
        cargo
    }

    /// Runs a build for `target` to its end. Before it, builds used longest ago are removed from a cache that is larger
    /// than [`cache_limit`](super::cache_limit).
    pub(crate) fn build(&self, cargo: &mut Command, target: &str) -> Result<(), VendoredError> {
        cache::make_room(&self.root, target, cache::cache_limit()?)?;
        let built = toolchain::run(cargo);
        cache::mark_target(&self.root, target)?;
        built
    }

    /// The folder of a board's finished programs.
    #[cfg(feature = "device")]
    pub(crate) fn programs(&self, name: &str) -> PathBuf {
        self.root.join(cache::PROGRAMS).join(name)
    }

    /// Notes that programs are used now, and keeps them from being removed as long as the result lives, also after the
    /// workspace is free for others.
    #[cfg(feature = "device")]
    pub(crate) fn in_use(&self, programs: &Path) -> Result<File, VendoredError> {
        cache::mark(programs)?;
        let path = self.root.join(cache::RUNNING);
        // Whoever removes programs holds the workspace as well, so that this does not wait.
        let shared = cache::open(&path).and_then(|file| file.lock_shared().map(|()| file));
        shared.map_err(|why| VendoredError::Cache(path, why))
    }
}

/// Builds `nearmark-c` for a target triple, with the given features or with all stages, and returns the library's bytes.
///
/// # Errors
/// [`VendoredError::Build`] with cargo's message.
pub fn c_library(workspace: &Workspace, target: &str, features: Option<&[&str]>) -> Result<Vec<u8>, VendoredError> {
    // By `cargo rustc --crate-type`: a crate that is also an rlib gets no link-time optimization.
    let mut build = workspace.cargo("rustc");
    build.args(["--release", "--package", "nearmark-c", "--crate-type", "staticlib", "--target", target]);
    if let Some(features) = features {
        build.args(["--no-default-features", "--features", &features.join(",")]);
    }
    workspace.build(&mut build, target)?;
    let name = if target.contains("msvc") { "nearmark_c.lib" } else { "libnearmark_c.a" };
    let path = workspace.target_dir().join(target).join("release").join(name);
    fs::read(&path).map_err(|why| VendoredError::Cache(path, why))
}
