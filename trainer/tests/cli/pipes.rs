//! A reader that leaves early (`| head`, `| true`) is no failure: nothing is printed about it, and no file is lost.

use crate::sandbox::{Outcome, Ran, Sandbox, clouds};
use std::fs;
use std::io::PipeWriter;
use std::process::Stdio;

/// The writing end of a pipe that nobody reads.
fn closed() -> Outcome<PipeWriter> {
    let (reader, writer) = std::io::pipe()?;
    drop(reader);
    Ok(writer)
}

/// Runs with stdout into a closed pipe.
fn unread(sandbox: &Sandbox, line: &str) -> Outcome<Ran> {
    Ran::of(sandbox.command().args(line.split_whitespace()).stdout(closed()?).stderr(Stdio::piped()).output()?)
}

fn with_model() -> Outcome<Sandbox> {
    let sandbox = Sandbox::new()?;
    sandbox.write("rows.csv", clouds(6))?;
    sandbox.ok("fit rows.csv -o m.nmk")?;
    Ok(sandbox)
}

#[test]
fn every_command_ends_quietly_with_0_when_nobody_reads_its_output() -> Outcome {
    let sandbox = with_model()?;
    for line in [
        "--help",
        "fit --help",
        "--version",
        "completions bash",
        "fit rows.csv -o new.nmk --json",
        "eval m.nmk rows.csv",
        "eval m.nmk rows.csv --json",
        "predict m.nmk rows.csv",
        "predict m.nmk rows.csv --json",
        "embed m.nmk rows.csv",
        "embed m.nmk rows.csv --json",
        "inspect m.nmk",
        "inspect m.nmk --json",
        "compare rows.csv --methods lda,knn --cv 2",
        "strip m.nmk -o core.nmk --json",
        "export m.nmk -o out --json",
        "cache",
    ] {
        let ran = unread(&sandbox, line)?;
        assert_eq!(ran.code, 0, "{line}\n{}", ran.stderr);
        for word in ["panicked", "roken pipe", "stdout"] {
            assert!(!ran.stderr.contains(word), "{line}\n{}", ran.stderr);
        }
    }
    for file in ["new.nmk", "core.nmk", "out/m.rs"] {
        assert!(sandbox.path(file).is_file(), "{file}");
    }
    Ok(())
}

#[test]
fn a_failure_stays_a_failure_when_nobody_reads() -> Outcome {
    let sandbox = with_model()?;
    let ran = unread(&sandbox, "eval m.nmk none.csv")?;
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("none.csv"), "{}", ran.stderr);
    Ok(())
}

#[test]
fn the_model_is_written_though_nobody_reads_the_notes() -> Outcome {
    let sandbox = with_model()?;
    for (line, file) in [
        ("fit rows.csv -o new.nmk --holdout 0.25", "new.nmk"),
        ("predict m.nmk rows.csv -o answers.csv", "answers.csv"),
        ("export m.nmk -o out", "out/m.rs"),
    ] {
        let output = sandbox.command().args(line.split_whitespace()).stdout(closed()?).stderr(closed()?).output()?;
        assert_eq!(output.status.code(), Some(0), "{line}");
        assert!(sandbox.path(file).is_file(), "{line}");
    }
    // The same bytes as with somebody listening.
    sandbox.ok("fit rows.csv -o heard.nmk --holdout 0.25")?;
    assert!(fs::read(sandbox.path("new.nmk"))? == fs::read(sandbox.path("heard.nmk"))?);
    let refused = sandbox.command().args(["eval", "m.nmk", "none.csv"]).stderr(closed()?).output()?;
    assert_eq!(refused.status.code(), Some(1));
    let usage = sandbox.command().arg("fly").stderr(closed()?).output()?;
    assert_eq!(usage.status.code(), Some(2));
    Ok(())
}

#[test]
fn answers_stop_when_their_reader_leaves() -> Outcome {
    use std::io::{BufRead, BufReader};
    let sandbox = with_model()?;
    // More answers than a pipe holds, so that the tool is still writing when the reader leaves.
    let rows: String = clouds(6).lines().skip(1).collect::<Vec<_>>().repeat(4000).join("\n");
    sandbox.write("long.csv", format!("a,b,class\n{rows}\n"))?;
    for line in ["predict m.nmk long.csv", "embed m.nmk long.csv"] {
        let mut child =
            sandbox.command().args(line.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let mut first = String::new();
        BufReader::new(child.stdout.take().ok_or("no stdout")?).read_line(&mut first)?;
        assert!(first.starts_with(if line.starts_with("predict") { "label,distance" } else { "z0" }), "{first}");
        let ran = Ran::of(child.wait_with_output()?)?;
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{line}");
    }
    Ok(())
}
