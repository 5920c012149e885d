//! Files that appear whole or not at all, and what goes to stdout.

use crate::args::Usage;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

/// Writes a file aside and puts it in place once `fill` has succeeded: an older file stays intact otherwise.
pub(crate) fn file(path: &Path, fill: impl FnOnce(&mut dyn WriteSeek) -> Result<()>) -> Result<()> {
    let what = || format!("writing {}", path.display());
    // Devices and pipes cannot be replaced; they are written to as they are.
    if path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        let mut out = BufWriter::new(std::fs::OpenOptions::new().write(true).open(path).with_context(what)?);
        fill(&mut out).with_context(what)?;
        return out.flush().with_context(what);
    }
    let mut aside = aside(path).with_context(what)?;
    fill(&mut aside.out).with_context(what)?;
    aside.put().with_context(what)
}

/// A file on its way.
struct Aside {
    out: BufWriter<tempfile::NamedTempFile>,
    to: PathBuf,
}

/// Begins a file beside the one it will replace.
fn aside(path: &Path) -> io::Result<Aside> {
    // What a link points at is replaced, not the link.
    let to = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        // As if made by `File::create`: what the user's mask allows, or what the older file has.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let out = builder.prefix(".nearmark-").tempfile_in(folder)?;
    if let Ok(older) = to.metadata() {
        out.as_file().set_permissions(older.permissions())?;
    }
    Ok(Aside { out: BufWriter::new(out), to })
}

impl Aside {
    fn put(self) -> io::Result<()> {
        let aside = self.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        aside.persist(&self.to).map(drop).map_err(|failed| failed.error)
    }
}

/// Writes several files: all of them or none.
pub(crate) fn files(files: &[(PathBuf, Vec<u8>)]) -> Result<()> {
    let mut ready = Vec::new();
    for (path, bytes) in files {
        let what = || format!("writing {}", path.display());
        let mut file = aside(path).with_context(what)?;
        file.out.write_all(bytes).and_then(|()| file.out.flush()).with_context(what)?;
        ready.push(file);
    }
    for file in ready {
        let what = format!("writing {}", file.to.display());
        file.put().context(what)?;
    }
    Ok(())
}

/// Refuses, before any work, to write where it cannot be or over what is being read.
pub(crate) fn check(path: &Path, others: &[&Path]) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        bail!("writing {}: there is no folder {}", path.display(), folder.display());
    }
    if path.is_dir() {
        bail!("writing {}: it is a folder", path.display());
    }
    if others.iter().any(|other| same(path, other)) {
        return Err(
            Usage(format!("{} is also something else of this command; name another file", path.display())).into()
        );
    }
    Ok(())
}

/// Whether two names mean one file, or the first lies in the folder that the second names.
fn same(path: &Path, other: &Path) -> bool {
    if path == other {
        return true;
    }
    match (path.canonicalize(), other.canonicalize()) {
        (Ok(path), Ok(other)) => path == other || other.is_dir() && path.starts_with(&other),
        _ => false,
    }
}

/// Writes these bytes as a file.
pub(crate) fn bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    file(path, |out| Ok(out.write_all(bytes)?))
}

/// A folder, made if it is not there.
pub(crate) fn folder(path: &Path) -> Result<()> {
    std::fs::create_dir_all(path).with_context(|| format!("making {}", path.display()))
}

/// What array writers need.
pub(crate) trait WriteSeek: Write + Seek {}
impl<T: Write + Seek> WriteSeek for T {}

/// Text on stdout.
pub(crate) fn stdout(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).context("writing to stdout")
}

/// What was written aside goes to stdout.
pub(crate) fn from_aside(out: BufWriter<std::fs::File>) -> Result<()> {
    let mut aside = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    aside.rewind()?;
    let mut stdout = io::stdout().lock();
    io::copy(&mut aside, &mut stdout).and_then(|_| stdout.flush()).context("writing to stdout")
}

/// One JSON object on stdout.
pub(crate) fn json(value: &Value) -> Result<()> {
    stdout(&format!("{value:#}\n"))
}

/// Whether a reader of stdout went away.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    // The CSV writer does not name its cause as a source.
    let in_csv = |error: &csv::Error| matches!(error.kind(), csv::ErrorKind::Io(error) if broken(error));
    error.chain().any(|cause| cause.downcast_ref().is_some_and(broken) || cause.downcast_ref().is_some_and(in_csv))
}

/// `12345` as `12 345`.
pub(crate) fn grouped(number: impl TryInto<u64>) -> String {
    let digits = number.try_into().unwrap_or(u64::MAX).to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A share as percent.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}
