//! What the programs share: start-up, the golden models, an instruction counter, a stack gauge.
//!
//! Everything here runs on a bare board; the console, files and exit codes go through semihosting.

#![no_std]

pub mod count;
pub mod golden;
pub mod stack;

#[cfg(target_arch = "arm")]
pub use cortex_m_rt::entry;
#[cfg(target_arch = "riscv32")]
pub use riscv_rt::entry;

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
