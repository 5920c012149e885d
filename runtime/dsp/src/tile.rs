//! Four rows at once: a loop in assembly, since no compiler keeps fourteen registers busy with it.

use core::arch::naked_asm;

use crate::Block;

/// Four inputs taken apart: those at 0 and 2, those at 1 and 3, as halves.
pub(crate) type Pairs = [u32; 2];

/// Whatever core the compiler was given, functions in assembly are read for the architecture alone. In that of Cortex-M33
/// the instructions are an option.
#[cfg(dsp_is_optional)]
macro_rules! core {
    () => {
        ".cpu cortex-m33"
    };
}
#[cfg(not(dsp_is_optional))]
macro_rules! core {
    () => {
        ""
    };
}

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
                core!(),
                ".macro row c s",
                $even, $odd, $multiply_even, $multiply_odd,
                ".endm",
                ".macro block",
                "ldmia r0!, {{r4, r5, r6, r7}}",
                "ldrd lr, r3, [r1], #8",
                "row r4 r8",
                "row r5 r9",
                "row r6 r10",
                "row r7 r11",
                ".endm",
                "push {{r3, r4, r5, r6, r7, r8, r9, r10, r11, lr}}",
                "ldm r3, {{r8, r9, r10, r11}}",
                // Two blocks a turn, after one where their number is odd.
                "lsrs r2, r2, #1",
                "bcc 2f",
                "block",
                "beq 3f",
                "2:",
                "block",
                "block",
                "subs r2, r2, #1",
                "bne 2b",
                "3:",
                "pop {{r0}}",
                "stm r0, {{r8, r9, r10, r11}}",
                "pop {{r4, r5, r6, r7, r8, r9, r10, r11, pc}}",
                ".purgem block",
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

/// The same for rows of 4 bits: blocks of eight inputs, which two pairs of pairs stand for. What is left is counted on the
/// stack, since a fifteenth register is needed.
macro_rules! nibble_tile {
    ($(#[$doc:meta])* $name:ident, $even:literal, $odd:literal, $multiply_even:literal, $multiply_odd:literal) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// `rows` holds `len` blocks and `x` twice as many pairs, and `len` is not 0.
        #[unsafe(naked)]
        #[allow(unsafe_code, reason = "a loop in assembly")]
        pub(crate) unsafe extern "C" fn $name(rows: *const Block, x: *const Pairs, len: usize, sums: *mut [u32; 4]) {
            naked_asm!(
                core!(),
                ".macro multiply c s",
                $even, $odd, $multiply_even, $multiply_odd,
                ".endm",
                ".macro lower c s",
                "lsl r12, \\c, #4",
                "and r12, r12, #0xF0F0F0F0",
                "multiply r12 \\s",
                ".endm",
                ".macro upper c s",
                "and r12, \\c, #0xF0F0F0F0",
                "multiply r12 \\s",
                ".endm",
                "push {{r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, lr}}",
                "ldm r3, {{r8, r9, r10, r11}}",
                "2:",
                "ldmia r0!, {{r4, r5, r6, r7}}",
                "ldrd lr, r3, [r1], #8",
                "lower r4 r8",
                "lower r5 r9",
                "lower r6 r10",
                "lower r7 r11",
                "ldrd lr, r3, [r1], #8",
                "upper r4 r8",
                "upper r5 r9",
                "upper r6 r10",
                "upper r7 r11",
                "ldr r2, [sp]",
                "subs r2, r2, #1",
                "str r2, [sp]",
                "bne 2b",
                "pop {{r2, r3}}",
                "stm r3, {{r8, r9, r10, r11}}",
                "pop {{r4, r5, r6, r7, r8, r9, r10, r11, r12, pc}}",
                ".purgem upper",
                ".purgem lower",
                ".purgem multiply",
            )
        }
    };
}

nibble_tile! {
    /// Inner products of signed bytes, with the upper halves of bytes.
    products_i4,
    "sxtb16 r2, \\c", "sxtb16 \\c, \\c, ror #8", "smlad \\s, r2, lr, \\s", "smlad \\s, \\c, r3, \\s"
}

nibble_tile! {
    /// Squared distances of unsigned bytes to the upper halves of bytes, from inputs that are negated already.
    squared_distances_u4,
    "uxtab16 r2, lr, \\c", "uxtab16 \\c, r3, \\c, ror #8", "smlad \\s, r2, r2, \\s", "smlad \\s, \\c, \\c, \\s"
}

/// Defines what adds to each of `len` coordinates eight weights times eight values.
///
/// Registers: r0 coordinates, r1 how many are left, r2 and r12 weights of the first four values and of the other four,
/// r4 to r7 values, r8 a coordinate.
macro_rules! eight {
    ($(#[$doc:meta])* $name:ident, $weights:ty, $start:literal, $($line:literal),+) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// `z` holds `len` coordinates, `weights` those of two groups, and `len` is not 0.
        #[unsafe(naked)]
        #[allow(unsafe_code, reason = "a loop in assembly")]
        pub(crate) unsafe extern "C" fn $name(z: *mut i32, len: usize, weights: *const $weights, values: &[Pairs; 2]) {
            naked_asm!(
                core!(),
                "push {{r4, r5, r6, r7, r8, r9, r10, lr}}",
                "ldm r3, {{r4, r5, r6, r7}}",
                $start,
                "2:",
                "ldr r8, [r0]",
                $($line),+,
                "str r8, [r0], #4",
                "subs r1, r1, #1",
                "bne 2b",
                "pop {{r4, r5, r6, r7, r8, r9, r10, pc}}",
            )
        }
    };
}

eight! {
    /// Weights of 16 bits, values in their order.
    add_eight_i16, [u32; 2],
    "add r12, r2, r1, lsl #3",
    "ldrd r9, r10, [r2], #8",
    "ldrd r3, lr, [r12], #8",
    "smlad r8, r4, r9, r8",
    "smlad r8, r5, r10, r8",
    "smlad r8, r6, r3, r8",
    "smlad r8, r7, lr, r8"
}

eight! {
    /// Weights of 8 bits; values at 0 and 2 in a word, those at 1 and 3 in the next.
    add_eight_i8, u32,
    "add r12, r2, r1, lsl #2",
    "ldr r9, [r2], #4",
    "ldr r10, [r12], #4",
    "sxtb16 r3, r9",
    "sxtb16 r9, r9, ror #8",
    "smlad r8, r4, r3, r8",
    "smlad r8, r5, r9, r8",
    "sxtb16 r3, r10",
    "sxtb16 r10, r10, ror #8",
    "smlad r8, r6, r3, r8",
    "smlad r8, r7, r10, r8"
}

eight! {
    /// Weights of 4 bits, those of the first four values in the lower halves of bytes; values as for 8 bits.
    add_eight_i4, u32,
    "",
    "ldr r9, [r2], #4",
    "lsl r10, r9, #4",
    "and r10, r10, #0xF0F0F0F0",
    "and r9, r9, #0xF0F0F0F0",
    "sxtb16 r3, r10",
    "sxtb16 r10, r10, ror #8",
    "smlad r8, r4, r3, r8",
    "smlad r8, r5, r10, r8",
    "sxtb16 r3, r9",
    "sxtb16 r9, r9, ror #8",
    "smlad r8, r6, r3, r8",
    "smlad r8, r7, r9, r8"
}
