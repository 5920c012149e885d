//! The boards, as their QEMU machines are: the one table of them.
//!
//! The start-up crate beside it, the firmware of the examples, the tool and `xtask` all take it from here.

const KB: u32 = 1024;

/// A board that QEMU emulates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Board {
    /// Short name, also the cargo feature of firmware for it.
    pub name: &'static str,
    /// The processor.
    pub title: &'static str,
    /// The machine in QEMU.
    pub machine: &'static str,
    /// The compiler's target.
    pub target: &'static str,
    /// Whether it has the DSP instructions of Cortex-M4, M7 and M33.
    pub dsp: bool,
    /// Where programs and models lie.
    pub flash: Region,
    /// Where variables and the stack lie.
    pub ram: Region,
}

/// A piece of a board's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// Its first address.
    pub origin: u32,
    /// Its bytes.
    pub len: u32,
}

/// Every board.
pub const BOARDS: [Board; 5] = [
    Board {
        name: "m0",
        title: "Cortex-M0",
        machine: "microbit",
        target: "thumbv6m-none-eabi",
        dsp: false,
        flash: Region { origin: 0, len: 256 * KB },
        ram: Region { origin: 0x2000_0000, len: 16 * KB },
    },
    Board {
        name: "m4f",
        title: "Cortex-M4F",
        machine: "mps2-an386",
        target: "thumbv7em-none-eabihf",
        dsp: true,
        flash: Region { origin: 0, len: 4096 * KB },
        ram: Region { origin: 0x2000_0000, len: 4096 * KB },
    },
    Board {
        name: "m7",
        title: "Cortex-M7",
        machine: "mps2-an500",
        target: "thumbv7em-none-eabihf",
        dsp: true,
        flash: Region { origin: 0, len: 4096 * KB },
        ram: Region { origin: 0x2000_0000, len: 4096 * KB },
    },
    // The secure aliases: a Cortex-M33 leaves reset in the secure state.
    Board {
        name: "m33",
        title: "Cortex-M33",
        machine: "mps2-an505",
        target: "thumbv8m.main-none-eabihf",
        dsp: true,
        flash: Region { origin: 0x1000_0000, len: 4096 * KB },
        ram: Region { origin: 0x3800_0000, len: 2048 * KB },
    },
    // QEMU's `virt` starts at the foot of its RAM; the lower half plays the flash.
    Board {
        name: "rv32",
        title: "RV32IMC",
        machine: "virt",
        target: "riscv32imc-unknown-none-elf",
        dsp: false,
        flash: Region { origin: 0x8000_0000, len: 4096 * KB },
        ram: Region { origin: 0x8040_0000, len: 4096 * KB },
    },
];

impl Board {
    /// Words that a program may take for its buffers; the rest of the RAM is for variables and calls.
    #[must_use]
    pub const fn buffer_words(&self) -> usize {
        let share = self.ram.len / 4 * 3;
        let most = 1024 * KB;
        (if share < most { share } else { most }) as usize / 4
    }
}
