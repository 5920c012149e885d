//! The firmware workspace: its folder, its boards, cargo inside it.

#[path = "../../trainer/harness/board/boards.rs"]
#[allow(dead_code, unreachable_pub, reason = "other users of the table read the other columns")]
mod boards;

use std::{
    path::{Path, PathBuf},
    process::Command,
};

pub(crate) use boards::{BOARDS, Board};

use crate::command::root;

/// `examples/firmware`.
pub(crate) fn folder() -> PathBuf {
    root().join("examples/firmware")
}

/// Its target folder, independent of `CARGO_TARGET_DIR`.
pub(crate) fn target_dir() -> PathBuf {
    folder().join("target")
}

/// `cargo ARGS` in the firmware workspace; words are split at spaces.
pub(crate) fn cargo(args: &str) -> Command {
    let mut command = Command::new("cargo");
    command.args(args.split_whitespace()).current_dir(folder()).env("CARGO_TARGET_DIR", target_dir());
    // An incremental build generates other code.
    command.env("CARGO_INCREMENTAL", "0");
    command
}

/// `cargo ARGS` in the workspace of the tool's harness; words are split at spaces.
pub(crate) fn harness(args: &str) -> Command {
    let mut command = Command::new("cargo");
    command.args(args.split_whitespace()).current_dir(root().join("trainer/harness"));
    command.env("CARGO_TARGET_DIR", target_dir());
    command
}

/// The program of a package or binary, as cargo names it.
pub(crate) fn program(target: &str, profile: &str, name: &str) -> PathBuf {
    Path::new(&target_dir()).join(target).join(profile).join(name)
}
