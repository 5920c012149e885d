//! The loops.

use crate::{
    Block,
    instructions::{add_absolute_differences, even_i8, even_u8, multiply_add, odd_i8, odd_u8, subtract},
};

/// `Σⱼ term(xⱼ, rowⱼ)` for four rows, a word of each at a time; `open` is done once for all rows.
#[inline(always)]
fn sums<X: Copy>(blocks: &[Block], x: &[u32], open: impl Fn(u32) -> X, term: impl Fn(X, u32, u32) -> u32) -> [u32; 4] {
    let [mut s0, mut s1, mut s2, mut s3] = [0; 4];
    for (&[r0, r1, r2, r3], &x) in blocks.iter().zip(x) {
        let x = open(x);
        s0 = term(x, r0, s0);
        s1 = term(x, r1, s1);
        s2 = term(x, r2, s2);
        s3 = term(x, r3, s3);
    }
    [s0, s1, s2, s3]
}

/// As [`portable::products_i8`](crate::portable::products_i8).
#[must_use]
#[inline(never)]
pub fn products_i8(blocks: &[Block], x: &[u32]) -> [i32; 4] {
    let open = |x| (even_i8(x), odd_i8(x));
    let sums = sums(blocks, x, open, |(even, odd), row, sum| {
        multiply_add(odd, odd_i8(row), multiply_add(even, even_i8(row), sum))
    });
    sums.map(|sum| sum as i32)
}

/// As [`portable::squared_distances`](crate::portable::squared_distances).
#[must_use]
#[inline(never)]
pub fn squared_distances(blocks: &[Block], x: &[u32]) -> [u32; 4] {
    let open = |x| (even_u8(x), odd_u8(x));
    sums(blocks, x, open, |(even, odd), row, sum| {
        let (even, odd) = (subtract(even, even_u8(row)), subtract(odd, odd_u8(row)));
        multiply_add(odd, odd, multiply_add(even, even, sum))
    })
}

/// As [`portable::l1_distances`](crate::portable::l1_distances).
#[must_use]
#[inline(never)]
pub fn l1_distances(blocks: &[Block], x: &[u32]) -> [u32; 4] {
    sums(blocks, x, |x| x, add_absolute_differences)
}

/// As [`portable::add_i16`](crate::portable::add_i16).
#[inline(always)]
pub fn add_i16([k0, k1, k2, k3]: [i32; 4], weights: &[[u32; 2]], z: &mut [i32]) {
    let (low, high) = (pair(k0, k1), pair(k2, k3));
    for (z, &[a01, a23]) in z.iter_mut().zip(weights) {
        *z = multiply_add(high, a23, multiply_add(low, a01, *z as u32)) as i32;
    }
}

/// As [`portable::add_i8`](crate::portable::add_i8).
#[inline(always)]
pub fn add_i8([k0, k1, k2, k3]: [i32; 4], weights: &[u32], z: &mut [i32]) {
    let (even, odd) = (pair(k0, k2), pair(k1, k3));
    for (z, &a) in z.iter_mut().zip(weights) {
        *z = multiply_add(odd, odd_i8(a), multiply_add(even, even_i8(a), *z as u32)) as i32;
    }
}

/// As [`portable::map_i16`](crate::portable::map_i16).
///
/// Three coordinates at a time stay in registers over all inputs; with more the compiler runs out of them.
#[inline(never)]
pub fn map_i16(x: &[u32], weights: &[[u32; 2]], z: &mut [i32]) {
    let dim = z.len().max(1);
    let (threes, rest) = z.as_chunks_mut::<3>();
    let mut first = 0;
    for z in threes {
        let [mut s0, mut s1, mut s2] = z.map(|z| z as u32);
        for (&x, row) in x.iter().zip(weights.chunks_exact(dim)) {
            let Some([r0, r1, r2]) = row.get(first..).and_then(|row| row.first_chunk()) else { break };
            let [low, high] = in_order(x);
            s0 = multiply_add(high, r0[1], multiply_add(low, r0[0], s0));
            s1 = multiply_add(high, r1[1], multiply_add(low, r1[0], s1));
            s2 = multiply_add(high, r2[1], multiply_add(low, r2[0], s2));
        }
        *z = [s0 as i32, s1 as i32, s2 as i32];
        first += 3;
    }
    for (z, column) in rest.iter_mut().zip(first..) {
        for (&x, row) in x.iter().zip(weights.chunks_exact(dim)) {
            let Some(&[a01, a23]) = row.get(column) else { break };
            let [low, high] = in_order(x);
            *z = multiply_add(high, a23, multiply_add(low, a01, *z as u32)) as i32;
        }
    }
}

/// As [`portable::map_i8`](crate::portable::map_i8).
#[inline(never)]
pub fn map_i8(x: &[u32], weights: &[u32], z: &mut [i32]) {
    for (&x, row) in x.iter().zip(weights.chunks_exact(z.len().max(1))) {
        let (even, odd) = (even_i8(x), odd_i8(x));
        for (z, &a) in z.iter_mut().zip(row) {
            *z = multiply_add(odd, odd_i8(a), multiply_add(even, even_i8(a), *z as u32)) as i32;
        }
    }
}

/// Four signed bytes as halves, in order.
#[inline(always)]
fn in_order(x: u32) -> [u32; 2] {
    let (even, odd) = (even_i8(x), odd_i8(x));
    [even & 0xFFFF | odd << 16, even >> 16 | odd & 0xFFFF_0000]
}

/// Two values of 16 bits in a word.
fn pair(low: i32, high: i32) -> u32 {
    low as u32 & 0xFFFF | (high as u32) << 16
}
