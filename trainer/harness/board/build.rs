//! Writes `memory.x`, the linker script of the board that a cargo feature chooses.

#[path = "boards.rs"]
#[allow(dead_code, unreachable_pub, reason = "other users of the table read the other columns")]
mod boards;

use std::{env, fs, path::PathBuf};

use boards::{BOARDS, Board, Region};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=boards.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    match chosen() {
        Ok(board) => {
            fs::write(out.join("memory.x"), memory_x(board)).expect("writing memory.x");
            println!("cargo::rustc-link-search={}", out.display());
        }
        Err(why) => println!("cargo::error={why}"),
    }
}

/// The one board whose feature is on, or why there is none.
fn chosen() -> Result<&'static Board, String> {
    let on = |board: &&Board| env::var_os(format!("CARGO_FEATURE_{}", board.name.to_uppercase())).is_some();
    let mut chosen = BOARDS.iter().filter(on);
    let (Some(board), None) = (chosen.next(), chosen.next()) else {
        let names = BOARDS.map(|board| board.name).join("|");
        return Err(format!("choose exactly one board: --no-default-features --features {names}"));
    };
    let target = env::var("TARGET").unwrap_or_default();
    if target != board.target {
        return Err(format!("board {} needs --target {}, not {target}", board.name, board.target));
    }
    Ok(board)
}

/// The linker script that the start-up crates include; `riscv-rt` wants every region named.
fn memory_x(board: &Board) -> String {
    let region =
        |name: &str, Region { origin, len }: Region| format!("  {name} : ORIGIN = {origin:#x}, LENGTH = {len:#x}\n");
    let mut script = format!("MEMORY\n{{\n{}{}}}\n", region("FLASH", board.flash), region("RAM", board.ram));
    if board.target.starts_with("riscv") {
        for (region, memory) in
            [("TEXT", "FLASH"), ("RODATA", "FLASH"), ("DATA", "RAM"), ("BSS", "RAM"), ("HEAP", "RAM"), ("STACK", "RAM")]
        {
            script += &format!("REGION_ALIAS(\"REGION_{region}\", {memory});\n");
        }
    }
    script
}
