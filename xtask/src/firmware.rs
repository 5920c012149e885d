//! The firmware workspace: its folder, its boards, cargo inside it.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use crate::command::root;

/// A board that QEMU emulates.
pub(crate) struct Board {
    /// Cargo feature, cargo alias and name for the runner, all the same.
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) target: &'static str,
    /// Whether it has DSP instructions; `cargo NAME-dsp` uses them.
    pub(crate) dsp: bool,
}

pub(crate) const BOARDS: [Board; 5] = [
    Board { name: "m0", title: "Cortex-M0", target: "thumbv6m-none-eabi", dsp: false },
    Board { name: "m4f", title: "Cortex-M4F", target: "thumbv7em-none-eabihf", dsp: true },
    Board { name: "m7", title: "Cortex-M7", target: "thumbv7em-none-eabihf", dsp: true },
    Board { name: "m33", title: "Cortex-M33", target: "thumbv8m.main-none-eabihf", dsp: true },
    Board { name: "rv32", title: "RV32IMC", target: "riscv32imc-unknown-none-elf", dsp: false },
];

/// `examples/firmware`.
pub(crate) fn folder() -> PathBuf {
    root().join("examples/firmware")
}

/// Where its programs are built, whatever the environment says of other workspaces.
pub(crate) fn target_dir() -> PathBuf {
    folder().join("target")
}

/// `cargo ARGS` in the firmware workspace; words are split at spaces.
pub(crate) fn cargo(args: &str) -> Command {
    let mut command = Command::new("cargo");
    command.args(args.split_whitespace()).current_dir(folder()).env("CARGO_TARGET_DIR", target_dir());
    // An incremental build is other code.
    command.env("CARGO_INCREMENTAL", "0");
    command
}

/// The program of a package or binary, as cargo names it.
pub(crate) fn program(target: &str, profile: &str, name: &str) -> PathBuf {
    Path::new(&target_dir()).join(target).join(profile).join(name)
}
