//! `arm-none-eabi-gcc`: the system's, or a private copy below `target/`.

use std::{env, path::PathBuf, process::Command};

use anyhow::{Context, Result};

use crate::{
    apt,
    command::{root, succeeds},
};

const PACKAGE: &str = "gcc-arm-none-eabi";
const PROGRAM: &str = "arm-none-eabi-gcc";

/// The compiler, ready for options. No C library comes with it, and none is needed.
pub(crate) fn command() -> Command {
    let private = folder().join("usr/bin").join(PROGRAM);
    if !private.exists() {
        return Command::new(PROGRAM);
    }
    let mut command = Command::new(private);
    // Assembler and linker are a package of their own, unpacked beside it unless the system has it.
    for tools in [folder().join("usr/lib/arm-none-eabi/bin"), PathBuf::from("/usr/lib/arm-none-eabi/bin")] {
        command.arg(format!("-B{}", tools.display()));
    }
    let mut libraries = vec![folder().join(format!("usr/lib/{}-linux-gnu", env::consts::ARCH))];
    libraries.extend(env::var_os("LD_LIBRARY_PATH").iter().flat_map(env::split_paths));
    if let Ok(libraries) = env::join_paths(libraries) {
        command.env("LD_LIBRARY_PATH", libraries);
    }
    command
}

/// Finds the compiler or gets it.
pub(crate) fn ensure() -> Result<()> {
    if !succeeds(command().arg("--version")) {
        println!("{PROGRAM} is not installed; unpacking a private copy into target/arm-gcc/root");
        apt::unpack(&[PACKAGE], &folder()).with_context(|| {
            format!("no {PROGRAM}, and no private copy could be made; install it: apt-get install {PACKAGE}")
        })?;
    }
    Ok(())
}

fn folder() -> PathBuf {
    root().join("target/arm-gcc/root")
}
