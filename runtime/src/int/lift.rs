//! Kernel values at centers, or random features, four at a time into the readout.

use nearmark_format::{Layout, Meta, Section, meta::code, seed::Row};

use super::{cosine::cosine, exponential::Decay, readout::Readout, tiles};
use crate::quads;

/// Writes the embedding of the packed (projected) features `x` to `z`.
pub(crate) fn embed(layout: &Layout<'_>, x: &[u32], z: &mut [i32]) {
    let meta = layout.meta();
    let mut rows = tiles::of(layout.words(Section::Centers));
    let mut norms = layout.words(Section::Phases).as_chunks::<4>().0.iter();
    let mut phases = layout.halves(Section::Phases).as_chunks::<4>().0.iter();
    let decay = Decay::new(meta);
    let squares = if meta.norms == 0 { 0 } else { tiles::squares(x) };
    let mut features = x.iter();
    let mut readout = Readout::new(layout, z);
    let mut first = 0;
    while first < layout.lifted() as u32 {
        let values = match (meta.lift, meta.kernel) {
            // A linear model: the features themselves.
            (0, _) => features.next().copied().unwrap_or(0).to_le_bytes().map(|byte| i32::from(byte as i8)),
            (code::LIFT_CENTERS, code::KERNEL_GAUSSIAN) if cfg!(feature = "gaussian") => {
                let block = quads::take(&mut rows, x.len());
                // ‖x − c‖² = ‖x‖² + ‖c‖² − 2 xᵀc: a third less work per input, for a word per center.
                let sums = if meta.norms == 0 {
                    tiles::distances(block, x)
                } else {
                    let &[n0, n1, n2, n3] = norms.next().unwrap_or(&[0; 4]);
                    let [p0, p1, p2, p3] = tiles::products_u8(block, x);
                    let distance =
                        |norm: u32, product: u32| squares.wrapping_add(norm).wrapping_sub(2u32.wrapping_mul(product));
                    [distance(n0, p0), distance(n1, p1), distance(n2, p2), distance(n3, p3)]
                };
                sums.map(|sum| decay.of(sum))
            }
            (code::LIFT_CENTERS, code::KERNEL_LAPLACIAN) if cfg!(feature = "laplacian") => {
                tiles::gaps(quads::take(&mut rows, x.len()), x).map(|sum| decay.of(sum))
            }
            (code::LIFT_RANDOM, _) if cfg!(feature = "random") => {
                let products = tiles::products_i8(quads::take(&mut rows, x.len()), x);
                let phases = phases.next().unwrap_or(&[0; 4]);
                let mut values = [0; 4];
                for ((value, product), &phase) in values.iter_mut().zip(products).zip(phases) {
                    *value = cosine((product as u32).wrapping_mul(meta.k_mul).wrapping_add(u32::from(phase) << 16));
                }
                values
            }
            (code::LIFT_SEEDED, _) if cfg!(feature = "random") => seeded(meta, first, layout.projected(), x),
            _ => [0; 4],
        };
        readout.push(values);
        first += 4;
    }
    readout.finish();
}

/// Four random features whose weights and phases are made from the seed.
#[inline(never)] // keeps the registers of its caller free
fn seeded(meta: &Meta, first: u32, width: usize, x: &[u32]) -> [i32; 4] {
    let x: &[i8] = bytemuck::try_cast_slice(x).unwrap_or_default();
    let mut values = [0; 4];
    for (row, value) in (first..meta.centers).zip(&mut values) {
        let mut weights = Row::new(meta.seed_lo, meta.seed_hi, row, meta.law);
        let mut sum = 0i32;
        for &x in x.iter().take(width) {
            sum = sum.wrapping_add(i32::from(x).wrapping_mul(weights.weight()));
        }
        *value = cosine((sum as u32).wrapping_mul(meta.k_mul).wrapping_add(weights.phase()));
    }
    values
}
