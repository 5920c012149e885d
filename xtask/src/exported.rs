//! An exported module on boards: its self-test passes, and fails once a byte of the model is altered.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::{
    command::{cargo, root, run},
    firmware::{self, BOARDS, Board},
};

/// A fitted model with named classes, small enough for every board.
const MODEL: &str = "tests/golden/family-cmvda.nmk";

/// Exports the model and runs the firmware with it, and with an altered one.
pub(crate) fn check() -> Result<()> {
    let folder = root().join("target/exported");
    let mut export = cargo("run --quiet --release --package nearmark-train --example export_code --");
    run(export.arg(MODEL).arg(&folder))?;
    // Without a float unit and with one: they must give the same bits.
    for board in BOARDS.iter().filter(|board| ["m0", "m4f"].contains(&board.name)) {
        println!("-- {}", board.title);
        let (passed, output) = selftest(board, &folder.join("good"))?;
        print!("{output}");
        if !passed {
            bail!("{}: the exported module fails its self-test", board.name);
        }
        let (passed, output) = selftest(board, &folder.join("altered"))?;
        print!("{output}");
        if passed || !output.contains("self-test: Answer") {
            bail!("{}: the self-test does not detect an altered model", board.name);
        }
    }
    Ok(())
}

/// Whether the program succeeds with this export, and what it prints.
fn selftest(board: &Board, exported: &Path) -> Result<(bool, String)> {
    // Built first: a compiler error must not count as a failed self-test.
    let mut build = firmware::cargo("build --quiet --release --no-default-features --bin exported");
    build.args(["--target", board.target, "--features"]).arg(format!("{},exported", board.name));
    run(build.env("NEARMARK_EXPORTED", exported))?;
    let mut program = firmware::cargo(&format!("{} --quiet --features exported --bin exported", board.name));
    let output = program.env("NEARMARK_EXPORTED", exported).output().context("cannot start cargo")?;
    Ok((output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned()))
}
