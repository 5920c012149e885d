//! Random features: `cos 2π(γ·wᵀx + phase)`, with weights stored or made from a seed.

use nearmark_format::{Meta, seed::Row};

use crate::sample::Element;

/// Inner products with four rows of weights made from the seed; their phases go to `turns`.
///
/// Costs a generator step per weight (per 32 weights for signs) instead of flash.
#[inline(never)] // keeps the registers of its caller free
pub(crate) fn seeded<const B: usize, T: Element>(
    meta: &Meta,
    first_row: u32,
    x: &[[T; B]],
    turns: &mut [f32; 4],
) -> [[f32; B]; 4] {
    let mut sums = [[0.0; B]; 4];
    for (row, (sums, turns)) in (first_row..meta.centers.into()).zip(sums.iter_mut().zip(turns)) {
        let mut weights = Row::new(meta.seed_lo, meta.seed_hi, row, meta.law);
        for values in x {
            let weight = weights.weight() as f32;
            for (sum, &value) in sums.iter_mut().zip(values) {
                *sum += value.into() * weight;
            }
        }
        *turns = (weights.phase() >> 8) as f32 * (1.0 / 16_777_216.0);
    }
    sums
}
