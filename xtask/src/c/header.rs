//! `nearmark.h`, generated from the crate's functions and their comments.

use std::{fs, path::PathBuf};

use anyhow::{Context, Result, bail};

use crate::command::root;

fn path() -> PathBuf {
    root().join("runtime/c/include/nearmark.h")
}

/// Writes the header.
pub(crate) fn write() -> Result<()> {
    fs::write(path(), generate()?).context("writing nearmark.h")
}

/// Checks that the header in the repository is up to date.
pub(crate) fn check() -> Result<()> {
    if fs::read_to_string(path()).context("reading nearmark.h")? != generate()? {
        bail!("runtime/c/include/nearmark.h is out of date: cargo xtask c-header");
    }
    println!("nearmark.h is what the code gives");
    Ok(())
}

fn generate() -> Result<String> {
    let folder = root().join("runtime/c");
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml")).map_err(anyhow::Error::msg)?;
    let bindings = cbindgen::Builder::new().with_crate(&folder).with_config(config).generate()?;
    let mut text = Vec::new();
    bindings.write(&mut text);
    Ok(String::from_utf8(text)?)
}
