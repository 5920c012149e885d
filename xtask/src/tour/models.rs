//! Models of the tour, fitted again by the commands on their pages.
//!
//! The same machine gives the same bytes. On another machine a factorization may round differently, and a budget search may
//! then choose another model: about the same size and the same class for nearly all test rows are required.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use super::{Example, page::Page};
use crate::command::{cargo, read, root};

/// Share of test rows on which two models must agree: models of equal accuracy may err on different rows.
const AGREEMENT: f64 = 0.96;
/// Share by which their flash may differ.
const SIZE: f64 = 0.1;

/// Runs the commands of pages, each once.
#[derive(Default)]
pub(super) struct Making {
    done: HashSet<String>,
}

impl Making {
    /// Makes an example's models again, in `target/tour/made`.
    pub(super) fn run(&mut self, example: &Example, page: &Page) -> Result<()> {
        fs::create_dir_all(folder(example))?;
        for line in page.making() {
            if self.done.insert(line.to_owned()) {
                let output = command(line)?.output().with_context(|| format!("cannot start {line}"))?;
                if !output.status.success() {
                    bail!("{line}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
                }
            }
        }
        Ok(())
    }
}

/// Where an example's models are made.
fn folder(example: &Example) -> PathBuf {
    root().join("target/tour/made").join(example.name)
}

/// A line of a page, with models written to another folder.
fn command(line: &str) -> Result<Command> {
    let words = line.split_whitespace().map(|word| word.replacen("examples/", "target/tour/made/", 1));
    let words: Vec<String> = words.collect();
    match words.split_first() {
        Some((tool, words)) if tool == "nearmark" => Ok(nearmark(words)),
        Some((tool, words)) if tool == "cargo" => {
            let mut command = cargo("");
            command.args(words);
            Ok(command)
        }
        _ => bail!("a page may call nearmark and cargo, not: {line}"),
    }
}

fn nearmark(words: &[String]) -> Command {
    let mut command = cargo("run --quiet --release --package nearmark-train --bin nearmark --");
    command.args(words);
    command
}

/// Checks that recordings are those of the built-in data, and that models answer as new ones do.
pub(super) fn check(example: &Example) -> Result<()> {
    for old in files(example)? {
        let new = made(example, &old)?;
        let name = old.strip_prefix(root()).unwrap_or(&old).display();
        if fs::read(&old)? == fs::read(&new).with_context(|| format!("no command on the page makes {name}"))? {
            println!("{name}: fitted again, the same bytes");
        } else if old.extension().is_some_and(|ending| ending == "nmk") {
            let agreement = agreement(example.data, &old, &new);
            println!(
                "{name}: fitted again, {}",
                agreement.with_context(|| format!("{name} differs from the model that its page makes"))?
            );
        } else {
            bail!("{name} differs from the file that `recordings` writes");
        }
    }
    Ok(())
}

/// Copies the new models and recordings to the example.
pub(super) fn take(example: &Example) -> Result<()> {
    for old in files(example)? {
        fs::copy(made(example, &old)?, &old)
            .with_context(|| format!("no command on the page makes {}", old.display()))?;
    }
    Ok(())
}

/// An example's recordings and models.
fn files(example: &Example) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(example.folder())? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "nmk" || ending == "bin") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn made(example: &Example, file: &Path) -> Result<PathBuf> {
    let name = file.file_name().context("a file has a name")?;
    let recording = file.extension().is_some_and(|ending| ending == "bin");
    Ok(if recording { root().join("target/tour").join(name) } else { folder(example).join(name) })
}

/// How far two models agree; an error if that is not enough.
fn agreement(data: &str, old: &Path, new: &Path) -> Result<String> {
    let (was, is) = (flash(old)?, flash(new)?);
    if was.abs_diff(is) as f64 > SIZE * was as f64 {
        bail!("{was} bytes of flash, {is} when fitted again");
    }
    let (old, new) = (labels(data, old)?, labels(data, new)?);
    let same = old.iter().zip(&new).filter(|(old, new)| old == new).count();
    if (same as f64) < AGREEMENT * old.len().max(1) as f64 {
        bail!("the same answer to {same} of {} test rows", old.len());
    }
    Ok(format!("{is} bytes of flash, were {was}, the same answer to {same} of {} test rows", old.len()))
}

fn flash(model: &Path) -> Result<u64> {
    let json = read(&mut nearmark(&["inspect".into(), "--json".into(), model.display().to_string()]))?;
    let (_, rest) = json.split_once("\"flash_bytes\":").context("`inspect` prints no flash_bytes")?;
    let digits: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
    Ok(digits.parse()?)
}

fn labels(data: &str, model: &Path) -> Result<Vec<String>> {
    let table =
        read(&mut nearmark(&["predict".into(), model.display().to_string(), data.into(), "--no-radius".into()]))?;
    Ok(table.lines().skip(1).map(|line| line.split(',').next().unwrap_or_default().to_owned()).collect())
}
