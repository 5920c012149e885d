//! Writes what depends on the board: `memory.x`, and the table of golden models that its flash can hold.

mod boards;
mod goldens;

use std::{env, fs, path::PathBuf};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    match boards::chosen() {
        Ok(board) => {
            fs::write(out.join("memory.x"), board.memory_x()).expect("writing memory.x");
            fs::write(out.join("goldens.rs"), goldens::table(board)).expect("writing goldens.rs");
            println!("cargo::rustc-link-search={}", out.display());
            println!("cargo::rustc-link-arg-bins=-Tlink.x");
        }
        Err(why) => println!("cargo::error={why}"),
    }
    println!("cargo::rerun-if-changed=build");
}
