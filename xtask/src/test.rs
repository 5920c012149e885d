//! `cargo xtask test`: every check of the project, cheapest first.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::{
    bench, c,
    command::{cargo, read, root, run},
    device, exported,
    firmware::{self, BOARDS},
    linux,
    phases::Phases,
    qemu, size, targets, tour,
};

/// Runs every phase and counts them.
pub(crate) fn run_all() -> Result<()> {
    let mut phases = Phases::default();
    phases.run("compiler targets", || targets::components().and_then(|()| targets::ensure()));
    phases.run("QEMU", qemu::ensure);
    phases.run("format", format);
    phases.run("clippy", clippy);
    phases.run("documentation", documentation);
    phases.run("device crates with overflow checks", || {
        run(&mut cargo("test --quiet -p nearmark-format -p nearmark -p nearmark-store"))
    });
    phases.run("host tests", || run(&mut cargo("test --quiet --workspace --release")));
    phases.run("host example, also on 64-bit Arm", linux::check);
    phases.run("each feature of the runtime alone", features);
    phases.run("panic-free and small", size::check);
    phases.run("self-test on five boards", selftest);
    phases.run("DSP instructions on three boards", dsp);
    phases.run("cost on five boards", bench::check);
    phases.run("the tool on five boards", device::check);
    phases.run("exported module on two boards", exported::check);
    phases.run("tour of the examples", tour::check);
    phases.run("C interface, here and on two boards", c::check);
    phases.run("exported C project, here and on five boards", c::check_exported);
    phases.finish()
}

fn format() -> Result<()> {
    run(&mut cargo("fmt --all --check"))?;
    // Not --all: that would follow the path to the runtime and check it twice.
    run(&mut firmware::cargo("fmt --package nearmark-firmware --package probe --check"))?;
    run(&mut firmware::harness("fmt --package nearmark-harness --package nearmark-board --check"))
}

fn clippy() -> Result<()> {
    run(&mut cargo("clippy --quiet --workspace --all-targets -- -D warnings"))?;
    for board in BOARDS.iter().filter(|board| ["m0", "rv32"].contains(&board.name)) {
        let mut clippy = firmware::cargo("clippy --quiet --release --workspace --no-default-features");
        clippy.args(["--target", board.target, "--features"]).arg(format!("{},probe/both,probe/int-store", board.name));
        run(clippy.args(["--", "-D", "warnings"]))?;
        let mut clippy = firmware::harness("clippy --quiet --release --workspace --locked");
        clippy.args(["--target", board.target, "--features"]).arg(format!("{},u8,nearmark/int", board.name));
        run(clippy.args(["--", "-D", "warnings"]))?;
    }
    Ok(())
}

fn documentation() -> Result<()> {
    run(cargo("doc --quiet --workspace --no-deps").env("RUSTDOCFLAGS", "-D warnings"))
}

/// Checks the runtime with no feature, with each alone and with all, on the smallest target that has them.
fn features() -> Result<()> {
    let manifest = fs::read_to_string(root().join("runtime/Cargo.toml")).context("reading runtime/Cargo.toml")?;
    let features = feature_names(&manifest);
    if features.is_empty() {
        bail!("runtime/Cargo.toml names no features");
    }
    let all = features.join(",");
    for set in [""].into_iter().chain(features).chain([all.as_str()]) {
        let dsp = set.split(',').any(|feature| feature == "dsp");
        let target = if dsp { "thumbv7em-none-eabihf" } else { "thumbv6m-none-eabi" };
        let mut check = cargo("check --quiet --package nearmark --no-default-features");
        run(check.args(["--target", target, "--features", set]))?;
    }
    refused("thumbv6m-none-eabi", "needs thumbv7em or thumbv8m.main")?;
    refused("thumbv8m.main-none-eabihf", "target-cpu=cortex-m33")
}

/// Targets without DSP instructions are refused with a clear message, not by the assembler.
fn refused(target: &str, why: &str) -> Result<()> {
    let mut check = cargo("check --quiet --package nearmark --no-default-features --features dsp --target");
    let output = check.arg(target).output()?;
    let text = String::from_utf8_lossy(&output.stderr);
    if output.status.success() || !text.contains(why) {
        bail!("feature dsp on {target} is not refused with '{why}':\n{text}");
    }
    Ok(())
}

/// DSP instructions give the same bits as portable code, and so do models that use them.
fn dsp() -> Result<()> {
    for board in BOARDS.iter().filter(|board| board.dsp) {
        println!("-- {}", board.title);
        print!("{}", read(&mut firmware::cargo(&format!("{}-dsp --quiet --bin dsp", board.name)))?);
        print!("{}", read(&mut firmware::cargo(&format!("{}-dsp --quiet", board.name)))?);
    }
    Ok(())
}

/// Names in the `[features]` table, `default` aside.
fn feature_names(manifest: &str) -> Vec<&str> {
    let table = manifest.lines().skip_while(|line| line.trim() != "[features]").skip(1);
    let lines = table.take_while(|line| !line.starts_with('['));
    let names = lines.filter(|line| line.starts_with(|c: char| c.is_ascii_alphanumeric()));
    let names = names.filter_map(|line| line.split_once('=')).map(|(name, _)| name.trim());
    names.filter(|name| *name != "default").collect()
}

fn selftest() -> Result<()> {
    for board in &BOARDS {
        println!("-- {}", board.title);
        print!("{}", read(&mut firmware::cargo(&format!("{} --quiet", board.name)))?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_read_from_the_manifest() {
        let manifest = "[package]\nname = \"a\"\n\n[features]\ndefault = [\n  \"x\",\n]\n# why\nx = []\nlong-name = [\"x\"]\n\n[dependencies]\ny = \"1\"\n";
        assert_eq!(feature_names(manifest), ["x", "long-name"]);
    }
}
