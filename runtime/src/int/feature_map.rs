//! Kernel values at centers, or random features, four at a time into the readout.

use nearmark_format::{Layout, Meta, Section, meta::code, seed::Row};

use super::{cosine::cosine, exponential::Decay, readout::Readout, tiles};
use crate::quads;

/// Writes the embedding of the packed (projected) features `x` to `z`.
pub(crate) fn embed(layout: &Layout<'_>, x: &[u32], z: &mut [i32]) {
    let meta = layout.meta();
    let mut readout = Readout::new(layout, z);
    if meta.feature_map == 0 {
        // A linear model: the features themselves.
        readout.map(x);
        return readout.finish();
    }
    let mut rows = tiles::of(layout.words(Section::Centers));
    let mut phases = layout.words(Section::Phases).as_chunks::<2>().0.iter();
    let decay = Decay::new(meta);
    let mut first = 0;
    while first < layout.mapped() as u32 {
        let mut values = match (meta.feature_map, meta.kernel) {
            (code::MAP_CENTERS, code::KERNEL_GAUSSIAN) if cfg!(feature = "gaussian") => {
                tiles::distances(quads::take(&mut rows, x.len()), x)
            }
            (code::MAP_CENTERS, code::KERNEL_LAPLACIAN) if cfg!(feature = "laplacian") => {
                tiles::gaps(quads::take(&mut rows, x.len()), x)
            }
            (code::MAP_RANDOM, _) if cfg!(feature = "random") => {
                let sums = tiles::products_i8(quads::take(&mut rows, x.len()), x);
                turns(meta, sums, phases.next().copied().unwrap_or_default())
            }
            (code::MAP_SEEDED, _) if cfg!(feature = "random") => seeded(meta, first, layout.projected(), x),
            _ => [0; 4],
        };
        match meta.feature_map {
            code::MAP_CENTERS => values.iter_mut().for_each(|value| *value = decay.of(*value)),
            _ if cfg!(feature = "random") => values.iter_mut().for_each(|value| *value = cosine(*value)),
            _ => {}
        }
        readout.push(values.map(|value| value as i32));
        first += 4;
    }
    readout.finish();
}

/// Four sums as phases: `k_mul · sum`, and each its own beginning, of 16 bits.
fn turns(meta: &Meta, sums: [i32; 4], [low, high]: [u32; 2]) -> [u32; 4] {
    let mut turns = [low << 16, low & 0xFFFF_0000, high << 16, high & 0xFFFF_0000];
    for (turns, sum) in turns.iter_mut().zip(sums) {
        *turns = turns.wrapping_add(meta.k_mul.wrapping_mul(sum as u32));
    }
    turns
}

/// Phases of four random features whose weights and beginnings are made from the seed.
#[inline(never)] // keeps the registers of its caller free
fn seeded(meta: &Meta, first: u32, width: usize, x: &[u32]) -> [u32; 4] {
    let x: &[i8] = bytemuck::try_cast_slice(x).unwrap_or_default();
    let x = x.get(..width).unwrap_or_default();
    let mut turns = [0; 4];
    for (row, turns) in (first..meta.centers.into()).zip(&mut turns) {
        let mut weights = Row::new(meta.seed_lo, meta.seed_hi, row, meta.law);
        let mut sum = 0i32;
        if meta.law == code::LAW_SIGNS {
            for x in x.chunks(32) {
                let mut signs = weights.word();
                for &x in x {
                    // All ones where the bit is clear: x XOR −1 − (−1) is −x.
                    let flip = (signs & 1) as i32 - 1;
                    sum = sum.wrapping_add((i32::from(x) ^ flip).wrapping_sub(flip));
                    signs >>= 1;
                }
            }
        } else {
            for &x in x {
                sum = sum.wrapping_add(i32::from(x).wrapping_mul(weights.weight()));
            }
        }
        *turns = weights.phase().wrapping_add(meta.k_mul.wrapping_mul(sum as u32));
    }
    turns
}
