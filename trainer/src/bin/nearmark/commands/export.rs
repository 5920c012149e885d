//! `nearmark export`

use crate::args::{ExportArgs, Lang, Usage};
use crate::output::{self, say};
use crate::setup::{Console, model_file};
use anyhow::{Context, Result, anyhow};
use nearmark_train::codegen::{self, Files, Target};
use nearmark_train::emulator::vendored::{self, VendoredError};
use nearmark_train::{Inspection, ModelFile};
use serde_json::json;
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &ExportArgs, console: &Console) -> Result<()> {
    let model = model_file(&args.model)?;
    let stem = args.model.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let name = args.name.clone().or(stem).unwrap_or_else(|| "model".to_owned());
    let written = match args.lang {
        Lang::Rust => {
            if args.target.is_some() || args.no_library || args.all_stages {
                return Err(Usage("--target, --no-library and --all-stages are for --lang c".to_owned()).into());
            }
            rust_module(&model, &name, &args.output, Some(&args.model))?
        }
        Lang::C => c_project(args, &model, &name)?,
    };
    let inspection = Inspection::of(&model);
    for path in &written {
        say(&format!("wrote {}", path.display()));
    }
    match args.lang {
        Lang::Rust => say(&format!("in the firmware's Cargo.toml:\n  {}", inspection.dependency)),
        Lang::C => say(&format!("{}.h states how to compile and link", codegen::module_name(&name))),
    }
    let Inspection { flash_bytes, dependency, .. } = &inspection;
    console.object(|| json!({ "files": written, "flash_bytes": flash_bytes, "dependency": dependency }))
}

pub(crate) fn rust_module(model: &ModelFile, name: &str, folder: &Path, from: Option<&Path>) -> Result<Vec<PathBuf>> {
    place(codegen::rust(model, name).context("export")?, folder, from)
}

/// A C project with its library. That is built first: if it cannot be, nothing is written.
fn c_project(args: &ExportArgs, model: &ModelFile, name: &str) -> Result<Vec<PathBuf>> {
    let target = args.target.as_deref().map_or(Target::HOST, Target::named);
    let mut files = codegen::c(model, name, &target).context("export")?;
    if !args.no_library {
        let features = codegen::c_features(model, &target);
        let library = library(&target, (!args.all_stages).then_some(&features[..]));
        let library = library.context("the C library (--no-library leaves it out)")?;
        files.push((target.library().to_owned(), library));
    }
    // Whoever has begun with it has changed it.
    let example = args.output.join("main.c");
    if example.exists() {
        say(&format!("{} is already there and stays as it is", example.display()));
        files.retain(|(name, _)| name != "main.c");
    }
    place(files, &args.output, Some(&args.model))
}

/// The library for a target, out of the user's cache.
fn library(target: &Target, features: Option<&[&str]>) -> Result<Vec<u8>> {
    let triple = target.triple().map_or_else(vendored::host, |triple| Ok(triple.to_owned()))?;
    vendored::ensure_target(&triple).map_err(|why| match why {
        VendoredError::UnknownTarget(_) => anyhow!("{why}; short names are {}", Target::SHORT.join(", ")),
        other => other.into(),
    })?;
    let cache = vendored::cache_dir()?;
    let workspace = vendored::unpack(&cache, || say("waiting for another nearmark that builds in the same cache"))?;
    say(&format!("building the C library for {triple}"));
    let built = vendored::c_library(&workspace, &triple, features);
    Console::check_stop()?;
    Ok(built?)
}

/// Writes every source file of an export, but never over the model that it is made of.
fn place(files: Files, folder: &Path, from: Option<&Path>) -> Result<Vec<PathBuf>> {
    output::folder(folder)?;
    let files: Vec<(PathBuf, Vec<u8>)> =
        files.into_iter().map(|(name, content)| (folder.join(name), content)).collect();
    for (path, _) in &files {
        output::check(path, from.as_slice())?;
    }
    output::files(&files)?;
    Ok(files.into_iter().map(|(path, _)| path).collect())
}
