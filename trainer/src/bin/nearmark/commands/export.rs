//! `nearmark export`

use crate::args::{ExportArgs, Lang};
use crate::output;
use crate::setup::{Console, model_bytes, say};
use anyhow::{Context, Result};
use nearmark_train::anatomy::Anatomy;
use nearmark_train::export::code;
use serde_json::json;
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &ExportArgs, console: &Console) -> Result<()> {
    let bytes = model_bytes(&args.model)?;
    let stem = args.model.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let name = args.name.clone().or(stem).unwrap_or_else(|| "model".to_owned());
    let written = write(&bytes, &name, args.lang, &args.output, Some(&args.model))?;
    let anatomy = Anatomy::of(&bytes)?;
    for path in &written {
        say(&format!("wrote {}", path.display()));
    }
    if matches!(args.lang, Lang::Rust) {
        say(&format!("in the firmware's Cargo.toml:\n  {}", anatomy.dependency));
    }
    if console.json {
        let flash = anatomy.flash_bytes;
        output::json(&json!({ "files": written, "flash_bytes": flash, "dependency": anatomy.dependency }))?;
    }
    Ok(())
}

/// Writes every file of an export, but never over the model that it is made of.
pub(crate) fn write(bytes: &[u8], name: &str, lang: Lang, folder: &Path, from: Option<&Path>) -> Result<Vec<PathBuf>> {
    let files = match lang {
        Lang::Rust => code::rust(bytes, name),
        Lang::C => code::c(bytes, name),
    };
    let files = files.context("export")?;
    output::folder(folder)?;
    let files: Vec<(PathBuf, Vec<u8>)> =
        files.into_iter().map(|(name, content)| (folder.join(name), content)).collect();
    for (path, _) in &files {
        output::check(path, from.as_slice())?;
    }
    output::files(&files)?;
    Ok(files.into_iter().map(|(path, _)| path).collect())
}
