//! The loops.

use core::mem::MaybeUninit;

use crate::{
    Block,
    instructions::{add_absolute_differences, even_i8, even_u8, multiply_add, odd_i8, odd_u8, subtract},
    tile::{self, Pairs},
};

/// Words of inputs that are taken apart at a time.
const INPUTS: usize = 16;

/// `Σⱼ term(xⱼ, rowⱼ)` for four rows a sum: inputs are taken apart by `open`, once for all rows. A block has the inputs of
/// one word or two.
#[inline(always)]
fn sums(
    rows: &[Block],
    x: &[u32],
    all: &mut [[u32; 4]],
    open: impl Fn(u32) -> Pairs,
    tile: unsafe extern "C" fn(*const Block, *const Pairs, usize, *mut [u32; 4]),
    words: usize,
) {
    let each = x.len().div_ceil(words);
    if x.is_empty() || rows.len() < each.wrapping_mul(all.len()) {
        return all.fill([0; 4]);
    }
    let mut first = rows.as_ptr();
    for (number, part) in x.chunks(INPUTS).enumerate() {
        let mut pairs = [MaybeUninit::<Pairs>::uninit(); INPUTS];
        // An odd word more is read where a block has two: beyond the last input there are zeros.
        if let Some(pairs) = pairs.get_mut(part.len()).filter(|_| words != 1) {
            pairs.write([0; 2]);
        }
        for (pairs, &x) in pairs.iter_mut().zip(part) {
            pairs.write(open(x));
        }
        let mut tile_rows = first;
        for sums in &mut *all {
            if number == 0 {
                *sums = [0; 4];
            }
            // SAFETY: a part is not empty and has as many pairs written as words, or one more; rows are as many as words
            // (or pairs of words) in all, for each sum, as checked above; all parts but the last are even.
            #[allow(unsafe_code, reason = "bounds are checked above, once for all loops")]
            unsafe {
                tile(tile_rows, pairs.as_ptr().cast(), part.len().div_ceil(words), sums);
            }
            tile_rows = tile_rows.wrapping_add(each);
        }
        first = first.wrapping_add(INPUTS / words);
    }
}

/// As [`portable::products_i8`](crate::portable::products_i8).
#[inline(never)]
pub fn products_i8(rows: &[Block], x: &[u32], all: &mut [[u32; 4]]) {
    sums(rows, x, all, signed, tile::products_i8, 1);
}

/// As [`portable::products_i4`](crate::portable::products_i4).
#[inline(never)]
pub fn products_i4(rows: &[Block], x: &[u32], all: &mut [[u32; 4]]) {
    sums(rows, x, all, signed, tile::products_i4, 2);
}

/// Bytes as halves.
#[inline(always)]
fn signed(x: u32) -> Pairs {
    [even_i8(x), odd_i8(x)]
}

/// Bytes as halves, negated: so that one instruction takes two bytes of a row apart and subtracts.
#[inline(always)]
fn negated(x: u32) -> Pairs {
    [subtract(0, even_u8(x)), subtract(0, odd_u8(x))]
}

/// As [`portable::squared_distances`](crate::portable::squared_distances).
#[inline(never)]
pub fn squared_distances(rows: &[Block], x: &[u32], all: &mut [[u32; 4]]) {
    sums(rows, x, all, negated, tile::squared_distances, 1);
}

/// As [`portable::squared_distances_u4`](crate::portable::squared_distances_u4).
#[inline(never)]
pub fn squared_distances_u4(rows: &[Block], x: &[u32], all: &mut [[u32; 4]]) {
    sums(rows, x, all, negated, tile::squared_distances_u4, 2);
}

/// As [`portable::l1_distances`](crate::portable::l1_distances).
#[inline(never)]
pub fn l1_distances(mut rows: &[Block], x: &[u32], all: &mut [[u32; 4]]) {
    for all in all {
        let [mut s0, mut s1, mut s2, mut s3] = [0; 4];
        for (&[r0, r1, r2, r3], &x) in take(&mut rows, x.len()).iter().zip(x) {
            s0 = add_absolute_differences(x, r0, s0);
            s1 = add_absolute_differences(x, r1, s1);
            s2 = add_absolute_differences(x, r2, s2);
            s3 = add_absolute_differences(x, r3, s3);
        }
        *all = [s0, s1, s2, s3];
    }
}

/// `z += Σ kᵢ aᵢ`, eight values at a time by `eight`, and the last four by `four`.
#[inline(always)]
fn add<W: Copy>(
    values: &[Pairs],
    mut weights: &[W],
    z: &mut [i32],
    order: impl Fn(Pairs) -> Pairs,
    eight: unsafe extern "C" fn(*mut i32, usize, *const W, &[Pairs; 2]),
    four: impl Fn(Pairs, W, u32) -> u32,
) {
    let (eights, last) = values.as_chunks::<2>();
    for &[near, far] in eights {
        let weights = take(&mut weights, z.len().wrapping_mul(2));
        if !z.is_empty() && weights.len() == z.len().wrapping_mul(2) {
            // SAFETY: as many coordinates and weights as it takes, and not none.
            #[allow(unsafe_code, reason = "bounds are checked here, once for the loop")]
            unsafe {
                eight(z.as_mut_ptr(), z.len(), weights.as_ptr(), &[order(near), order(far)]);
            }
        }
    }
    for &values in last {
        let values = order(values);
        for (z, &weights) in z.iter_mut().zip(weights) {
            *z = four(values, weights, *z as u32) as i32;
        }
    }
}

/// As [`portable::add_i16`](crate::portable::add_i16).
#[inline(always)]
pub fn add_i16(values: &[Pairs], weights: &[Pairs], z: &mut [i32]) {
    let four = |[v01, v23]: Pairs, [a01, a23]: Pairs, z| multiply_add(v23, a23, multiply_add(v01, a01, z));
    add(values, weights, z, |values| values, tile::add_eight_i16, four);
}

/// As [`portable::add_i8`](crate::portable::add_i8).
#[inline(always)]
pub fn add_i8(values: &[Pairs], weights: &[u32], z: &mut [i32]) {
    let four = |[even, odd]: Pairs, a, z| multiply_add(odd, odd_i8(a), multiply_add(even, even_i8(a), z));
    add(values, weights, z, alternate, tile::add_eight_i8, four);
}

/// As [`portable::add_i4`](crate::portable::add_i4).
#[inline(always)]
pub fn add_i4(values: &[Pairs], mut weights: &[u32], z: &mut [i32]) {
    for values in values.chunks(2) {
        let [near, far] = [0, 1].map(|at| alternate(values.get(at).copied().unwrap_or_default()));
        let weights = take(&mut weights, z.len());
        if !z.is_empty() && weights.len() == z.len() {
            // SAFETY: as many coordinates as weights, and not none.
            #[allow(unsafe_code, reason = "bounds are checked here, once for the loop")]
            unsafe {
                tile::add_eight_i4(z.as_mut_ptr(), z.len(), weights.as_ptr(), &[near, far]);
            }
        }
    }
}

/// Values at 0 and 2, and those at 1 and 3.
#[inline(always)]
fn alternate([v01, v23]: Pairs) -> Pairs {
    [v01 & 0xFFFF | v23 << 16, v01 >> 16 | v23 & 0xFFFF_0000]
}

/// As [`portable::widen`](crate::portable::widen).
#[must_use]
#[inline(always)]
pub fn widen(word: u32) -> [u32; 2] {
    let (even, odd) = (even_i8(word), odd_i8(word));
    [even & 0xFFFF | odd << 16, even >> 16 | odd & 0xFFFF_0000]
}

/// The first values, as many as asked for if there are so many.
#[inline(always)]
fn take<'a, T>(left: &mut &'a [T], len: usize) -> &'a [T] {
    let (taken, rest) = left.split_at(len.min(left.len()));
    *left = rest;
    taken
}
