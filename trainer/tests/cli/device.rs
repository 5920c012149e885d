//! What keeps a model off a board is told before anything is built; boards themselves are another test's.

use crate::sandbox::{Outcome, Ran, Sandbox, clouds};
use std::fs;

/// A small model, rows for it, and a folder without QEMU.
fn with_model(flags: &str) -> Outcome<Sandbox> {
    let sandbox = Sandbox::new()?;
    sandbox.write("rows.csv", clouds(8))?;
    sandbox.ok(&format!("fit rows.csv -o m.nmk {flags}"))?;
    fs::create_dir(sandbox.path("empty"))?;
    Ok(sandbox)
}

/// Runs with these settings of the environment, besides a cache that must stay empty and QEMU in `empty`.
fn run(sandbox: &Sandbox, line: &str, settings: &[(&str, &str)]) -> Outcome<Ran> {
    let before = sandbox.files()?;
    let mut command = sandbox.command();
    command.args(line.split_whitespace()).env("NEARMARK_CACHE", "cache").env("NEARMARK_QEMU", "empty");
    let ran = Ran::of(command.envs(settings.iter().copied()).output()?)?;
    assert_eq!(ran.stdout, "", "{line}");
    assert!(sandbox.files()? == before, "{line}: the folder has changed");
    Ok(ran)
}

/// Runs and expects a failure told in one line with all `parts`.
fn refused(sandbox: &Sandbox, line: &str, settings: &[(&str, &str)], parts: &[&str]) -> Outcome {
    let ran = run(sandbox, line, settings)?;
    assert_eq!(ran.code, 1, "{line}\n{}", ran.stderr);
    let last = ran.stderr.lines().last().unwrap_or_default();
    assert!(last.starts_with("nearmark: "), "{line}\n{}", ran.stderr);
    for part in parts {
        assert!(last.contains(part), "{line}: expected {part:?} in\n{}", ran.stderr);
    }
    Ok(())
}

#[test]
fn a_board_that_does_not_exist_is_told_with_those_that_do() -> Outcome {
    let sandbox = with_model("")?;
    for line in
        ["device m.nmk rows.csv --board m5", "device m.nmk rows.csv", "device m.nmk rows.csv --board m0 --rows 0"]
    {
        let ran = run(&sandbox, line, &[])?;
        assert_eq!(ran.code, 2, "{line}");
        assert!(!line.ends_with("m5") || ran.stderr.contains("m0, m4f, m7, m33, rv32"), "{}", ran.stderr);
    }
    Ok(())
}

#[test]
fn a_model_or_a_row_that_does_not_fit_the_board_is_refused_first() -> Outcome {
    let sandbox = with_model("")?;
    // 1257 centers of 64 floats.
    sandbox.ok("fit builtin:digits:train -o large.nmk")?;
    let large = ["the model takes ", " bytes of flash", "Cortex-M0 (microbit under QEMU) has room for 196608"];
    refused(&sandbox, "device large.nmk builtin:digits:test --board m0", &[], &large)?;
    let wide = |i: usize| {
        let values = (0..3100).map(|j| (((i * 31 + j * 7) % 23) as f64 / 8.0).to_string());
        values.chain([["x", "y"][i % 2].to_owned()]).collect::<Vec<_>>().join(",")
    };
    sandbox.write("wide.csv", (0..8).map(wide).collect::<Vec<_>>().join("\n"))?;
    sandbox.ok("fit wide.csv -o wide.nmk --method lda")?;
    let row = ["a row takes 12400 bytes", "Cortex-M0", "12252 in all"];
    refused(&sandbox, "device wide.nmk wide.csv --board m0", &[], &row)?;
    // On a larger board the next thing is missed.
    refused(&sandbox, "device wide.nmk wide.csv --board m4f", &[], &["qemu-system-arm"])
}

#[test]
fn rows_that_are_not_the_models_are_refused_first() -> Outcome {
    let sandbox = with_model("")?;
    sandbox.write("wide.csv", "a,b,c,class\n1,2,3,low\n4,5,6,high\n")?;
    refused(&sandbox, "device m.nmk wide.csv --board m4f", &[], &["takes 2 input values, got 3"])?;
    sandbox.write("strange.csv", "a,b,class\n1,2,low\n4,5,strange\n")?;
    refused(&sandbox, "device m.nmk strange.csv --board m4f", &[], &["label 'strange' is not a class of the model"])
}

#[test]
fn instructions_that_are_of_no_use_are_refused() -> Outcome {
    let sandbox = with_model("--numeric i8")?;
    sandbox.ok("fit rows.csv -o float.nmk")?;
    refused(&sandbox, "device m.nmk rows.csv --board m0 --dsp", &[], &["Cortex-M0 has none", "m4f"])?;
    refused(&sandbox, "device float.nmk rows.csv --board m4f --dsp", &[], &["computes in f32"])
}

#[test]
fn another_runtime_must_be_one() -> Outcome {
    let sandbox = with_model("")?;
    refused(&sandbox, "device m.nmk rows.csv --board m0 --runtime empty", &[], &["empty", "no crate nearmark"])?;
    // One that cannot be read is not one that is missing.
    sandbox.write("Cargo.toml", [0xff])?;
    refused(&sandbox, "device m.nmk rows.csv --board m0 --runtime .", &[], &["Cargo.toml", "UTF-8"])
}

#[test]
fn without_qemu_the_package_is_named() -> Outcome {
    let sandbox = with_model("")?;
    let arm = ["qemu-system-arm was not found", "apt-get install qemu-system-arm", "NEARMARK_QEMU"];
    refused(&sandbox, "device m.nmk rows.csv --board m33", &[], &arm)?;
    let risc = ["qemu-system-riscv32 was not found", "apt-get install qemu-system-misc"];
    refused(&sandbox, "device m.nmk rows.csv --board rv32", &[], &risc)
}

#[cfg(unix)]
#[test]
fn without_compiler_or_target_the_command_that_helps_is_named() -> Outcome {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = with_model("")?;
    let script = |name: &str, text: &str| -> Outcome {
        sandbox.write(name, format!("#!/bin/sh\n{text}\n"))?;
        Ok(fs::set_permissions(sandbox.path(name), fs::Permissions::from_mode(0o755))?)
    };
    fs::create_dir(sandbox.path("qemu"))?;
    script("qemu/qemu-system-arm", "exit 1")?;
    let line = "device m.nmk rows.csv --board m0";
    let empty = sandbox.path("empty").display().to_string();
    refused(&sandbox, line, &[("NEARMARK_QEMU", "qemu"), ("PATH", &empty)], &["cargo is needed", "https://rustup.rs"])?;
    // A compiler that knows the target and has no libraries for it.
    fs::create_dir(sandbox.path("tools"))?;
    script("tools/cargo", "exit 0")?;
    script("tools/rustc", "case $2 in target-list) echo thumbv6m-none-eabi;; *) echo /nowhere;; esac")?;
    let tools = sandbox.path("tools").display().to_string();
    let target = ["thumbv6m-none-eabi", "rustup target add thumbv6m-none-eabi"];
    refused(&sandbox, line, &[("NEARMARK_QEMU", "qemu"), ("PATH", &tools)], &target)
}
