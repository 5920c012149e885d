//! What happens on a panic: nothing more.
//!
//! No function of this library can panic, and the linker leaves this file out of the program:
//! `cargo xtask c` looks that it does.

use core::{hint, panic::PanicInfo};

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    nearmark_panicked()
}

/// Has a name of its own to be looked for in programs. Stands still, so that a debugger or a watchdog finds it.
#[unsafe(no_mangle)]
extern "C" fn nearmark_panicked() -> ! {
    loop {
        hint::spin_loop();
    }
}
