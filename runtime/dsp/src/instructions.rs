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

/// Twelve weights of 4 bits times twelve words of each of two sums of pairs; the products are added to the sums.
///
/// In one piece: the compiler spreads weights and words over more registers than there are.
#[inline(always)]
#[allow(unsafe_code, reason = "loads of two words at a time, and each weight in one register")]
pub(crate) fn add_pairs(weights: &[u8; 6], left: &[u32; 12], right: &[u32; 12], sums: [u32; 2]) -> [u32; 2] {
    let [mut l, mut r] = sums;
    /// Two weights at a bit of the word, and as many words at an offset.
    macro_rules! two {
        ($word:literal, $bit:literal, $at:literal) => {
            concat!(
                "sbfx {v}, ",
                $word,
                ", #",
                $bit,
                ", #4\n",
                "sbfx {w}, ",
                $word,
                ", #",
                $bit,
                " + 4, #4\n",
                "ldrd {x}, {y}, [{left}, #",
                $at,
                "]\n",
                "mla {l}, {x}, {v}, {l}\n",
                "mla {l}, {y}, {w}, {l}\n",
                "ldrd {x}, {y}, [{right}, #",
                $at,
                "]\n",
                "mla {r}, {x}, {v}, {r}\n",
                "mla {r}, {y}, {w}, {r}\n",
            )
        };
    }
    // SAFETY: it reads six bytes and twice twelve words, all of what the references lend (a load of one word need not be aligned);
    // it writes registers only, neither stack nor flags.
    unsafe {
        asm!(
            "ldr {word}, [{weights}]",
            two!("{word}", "0", "0"),
            two!("{word}", "8", "8"),
            two!("{word}", "16", "16"),
            two!("{word}", "24", "24"),
            "ldrh {word}, [{weights}, #4]",
            two!("{word}", "0", "32"),
            two!("{word}", "8", "40"),
            left = in(reg) left.as_ptr(),
            right = in(reg) right.as_ptr(),
            weights = in(reg) weights.as_ptr(),
            word = out(reg) _,
            l = inout(reg) l,
            r = inout(reg) r,
            v = out(reg) _,
            w = out(reg) _,
            x = out(reg) _,
            y = out(reg) _,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    [l, r]
}
