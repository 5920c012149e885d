//! A folder of its own for every test, and the binary run in it.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub(crate) type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

pub(crate) struct Sandbox(tempfile::TempDir);

/// What a run printed, and how it ended.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Sandbox {
    pub(crate) fn new() -> Outcome<Self> {
        Ok(Self(tempfile::tempdir()?))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> Outcome {
        Ok(fs::write(self.path(name), content)?)
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nearmark"));
        command.current_dir(self.0.path());
        // Never the user's; below the target folder, so that only the first run builds.
        command.env("NEARMARK_CACHE", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
        command
    }

    pub(crate) fn run<S: AsRef<OsStr>>(&self, args: &[S]) -> Outcome<Ran> {
        Ran::of(self.command().args(args).output()?)
    }

    /// Runs and expects success.
    pub(crate) fn ok(&self, line: &str) -> Outcome<Ran> {
        let ran = self.run(&line.split_whitespace().collect::<Vec<_>>())?;
        assert_eq!(ran.code, 0, "{line}\n{}", ran.stderr);
        Ok(ran)
    }

    /// Runs and expects this failure, told in one line that contains every one of `parts`; the folder must look the
    /// same afterwards.
    pub(crate) fn fails(&self, line: &str, code: i32, parts: &[&str]) -> Outcome<Ran> {
        let before = self.files()?;
        let ran = self.run(&line.split_whitespace().collect::<Vec<_>>())?;
        assert_eq!(ran.code, code, "{line}\n{}", ran.stderr);
        let last = ran.stderr.lines().last().unwrap_or_default();
        for part in parts {
            assert!(last.contains(part), "{line}: expected {part:?} in\n{}", ran.stderr);
        }
        assert!(last.starts_with("nearmark: "), "{line}\n{}", ran.stderr);
        assert_eq!(ran.stdout, "", "{line}");
        assert!(self.files()? == before, "{line}: the folder has changed");
        Ok(ran)
    }

    /// Every file with its content.
    pub(crate) fn files(&self) -> Outcome<Vec<(PathBuf, Vec<u8>)>> {
        let mut files = Vec::new();
        gather(self.0.path(), &mut files)?;
        files.sort();
        Ok(files)
    }
}

impl Ran {
    pub(crate) fn of(output: Output) -> Outcome<Self> {
        Ok(Self {
            code: output.status.code().ok_or("killed by a signal")?,
            stdout: String::from_utf8(output.stdout)?,
            stderr: String::from_utf8(output.stderr)?,
        })
    }

    pub(crate) fn json(&self) -> Outcome<serde_json::Value> {
        Ok(serde_json::from_str(&self.stdout)?)
    }
}

fn gather(folder: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) -> Outcome {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            gather(&path, files)?;
        } else {
            files.push((path.clone(), fs::read(path)?));
        }
    }
    Ok(())
}

/// Two clouds of named rows: `a,b,class` with `rows` of each.
pub(crate) fn clouds(rows: usize) -> String {
    let mut lines = vec!["a,b,class".to_owned()];
    for i in 0..rows {
        let (x, y) = ((i * 7 % 11) as f64 / 11.0, (i * 5 % 13) as f64 / 13.0);
        lines.extend([format!("{x},{y},low"), format!("{},{},high", x + 2.0, y + 1.5)]);
    }
    lines.join("\n") + "\n"
}
