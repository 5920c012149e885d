//! Measures how much stack a call takes: paint what lies below the stack pointer, call, look how far it is scratched.

use core::{
    arch::asm,
    hint::black_box,
    ptr::{self, read_volatile, write_volatile},
};

const PAINT: u32 = 0x5afe_c0de;
/// Deeper calls than this are reported as this.
const WINDOW: usize = 8 * 1024;
/// Left unpainted below the stack pointer, for the painting loop's own calls.
const MARGIN: usize = 64;

#[allow(unsafe_code, reason = "a name of the linker script")]
unsafe extern "C" {
    /// End of the static variables; everything from here to the stack pointer is free.
    static __ebss: u32;
}

/// Bytes of stack that `work` uses below its caller.
#[inline(never)]
pub fn depth<T>(work: impl FnOnce() -> T) -> usize {
    let top: usize;
    // SAFETY: copies a register.
    #[allow(unsafe_code, reason = "only assembly can name the stack pointer")]
    unsafe {
        #[cfg(target_arch = "arm")]
        asm!("mov {}, sp", out(reg) top, options(nomem, nostack, preserves_flags));
        #[cfg(target_arch = "riscv32")]
        asm!("mv {}, sp", out(reg) top, options(nomem, nostack, preserves_flags));
    }
    let low = (&raw const __ebss as usize).max(top - WINDOW).next_multiple_of(4);
    let painted = low..top - MARGIN;
    for address in painted.clone().step_by(4) {
        // SAFETY: the word lies above the statics and below every live stack frame: nobody owns it.
        #[allow(unsafe_code, reason = "no safe name for unused stack")]
        unsafe {
            write_volatile(ptr::with_exposed_provenance_mut(address), PAINT);
        }
    }
    black_box(work());
    let scratched = painted.step_by(4).find(|&address| {
        // SAFETY: as above; the words were written before.
        #[allow(unsafe_code, reason = "no safe name for unused stack")]
        let found: u32 = unsafe { read_volatile(ptr::with_exposed_provenance(address)) };
        found != PAINT
    });
    scratched.map_or(MARGIN, |address| top - address)
}
