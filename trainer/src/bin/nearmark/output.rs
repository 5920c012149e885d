//! Files that appear whole or not at all, and the only place that writes to stdout and stderr.

use crate::args::Usage;
use anyhow::{Context, Result, bail};
use nearmark_train::linalg::Mat;
use npyz::WriterBuilder;
use serde_json::Value;
use std::io::{self, BufWriter, IsTerminal, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Writes a temporary file and renames it once `fill` has succeeded; if anything fails, an older file stays intact.
pub(crate) fn file(path: &Path, fill: impl FnOnce(&mut dyn WriteSeek) -> Result<()>) -> Result<()> {
    let what = || format!("writing {}", path.display());
    // Devices and pipes cannot be replaced by another file: they are written to directly.
    if path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        let mut out = BufWriter::new(std::fs::OpenOptions::new().write(true).open(path).with_context(what)?);
        fill(&mut out).with_context(what)?;
        return out.flush().with_context(what);
    }
    let mut pending = pending(path).with_context(what)?;
    fill(&mut pending.out).with_context(what)?;
    pending.commit().with_context(what)
}

struct Pending {
    out: BufWriter<tempfile::NamedTempFile>,
    to: PathBuf,
}

/// Creates a temporary file in the folder of the file it will replace.
fn pending(path: &Path) -> io::Result<Pending> {
    // The target of a link is replaced, not the link itself.
    let to = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        // Permissions as `File::create` gives them, or those of the older file.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let out = builder.prefix(".nearmark-").tempfile_in(folder)?;
    if let Ok(older) = to.metadata() {
        out.as_file().set_permissions(older.permissions())?;
    }
    Ok(Pending { out: BufWriter::new(out), to })
}

impl Pending {
    fn commit(self) -> io::Result<()> {
        let file = self.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.persist(&self.to).map(drop).map_err(|failed| failed.error)
    }
}

/// Writes several files: all of them or none.
pub(crate) fn files(files: &[(PathBuf, Vec<u8>)]) -> Result<()> {
    let mut ready = Vec::new();
    for (path, bytes) in files {
        let what = || format!("writing {}", path.display());
        let mut file = pending(path).with_context(what)?;
        file.out.write_all(bytes).and_then(|()| file.out.flush()).with_context(what)?;
        ready.push(file);
    }
    for file in ready {
        let what = format!("writing {}", file.to.display());
        file.commit().context(what)?;
    }
    Ok(())
}

/// Checks before any work that `path` can be written and is none of the files that the command reads or writes.
pub(crate) fn check(path: &Path, others: &[&Path]) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        bail!("writing {}: there is no folder {}", path.display(), folder.display());
    }
    if path.is_dir() {
        bail!("writing {}: it is a folder", path.display());
    }
    if others.iter().any(|other| same(path, other)) {
        return Err(Usage(format!("{} is already used by this command; name another file", path.display())).into());
    }
    Ok(())
}

/// Whether two paths name the same file, or the first lies in the folder that the second names.
fn same(path: &Path, other: &Path) -> bool {
    let found = path.canonicalize().ok().zip(other.canonicalize().ok());
    path == other || found.is_some_and(|(path, other)| path == other || other.is_dir() && path.starts_with(&other))
}

pub(crate) fn bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    file(path, |out| Ok(out.write_all(bytes)?))
}

pub(crate) fn folder(path: &Path) -> Result<()> {
    std::fs::create_dir_all(path).with_context(|| format!("creating {}", path.display()))
}

/// Array writers go back to complete the header.
pub(crate) trait WriteSeek: Write + Seek {}
impl<T: Write + Seek> WriteSeek for T {}

/// Writes a text to stdout. A reader that has left early is no error: whatever else the command does still counts.
pub(crate) fn stdout(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    unless_closed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Writes rows as .csv or .npy, whichever the file's ending asks for, and returns their number.
pub(crate) fn rows(
    path: &Path,
    what: &str,
    csv: impl FnOnce(&mut dyn Write) -> Result<u64>,
    npy: impl FnOnce(&mut dyn WriteSeek) -> Result<u64>,
) -> Result<u64> {
    let mut count = 0;
    file(path, |mut out| {
        count = match path.extension().and_then(|ending| ending.to_str()) {
            Some("npy") => npy(out)?,
            Some("csv") | None => csv(&mut out)?,
            Some(other) => return Err(Usage(format!("{what} are written as .csv or .npy, not .{other}")).into()),
        };
        Ok(())
    })?;
    Ok(count)
}

/// Writes a matrix as a .npy file of float64, row by row.
pub(crate) fn matrix(path: &Path, matrix: &Mat) -> Result<()> {
    file(path, |out| {
        let shape = [matrix.nrows() as u64, matrix.ncols() as u64];
        let mut out = npyz::WriteOptions::<f64>::new().default_dtype().shape(&shape).writer(out).begin_nd()?;
        out.extend(matrix.row_iter().flat_map(|row| row.iter().copied().collect::<Vec<f64>>()))?;
        Ok(out.finish()?)
    })
}

/// Prints a JSON object that begins with `head` and ends with a list and its length. It goes to a temporary file first:
/// an incomplete object is of no use.
pub(crate) fn json_list(
    head: &str,
    fill: impl FnOnce(&mut dyn FnMut(Value) -> Result<()>) -> Result<u64>,
) -> Result<u64> {
    let mut temporary = BufWriter::new(tempfile::tempfile()?);
    write!(temporary, "{{{head}: [")?;
    let mut separator = "\n";
    let count = fill(&mut |value| {
        write!(temporary, "{separator}{value}")?;
        separator = ",\n";
        Ok(())
    })?;
    writeln!(temporary, "\n], \"n\": {count}}}")?;
    let mut file = temporary.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.rewind()?;
    let mut out = io::stdout().lock();
    unless_closed(io::copy(&mut file, &mut out).and_then(|_| out.flush()))?;
    Ok(count)
}

/// Lets `write` print rows on stdout as they are computed. If the reader leaves early, the work ends with an error that
/// [`is_broken_pipe`] recognizes: nobody waits for the remaining rows.
pub(crate) fn stdout_rows<T>(write: impl FnOnce(&mut dyn Write) -> Result<T>) -> Result<T> {
    let out = io::stdout();
    let is_terminal = out.is_terminal();
    write(&mut Stdout { out: out.lock(), is_terminal })
}

/// Stdout, with errors that say so.
struct Stdout {
    out: io::StdoutLock<'static>,
    is_terminal: bool,
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Labels may hold anything, and a terminal obeys what it is sent.
        let written = if self.is_terminal {
            self.out.write_all(&shown(bytes)).map(|()| bytes.len())
        } else {
            self.out.write(bytes)
        };
        written.map_err(|error| stdout_error(&error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush().map_err(|error| stdout_error(&error))
    }
}

/// Text with a question mark in place of every control character that is no white space.
fn shown(bytes: &[u8]) -> Vec<u8> {
    let harmless = |byte: &u8| !byte.is_ascii_control() || matches!(byte, b'\n' | b'\r' | b'\t');
    bytes.iter().map(|byte| if harmless(byte) { *byte } else { b'?' }).collect()
}

fn stdout_error(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("writing to stdout: {error}"))
}

/// Writes a line for people to stderr. Nobody may be reading: that must not stop the work, so failures are ignored.
pub(crate) fn say(text: &str) {
    let _ = io::stderr().lock().write_all(format!("{text}\n").as_bytes());
}

/// Prints what the command-line parser answers: help and version on stdout, complaints on stderr.
pub(crate) fn usage(message: &clap::Error) -> ExitCode {
    let printed = message.print();
    if !message.use_stderr()
        && let Err(error) = unless_closed(printed)
    {
        say(&format!("nearmark: {error:#}"));
        return ExitCode::FAILURE;
    }
    u8::try_from(message.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from)
}

/// Any failure to write to stdout but that its reader has left.
fn unless_closed(written: io::Result<()>) -> Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("writing to stdout"),
    }
}

/// Prints an object for tools.
pub(crate) fn json(value: &Value) -> Result<()> {
    stdout(&format!("{value:#}\n"))
}

/// Whether an error is that the reader of a pipe has left.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    // The CSV writer does not give its cause as a source.
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

/// Items in lines of at most `width` characters, the first after `indent`.
pub(crate) fn wrapped<'a>(
    items: impl IntoIterator<Item = &'a str>,
    separator: &str,
    indent: &str,
    width: usize,
) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for item in items {
        match lines.last_mut() {
            Some(line)
                if [&**line, separator, item].iter().map(|part| part.chars().count()).sum::<usize>() <= width =>
            {
                line.push_str(separator);
                line.push_str(item);
            }
            _ => lines.push(format!("{indent}{item}")),
        }
    }
    lines
}

pub(crate) fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_sent_no_control_characters() {
        assert_eq!(shown("a\u{1b}[31m,ä\0\r\n".as_bytes()), "a?[31m,ä?\r\n".as_bytes());
    }
}
