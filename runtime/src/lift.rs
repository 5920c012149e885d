//! Kernel values at centers, or random features, four at a time into the readout.

use nearmark_format::{Layout, Section, meta::code};

use crate::{math, quads, random, readout::Readout, sample::Element};

/// Writes the embedding of the (projected) features `x` to `z`.
#[inline(never)] // one copy in flash
pub(crate) fn embed<const B: usize, T: Element>(layout: &Layout<'_>, x: &[[T; B]], z: &mut [[f32; B]]) {
    let meta = layout.meta();
    let mut readout = Readout::new(layout, z);
    let (mut rows, _) = layout.floats(Section::Centers).as_chunks::<4>();
    let mut phases = layout.floats(Section::Phases).as_chunks::<4>().0.iter();
    for first in (0..layout.lifted()).step_by(4) {
        let (block, rest) = rows.split_at_checked(x.len()).unwrap_or_default();
        rows = rest;
        let mut turns = [0.0; 4];
        let mut values = match (meta.lift, meta.kernel) {
            (0, _) => quads::four(x.get(first..).unwrap_or_default()),
            (code::LIFT_CENTERS, code::KERNEL_GAUSSIAN) if cfg!(feature = "gaussian") => {
                quads::sums(block, x, &[0.0; 4], quads::squared_gap)
            }
            (code::LIFT_CENTERS, code::KERNEL_LAPLACIAN) if cfg!(feature = "laplacian") => {
                quads::sums(block, x, &[0.0; 4], quads::gap)
            }
            (code::LIFT_SEEDED, _) if cfg!(feature = "random") => random::seeded(meta, first as u32, x, &mut turns),
            _ if cfg!(any(feature = "polynomial", feature = "random")) => {
                turns = phases.next().copied().unwrap_or_default();
                quads::products(block, x, &[0.0; 4])
            }
            _ => [[0.0; B]; 4],
        };
        for (values, turns) in values.iter_mut().zip(turns) {
            for value in values {
                *value = match (meta.lift, meta.kernel) {
                    (0, _) => break,
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
