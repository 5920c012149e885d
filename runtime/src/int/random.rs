//! Random features: phases in 2⁻³² turns, with weights stored or made from a seed.

use nearmark_format::{Meta, meta::code, seed::Row};

use super::lanes::Features;

/// Sums as phases: `k_mul · sum`, plus a phase of 16 bits each.
#[inline(always)]
pub(crate) fn turns<const B: usize>(meta: &Meta, sums: &mut [[[i32; B]; 4]], phases: &[[u32; 2]]) {
    let phases: &[u16] = bytemuck::try_cast_slice(phases).unwrap_or_default();
    for (turns, &phase) in sums.as_flattened_mut().iter_mut().zip(phases) {
        for turns in turns {
            *turns = (*turns as u32).wrapping_mul(meta.k_mul).wrapping_add(u32::from(phase) << 16) as i32;
        }
    }
}

/// Phases of the random features from number `first` on, whose weights and phases are made from the seed.
#[inline(always)]
pub(crate) fn seeded<const B: usize, F: Features<B>>(
    meta: &Meta,
    first: u32,
    width: usize,
    x: &[F],
    turns: &mut [[[i32; B]; 4]],
) {
    // A batch is compiled into its caller, whose instruction set may be wider.
    if B == 1 { seeded_alone(meta, first, width, x, turns) } else { seeded_lanes(meta, first, width, x, turns) }
}

#[inline(never)] // keeps the registers of its caller free
fn seeded_alone<const B: usize, F: Features<B>>(
    meta: &Meta,
    first: u32,
    width: usize,
    x: &[F],
    turns: &mut [[[i32; B]; 4]],
) {
    seeded_lanes(meta, first, width, x, turns);
}

#[inline(always)]
fn seeded_lanes<const B: usize, F: Features<B>>(
    meta: &Meta,
    first: u32,
    width: usize,
    x: &[F],
    turns: &mut [[[i32; B]; 4]],
) {
    let x = F::each(x).get(..width).unwrap_or_default();
    for (row, turns) in (first..).zip(turns.as_flattened_mut()) {
        let mut weights = Row::new(meta.seed_lo, meta.seed_hi, row, meta.law);
        let mut sums = [0i32; B];
        if meta.law == code::LAW_SIGNS {
            for x in x.chunks(32) {
                let mut signs = weights.word();
                for &x in x {
                    // All ones where the bit is clear: x XOR −1 − (−1) is −x.
                    let flip = (signs & 1) as i32 - 1;
                    for (sum, x) in sums.iter_mut().zip(F::number(x)) {
                        *sum = sum.wrapping_add((x ^ flip).wrapping_sub(flip));
                    }
                    signs >>= 1;
                }
            }
        } else {
            for &x in x {
                let weight = weights.weight();
                for (sum, x) in sums.iter_mut().zip(F::number(x)) {
                    *sum = sum.wrapping_add(x.wrapping_mul(weight));
                }
            }
        }
        let phase = weights.phase();
        *turns = sums.map(|sum| phase.wrapping_add(meta.k_mul.wrapping_mul(sum as u32)) as i32);
    }
}
