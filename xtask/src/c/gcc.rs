//! C compilers for boards: the system's, or private copies in `target/`.

use std::{env, path::PathBuf, process::Command};

use anyhow::{Context, Result};

use crate::{
    apt,
    command::{root, succeeds},
};

/// A compiler. No C library comes with it, and none is needed.
pub(crate) struct Gcc {
    /// How its programs begin.
    prefix: &'static str,
    package: &'static str,
    /// Below `target`.
    folder: &'static str,
}

pub(crate) const ARM: Gcc = Gcc { prefix: "arm-none-eabi", package: "gcc-arm-none-eabi", folder: "arm-gcc" };
pub(crate) const RISCV: Gcc =
    Gcc { prefix: "riscv64-unknown-elf", package: "gcc-riscv64-unknown-elf", folder: "riscv-gcc" };

impl Gcc {
    /// The compiler, ready for options.
    pub(crate) fn command(&self) -> Command {
        let private = self.folder().join("usr/bin").join(self.program());
        if !private.exists() {
            return Command::new(self.program());
        }
        let mut command = Command::new(private);
        // Assembler and linker are a package of their own, unpacked beside it unless the system has it.
        let tools = format!("usr/lib/{}/bin", self.prefix);
        for tools in [self.folder().join(&tools), PathBuf::from("/").join(&tools)] {
            command.arg(format!("-B{}", tools.display()));
        }
        let mut libraries = vec![self.folder().join(format!("usr/lib/{}-linux-gnu", env::consts::ARCH))];
        libraries.extend(env::var_os("LD_LIBRARY_PATH").iter().flat_map(env::split_paths));
        if let Ok(libraries) = env::join_paths(libraries) {
            command.env("LD_LIBRARY_PATH", libraries);
        }
        command
    }

    /// Finds the compiler or gets it.
    pub(crate) fn ensure(&self) -> Result<()> {
        let (program, package) = (self.program(), self.package);
        if !succeeds(self.command().arg("--version")) {
            println!("{program} is not installed; unpacking a private copy into target/{}/root", self.folder);
            apt::unpack(&[package], &self.folder()).with_context(|| {
                format!("no {program}, and no private copy could be made; install it: apt-get install {package}")
            })?;
        }
        Ok(())
    }

    /// What it is called on a command line.
    pub(crate) fn program(&self) -> String {
        format!("{}-gcc", self.prefix)
    }

    fn folder(&self) -> PathBuf {
        root().join("target").join(self.folder).join("root")
    }
}
