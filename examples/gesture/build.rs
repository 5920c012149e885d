//! Passes the board's memory layout to the linker.

use std::{env, fs, path::Path};

fn main() {
    let board = match env::var("TARGET").as_deref() {
        Ok("thumbv6m-none-eabi") => "boards/microbit.x",
        _ => "boards/mps2-an386.x",
    };
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::copy(board, Path::new(&out).join("memory.x")).expect("copying the memory layout");
    println!("cargo::rustc-link-search={out}");
    println!("cargo::rustc-link-arg-bins=-Tlink.x");
    println!("cargo::rerun-if-changed=boards");
}
