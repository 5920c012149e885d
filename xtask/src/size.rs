//! What the runtime takes of the flash: sections of the panic-free probe, less those of the same program
//! without nearmark.

use std::{fs, path::Path};

use anyhow::{Context, Result, bail};
use object::{Object, ObjectSection};

use crate::{command::root, firmware, targets};

/// Targets on which the probe must link, in the profile that firmware uses and in the one that inlines most.
const TARGETS: [&str; 3] = ["thumbv6m-none-eabi", "thumbv7em-none-eabihf", "riscv32imc-unknown-none-elf"];
const PROFILES: [(&str, &str); 2] = [(FIRMWARE, "s"), ("fast", "3")];
const FIRMWARE: &str = "release";

/// The function that the probe's panic handler calls and nobody has.
const MISSING: &str = "a_path_to_a_panic_is_left";

/// Limits in bytes on Cortex-M4F, in the firmware's profile.
const GAUSSIAN_LIMIT: u64 = 3584;
const ALL_LIMIT: u64 = 9216;

/// The runtime's flash on one target; `None` where a path to a panic is left.
struct Row {
    target: &'static str,
    profile: &'static str,
    level: &'static str,
    /// Gaussian centers, projection, class means; `classify` only.
    gaussian: Option<u64>,
    /// Every stage and every call.
    all: Option<u64>,
}

/// Prints the table.
pub(crate) fn print() -> Result<()> {
    targets::ensure()?;
    show(&measure()?);
    Ok(())
}

/// Every probe links and the limits hold.
pub(crate) fn check() -> Result<()> {
    let rows = measure()?;
    show(&rows);
    for row in &rows {
        let (Some(gaussian), Some(all)) = (row.gaussian, row.all) else {
            bail!("a path to a panic is left on {} at opt-level {}", row.target, row.level);
        };
        let limited = row.target == "thumbv7em-none-eabihf" && row.profile == FIRMWARE;
        if limited && (gaussian > GAUSSIAN_LIMIT || all > ALL_LIMIT) {
            bail!("too large for Cortex-M4F: {GAUSSIAN_LIMIT} and {ALL_LIMIT} bytes are allowed");
        }
    }
    if probe("thumbv7em-none-eabihf", FIRMWARE, "panics")?.is_some() {
        bail!("the probe that panics has linked: that the others link proves nothing");
    }
    Ok(())
}

fn show(rows: &[Row]) {
    let cell = |bytes: Option<u64>| bytes.map_or("panics".to_owned(), |bytes| bytes.to_string());
    println!("{:30} opt-level  gaussian+projection+means  everything", "flash bytes of nearmark");
    for row in rows {
        let (gaussian, all) = (cell(row.gaussian), cell(row.all));
        println!("{:30} {:>9}  {gaussian:>25}  {all:>10}", row.target, row.level);
    }
}

fn measure() -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for target in TARGETS {
        for (profile, level) in PROFILES {
            let gaussian = added(target, profile, "gaussian")?;
            let all = added(target, profile, "all")?;
            rows.push(Row { target, profile, level, gaussian, all });
        }
    }
    Ok(rows)
}

/// Flash of the whole runtime on a target, in the firmware's profile.
pub(crate) fn runtime(target: &str) -> Result<u64> {
    added(target, FIRMWARE, "all")?.with_context(|| format!("a path to a panic is left on {target}"))
}

/// Bytes that a probe with `feature` has over the one without.
fn added(target: &str, profile: &str, feature: &str) -> Result<Option<u64>> {
    let (with, without) = (probe(target, profile, feature)?, probe(target, profile, "")?);
    Ok(with.zip(without).map(|(with, without)| with.saturating_sub(without)))
}

/// Builds a probe and returns its size, or `None` if the linker found a path to a panic.
fn probe(target: &str, profile: &str, feature: &str) -> Result<Option<u64>> {
    let mut cargo = firmware::cargo("build --quiet --package probe");
    let output = cargo.args(["--target", target, "--profile", profile, "--features", feature]).output()?;
    if output.status.success() {
        return flash(&firmware::program(target, profile, "probe")).map(Some);
    }
    let text = String::from_utf8_lossy(&output.stderr);
    if text.contains(MISSING) {
        return Ok(None);
    }
    bail!("the probe '{feature}' does not build for {target}:\n{text}")
}

/// Bytes that an ELF file puts into flash: code, constants, initial values.
fn flash(elf: &Path) -> Result<u64> {
    let name = elf.strip_prefix(root()).unwrap_or(elf).display();
    let bytes = fs::read(elf).with_context(|| format!("reading {name}"))?;
    let file = object::File::parse(&*bytes).with_context(|| format!("reading {name}"))?;
    let counted = [".text", ".rodata", ".srodata", ".data", ".sdata"];
    let sections = file.sections().filter(|section| section.name().is_ok_and(|name| counted.contains(&name)));
    Ok(sections.map(|section| section.size()).sum())
}
