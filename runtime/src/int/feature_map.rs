//! Kernel values at centers, or random features, four at a time into the readout.

use nearmark_format::{Layout, Section, meta::code};

use super::{blocks, cosine::cosine, exponential::Decay, lanes::Features, random, readout::Readout};
use crate::slices::take;

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
    let mut rows = blocks::of(layout.words(Section::Centers));
    let mut phases = layout.words(Section::Phases).as_chunks::<2>().0.iter();
    let decay = Decay::new(meta);
    let mut first = 0;
    while first < layout.mapped() as u32 {
        let mut values = match (meta.feature_map, meta.kernel) {
            (code::MAP_CENTERS, code::KERNEL_GAUSSIAN) if cfg!(feature = "gaussian") => {
                F::squared_distances(take(&mut rows, x.len()), x)
            }
            (code::MAP_CENTERS, code::KERNEL_LAPLACIAN) if cfg!(feature = "laplacian") => {
                F::l1_distances(take(&mut rows, x.len()), x)
            }
            (code::MAP_RANDOM, _) if cfg!(feature = "random") => {
                let sums = F::products_i8(take(&mut rows, x.len()), x);
                random::turns(meta, sums, phases.next().copied().unwrap_or_default())
            }
            (code::MAP_SEEDED, _) if cfg!(feature = "random") => random::seeded(meta, first, layout.projected(), x),
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
