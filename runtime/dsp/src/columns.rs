//! Two columns of output of a filter: loops in assembly, since no compiler keeps fourteen registers busy with it.

use core::arch::naked_asm;

use crate::tile::core;

/// Weights of 4 bits that a step of [`add_pairs`] takes, as bytes.
pub(crate) type Nibbles = [u8; 6];
/// The columns of input of one channel that belong to them.
pub(crate) type Columns = [[u32; 3]; 4];

/// Writes sums over all steps, each of twelve words of the left and of the right columns times as many weights: of the sums of pairs of
/// both columns, each plus 2¹⁵, and of what their upper halves are then.
///
/// Registers: r0 weights, r1 left and r2 right columns, r3 eight weights, r4 and r5 two of them, r6 and r7 two words, r8 and r9
/// pairs, r10 to lr the sums. On the stack `sums`, and above what is saved the end of the weights.
///
/// # Safety
/// `left` and `right` hold as many elements as lie between `weights` and `end`, and these are not the same.
#[unsafe(naked)]
#[allow(unsafe_code, reason = "a loop in assembly")]
pub(crate) unsafe extern "C" fn add_pairs(
    weights: *const Nibbles,
    left: *const Columns,
    right: *const Columns,
    sums: *mut [u32; 4],
    end: *const Nibbles,
) {
    naked_asm!(
        core!(),
        ".macro two bit",
        "sbfx r4, r3, #\\bit, #4",
        "sbfx r5, r3, #\\bit + 4, #4",
        "ldrd r6, r7, [r1], #8",
        "mla r8, r6, r4, r8",
        "mla r8, r7, r5, r8",
        "ldrd r6, r7, [r2], #8",
        "mla r9, r6, r4, r9",
        "mla r9, r7, r5, r9",
        ".endm",
        "push {{r3, r4, r5, r6, r7, r8, r9, r10, r11, lr}}",
        "mov r10, #0",
        "mov r11, #0",
        "mov r12, #0",
        "mov lr, #0",
        "2:",
        "ldr r3, [r0], #4",
        "mov r8, #0x8000",
        "mov r9, #0x8000",
        "two 0",
        "two 8",
        "two 16",
        "two 24",
        "ldrh r3, [r0], #2",
        "two 0",
        "two 8",
        "ldr r3, [sp, #40]",
        "add r10, r10, r8",
        "add r11, r11, r9",
        "add r12, r12, r8, asr #16",
        "add lr, lr, r9, asr #16",
        "cmp r0, r3",
        "bne 2b",
        "pop {{r3}}",
        "stm r3, {{r10, r11, r12, lr}}",
        "pop {{r4, r5, r6, r7, r8, r9, r10, r11, pc}}",
        ".purgem two",
    )
}

/// Writes the sums of two columns of output, above and below each: three weights of 8 bits times the words of a column of input.
/// Two rows by two weights at a time, then the third row of each output.
///
/// Registers: r0 weights, r1 left and r2 right columns, r3 how many are left, r4 and r5 weights, r6 and r7 words, r8 to r11 the
/// sums.
///
/// # Safety
/// `weights`, `left` and `right` hold `count` elements, and `count` is not 0.
#[unsafe(naked)]
#[allow(unsafe_code, reason = "a loop in assembly")]
pub(crate) unsafe extern "C" fn sums_of_bytes(
    weights: *const [u8; 3],
    left: *const [u32; 3],
    right: *const [u32; 3],
    count: usize,
    sums: *mut [i32; 4],
) {
    naked_asm!(
        core!(),
        ".macro column from, above, below",
        "ldrd r6, r7, [\\from], #8",
        "smlad \\above, r6, r4, \\above",
        "smlad \\below, r7, r4, \\below",
        "ldr r6, [\\from], #4",
        "smlabb \\above, r6, r5, \\above",
        "smlatb \\below, r6, r5, \\below",
        ".endm",
        "push {{r4, r5, r6, r7, r8, r9, r10, r11, lr}}",
        "mov r8, #0",
        "mov r9, #0",
        "mov r10, #0",
        "mov r11, #0",
        "2:",
        "ldrsb r4, [r0], #1",
        "ldrsb r5, [r0], #1",
        "subs r3, r3, #1",
        "pkhbt r4, r4, r5, lsl #16",
        "ldrsb r5, [r0], #1",
        "column r1 r8 r9",
        "column r2 r10 r11",
        "bne 2b",
        "ldr r3, [sp, #36]",
        "stm r3, {{r8, r9, r10, r11}}",
        "pop {{r4, r5, r6, r7, r8, r9, r10, r11, pc}}",
        ".purgem column",
    )
}
