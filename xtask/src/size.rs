//! Flash of the runtime: sections of the panic-free probe, minus those of the same program
//! without nearmark.

use std::{fs, path::Path};

use anyhow::{Context, Result, bail};
use object::{Object, ObjectSection, ObjectSymbol, SectionKind};

use crate::{command::root, firmware, marked, measured::grouped, targets};

/// Targets on which the probe must link, in the profile that firmware uses and in the one that inlines most.
const TARGETS: [&str; 3] = ["thumbv6m-none-eabi", "thumbv7em-none-eabihf", "riscv32imc-unknown-none-elf"];
const PROFILES: [(&str, &str); 2] = [(FIRMWARE, "s"), ("fast", "3")];
const FIRMWARE: &str = "release";

/// The function that the probe's panic handler calls; no object defines it.
const MISSING: &str = "a_path_to_a_panic_is_left";

/// Limits in bytes on Cortex-M4F, in the firmware's profile.
const LIMITS: [(&str, u64); 6] = [
    ("gaussian", 3584),
    ("all", 16_384),
    ("int-gaussian", 5632),
    ("int-counts", 6912),
    ("int-all", 21_504),
    ("int-store", 6144),
];

/// The part of `docs/devices.md` with the table.
const PART: &str = "size";

/// What is measured: the probe's feature, that of the same program without it, and the column's title.
const PROBES: [(&str, &str, &str); 8] = [
    // Gaussian centers, projection, class means; `classify` only.
    ("gaussian", "", "f32 gaussian"),
    // Every stage and every call.
    ("all", "", "f32 everything"),
    ("int-gaussian", "", "int gaussian"),
    // Counts of a raw series and a linear readout.
    ("int-counts", "", "int counts"),
    // Two layers of filters in front of the same as in `int-gaussian`.
    ("int-convolution", "", "int filters"),
    ("int-all", "", "int everything"),
    ("both", "", "both"),
    // Every call of `nearmark-store`, beside everything of integer models.
    ("int-store", "int-all", "store"),
];

/// The runtime's flash on one target, per probe; `None` where a path to a panic is left.
struct Row {
    target: &'static str,
    profile: &'static str,
    level: &'static str,
    bytes: [Option<u64>; PROBES.len()],
}

/// Prints the table, and checks it.
pub(crate) fn print() -> Result<()> {
    targets::ensure()?;
    check()
}

/// Writes the table of `docs/devices.md`.
pub(crate) fn write() -> Result<()> {
    targets::ensure()?;
    marked::write(&marked::devices_page(), PART, &table(&measure()?))
}

/// Checks that every probe links, that the limits hold, and that integer firmware has no float code.
pub(crate) fn check() -> Result<()> {
    let rows = measure()?;
    show(&rows);
    for row in &rows {
        for (bytes, (probe, ..)) in row.bytes.iter().zip(PROBES) {
            let Some(bytes) = *bytes else {
                bail!("a path to a panic is left in '{probe}' on {} at opt-level {}", row.target, row.level);
            };
            let limit = LIMITS.iter().find(|(limited, _)| *limited == probe).map_or(u64::MAX, |(_, limit)| *limit);
            if row.target == "thumbv7em-none-eabihf" && row.profile == FIRMWARE && bytes > limit {
                bail!("'{probe}' is too large for Cortex-M4F: {bytes} bytes, {limit} are allowed");
            }
        }
    }
    if probe("thumbv7em-none-eabihf", FIRMWARE, "panics")?.is_some() {
        bail!("the probe that panics has linked, so that linking proves nothing for the others");
    }
    marked::check(&marked::devices_page(), PART, &table(&rows), "cargo xtask size --write")?;
    no_floats()
}

/// Integer firmware holds no float routine where floats are routines; float firmware does, or nothing is proved.
fn no_floats() -> Result<()> {
    for target in ["thumbv6m-none-eabi", "riscv32imc-unknown-none-elf"] {
        for (profile, _) in PROFILES {
            // With the store: everything that integer firmware can hold.
            probe(target, profile, "int-store")?;
            let found = floats(&firmware::program(target, profile, "probe"))?;
            if !found.is_empty() {
                bail!("integer firmware for {target} calls {}", found.join(", "));
            }
        }
        probe(target, FIRMWARE, "gaussian")?;
        let found = floats(&firmware::program(target, FIRMWARE, "probe"))?;
        if found.is_empty() {
            bail!("no float routine in float firmware for {target}: the search finds nothing");
        }
        println!("{target}: no float routine in integer firmware, {} in float firmware", found.len());
    }
    Ok(())
}

/// The compiler's float routines among a program's symbols.
pub(crate) fn floats(elf: &Path) -> Result<Vec<String>> {
    let bytes = fs::read(elf)?;
    let file = object::File::parse(&*bytes)?;
    let names = file.symbols().filter_map(|symbol| symbol.name().ok().map(str::to_owned));
    Ok(names.filter(|name| is_float_routine(name)).collect())
}

/// `__aeabi_fadd`, `__aeabi_d2iz`, `__addsf3`, `__floatsidf` and similar ones, and the functions they call.
fn is_float_routine(name: &str) -> bool {
    let arm = ["__aeabi_f", "__aeabi_d", "__aeabi_cf", "__aeabi_cd", "__aeabi_i2f", "__aeabi_ui2f", "__aeabi_l2f"];
    let generic = name.starts_with("__") && (name.contains("sf") || name.contains("df"));
    generic || arm.iter().any(|start| name.starts_with(start)) || name.contains("compiler_builtins5float")
}

/// The Markdown table: bytes in the firmware's profile.
fn table(rows: &[Row]) -> String {
    let heads = PROBES.map(|(.., head)| head);
    let mut lines = vec![
        format!("| flash bytes of nearmark | {} |", heads.join(" | ")),
        format!("|---|{}", "---:|".repeat(heads.len())),
    ];
    for row in rows.iter().filter(|row| row.profile == FIRMWARE) {
        let cells = row.bytes.map(|bytes| bytes.map_or("panics".to_owned(), grouped));
        lines.push(format!("| `{}` | {} |", row.target, cells.join(" | ")));
    }
    lines.join("\n")
}

fn show(rows: &[Row]) {
    let heads: Vec<String> = PROBES.iter().map(|(.., head)| format!("{head:>14}")).collect();
    println!("{:30} opt-level  {}", "flash bytes of nearmark", heads.join("  "));
    for row in rows {
        let cell =
            |bytes: &Option<u64>| format!("{:>14}", bytes.map_or("panics".to_owned(), |bytes| bytes.to_string()));
        let cells: Vec<String> = row.bytes.iter().map(cell).collect();
        println!("{:30} {:>9}  {}", row.target, row.level, cells.join("  "));
    }
}

fn measure() -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for target in TARGETS {
        for (profile, level) in PROFILES {
            let mut bytes = [None; PROBES.len()];
            for (bytes, (probe, without, _)) in bytes.iter_mut().zip(PROBES) {
                *bytes = added(target, profile, probe, without)?;
            }
            rows.push(Row { target, profile, level, bytes });
        }
    }
    Ok(rows)
}

/// Flash of the whole runtime for models of one profile on a target, in the firmware's profile.
pub(crate) fn runtime(target: &str, int: bool) -> Result<u64> {
    added(target, FIRMWARE, if int { "int-all" } else { "all" }, "")?
        .with_context(|| format!("a path to a panic is left on {target}"))
}

/// Bytes that a probe with `feature` has over the one with `without`.
fn added(target: &str, profile: &str, feature: &str, without: &str) -> Result<Option<u64>> {
    let (with, without) = (probe(target, profile, feature)?, probe(target, profile, without)?);
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

/// Memory of a whole program on a board.
pub(crate) struct Memory {
    /// Code, constants, initial values.
    pub(crate) flash: u64,
    /// Static variables; the stack comes on top.
    pub(crate) ram: u64,
}

/// Memory of a program, by the kinds of its sections.
pub(crate) fn whole(elf: &Path) -> Result<Memory> {
    let bytes = fs::read(elf).with_context(|| format!("reading {}", elf.display()))?;
    let file = object::File::parse(&*bytes).with_context(|| format!("reading {}", elf.display()))?;
    let mut memory = Memory { flash: 0, ram: 0 };
    for section in file.sections() {
        let (flash, ram) = match section.kind() {
            SectionKind::Text | SectionKind::ReadOnlyData | SectionKind::ReadOnlyString => (true, false),
            SectionKind::Data => (true, true),
            // Some start-up crates put the remaining RAM into sections of their own.
            SectionKind::UninitializedData => (false, ![".heap", ".stack"].contains(&section.name()?)),
            _ => (false, false),
        };
        memory.flash += section.size() * u64::from(flash);
        memory.ram += section.size() * u64::from(ram);
    }
    Ok(memory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn float_routines_are_distinguished_from_integer_ones() {
        for float in ["__aeabi_fadd", "__aeabi_dmul", "__addsf3", "__floatsidf", "__aeabi_ui2f", "__aeabi_fcmplt"] {
            assert!(is_float_routine(float), "{float}");
        }
        for integer in ["__aeabi_uidiv", "__aeabi_lmul", "__clzsi2", "__udivsi3", "_start", "__aeabi_memcpy"] {
            assert!(!is_float_routine(integer), "{integer}");
        }
    }
}
