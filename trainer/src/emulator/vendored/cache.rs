//! The user's cache of builds: where it lies, what it holds, and what is removed when it outgrows its limit.
//!
//! Every version of the tool has a folder of its own, a [`Workspace`](super::Workspace). In it, two kinds of builds grow:
//! compiled crates, a folder for each target, and the finished programs of emulated boards. Two lock files guard them
//! between processes: a build holds [`BUILDING`] alone, a program that runs shares [`RUNNING`] with others. The lock files
//! themselves are never removed, since another process may be waiting for them.

use super::VendoredError;
use std::{
    env,
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Held by the process that builds in a workspace.
pub(super) const BUILDING: &str = ".lock";
/// Shared by the processes that run programs of a workspace.
pub(super) const RUNNING: &str = ".running";
/// A file whose time of change is when the build beside it was last used.
const USED: &str = ".used";
/// The folder of a workspace that holds the compiled crates of each target.
pub(super) const TARGETS: &str = "target";
/// The folder of a workspace that holds the programs of boards.
pub(super) const PROGRAMS: &str = "boards";

/// The size beyond which builds are removed unless `NEARMARK_CACHE_LIMIT` sets another. A target with its programs takes
/// some 10 to 50 MB, so that this is room for every board in several versions of the tool.
const DEFAULT_LIMIT: u64 = 2 << 30;

/// What was built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildKind {
    /// The crates, compiled for a target.
    Crates,
    /// Finished programs for an emulated board.
    Programs,
}

/// Something that can be removed and is built again when it is needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Build {
    /// What it is.
    pub kind: BuildKind,
    /// The target, or the board with the stages it was built for.
    pub name: String,
    /// The version of the tool that built it, as its folder is called.
    pub version: String,
    /// Bytes on disk.
    pub bytes: u64,
    /// When it was last used.
    pub used: SystemTime,
    root: PathBuf,
    path: PathBuf,
}

/// What a cache holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// Bytes on disk: the builds and the sources they are made of.
    pub bytes: u64,
    /// The builds, the one that was used longest ago first.
    pub builds: Vec<Build>,
}

/// Where the tool keeps its builds: the folder `NEARMARK_CACHE`, or `nearmark` in the user's folder for caches.
///
/// # Errors
/// If neither the environment nor the system names one.
pub fn cache_dir() -> Result<PathBuf, VendoredError> {
    match env::var_os("NEARMARK_CACHE").filter(|folder| !folder.is_empty()) {
        // Builds run in other folders.
        Some(folder) => {
            let folder = PathBuf::from(folder);
            std::path::absolute(&folder).map_err(|why| VendoredError::Cache(folder, why))
        }
        None => dirs::cache_dir().map(|caches| caches.join("nearmark")).ok_or(VendoredError::NoCache),
    }
}

/// The size beyond which builds are removed: `NEARMARK_CACHE_LIMIT`, or 2 GiB.
///
/// # Errors
/// If the variable is no number of bytes.
pub fn cache_limit() -> Result<u64, VendoredError> {
    match env::var("NEARMARK_CACHE_LIMIT") {
        Ok(text) if !text.trim().is_empty() => parse_bytes(&text).ok_or(VendoredError::Limit(text)),
        _ => Ok(DEFAULT_LIMIT),
    }
}

/// `500M`, `2G` or a number of bytes; k, M and G are powers of 1024.
fn parse_bytes(text: &str) -> Option<u64> {
    let lower = text.trim().to_ascii_lowercase();
    let number = lower.strip_suffix("ib").or(lower.strip_suffix('b')).unwrap_or(&lower);
    let (number, shift) = match number.char_indices().last()? {
        (at, 'k') => (&number[..at], 10),
        (at, 'm') => (&number[..at], 20),
        (at, 'g') => (&number[..at], 30),
        _ => (number, 0),
    };
    number.trim().parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// What a cache holds; nothing if the folder does not exist.
///
/// # Errors
/// If it cannot be read.
pub fn contents(cache: &Path) -> Result<Contents, VendoredError> {
    let failed = |why| VendoredError::Cache(cache.to_owned(), why);
    let mut found = Contents { bytes: 0, builds: Vec::new() };
    for root in workspaces(cache).map_err(failed)? {
        found.bytes += size(&root);
        found.builds.extend(builds(&root).map_err(failed)?);
    }
    found.builds.sort_by(|a, b| (a.used, &a.path).cmp(&(b.used, &b.path)));
    Ok(found)
}

/// Removes everything that no other process is using; returns what is left.
///
/// # Errors
/// If something cannot be read or removed.
pub fn clear(cache: &Path) -> Result<Contents, VendoredError> {
    let failed = |why| VendoredError::Cache(cache.to_owned(), why);
    for root in workspaces(cache).map_err(failed)? {
        empty(&root).map_err(failed)?;
    }
    contents(cache)
}

/// Removes the builds that were used longest ago until the cache is within `limit`, but none that is in use, and not what
/// is about to be built: the crates of `target` in the workspace `own`, whose [`BUILDING`] lock the caller holds.
pub(super) fn make_room(own: &Path, target: &str, limit: u64) -> Result<(), VendoredError> {
    let Some(cache) = own.parent() else { return Ok(()) };
    let Contents { mut bytes, builds: found } = contents(cache)?;
    let needed =
        |build: &Build| build.root == own && build.kind == BuildKind::Crates && [target, HOST].contains(&&*build.name);
    for build in found.iter().filter(|build| !needed(build)) {
        if bytes <= limit {
            break;
        }
        // What cannot be removed does not keep anybody from building.
        if matches!(remove_build(build, own), Ok(true)) {
            bytes = bytes.saturating_sub(build.bytes);
        }
    }
    // Sources of other versions are of no use without a build.
    let bare = |root: &PathBuf| root != own && builds(root).is_ok_and(|builds| builds.is_empty());
    workspaces(cache).unwrap_or_default().iter().filter(|root| bare(root)).for_each(|root| drop(empty(root)));
    Ok(())
}

/// Where cargo puts build scripts and macros, whatever the target.
const HOST: &str = "release";

/// Notes that the crates of a target are used now.
pub(super) fn mark_target(root: &Path, target: &str) -> Result<(), VendoredError> {
    [target, HOST].iter().try_for_each(|name| mark(&root.join(TARGETS).join(name)))
}

/// Notes that a build is used now, if there is one.
pub(super) fn mark(build: &Path) -> Result<(), VendoredError> {
    let path = build.join(USED);
    if !build.is_dir() {
        return Ok(());
    }
    let touched = open(&path).and_then(|file| file.set_modified(SystemTime::now()));
    touched.map_err(|why| VendoredError::Cache(path, why))
}

/// Removes a build unless it is in use; returns whether it did.
fn remove_build(build: &Build, own: &Path) -> io::Result<bool> {
    let locks = [(build.root != own).then_some(BUILDING), (build.kind == BuildKind::Programs).then_some(RUNNING)];
    let mut held = Vec::new();
    for lock in locks.into_iter().flatten() {
        let Some(lock) = try_lock(&build.root.join(lock))? else { return Ok(false) };
        held.push(lock);
    }
    remove(&build.path)?;
    Ok(true)
}

/// Removes of a workspace all that no process is using.
fn empty(root: &Path) -> io::Result<()> {
    let Some(_building) = try_lock(&root.join(BUILDING))? else { return Ok(()) };
    let running = try_lock(&root.join(RUNNING))?;
    for entry in folder(root)? {
        let is_lock = [BUILDING, RUNNING].iter().any(|lock| entry.ends_with(lock));
        if !is_lock && (running.is_some() || !entry.ends_with(PROGRAMS)) {
            remove(&entry)?;
        }
    }
    Ok(())
}

/// Opens a file of the cache, created unless it is there.
pub(super) fn open(path: &Path) -> io::Result<File> {
    File::options().create(true).truncate(false).write(true).open(path)
}

/// The lock, unless another process holds it.
pub(super) fn try_lock(path: &Path) -> io::Result<Option<File>> {
    let file = open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(why)) => Err(why),
    }
}

/// The folders that this tool has made, and no others: the cache may be a folder that is also used for something else.
fn workspaces(cache: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = folder(cache)?;
    found.retain(|path| is_workspace(path));
    Ok(found)
}

/// Whether a folder is called VERSION-HASH and has a lock.
fn is_workspace(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let named = name.rsplit_once('-').is_some_and(|(version, hash)| {
        version.starts_with(|c: char| c.is_ascii_digit())
            && !hash.is_empty()
            && hash.chars().all(|c| c.is_ascii_hexdigit())
    });
    named && path.join(BUILDING).is_file()
}

fn builds(root: &Path) -> io::Result<Vec<Build>> {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut found = Vec::new();
    for (kind, within) in [(BuildKind::Crates, TARGETS), (BuildKind::Programs, PROGRAMS)] {
        for path in folder(&root.join(within))?.into_iter().filter(|path| path.is_dir()) {
            let used =
                fs::metadata(path.join(USED)).or_else(|_| fs::metadata(&path)).and_then(|found| found.modified());
            found.push(Build {
                kind,
                name: name(&path),
                version: name(root),
                bytes: size(&path),
                used: used.unwrap_or(SystemTime::UNIX_EPOCH),
                root: root.to_owned(),
                path,
            });
        }
    }
    Ok(found)
}

/// What lies in a folder; nothing if it does not exist.
fn folder(path: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(path) {
        Ok(entries) => entries.map(|entry| entry.map(|entry| entry.path())).collect(),
        Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(why) => Err(why),
    }
}

/// Bytes of a file, or of everything below a folder. What another process removes meanwhile counts nothing.
fn size(path: &Path) -> u64 {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => folder(path).unwrap_or_default().iter().map(|path| size(path)).sum(),
        Ok(found) => found.len(),
        Err(_) => 0,
    }
}

fn remove(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_powers_of_1024() {
        assert_eq!(parse_bytes("0"), Some(0));
        assert_eq!(parse_bytes("1500"), Some(1500));
        assert_eq!(parse_bytes(" 3k"), Some(3 << 10));
        assert_eq!(parse_bytes("500 MiB"), Some(500 << 20));
        assert_eq!(parse_bytes("2GB"), Some(2 << 30));
        for wrong in ["", "much", "-1", "1.5G", "99999999999G"] {
            assert_eq!(parse_bytes(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn only_folders_that_the_tool_has_made_are_its_own() -> io::Result<()> {
        let cache = tempfile::tempdir()?;
        for name in ["0.1.0-00ff", "1.0.0-rc.1-ab", "photos-2024", "notes", "0.1.0-xyz"] {
            fs::create_dir(cache.path().join(name))?;
            fs::write(cache.path().join(name).join(BUILDING), "")?;
        }
        fs::create_dir(cache.path().join("0.2.0-00ff"))?;
        let mut found = workspaces(cache.path())?;
        found.sort();
        assert_eq!(found, ["0.1.0-00ff", "1.0.0-rc.1-ab"].map(|name| cache.path().join(name)));
        Ok(())
    }
}
