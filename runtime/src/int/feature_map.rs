//! Kernel values at centers, or random features, four at a time into the readout.

use nearmark_format::{Layout, Meta, Section, meta::code, seed::Row};

use super::{cosine::cosine, exponential::Decay, lanes::Features, readout::Readout, tiles};
use crate::quads;

/// Writes the embedding of the (projected) features `x` to `z`.
#[inline(always)]
pub(crate) fn embed<const B: usize, F: Features<B>>(layout: &Layout<'_>, x: &[F], z: &mut [[i32; B]]) {
    // A batch is compiled into its caller, whose instruction set may be wider.
    if B == 1 { alone(layout, x, z) } else { lanes(layout, x, z) }
}

#[inline(never)] // keeps the registers of its caller free
fn alone<const B: usize, F: Features<B>>(layout: &Layout<'_>, x: &[F], z: &mut [[i32; B]]) {
    lanes(layout, x, z);
}

#[inline(always)]
fn lanes<const B: usize, F: Features<B>>(layout: &Layout<'_>, x: &[F], z: &mut [[i32; B]]) {
    let mut readout = Readout::new(layout, z);
    if layout.meta().feature_map == 0 {
        // A linear model: the features themselves.
        readout.map(x);
    } else {
        push_mapped(layout, x, &mut readout);
    }
    readout.finish();
}

/// Kernel values or random features of `x`, into the readout.
#[inline(always)]
fn push_mapped<const B: usize, F: Features<B>>(layout: &Layout<'_>, x: &[F], readout: &mut Readout<'_, '_, B>) {
    let meta = layout.meta();
    let mut rows = tiles::of(layout.words(Section::Centers));
    let behind = layout.words(Section::Phases);
    let (mut norms, mut phases) = (behind.as_chunks::<4>().0.iter(), behind.as_chunks::<2>().0.iter());
    let decay = Decay::new(meta);
    let squares = if meta.norms == 0 { [0; B] } else { F::squares(x) };
    let mut first = 0;
    while first < layout.mapped() as u32 {
        let mut values = match (meta.feature_map, meta.kernel) {
            (code::MAP_CENTERS, code::KERNEL_GAUSSIAN) if cfg!(feature = "gaussian") => {
                let block = quads::take(&mut rows, x.len());
                if meta.norms == 0 {
                    F::distances(block, x)
                } else {
                    // ‖x − c‖² = ‖x‖² + ‖c‖² − 2 xᵀc: a third less work per input, for a word per center.
                    let mut sums = F::products_u8(block, x);
                    for (sums, norm) in sums.iter_mut().zip(norms.next().unwrap_or(&[0; 4])) {
                        for (sum, squares) in sums.iter_mut().zip(&squares) {
                            *sum = squares.wrapping_add(*norm as i32).wrapping_sub(sum.wrapping_mul(2));
                        }
                    }
                    sums
                }
            }
            (code::MAP_CENTERS, code::KERNEL_LAPLACIAN) if cfg!(feature = "laplacian") => {
                F::gaps(quads::take(&mut rows, x.len()), x)
            }
            (code::MAP_RANDOM, _) if cfg!(feature = "random") => {
                let sums = F::products_i8(quads::take(&mut rows, x.len()), x);
                turns(meta, sums, phases.next().copied().unwrap_or_default())
            }
            (code::MAP_SEEDED, _) if cfg!(feature = "random") => seeded(meta, first, layout.projected(), x),
            _ => [[0; B]; 4],
        };
        match meta.feature_map {
            code::MAP_CENTERS => {
                values.as_flattened_mut().iter_mut().for_each(|value| *value = decay.of(*value as u32) as i32);
            }
            _ if cfg!(feature = "random") => {
                values.as_flattened_mut().iter_mut().for_each(|value| *value = cosine(*value as u32) as i32);
            }
            _ => {}
        }
        readout.push::<F>(values);
        first += 4;
    }
}

/// Four sums as phases: `k_mul · sum`, and each its own beginning, of 16 bits.
#[inline(always)]
fn turns<const B: usize>(meta: &Meta, sums: [[i32; B]; 4], [low, high]: [u32; 2]) -> [[i32; B]; 4] {
    let phases = [low << 16, low & 0xFFFF_0000, high << 16, high & 0xFFFF_0000];
    let mut turns = sums;
    for (turns, phase) in turns.iter_mut().zip(phases) {
        for turns in turns {
            *turns = (*turns as u32).wrapping_mul(meta.k_mul).wrapping_add(phase) as i32;
        }
    }
    turns
}

/// Phases of four random features whose weights and beginnings are made from the seed.
#[inline(always)]
fn seeded<const B: usize, F: Features<B>>(meta: &Meta, first: u32, width: usize, x: &[F]) -> [[i32; B]; 4] {
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
    for (row, turns) in (first..meta.centers).zip(&mut turns) {
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
