//! C firmware under QEMU, and the flash that the library takes.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Result, bail};

use super::{
    gcc::ARM,
    library::{self, Build},
    model, symbols,
};
use crate::{
    command::{root, run},
    firmware,
};

/// A board of the runner script, and how C is compiled for it.
struct Board {
    name: &'static str,
    target: &'static str,
    options: &'static [&'static str],
}

/// Without and with a floating-point unit: floats are passed in different registers.
const BOARDS: [Board; 2] = [
    Board { name: "m0", target: "thumbv6m-none-eabi", options: &["-mcpu=cortex-m0", "-mthumb"] },
    Board {
        name: "m4f",
        target: "thumbv7em-none-eabihf",
        options: &["-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"],
    },
];

/// Every type of sample, both profiles, a model with names and one that votes.
const MODELS: [&str; 6] =
    ["family-cmvda", "knn-5", "linear-i8", "int-linear-u8", "int-gaussian", "int-window-interleaved"];

/// What is measured: a title, the library's features, and the function that a program calls beside `nearmark_open`.
type Program = (&'static str, Option<&'static str>, &'static str);
const PROGRAMS: [Program; 3] = [
    ("classify_f32, f32 gaussian", Some("f32,project,gaussian"), "nearmark_classify_f32"),
    (INTEGER, Some("int,project,gaussian"), "nearmark_classify_i16"),
    ("classify_f32, every stage", None, "nearmark_classify_f32"),
];
const INTEGER: &str = "classify_i16, int gaussian";

/// The function that the panic handler calls.
const PANIC: &str = "nearmark_panicked";

/// Builds, measures and runs on each board.
pub(crate) fn check() -> Result<()> {
    ARM.ensure()?;
    for board in &BOARDS {
        for program in PROGRAMS {
            measure(board, program)?;
        }
        let library = library::build(board.target, Build::Small(None))?;
        whole(board, &library)?;
        // One bit that differs ends with an error: or that the others do not proves nothing.
        let (passed, printed) = play(board, &library, MODELS[0], model::write_altered)?;
        if passed || !printed.contains(" 1 differ") {
            bail!("{}: a differing bit is not detected: {printed}", board.name);
        }
        println!("{}: one expected bit altered, and the firmware fails", board.name);
        for name in MODELS {
            let (passed, printed) = play(board, &library, name, model::write)?;
            println!("{} {name}: {printed}", board.name);
            if !passed {
                bail!("{} {name}: the firmware fails", board.name);
            }
        }
    }
    Ok(())
}

/// Links a program and prints its size; one of integers has no float routine.
fn measure(board: &Board, (title, features, function): Program) -> Result<()> {
    let library = library::build(board.target, Build::Small(features))?;
    let elf = link(board, &library, &[function])?;
    report(board, &elf, title)?;
    // Where there is a float unit, floats are no routines.
    let floats = symbols::has(&elf, |name| name.starts_with("__aeabi_f"))?;
    if board.name == "m0" && floats == (title == INTEGER) {
        bail!("'{title}' {} float routines", if floats { "has" } else { "has no" });
    }
    Ok(())
}

/// Measures a program with every function. Also checks that the panic handler is found where it exists: otherwise not
/// finding it elsewhere would prove nothing.
fn whole(board: &Board, library: &Path) -> Result<()> {
    let variables = symbols::variables(library)?;
    if !variables.is_empty() {
        bail!("{}: the library keeps variables: {}", board.name, variables.join(", "));
    }
    let all = symbols::functions(library)?;
    let functions: Vec<&str> = all.iter().map(String::as_str).collect();
    report(board, &link(board, library, &functions)?, &format!("all {} functions, every stage", functions.len()))?;
    if !symbols::has(&link(board, library, &[PANIC])?, |name| name == PANIC)? {
        bail!("{PANIC} is not found in a program that contains it");
    }
    Ok(())
}

fn report(board: &Board, elf: &Path, title: &str) -> Result<()> {
    if symbols::has(elf, |name| name == PANIC)? {
        bail!("{}: a path to a panic is left in '{title}'", board.name);
    }
    println!("{}: {:5} bytes of flash, no panic: {title}", board.name, symbols::flash(elf)?);
    Ok(())
}

/// A program that holds these functions and what they call, and nothing else. It is never run.
fn link(board: &Board, library: &Path, functions: &[&str]) -> Result<PathBuf> {
    let elf = root().join("target/c").join(format!("{}-size.elf", board.name));
    let mut command = ARM.command();
    command.args(board.options).args(["-nostdlib", "-Wl,--gc-sections", "-Wl,--entry=nearmark_open"]);
    command.args(functions.iter().map(|name| format!("-Wl,--undefined={name}")));
    run(command.arg(library).arg("-o").arg(&elf))?;
    Ok(elf)
}

/// Whether the firmware succeeds with a model, and what it prints.
fn play(board: &Board, library: &Path, name: &str, write: fn(&str, &Path) -> Result<()>) -> Result<(bool, String)> {
    let folder = root().join("target/c").join(format!("{}-{name}", board.name));
    write(name, &folder)?;
    let elf = compile(board, library, &folder)?;
    let output = Command::new(firmware::folder().join("qemu")).arg(board.name).arg(elf).output()?;
    // QEMU writes what the board prints, and its own complaints, to the same place.
    let printed = String::from_utf8_lossy(&output.stderr).trim_end().replace('\n', ", ");
    Ok((output.status.success(), printed))
}

fn compile(board: &Board, library: &Path, folder: &Path) -> Result<PathBuf> {
    let example = root().join("examples/c-firmware");
    let elf = folder.join("firmware.elf");
    let mut command = ARM.command();
    command.args(board.options).args(["-std=c99", "-Os", "-ffreestanding", "-ffunction-sections", "-fdata-sections"]);
    command.args(["-Wall", "-Wextra", "-Werror", "-nostdlib", "-Wl,--gc-sections", "-Wl,-z,noexecstack"]);
    for include in [&root().join("runtime/c/include"), folder] {
        command.arg("-I").arg(include);
    }
    command.arg("-L").arg(&example).arg(format!("-T{}.ld", board.name));
    command.args(["main.c", "startup.c"].map(|file| example.join(file))).arg(library);
    run(command.arg("-o").arg(&elf))?;
    Ok(elf)
}
