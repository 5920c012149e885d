//! Models on emulated boards, by the binary, in a folder outside the repository and with an empty cache.
//!
//! They need QEMU and the boards' targets: `cargo xtask device` has both and runs them.
#![allow(missing_docs)]

#[path = "cli/sandbox.rs"]
#[allow(dead_code, reason = "the other tests use the rest")]
mod sandbox;

use sandbox::{Outcome, Ran, Sandbox};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Every board, and whether it has a float unit.
const BOARDS: [(&str, bool); 5] = [("m0", false), ("m4f", true), ("m7", true), ("m33", true), ("rv32", false)];
const KEYS: [&str; 9] = [
    "accuracy",
    "n",
    "differences",
    "instructions_median",
    "instructions_max",
    "flash_bytes",
    "model_bytes",
    "ram_bytes",
    "stack_bytes",
];

/// Two models of the digits, floats and integers, and a cache in the folder.
fn with_models() -> Outcome<Sandbox> {
    let sandbox = Sandbox::new()?;
    let fit = "fit builtin:digits:train --features nystrom:30 --pca 16";
    sandbox.ok(&format!("{fit} -o float.nmk"))?;
    sandbox.ok(&format!("{fit} -o int.nmk --numeric i8"))?;
    Ok(sandbox)
}

fn command(sandbox: &Sandbox, line: &str) -> Command {
    let mut command = sandbox.command();
    command.args(line.split_whitespace()).env("NEARMARK_CACHE", sandbox.path("cache"));
    command
}

fn run(sandbox: &Sandbox, line: &str) -> Outcome<Ran> {
    Ran::of(command(sandbox, line).output()?)
}

/// Runs with `--json`, and expects success.
fn measure(sandbox: &Sandbox, line: &str) -> Outcome<Value> {
    let ran = run(sandbox, &format!("{line} --json"))?;
    assert_eq!(ran.code, 0, "{line}\n{}", ran.stderr);
    ran.json()
}

/// The sources that the tool has unpacked.
fn unpacked(sandbox: &Sandbox) -> Outcome<PathBuf> {
    let mut folders = fs::read_dir(sandbox.path("cache"))?;
    Ok(folders.next().ok_or("nothing was unpacked")??.path())
}

#[test]
#[ignore = "needs QEMU: cargo xtask device"]
fn five_boards_answer_as_the_host_does() -> Outcome {
    let sandbox = with_models()?;
    for (board, float_unit) in BOARDS {
        for model in ["int", "float"] {
            let rows = if float_unit || model == "int" { "" } else { "--rows 30" };
            let found = measure(&sandbox, &format!("device {model}.nmk builtin:digits:test --board {board} {rows}"))?;
            for key in KEYS {
                assert!(found[key].is_number(), "{board} {model}: {key}\n{found}");
            }
            assert_eq!(found["differences"], 0, "{board} {model}\n{found}");
            if rows.is_empty() {
                let host = sandbox.ok(&format!("eval {model}.nmk builtin:digits:test --json"))?.json()?;
                assert_eq!((&found["accuracy"], &found["n"]), (&host["accuracy"], &host["n"]), "{board} {model}");
            }
            let inspect = sandbox.ok(&format!("inspect {model}.nmk --json"))?.json()?;
            assert_eq!(found["model_bytes"], inspect["flash_bytes"]);
            assert_eq!(found["ram_bytes"], inspect["ram_bytes"]);
            // A few thousand bytes of code; more work without a float unit; a stack that was scratched.
            let number = |key: &str| found[key].as_u64().unwrap_or(0);
            assert!((2_000..9_000).contains(&number("code_bytes")), "{board} {model}\n{found}");
            assert_eq!(number("flash_bytes"), number("code_bytes") + number("model_bytes"));
            let most = if float_unit || model == "int" { 40_000 } else { 1_500_000 };
            assert!((2_000..most).contains(&number("instructions_median")), "{board} {model}\n{found}");
            assert!(number("instructions_median") <= number("instructions_max"), "{board} {model}\n{found}");
            // The shape alone tells the instructions to 10 %.
            let error = number("instructions_predicted") as f64 / number("instructions_median") as f64 - 1.0;
            assert!(error.abs() <= 0.1, "{board} {model}: {error:+.3}\n{found}");
            assert!((100..1024).contains(&number("stack_bytes")), "{board} {model}\n{found}");
            println!("{board} {model}: {} instructions, predicted {error:+.3}", found["instructions_median"]);
        }
    }
    let plain = measure(&sandbox, "device int.nmk builtin:digits:test --board m4f --rows 50")?;
    assert_eq!(plain["n"], 50);
    let dsp = measure(&sandbox, "device int.nmk builtin:digits:test --board m4f --dsp --rows 50")?;
    assert_eq!(dsp["differences"], 0);
    assert!(dsp["instructions_median"].as_u64() < plain["instructions_median"].as_u64(), "{dsp}");
    let text = run(&sandbox, "device int.nmk builtin:digits:test --board m0")?.stdout;
    for part in ["accuracy", "differences   0 rows", "median", "library", "instructions, not cycles"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    Ok(())
}

/// Rows that are not integers go to an integer model as floats, as on the host; windows keep their driver's order.
#[test]
#[ignore = "needs QEMU: cargo xtask device"]
fn floats_windows_and_every_kind_of_head_keep_their_bits() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.ok("fit builtin:gestures:train -o float.nmk --interleaved")?;
    sandbox.ok("fit builtin:gestures:train -o int.nmk --numeric i8")?;
    sandbox.ok("fit builtin:digits:train -o near.nmk --method lda --head knn:3 --numeric i8")?;
    for (line, sample) in [
        ("float.nmk builtin:gestures:test --board m4f", "f32"),
        ("int.nmk builtin:gestures:test --board m33", "f32"),
        ("near.nmk builtin:digits:test --board rv32 --rows 60", "u8"),
    ] {
        let found = measure(&sandbox, &format!("device {line}"))?;
        assert_eq!((&found["differences"], &found["sample_type"]), (&0.into(), &sample.into()), "{line}\n{found}");
    }
    Ok(())
}

/// Ids and distances of the nearest items, in floats and integers, labelled or not; a wrong id is noticed.
#[test]
#[ignore = "needs QEMU: cargo xtask device"]
fn five_boards_find_the_items_that_the_host_finds() -> Outcome {
    let sandbox = Sandbox::new()?;
    let fit = "fit builtin:digits:test --method ebek --head items";
    sandbox.ok(&format!("{fit} -o float.nmk"))?;
    sandbox.ok(&format!("{fit} -o int.nmk --numeric i8 --unlabelled"))?;
    let line = |model: &str, board: &str| format!("device {model}.nmk builtin:digits:train --board {board} --rows 20");
    for (board, _) in BOARDS {
        for model in ["int", "float"] {
            let found = measure(&sandbox, &line(model, board))?;
            assert_eq!(
                (&found["differences"], &found["different"]["items"]),
                (&0.into(), &0.into()),
                "{board} {model}"
            );
            assert_eq!(
                found["accuracy"].is_null(),
                model == "int",
                "{board} {model}: accuracy where there are classes"
            );
        }
    }
    copy(&unpacked(&sandbox)?, &sandbox.path("changed"))?;
    let path = sandbox.path("changed/runtime/src/items.rs");
    let source = fs::read_to_string(&path)?;
    let changed = source.replace("map_or(seen as u32,", "map_or(seen as u32 ^ 1,");
    assert_ne!(source, changed);
    fs::write(&path, changed)?;
    let ran = run(&sandbox, &format!("{} --runtime changed/runtime --json", line("int", "m4f")))?;
    assert_eq!((ran.code, &ran.json()?["different"]["items"]), (1, &20.into()), "{}", ran.stderr);
    assert_eq!(ran.json()?["different"]["distances"], 0);
    Ok(())
}

#[test]
#[ignore = "needs QEMU: cargo xtask device"]
fn one_rounding_changed_is_noticed() -> Outcome {
    let sandbox = with_models()?;
    let line = "device int.nmk builtin:digits:test --board m4f --rows 40";
    measure(&sandbox, line)?;
    copy(&unpacked(&sandbox)?, &sandbox.path("changed"))?;
    let same = measure(&sandbox, &format!("{line} --runtime changed/runtime"))?;
    assert_eq!(same["differences"], 0, "{same}");
    // Downward instead of to the nearest.
    let path = sandbox.path("changed/runtime/src/int/rescale.rs");
    let source = fs::read_to_string(&path)?;
    let changed = source.replace("t.wrapping_add(half(shift)).wrapping_shr", "t.wrapping_shr");
    assert_ne!(source, changed);
    fs::write(&path, changed)?;
    let ran = run(&sandbox, &format!("{line} --runtime changed/runtime --json"))?;
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("rows differ between board and host"), "{}", ran.stderr);
    let found = ran.json()?;
    for kind in [&found["differences"], &found["different"]["distances"], &found["different"]["embedding"]] {
        assert!(kind.as_u64().is_some_and(|rows| rows > 0), "{found}");
    }
    // The tool's own runtime is still what it was.
    assert_eq!(measure(&sandbox, line)?["differences"], 0);
    Ok(())
}

#[test]
#[ignore = "needs QEMU: cargo xtask device"]
fn two_at_once_wait_for_each_other_and_the_next_builds_nothing() -> Outcome {
    let sandbox = with_models()?;
    let line = "device int.nmk builtin:digits:test --board rv32 --rows 5 --json";
    let both = [command(&sandbox, line), command(&sandbox, line)]
        .map(|mut command| std::thread::spawn(move || command.output()));
    for thread in both {
        let ran = Ran::of(thread.join().map_err(|_| "the thread panicked")??)?;
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(ran.json()?["differences"], 0);
    }
    // What cargo built is gone: the programs themselves are kept.
    fs::remove_dir_all(unpacked(&sandbox)?.join("target"))?;
    measure(&sandbox, line.trim_end_matches(" --json"))?;
    assert!(!unpacked(&sandbox)?.join("target").exists(), "it was built again");
    Ok(())
}

#[test]
#[ignore = "needs QEMU: cargo xtask device"]
fn every_example_in_the_help_runs() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.ok("fit builtin:digits:train -o digits.nmk --features nystrom:30")?;
    let help = sandbox.ok("device --help")?.stdout;
    let examples: Vec<&str> = help.lines().filter_map(|line| line.strip_prefix("  nearmark ")).collect();
    assert!(examples.len() >= 2, "{help}");
    for example in examples {
        let ran = run(&sandbox, example)?;
        assert_eq!(ran.code, 0, "{example}\n{}", ran.stderr);
    }
    Ok(())
}

/// The sources below a folder; what cargo built stays behind.
fn copy(from: &Path, to: &Path) -> Outcome {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_name() == "target" || entry.file_name() == "boards" {
            continue;
        }
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() { copy(&from, &to)? } else { fs::copy(from, to).map(drop)? }
    }
    Ok(())
}
