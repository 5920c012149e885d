//! The user's Rust toolchain: whether it has what a build needs, and how it is called.

use super::VendoredError;
use std::{
    env, io,
    path::Path,
    process::{Command, Output},
};

/// `cargo COMMAND`, quiet, without the environment's settings for other builds.
pub(super) fn cargo(command: &str) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.args([command, "--quiet", "--color", "never"]);
    for (name, _) in env::vars_os() {
        if configures_builds(&name.to_string_lossy()) {
            cargo.env_remove(name);
        }
    }
    cargo
}

/// Whether a variable configures the user's own builds: here it would change what is built, or where.
pub(super) fn configures_builds(variable: &str) -> bool {
    let names = ["CARGO_BUILD_TARGET", "CARGO_TARGET_DIR", "CARGO_INCREMENTAL", "CARGO_BUILD_INCREMENTAL"];
    names.contains(&variable) || variable.ends_with("RUSTFLAGS") || variable.starts_with("CARGO_PROFILE_")
}

/// Runs cargo to its end; its message becomes the error when it fails.
pub(super) fn run(command: &mut Command) -> Result<(), VendoredError> {
    let output = output(command, "cargo")?;
    if output.status.success() {
        return Ok(());
    }
    let words = [command.get_program()].into_iter().chain(command.get_args());
    let command = words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    let message = String::from_utf8_lossy(&output.stderr);
    // Warnings come first.
    let message = message.find("error").map_or(&*message, |at| &message[at..]).trim().to_owned();
    Err(VendoredError::Build(command, message))
}

/// The target of this machine.
///
/// # Errors
/// [`VendoredError::NoRust`] without a compiler.
pub fn host() -> Result<String, VendoredError> {
    let version = ask("rustc", &["-vV"])?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or(VendoredError::NoRust("rustc"))
}

/// Checks, before anything is built, that there is cargo and a compiler with the libraries of a target.
///
/// # Errors
/// What is missing, with the command that installs it.
pub fn ensure_target(target: &str) -> Result<(), VendoredError> {
    ask("cargo", &["--version"])?;
    if !ask("rustc", &["--print", "target-list"])?.lines().any(|known| known == target) {
        return Err(VendoredError::UnknownTarget(target.to_owned()));
    }
    // The compiler itself is asked, so that toolchains without rustup count too.
    let libraries = ask("rustc", &["--print", "target-libdir", "--target", target])?;
    if Path::new(libraries.trim()).is_dir() { Ok(()) } else { Err(VendoredError::NoTarget(target.to_owned())) }
}

/// What a program of the toolchain answers.
fn ask(program: &'static str, args: &[&str]) -> Result<String, VendoredError> {
    // A folder where no project chooses a compiler: the build will not run in the user's folder either.
    let output = output(Command::new(program).args(args).current_dir(env::temp_dir()), program)?;
    if !output.status.success() {
        return Err(VendoredError::NoRust(program));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn output(command: &mut Command, program: &'static str) -> Result<Output, VendoredError> {
    command.output().map_err(|why| match why.kind() {
        io::ErrorKind::NotFound => VendoredError::NoRust(program),
        _ => VendoredError::Build(program.to_owned(), why.to_string()),
    })
}
