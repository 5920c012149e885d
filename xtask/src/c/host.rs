//! C programs on the host: golden models replayed, hostile arguments, threads.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use super::library::{self, Build};
use crate::command::{read, root, run};

const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"];
/// Dialects of C and C++ in which the header must compile.
const DIALECTS: [(&str, &str, &str); 4] =
    [("gcc", "c", "c99"), ("gcc", "c", "c17"), ("g++", "c++", "c++11"), ("g++", "c++", "c++20")];
/// Exit code of the thread sanitizer after a data race.
const RACE: i32 = 66;

/// Builds and runs all of them.
pub(crate) fn check() -> Result<()> {
    let target = host()?;
    dialects()?;
    let library = library::build(&target, Build::Sanitized("address"))?;
    let goldens = goldens()?;
    for (program, arguments) in [("replay", &goldens[..]), ("hostile", &[golden("linear")])] {
        let program = compile(program, &library, &["-O1", "-fsanitize=address,undefined"])?;
        print!("{}", read(Command::new(program).args(arguments))?);
    }
    threads(&target, &goldens)
}

/// Threads that share a model have no data race. When they share the scratch they do, which shows that the sanitizer
/// watches the Rust code too.
fn threads(target: &str, goldens: &[PathBuf]) -> Result<()> {
    let library = library::build(target, Build::Sanitized("thread"))?;
    let program = compile("threads", &library, &["-O1", "-fsanitize=thread", "-lpthread"])?;
    // A fixed address space: older sanitizers cannot live in a random one of many bits.
    let start = || {
        let mut command = Command::new("setarch");
        command.arg("-R").arg(&program);
        command
    };
    print!("{}", read(start().args(goldens))?);
    let race = start().arg("--share").arg(golden("gaussian")).output().context("cannot start setarch")?;
    let printed = String::from_utf8_lossy(&race.stderr);
    if race.status.code() != Some(RACE) || !printed.contains("runtime/src/") {
        bail!("ThreadSanitizer does not see a race inside the library: {}\n{printed}", race.status);
    }
    println!("threads: a shared scratch is seen as a race inside the library");
    Ok(())
}

/// The header alone, in each dialect, with every warning an error.
fn dialects() -> Result<()> {
    for (compiler, language, dialect) in DIALECTS {
        let mut command = Command::new(compiler);
        command.args(WARNINGS).args(["-x", language, &format!("-std={dialect}"), "-Wconversion", "-fsyntax-only"]);
        run(command.arg(root().join("runtime/c/tests/header.c")).arg(include()))?;
    }
    println!("nearmark.h compiles as {}", DIALECTS.map(|(_, _, dialect)| dialect).join(", "));
    Ok(())
}

fn compile(name: &str, library: &Path, options: &[&str]) -> Result<PathBuf> {
    let program = root().join("target/c").join(name);
    let mut gcc = Command::new("gcc");
    gcc.args(WARNINGS).args(["-std=c99", "-D_POSIX_C_SOURCE=200809L", "-g"]).arg(include());
    gcc.arg(root().join("runtime/c/tests").join(name).with_extension("c")).arg(library).args(options);
    run(gcc.arg("-o").arg(&program)).context("a C compiler for the host is needed: apt-get install gcc g++")?;
    Ok(program)
}

fn include() -> String {
    format!("-I{}", root().join("runtime/c/include").display())
}

fn golden(name: &str) -> PathBuf {
    root().join("tests/golden").join(name).with_extension("nmk")
}

/// Models that have expectations.
fn goldens() -> Result<Vec<PathBuf>> {
    let mut models = Vec::new();
    for entry in fs::read_dir(root().join("tests/golden"))? {
        let path = entry?.path();
        if path.extension() == Some(OsStr::new("nmk")) && path.with_extension("expect").exists() {
            models.push(path);
        }
    }
    models.sort();
    Ok(models)
}

/// The compiler's own target.
fn host() -> Result<String> {
    let version = read(Command::new("rustc").arg("-vV").current_dir(root()))?;
    let line = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(line.context("rustc prints no host")?.to_owned())
}
