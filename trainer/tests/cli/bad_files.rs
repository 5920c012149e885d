//! Files and command lines that are not what they should be.

use crate::sandbox::{Outcome, Sandbox, clouds};
use std::fs;

fn with_model() -> Outcome<Sandbox> {
    let sandbox = Sandbox::new()?;
    sandbox.write("rows.csv", clouds(6))?;
    sandbox.ok("fit rows.csv -o m.nmk")?;
    Ok(sandbox)
}

/// Every command that reads a model.
const READERS: [&str; 6] = [
    "eval M rows.csv",
    "predict M rows.csv -o answers.csv",
    "embed M rows.csv -o z.npy",
    "inspect M",
    "strip M -o core.nmk",
    "export M --lang rust -o firmware",
];

fn all_refuse(sandbox: &Sandbox, model: &str, parts: &[&str]) -> Outcome {
    for line in READERS {
        let line = line.replace('M', model);
        sandbox.fails(&line, 1, &[parts, &["reading", model]].concat())?;
    }
    Ok(())
}

#[test]
fn a_model_of_another_version_is_refused_by_its_number() -> Outcome {
    let sandbox = with_model()?;
    let mut bytes = fs::read(sandbox.path("m.nmk"))?;
    bytes[4] = 9;
    sandbox.write("future.nmk", bytes)?;
    all_refuse(&sandbox, "future.nmk", &["version 9"])
}

#[test]
fn truncated_and_flipped_models_are_refused() -> Outcome {
    let sandbox = with_model()?;
    let bytes = fs::read(sandbox.path("m.nmk"))?;
    for cut in [0, 3, 31, 40, bytes.len() / 2, bytes.len() - 1] {
        sandbox.write("cut.nmk", &bytes[..cut])?;
        all_refuse(&sandbox, "cut.nmk", &[])?;
    }
    for at in [0, 20, 45, bytes.len() / 2, bytes.len() - 2] {
        let mut flipped = bytes.clone();
        flipped[at] ^= 0x10;
        sandbox.write("flipped.nmk", flipped)?;
        all_refuse(&sandbox, "flipped.nmk", &[])?;
    }
    sandbox.write("text.nmk", "this is no model at all, but a line of text that is long enough to be one")?;
    all_refuse(&sandbox, "text.nmk", &[])
}

#[test]
fn files_that_are_not_there_are_named() -> Outcome {
    let sandbox = with_model()?;
    all_refuse(&sandbox, "none.nmk", &["o such file"])?;
    sandbox.fails("fit none.csv -o new.nmk", 1, &["reading none.csv", "o such file"])?;
    sandbox.fails("fit rows.xyz -o new.nmk", 1, &["reading rows.xyz"])?;
    sandbox.fails("fit builtin:nothing -o new.nmk", 1, &["reading builtin:nothing", "digits", "gestures"])?;
    sandbox.fails("fit rows.csv -o nowhere/new.nmk", 1, &["writing nowhere/new.nmk"])?;
    sandbox.fails("fit --config none.toml", 1, &["reading none.toml"])?;
    Ok(())
}

#[test]
fn damaged_data_files_are_refused() -> Outcome {
    let sandbox = Sandbox::new()?;
    for name in ["x.npz", "X.npy", "x.parquet", "x.csv.gz"] {
        sandbox.write(name, "certainly not what the name says")?;
        let labels = if name == "X.npy" { " --labels X.npy" } else { "" };
        sandbox.fails(&format!("fit {name} -o new.nmk{labels}"), 1, &["reading", name])?;
    }
    Ok(())
}

#[test]
fn wrong_usage_ends_with_2() -> Outcome {
    let sandbox = with_model()?;
    let usage = [
        "fit rows.csv",
        "fit -o new.nmk",
        "fit rows.csv -o new.nmk --set mu1=3",
        "fit rows.csv -o new.nmk --set ridge=much",
        "fit rows.csv -o new.nmk --set ridge=-1",
        "fit rows.csv -o new.nmk --method lda --features exact",
        "fit rows.csv -o new.nmk --series 3x4",
        "fit rows.csv -o new.nmk --pool 2",
        "fit rows.csv -o new.nmk --holdout 1.5",
        "fit rows.csv -o new.nmk --window stats",
        "predict m.nmk rows.csv -o answers.xls",
    ];
    for line in usage {
        sandbox.fails(line, 2, &[])?;
    }
    for line in ["", "fit rows.csv -o x.nmk --method nonsense", "fit rows.csv -o x.nmk --head knn", "fly", "eval m.nmk"]
    {
        let ran = sandbox.run(&line.split_whitespace().collect::<Vec<_>>())?;
        assert_eq!(ran.code, 2, "{line}");
        assert!(!ran.stderr.is_empty(), "{line}");
    }
    Ok(())
}

#[test]
fn nothing_is_written_over_what_is_read() -> Outcome {
    let sandbox = with_model()?;
    sandbox.ok("fit rows.csv -o out.nmk")?;
    for line in [
        "fit rows.csv -o rows.csv",
        "fit rows.csv -o new.nmk --save-config rows.csv",
        "fit rows.csv -o new.nmk --save-config new.nmk",
        "predict m.nmk rows.csv -o rows.csv",
        "embed m.nmk rows.csv -o ./rows.csv",
        "export m.nmk -o .",
        "compare rows.csv -o rows.csv --methods lda,knn",
    ] {
        sandbox.fails(line, 2, &[])?;
    }
    sandbox.fails("fit rows.csv -o new.nmk --save-config nowhere/run.toml", 1, &["nowhere"])?;
    sandbox.ok("strip out.nmk")?;
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link() -> Outcome {
    let sandbox = with_model()?;
    std::os::unix::fs::symlink(sandbox.path("m.nmk"), sandbox.path("link.nmk"))?;
    sandbox.ok("fit rows.csv -o link.nmk --method lda")?;
    assert!(fs::symlink_metadata(sandbox.path("link.nmk"))?.is_symlink());
    assert_eq!(sandbox.ok("inspect m.nmk --json")?.json()?["method"], "lda");
    Ok(())
}

#[test]
fn a_full_disk_leaves_the_older_file_intact() -> Outcome {
    let sandbox = with_model()?;
    let binary = env!("CARGO_BIN_EXE_nearmark");
    sandbox.write("old.nmk", "an older model")?;
    // No file may grow beyond one block of 1024 bytes: writing fails as on a disk that is full.
    let shell = |line: &str| -> Outcome<crate::sandbox::Ran> {
        let limited = format!("trap '' XFSZ; ulimit -f 1; exec '{binary}' {line}");
        let mut command = std::process::Command::new("bash");
        command.arg("-c").arg(limited).current_dir(sandbox.path(""));
        crate::sandbox::Ran::of(command.output()?)
    };
    sandbox.ok("fit builtin:digits:train -o digits.nmk --method lda")?;
    let before = sandbox.files()?;
    for line in [
        "fit builtin:digits:train -o old.nmk --method lda",
        "fit builtin:digits:train -o new.nmk --method lda",
        "predict digits.nmk builtin:digits:test -o old.nmk.csv",
        "strip digits.nmk -o old.nmk",
        "export digits.nmk -o . --name old",
        "export digits.nmk -o . --name old --lang c --no-library",
    ] {
        let ran = shell(line)?;
        assert_eq!(ran.code, 1, "{line}\n{}", ran.stderr);
        assert!(ran.stderr.lines().last().is_some_and(|last| last.starts_with("nearmark: writing")), "{}", ran.stderr);
        assert!(sandbox.files()? == before, "{line}: the folder has changed");
    }
    Ok(())
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_stdout_is_a_failure() -> Outcome {
    let sandbox = with_model()?;
    for line in ["eval m.nmk rows.csv", "predict m.nmk rows.csv", "predict m.nmk rows.csv --json", "--help"] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full")?;
        let output = sandbox.command().args(line.split_whitespace()).stdout(full).output()?;
        let ran = crate::sandbox::Ran::of(output)?;
        assert_eq!(ran.code, 1, "{line}\n{}", ran.stderr);
        assert!(ran.stderr.contains("writing to stdout"), "{line}\n{}", ran.stderr);
    }
    Ok(())
}
