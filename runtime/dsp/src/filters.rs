//! Filters of convolutions: words hold two pixels as halves, and a multiplication by a small weight gives both products.

use core::mem::MaybeUninit;

use crate::columns::{Columns, Nibbles, add_pairs, sums_of_bytes};

/// As [`portable::filter_i4`](crate::portable::filter_i4).
#[inline(never)]
pub fn filter_i4(weights: &[u8], columns: &[[u32; 3]], channels: usize, sums: &mut [[i32; 4]]) {
    let (steps, last) = weights.as_chunks();
    for (at, out) in sums.iter_mut().enumerate() {
        let Some([left, right]) = windows(columns, channels, at) else { return };
        let ((lefts, last_left), (rights, last_right)) = (left.as_chunks(), right.as_chunks());
        *out = products(steps, lefts, rights);
        if !last_left.is_empty() {
            // Zeros have no part in a sum.
            let rest = products(&[filled(last)], &[filled(last_left)], &[filled(last_right)]);
            out.iter_mut().zip(rest).for_each(|(sum, rest)| *sum = sum.wrapping_add(rest));
        }
    }
}

/// An array that begins as a slice does, filled up with zeros.
#[inline(never)] // not every model needs it
fn filled<T: Copy + Default, const N: usize>(values: &[T]) -> [T; N] {
    let mut all = [T::default(); N];
    all.iter_mut().zip(values).for_each(|(to, &from)| *to = from);
    all
}

/// As [`portable::filter_i8`](crate::portable::filter_i8).
#[inline(never)]
pub fn filter_i8(weights: &[u8], columns: &[[u32; 3]], channels: usize, sums: &mut [[i32; 4]]) {
    let (weights, _) = weights.as_chunks();
    for (at, sums) in sums.iter_mut().enumerate() {
        let Some([left, right]) = windows(columns, channels, at) else { return };
        let count = weights.len().min(left.len()).min(right.len());
        if count == 0 {
            return;
        }
        // SAFETY: no slice is shorter than `count`, which is not 0.
        #[allow(unsafe_code, reason = "a loop in assembly")]
        unsafe {
            sums_of_bytes(weights.as_ptr(), left.as_ptr(), right.as_ptr(), count, sums);
        }
    }
}

/// The columns of input of two columns of output.
#[inline(always)]
fn windows(columns: &[[u32; 3]], channels: usize, at: usize) -> Option<[&[[u32; 3]]; 2]> {
    // One check for both.
    let four = columns.get(at.wrapping_mul(channels).wrapping_mul(2)..)?.get(..channels.wrapping_mul(4))?;
    let (left, _) = four.split_at_checked(channels.wrapping_mul(3))?;
    Some([left, four.get(channels..)?])
}

/// Sums of products of whole steps: above and below of the left columns, then of the right ones.
///
/// Twelve products of a byte and a signed nibble lie within ± 2¹⁵: with 2¹⁵ more their sum is a half without a sign. The
/// sums of pairs less their upper halves are the lower halves.
#[inline(always)]
fn products(weights: &[Nibbles], left: &[Columns], right: &[Columns]) -> [i32; 4] {
    let count = weights.len().min(left.len()).min(right.len());
    let Some(weights) = weights.get(..count).filter(|_| count != 0) else { return [0; 4] };
    let end = weights.as_ptr_range().end;
    let mut sums = MaybeUninit::uninit();
    // SAFETY: no slice is shorter than the weights, and there are some; the function writes all sums.
    #[allow(unsafe_code, reason = "a loop in assembly")]
    let [left, right, left_upper, right_upper] = unsafe {
        add_pairs(weights.as_ptr(), left.as_ptr(), right.as_ptr(), sums.as_mut_ptr(), end);
        sums.assume_init()
    };
    let excess = (count as u32) << 15;
    let lower = |pairs: u32, upper: u32| pairs.wrapping_sub(upper << 16).wrapping_sub(excess) as i32;
    [lower(left, left_upper), left_upper as i32, lower(right, right_upper), right_upper as i32]
}
