//! Files that appear whole or not at all, and what goes to stdout.

use anyhow::{Context, Result};
use serde_json::Value;
use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;

/// Writes a file aside and puts it in place once `fill` has succeeded: an older file stays intact otherwise.
pub(crate) fn file(path: &Path, fill: impl FnOnce(&mut dyn WriteSeek) -> Result<()>) -> Result<()> {
    let what = || format!("writing {}", path.display());
    // Devices and pipes cannot be replaced; they are written to as they are.
    if path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        let mut out = BufWriter::new(std::fs::OpenOptions::new().write(true).open(path).with_context(what)?);
        fill(&mut out).with_context(what)?;
        return out.flush().with_context(what);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        // As if made by `File::create`: what the user's mask allows.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut out = BufWriter::new(builder.prefix(".nearmark-").tempfile_in(folder).with_context(what)?);
    fill(&mut out).with_context(what)?;
    let aside = out.into_inner().map_err(io::IntoInnerError::into_error).with_context(what)?;
    aside.persist(path).map_err(|failed| failed.error).with_context(what)?;
    Ok(())
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
