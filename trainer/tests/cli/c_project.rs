//! `nearmark export --lang c`: everything that a C project needs.

use crate::sandbox::{Outcome, Ran, Sandbox, clouds};
use std::fs;
use std::process::Command;

fn with_model() -> Outcome<Sandbox> {
    let sandbox = Sandbox::new()?;
    sandbox.write("rows.csv", clouds(6))?;
    sandbox.ok("fit rows.csv -o clouds.nmk")?;
    Ok(sandbox)
}

/// The command that the header tells, with every warning an error.
fn compile(sandbox: &Sandbox, folder: &str, name: &str) -> Outcome<Ran> {
    let header = fs::read_to_string(sandbox.path(folder).join(name).with_extension("h"))?;
    let line = header.lines().find_map(|line| line.strip_prefix(" *     ")).ok_or("no command in the header")?;
    let mut words = line.split_whitespace();
    let mut command = Command::new(words.next().ok_or("an empty command")?);
    command.args(words).args(["-Wall", "-Wextra", "-Wpedantic", "-Werror"]).current_dir(sandbox.path(folder));
    Ran::of(command.output()?)
}

#[test]
fn a_project_compiles_by_its_own_command_and_runs() -> Outcome {
    let sandbox = with_model()?;
    let told = sandbox.ok("export clouds.nmk --lang c -o out --json")?.json()?;
    let files = ["nearmark.h", "clouds.h", "clouds.c", "main.c", "libnearmark_c.a"].map(|name| format!("out/{name}"));
    assert_eq!(told["files"], serde_json::json!(files));
    let compiled = compile(&sandbox, "out", "clouds")?;
    assert_eq!((compiled.code, compiled.stderr.as_str()), (0, ""));
    let ran = Ran::of(Command::new(sandbox.path("out/clouds")).output()?)?;
    let header = fs::read_to_string(sandbox.path("out/clouds.h"))?;
    let vector = |what: &str| {
        let line = header.lines().find_map(|line| line.strip_prefix(&format!("#define CLOUDS_VECTOR_{what} ")));
        line.map(|value| value.trim_start_matches("UINT32_C(").trim_end_matches(')').to_owned()).ok_or("no vector")
    };
    let name = ["high", "low"][vector("CLASS")?.parse::<usize>()?];
    let expected = format!(
        "class {} ({name}), raw squared distance {}, to the next class {}\n",
        vector("CLASS")?,
        vector("DISTANCE")?,
        vector("RUNNER_UP")?
    );
    assert_eq!((ran.code, ran.stdout), (0, expected));
    Ok(())
}

#[test]
fn a_main_that_is_there_is_not_written_over() -> Outcome {
    let sandbox = with_model()?;
    sandbox.ok("export clouds.nmk --lang c -o out --no-library")?;
    assert!(!sandbox.path("out/libnearmark_c.a").exists());
    sandbox.write("out/main.c", "mine")?;
    sandbox.write("out/clouds.c", "not mine")?;
    let told = sandbox.ok("export clouds.nmk --lang c -o out --no-library")?.stderr;
    assert!(told.contains("out/main.c is already there"), "{told}");
    assert_eq!(fs::read_to_string(sandbox.path("out/main.c"))?, "mine");
    assert!(fs::read_to_string(sandbox.path("out/clouds.c"))?.contains("clouds_self_test"));
    Ok(())
}

#[test]
fn what_the_library_lacks_is_told_before_anything_is_written() -> Outcome {
    let sandbox = with_model()?;
    // A target that nobody builds libraries for; one that is none.
    sandbox.fails(
        "export clouds.nmk --lang c -o out --target avr-none",
        1,
        &["rustup target add avr-none", "--no-library"],
    )?;
    sandbox.fails(
        "export clouds.nmk --lang c -o out --target m99",
        1,
        &["no target 'm99'", "m0, m4f, m7, m33, rv32"],
    )?;
    for flag in ["--target m0", "--no-library", "--all-stages"] {
        sandbox.fails(&format!("export clouds.nmk --lang rust -o out {flag}"), 2, &["--lang c"])?;
    }
    let before = sandbox.files()?;
    let args = ["export", "clouds.nmk", "--lang", "c", "-o", "out"];
    // No cargo; a cache that is a file.
    for (name, value, part) in [("PATH", "", "https://rustup.rs"), ("NEARMARK_CACHE", "rows.csv", "rows.csv")] {
        let ran = Ran::of(sandbox.command().args(args).env(name, value).output()?)?;
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert!(ran.stderr.lines().last().is_some_and(|line| line.contains(part)), "{}", ran.stderr);
        assert!(sandbox.files()? == before, "{name}: the folder has changed");
    }
    Ok(())
}
