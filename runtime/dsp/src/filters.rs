//! Filters of convolutions: words hold two pixels as halves, and a multiplication by a small weight gives both products.

use core::mem::MaybeUninit;

use crate::columns::{Columns, Nibbles, add_pairs, sums_of_bytes};

/// As [`portable::filter_i4`](crate::portable::filter_i4).
#[inline(never)]
pub fn filter_i4(weights: &[u8], columns: &[[u32; 3]], channels: usize, sums: &mut [[i32; 4]]) {
    let (steps, last) = weights.as_chunks();
    let (fitting, width) = fitting(columns, channels);
    // As many as there are whole steps of four columns of input.
    let steps = steps.get(..width / 4).unwrap_or(steps);
    let whole = steps.len().wrapping_mul(4);
    for (at, sums) in sums.iter_mut().take(fitting).enumerate() {
        let first = at.wrapping_mul(channels).wrapping_mul(2);
        let second = first.wrapping_add(channels);
        // SAFETY: the outputs fit, and the steps do not take more columns than one output.
        #[allow(unsafe_code, reason = "a loop in assembly")]
        let whole_steps = unsafe {
            let start = columns.as_ptr();
            products(steps, start.add(first).cast(), start.add(second).cast())
        };
        *sums = whole_steps;
        if whole < width {
            let rest =
                |from: usize| columns.get(from.wrapping_add(whole)..from.wrapping_add(width)).unwrap_or_default();
            add_rest(last, rest(first), rest(second), sums);
        }
    }
}

/// Adds what is less than a step, filled up with zeros, which have no part in a sum.
#[inline(never)] // not every model needs it
fn add_rest(weights: &[u8], left: &[[u32; 3]], right: &[[u32; 3]], sums: &mut [i32; 4]) {
    let (weights, left, right): (_, Columns, Columns) = ([filled(weights)], filled(left), filled(right));
    // SAFETY: one of each.
    #[allow(unsafe_code, reason = "a loop in assembly")]
    let rest = unsafe { products(&weights, &raw const left, &raw const right) };
    sums.iter_mut().zip(rest).for_each(|(sum, rest)| *sum = sum.wrapping_add(rest));
}

/// As [`portable::filter_i8`](crate::portable::filter_i8).
#[inline(never)]
pub fn filter_i8(weights: &[u8], columns: &[[u32; 3]], channels: usize, sums: &mut [[i32; 4]]) {
    let (weights, _) = weights.as_chunks();
    let (fitting, width) = fitting(columns, channels);
    let count = weights.len().min(width);
    if count == 0 {
        return;
    }
    for (at, sums) in sums.iter_mut().take(fitting).enumerate() {
        // SAFETY: the outputs fit; no more columns than one output takes, and not none.
        #[allow(unsafe_code, reason = "a loop in assembly")]
        unsafe {
            let left = columns.as_ptr().add(at.wrapping_mul(channels).wrapping_mul(2));
            sums_of_bytes(weights.as_ptr(), left, left.add(channels), count, sums);
        }
    }
}

/// How many pairs of outputs the columns are enough for, and how many columns of one channel an output takes.
///
/// The output pair `at` takes four columns of all channels, from column 2 · `at` on.
fn fitting(columns: &[[u32; 3]], channels: usize) -> (usize, usize) {
    let pairs = columns.len().checked_div(channels.saturating_mul(2)).unwrap_or(0);
    (pairs.saturating_sub(1), channels.saturating_mul(3))
}

/// An array that begins as a slice does, filled up with zeros.
#[inline(never)] // not every model needs it
fn filled<T: Copy + Default, const N: usize>(values: &[T]) -> [T; N] {
    let mut all = [T::default(); N];
    all.iter_mut().zip(values).for_each(|(to, &from)| *to = from);
    all
}

/// Sums of products of whole steps: above and below of the left columns, then of the right ones.
///
/// Twelve products of a byte and a signed nibble lie within ± 2¹⁵: with 2¹⁵ more their sum is a half without a sign. The
/// sums of pairs less their upper halves are the lower halves.
///
/// # Safety
/// `left` and `right` hold as many elements as `weights`.
#[inline(always)]
#[allow(unsafe_code, reason = "a loop in assembly")]
unsafe fn products(weights: &[Nibbles], left: *const Columns, right: *const Columns) -> [i32; 4] {
    if weights.is_empty() {
        return [0; 4];
    }
    let mut sums = MaybeUninit::uninit();
    // SAFETY: there are weights, and as many columns; the function writes all sums.
    let [left, right, left_upper, right_upper] = unsafe {
        add_pairs(weights.as_ptr(), left, right, sums.as_mut_ptr(), weights.as_ptr_range().end);
        sums.assume_init()
    };
    let excess = (weights.len() as u32) << 15;
    let lower = |pairs: u32, upper: u32| pairs.wrapping_sub(upper << 16).wrapping_sub(excess) as i32;
    [lower(left, left_upper), left_upper as i32, lower(right, right_upper), right_upper as i32]
}
