//! One instruction each. They read and write registers only, hence safe functions.

use core::arch::asm;

/// Defines a function that is one instruction: registers in, one register out.
macro_rules! instruction {
    ($(#[$doc:meta])* $name:ident($($arg:ident),+), $text:literal, $($option:ident),*) => {
        $(#[$doc])*
        #[inline(always)]
        #[allow(unsafe_code, reason = "stable Rust has no intrinsic for it")]
        pub(crate) fn $name($($arg: u32),+) -> u32 {
            let out;
            // SAFETY: an arithmetic instruction on registers; it touches neither memory nor stack.
            unsafe {
                asm!($text, out = lateout(reg) out, $($arg = in(reg) $arg),+, options(pure, nomem, nostack, $($option),*));
            }
            out
        }
    };
}

instruction! {
    /// Bytes 0 and 2 as halves, unsigned.
    even_u8(w), "uxtb16 {out}, {w}", preserves_flags
}
instruction! {
    /// Bytes 1 and 3 as halves, unsigned.
    odd_u8(w), "uxtb16 {out}, {w}, ror #8", preserves_flags
}
instruction! {
    /// Bytes 0 and 2 as halves, signed.
    even_i8(w), "sxtb16 {out}, {w}", preserves_flags
}
instruction! {
    /// Bytes 1 and 3 as halves, signed.
    odd_i8(w), "sxtb16 {out}, {w}, ror #8", preserves_flags
}
instruction! {
    /// Differences of halves; those of bytes never saturate, and no flag is touched.
    subtract(a, b), "qsub16 {out}, {a}, {b}", preserves_flags
}

/// Defines a function that adds to a sum, in the register where it is.
macro_rules! accumulation {
    ($(#[$doc:meta])* $name:ident, $text:literal, $($option:ident),*) => {
        $(#[$doc])*
        #[inline(always)]
        #[allow(unsafe_code, reason = "stable Rust has no intrinsic for it")]
        pub(crate) fn $name(a: u32, b: u32, mut sum: u32) -> u32 {
            // SAFETY: an arithmetic instruction on registers; it touches neither memory nor stack.
            unsafe {
                asm!($text, sum = inlateout(reg) sum, a = in(reg) a, b = in(reg) b, options(pure, nomem, nostack, $($option),*));
            }
            sum
        }
    };
}

accumulation! {
    /// `sum + a.low · b.low + a.high · b.high`, signed. (A sum that wraps sets the Q flag.)
    multiply_add, "smlad {sum}, {a}, {b}, {sum}",
}
accumulation! {
    /// `sum + Σ |a − b|` over four unsigned bytes.
    add_absolute_differences, "usada8 {sum}, {a}, {b}, {sum}", preserves_flags
}
