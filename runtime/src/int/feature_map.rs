//! Kernel values at centers, or random features, some tiles of four at a time into the readout.

use nearmark_format::{Layout, Section, meta::code};

use super::{
    blocks::{self, Rows, TILES},
    cosine::cosine,
    exponential::Decay,
    lanes::Features,
    random,
    readout::Readout,
};
use crate::slices::{split, take};

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
    let mut values = [F::SOME; TILES];
    if layout.meta().feature_map == 0 {
        // A linear model: the features themselves.
        for x in x.chunks(TILES) {
            let (values, _) = split(&mut values, x.len());
            for (values, &x) in values.iter_mut().zip(x) {
                *values = F::values(x);
            }
            readout.add::<F>(values);
        }
    } else {
        add_mapped(layout, x, &mut values, &mut readout);
    }
    readout.finish();
}

/// Kernel values or random features of `x`, into the readout.
#[inline(always)]
fn add_mapped<const B: usize, F: Features<B>>(
    layout: &Layout<'_>,
    x: &[F],
    values: &mut [F::Values],
    readout: &mut Readout<'_, '_, B>,
) {
    let meta = layout.meta();
    let mut rows = Rows::new(layout.words(Section::Centers), meta.has_nibble_centers());
    let mut phases = layout.words(Section::Phases).as_chunks::<2>().0;
    let decay = Decay::new(meta);
    let mut sums = blocks::room();
    let (sums, _) = sums.as_chunks_mut();
    let (mut first, all) = (0, layout.mapped().div_ceil(4));
    while first < all {
        let tiles = TILES.min(all.wrapping_sub(first));
        let (sums, _) = split(sums, tiles);
        let (values, _) = split(values, tiles);
        let mut rows = || rows.take(tiles, x.len());
        match (meta.feature_map, meta.kernel) {
            (code::MAP_CENTERS, kernel)
                if cfg!(feature = "gaussian") && (kernel == code::KERNEL_GAUSSIAN || meta.has_nibble_centers()) =>
            {
                F::squared_distances(rows(), x, sums);
            }
            (code::MAP_CENTERS, code::KERNEL_LAPLACIAN) if cfg!(feature = "laplacian") => {
                F::l1_distances(rows(), x, sums);
            }
            (code::MAP_RANDOM, _) if cfg!(feature = "random") => {
                F::products_i8(rows(), x, sums);
                random::turns(meta, sums, take(&mut phases, tiles));
            }
            (code::MAP_SEEDED, _) if cfg!(feature = "random") => {
                random::seeded(meta, first as u32 * 4, layout.projected(), x, sums);
            }
            _ => {}
        }
        match meta.feature_map {
            code::MAP_CENTERS => decay.map::<B, F>(sums, values),
            _ if cfg!(feature = "random") => F::map(sums, values, cosine),
            _ => {}
        }
        readout.add::<F>(values);
        first = first.wrapping_add(tiles);
    }
}
