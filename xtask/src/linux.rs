//! The host example on 64-bit Arm Linux: built with rust-lld against an unpacked C library, run under
//! QEMU's user emulation, and compared with the host's output.

use std::{
    os,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Result, bail};

use crate::{
    apt,
    command::{cargo, read, root, run},
    targets,
};

const EXAMPLE: &str = "--quiet --release --package nearmark-example-host";
const PACKAGES: [&str; 3] = ["libc6-dev-arm64-cross", "libgcc-s1-arm64-cross", "qemu-user-static"];

/// Runs the example on this host and, if its packages can be installed, on 64-bit Arm.
pub(crate) fn check() -> Result<()> {
    let here = read(&mut cargo(&format!("run {EXAMPLE}")))?;
    print!("{here}");
    if !targets::linux()? {
        println!("not built for {}: rustup cannot add it here", targets::LINUX);
        return Ok(());
    }
    let folder = root().join("target/linux/root");
    if !folder.exists()
        && let Err(why) = unpack(&folder)
    {
        let wanted = PACKAGES.join(" ");
        println!(
            "compiled for {} but not linked and not run, because {wanted} could not be installed: {why:#}",
            targets::LINUX
        );
        return run(&mut cargo(&format!("check {EXAMPLE} --target {}", targets::LINUX)));
    }
    let there = read(&mut on_the_board(&folder))?;
    if here != there {
        bail!("{} answers differently:\n{there}", targets::LINUX);
    }
    println!("{}: the same answer", targets::LINUX);
    Ok(())
}

fn unpack(folder: &Path) -> Result<()> {
    apt::unpack(&PACKAGES, folder)?;
    // The linker asks for the name that only a compiler's package carries.
    let library = library(folder);
    Ok(os::unix::fs::symlink("libgcc_s.so.1", library.join("libgcc_s.so"))?)
}

fn library(folder: &Path) -> PathBuf {
    folder.join("usr/aarch64-linux-gnu/lib")
}

/// `cargo run` with linker and runner taken from the folder.
fn on_the_board(folder: &Path) -> Command {
    let library = library(folder);
    let start = ["crt1.o", "crti.o", "crtn.o"].map(|name| library.join(name).display().to_string());
    // Start-up code for a fixed address, as these objects are.
    let flags = format!(
        "-C linker-flavor=ld.lld -C relocation-model=static -C link-args={} -C link-arg=-L{} -C link-arg=--sysroot={} \
         -C link-arg=--dynamic-linker=/lib/ld-linux-aarch64.so.1",
        start.join(" -C link-arg="),
        library.display(),
        folder.display(),
    );
    let runner = folder.join("usr/bin/qemu-aarch64-static");
    let mut command = cargo(&format!("run {EXAMPLE} --target {}", targets::LINUX));
    command
        .env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", "rust-lld")
        .env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUSTFLAGS", flags)
        .env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", runner)
        .env("QEMU_LD_PREFIX", folder.join("usr/aarch64-linux-gnu"));
    command
}
