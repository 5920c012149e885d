//! Four rows at once: a loop in assembly, since no compiler keeps fourteen registers busy with it.

use core::arch::naked_asm;

use crate::Block;

/// Four inputs taken apart: those at 0 and 2, those at 1 and 3, as halves.
pub(crate) type Pairs = [u32; 2];

/// Defines what adds to the sums of four rows over some inputs. `even` and `odd` take the bytes of a row apart; the multiplications follow.
///
/// Registers: r0 rows, r1 inputs, r2 words left, r4 to r7 a block, r8 to r11 sums, lr and r3 the inputs.
macro_rules! tile {
    ($(#[$doc:meta])* $name:ident, $even:literal, $odd:literal, $multiply_even:literal, $multiply_odd:literal) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// `rows` and `x` hold `len` blocks and pairs, and `len` is not 0.
        #[unsafe(naked)]
        #[allow(unsafe_code, reason = "a loop in assembly")]
        pub(crate) unsafe extern "C" fn $name(rows: *const Block, x: *const Pairs, len: usize, sums: *mut [u32; 4]) {
            naked_asm!(
                ".macro row c s",
                $even, $odd, $multiply_even, $multiply_odd,
                ".endm",
                "push {{r3, r4, r5, r6, r7, r8, r9, r10, r11, lr}}",
                "ldm r3, {{r8, r9, r10, r11}}",
                "2:",
                "ldmia r0!, {{r4, r5, r6, r7}}",
                "ldrd lr, r3, [r1], #8",
                "row r4 r8",
                "row r5 r9",
                "row r6 r10",
                "row r7 r11",
                "subs r2, r2, #1",
                "bne 2b",
                "pop {{r0}}",
                "stm r0, {{r8, r9, r10, r11}}",
                "pop {{r4, r5, r6, r7, r8, r9, r10, r11, pc}}",
                ".purgem row",
            )
        }
    };
}

tile! {
    /// Inner products of signed bytes.
    products_i8,
    "sxtb16 r12, \\c", "sxtb16 \\c, \\c, ror #8", "smlad \\s, r12, lr, \\s", "smlad \\s, \\c, r3, \\s"
}

tile! {
    /// Squared distances of unsigned bytes, from inputs that are negated already.
    squared_distances,
    "uxtab16 r12, lr, \\c", "uxtab16 \\c, r3, \\c, ror #8", "smlad \\s, r12, r12, \\s", "smlad \\s, \\c, \\c, \\s"
}

/// Adds eight weights of 16 bits a coordinate, times eight values, to each of `len` coordinates.
///
/// Registers: r0 coordinates, r1 how many are left, r2 and r12 weights of the first four values and of the other four, r4 to r7 values.
///
/// # Safety
/// `z` holds `len` coordinates, `weights` twice as many pairs of words, and `len` is not 0.
#[unsafe(naked)]
#[allow(unsafe_code, reason = "a loop in assembly")]
pub(crate) unsafe extern "C" fn add_eight(z: *mut i32, len: usize, weights: *const [u32; 2], values: &[[u32; 2]; 2]) {
    naked_asm!(
        "push {{r4, r5, r6, r7, r8, r9, r10, lr}}",
        "ldm r3, {{r4, r5, r6, r7}}",
        "add r12, r2, r1, lsl #3",
        "2:",
        "ldr r8, [r0]",
        "ldrd r9, r10, [r2], #8",
        "ldrd r3, lr, [r12], #8",
        "smlad r8, r4, r9, r8",
        "smlad r8, r5, r10, r8",
        "smlad r8, r6, r3, r8",
        "smlad r8, r7, lr, r8",
        "str r8, [r0], #4",
        "subs r1, r1, #1",
        "bne 2b",
        "pop {{r4, r5, r6, r7, r8, r9, r10, pc}}",
    )
}
