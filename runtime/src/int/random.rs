//! Random features: phases in 2⁻³² turns, with weights stored or made from a seed.

use nearmark_format::{Meta, meta::code, seed::Row};

use super::lanes::Features;

/// Four sums as phases: `k_mul · sum`, plus a phase of 16 bits each.
#[inline(always)]
pub(crate) fn turns<const B: usize>(meta: &Meta, sums: [[i32; B]; 4], [low, high]: [u32; 2]) -> [[i32; B]; 4] {
    let phases = [low << 16, low & 0xFFFF_0000, high << 16, high & 0xFFFF_0000];
    let mut turns = sums;
    for (turns, phase) in turns.iter_mut().zip(phases) {
        for turns in turns {
            *turns = (*turns as u32).wrapping_mul(meta.k_mul).wrapping_add(phase) as i32;
        }
    }
    turns
}

/// Phases of four random features whose weights and phases are made from the seed.
#[inline(always)]
pub(crate) fn seeded<const B: usize, F: Features<B>>(meta: &Meta, first: u32, width: usize, x: &[F]) -> [[i32; B]; 4] {
    // A batch is compiled into its caller, whose instruction set may be wider.
    if B == 1 { seeded_alone(meta, first, width, x) } else { seeded_lanes(meta, first, width, x) }
}

#[inline(never)] // keeps the registers of its caller free
fn seeded_alone<const B: usize, F: Features<B>>(meta: &Meta, first: u32, width: usize, x: &[F]) -> [[i32; B]; 4] {
    seeded_lanes(meta, first, width, x)
}

#[inline(always)]
fn seeded_lanes<const B: usize, F: Features<B>>(meta: &Meta, first: u32, width: usize, x: &[F]) -> [[i32; B]; 4] {
    let x = F::each(x).get(..width).unwrap_or_default();
    let mut turns = [[0; B]; 4];
    for (row, turns) in (first..meta.centers.into()).zip(&mut turns) {
        let mut weights = Row::new(meta.seed_lo, meta.seed_hi, row, meta.law);
        let mut sums = [0i32; B];
        if meta.law == code::LAW_SIGNS {
            for x in x.chunks(32) {
                let mut signs = weights.word();
                for &x in x {
                    // All ones where the bit is clear: x XOR −1 − (−1) is −x.
                    let flip = (signs & 1) as i32 - 1;
                    for (sum, x) in sums.iter_mut().zip(F::numbers(x)) {
                        *sum = sum.wrapping_add((x ^ flip).wrapping_sub(flip));
                    }
                    signs >>= 1;
                }
            }
        } else {
            for &x in x {
                let weight = weights.weight();
                for (sum, x) in sums.iter_mut().zip(F::numbers(x)) {
                    *sum = sum.wrapping_add(x.wrapping_mul(weight));
                }
            }
        }
        let phase = weights.phase();
        *turns = sums.map(|sum| phase.wrapping_add(meta.k_mul.wrapping_mul(sum as u32)) as i32);
    }
    turns
}
