//! A bare board under QEMU: start-up, faults that end the run, an instruction counter, a stack gauge.
//!
//! The console, files and exit codes go through semihosting.

#![no_std]

#[path = "../boards.rs"]
#[allow(dead_code, unreachable_pub, reason = "other users of the table read the other columns")]
mod boards;
pub mod count;
pub mod stack;

#[cfg(target_arch = "arm")]
pub use cortex_m_rt::entry;
#[cfg(target_arch = "riscv32")]
pub use riscv_rt::entry;

/// Words of RAM that a program may take for its buffers.
pub const BUFFER_WORDS: usize = boards::BOARDS[BOARD].buffer_words();

/// The chosen board's place in the table.
const BOARD: usize = if cfg!(feature = "m0") {
    0
} else if cfg!(feature = "m4f") {
    1
} else if cfg!(feature = "m7") {
    2
} else if cfg!(feature = "m33") {
    3
} else {
    4
};

/// A fault ends the run at once with a failure instead of waiting for the time-out.
#[cfg(target_arch = "arm")]
#[cortex_m_rt::exception]
#[allow(unsafe_code, reason = "the attribute's contract: a fault handler is an unsafe fn")]
unsafe fn HardFault(frame: &cortex_m_rt::ExceptionFrame) -> ! {
    semihosting::println!("hard fault at {:#010x}", frame.pc());
    semihosting::process::abort()
}

/// A trap ends the run at once with a failure instead of waiting for the time-out.
#[cfg(target_arch = "riscv32")]
#[unsafe(export_name = "ExceptionHandler")]
#[allow(unsafe_code, reason = "riscv-rt finds its handlers by name")]
fn exception(_: &riscv_rt::TrapFrame) -> ! {
    semihosting::println!("trap at {:#010x}", riscv::register::mepc::read());
    semihosting::process::abort()
}
