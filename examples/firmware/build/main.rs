//! Writes the table of golden models that the board's flash can hold.

#[path = "../../../trainer/harness/board/boards.rs"]
#[allow(dead_code, unreachable_pub, reason = "other users of the table read the other columns")]
mod boards;
mod goldens;

use std::{env, fs, path::PathBuf};

use boards::{BOARDS, Board};

fn main() {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rustc-link-arg-bins=-Tlink.x");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    // That it is one, and on its target, the start-up crate checks.
    let on = |board: &&Board| env::var_os(format!("CARGO_FEATURE_{}", board.name.to_uppercase())).is_some();
    if let Some(board) = BOARDS.iter().find(on) {
        fs::write(out.join("goldens.rs"), goldens::table(board)).expect("writing goldens.rs");
    }
}
