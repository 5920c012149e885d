//! What the runtime takes of the flash: sections of the panic-free probe, less those of the same program
//! without nearmark.

use std::{fs, path::Path};

use anyhow::{Context, Result, bail};
use object::{Object, ObjectSection};

use crate::{
    command::{root, run},
    firmware, targets,
};

/// Targets on which the probe must link, in the profile that firmware uses and in the one that inlines most.
const TARGETS: [&str; 3] = ["thumbv6m-none-eabi", "thumbv7em-none-eabihf", "riscv32imc-unknown-none-elf"];
const PROFILES: [(&str, &str); 2] = [(FIRMWARE, "s"), ("fast", "3")];
const FIRMWARE: &str = "release";

/// The function that the probe's panic handler calls and nobody has.
const MISSING: &str = "a_path_to_a_panic_is_left";

/// Limits in bytes on Cortex-M4F, in the firmware's profile.
const GAUSSIAN_LIMIT: u64 = 3584;
const ALL_LIMIT: u64 = 9216;

/// The runtime's flash on one target.
struct Row {
    target: &'static str,
    profile: &'static str,
    level: &'static str,
    /// Gaussian centers, projection, class means; `classify` only.
    gaussian: u64,
    /// Every stage and every call.
    all: u64,
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
    for row in rows.iter().filter(|row| row.target == "thumbv7em-none-eabihf" && row.profile == FIRMWARE) {
        if row.gaussian > GAUSSIAN_LIMIT || row.all > ALL_LIMIT {
            bail!("too large for Cortex-M4F: {GAUSSIAN_LIMIT} and {ALL_LIMIT} bytes are allowed");
        }
    }
    notices_a_panic()
}

fn show(rows: &[Row]) {
    println!("{:30} opt-level  gaussian+projection+means  everything", "flash bytes of nearmark");
    for Row { target, level, gaussian, all, .. } in rows {
        println!("{target:30} {level:>9}  {gaussian:>25}  {all:>10}");
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
    added(target, FIRMWARE, "all")
}

/// Bytes that a probe with `feature` has over the one without.
fn added(target: &str, profile: &str, feature: &str) -> Result<u64> {
    Ok(probe(target, profile, feature)?.saturating_sub(probe(target, profile, "")?))
}

/// Builds a probe and returns its size.
fn probe(target: &str, profile: &str, feature: &str) -> Result<u64> {
    let mut cargo = firmware::cargo("build --quiet --package probe");
    cargo.args(["--target", target, "--profile", profile, "--features", feature]);
    run(&mut cargo).with_context(|| {
        format!("no probe '{feature}' for {target}; a linker that misses {MISSING} found a path to a panic")
    })?;
    flash(&firmware::program(target, profile, "probe"))
}

/// A probe that does panic must not link, or the others' linking proves nothing.
fn notices_a_panic() -> Result<()> {
    let mut cargo = firmware::cargo("build --quiet --package probe --release --features panics");
    let output = cargo.output()?;
    let text = String::from_utf8_lossy(&output.stderr);
    if output.status.success() || !text.contains(MISSING) {
        bail!("the probe that panics was not refused by the linker:\n{text}");
    }
    Ok(())
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
