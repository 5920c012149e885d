//! The boards' memory, as their QEMU machines have it.

use std::env;

const KB: u32 = 1024;

/// A board: the cargo feature that chooses it, the target it needs, origin and length of its memories.
pub(crate) struct Board {
    pub(crate) feature: &'static str,
    target: &'static str,
    flash: (u32, u32),
    ram: (u32, u32),
}

const BOARDS: [Board; 5] = [
    Board { feature: "m0", target: "thumbv6m-none-eabi", flash: (0, 256 * KB), ram: (0x2000_0000, 16 * KB) },
    Board { feature: "m4f", target: "thumbv7em-none-eabihf", flash: (0, 4096 * KB), ram: (0x2000_0000, 4096 * KB) },
    Board { feature: "m7", target: "thumbv7em-none-eabihf", flash: (0, 4096 * KB), ram: (0x2000_0000, 4096 * KB) },
    // The secure aliases: a Cortex-M33 leaves reset in the secure state.
    Board {
        feature: "m33",
        target: "thumbv8m.main-none-eabihf",
        flash: (0x1000_0000, 4096 * KB),
        ram: (0x3800_0000, 2048 * KB),
    },
    // QEMU's `virt` starts at the foot of its RAM; the lower half plays the flash.
    Board {
        feature: "rv32",
        target: "riscv32imc-unknown-none-elf",
        flash: (0x8000_0000, 4096 * KB),
        ram: (0x8040_0000, 4096 * KB),
    },
];

/// The one board whose feature is on, or why there is none.
pub(crate) fn chosen() -> Result<&'static Board, String> {
    let on = |board: &&Board| env::var_os(format!("CARGO_FEATURE_{}", board.feature.to_uppercase())).is_some();
    let mut chosen = BOARDS.iter().filter(on);
    let (Some(board), None) = (chosen.next(), chosen.next()) else {
        return Err("choose exactly one board: --no-default-features --features m0|m4f|m7|m33|rv32".into());
    };
    let target = env::var("TARGET").unwrap_or_default();
    if target != board.target {
        return Err(format!("board {} needs --target {}, not {target}", board.feature, board.target));
    }
    Ok(board)
}

impl Board {
    /// Bytes of flash.
    pub(crate) fn flash(&self) -> usize {
        self.flash.1 as usize
    }

    /// The linker script that the start-up crates include; `riscv-rt` wants every region named.
    pub(crate) fn memory_x(&self) -> String {
        let (flash, ram) = (self.flash, self.ram);
        let mut script = format!(
            "MEMORY\n{{\n  FLASH : ORIGIN = {:#x}, LENGTH = {:#x}\n  RAM : ORIGIN = {:#x}, LENGTH = {:#x}\n}}\n",
            flash.0, flash.1, ram.0, ram.1
        );
        if self.target.starts_with("riscv") {
            for (region, memory) in [
                ("TEXT", "FLASH"),
                ("RODATA", "FLASH"),
                ("DATA", "RAM"),
                ("BSS", "RAM"),
                ("HEAP", "RAM"),
                ("STACK", "RAM"),
            ] {
                script += &format!("REGION_ALIAS(\"REGION_{region}\", {memory});\n");
            }
        }
        script
    }
}
