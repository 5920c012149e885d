//! Kernel values at centers, or random features, four at a time into the readout.

use nearmark_format::{Layout, Section, meta::code};

use crate::{math, quads, random, readout::Readout, sample::Element};

/// Writes the embedding of the (projected) features `x` to `z`.
#[inline(never)] // one copy in flash
pub(crate) fn embed<const B: usize, T: Element>(layout: &Layout<'_>, x: &[[T; B]], z: &mut [[f32; B]]) {
    let meta = layout.meta();
    let mut readout = Readout::new(layout, z);
    if meta.lift == 0 {
        for values in x.chunks(4) {
            let value = |i: usize| values.get(i).map_or([0.0; B], |v| v.map(Into::into));
            readout.push(&[value(0), value(1), value(2), value(3)]);
        }
        return;
    }
    let (rows, _) = layout.floats(Section::Centers).as_chunks::<4>();
    let mut blocks = rows.chunks_exact(x.len().max(1));
    let mut phases = layout.floats(Section::Phases).chunks(4);
    for first in (0..meta.centers).step_by(4) {
        let block = blocks.next().unwrap_or_default();
        let mut turns = [0.0; 4];
        let mut values = match (meta.lift, meta.kernel) {
            (code::LIFT_CENTERS, code::KERNEL_GAUSSIAN) if cfg!(feature = "gaussian") => {
                quads::sums(block, x, [0.0; 4], quads::squared_gap)
            }
            (code::LIFT_CENTERS, code::KERNEL_LAPLACIAN) if cfg!(feature = "laplacian") => {
                quads::sums(block, x, [0.0; 4], quads::gap)
            }
            (code::LIFT_SEEDED, _) if cfg!(feature = "random") => random::seeded(meta, first, x, &mut turns),
            _ if cfg!(any(feature = "polynomial", feature = "random")) => {
                turns = quads::four(phases.next().unwrap_or_default(), 0.0);
                quads::sums(block, x, [0.0; 4], quads::product)
            }
            _ => [[0.0; B]; 4],
        };
        for (values, turns) in values.iter_mut().zip(turns) {
            for value in values {
                *value = match (meta.lift, meta.kernel) {
                    (code::LIFT_CENTERS, code::KERNEL_POLYNOMIAL) if cfg!(feature = "polynomial") => {
                        math::power(*value * meta.gamma + meta.offset, meta.degree)
                    }
                    (code::LIFT_RANDOM | code::LIFT_SEEDED, _) if cfg!(feature = "random") => {
                        math::cos_turns(*value * meta.gamma + turns)
                    }
                    _ => math::exp_negative(*value * -meta.gamma),
                };
            }
        }
        readout.push(&values);
    }
}
