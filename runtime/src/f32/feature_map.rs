//! Kernel values at centers, or random features, four at a time into the readout.

use nearmark_format::{Layout, Section, meta::code};

use super::{interleave, math, random, readout::Readout};
use crate::{sample::Element, slices::take};

/// Writes the embedding of the (projected) features `x` to `z`.
#[inline(always)]
pub(crate) fn embed<const B: usize, T: Element>(layout: &Layout<'_>, x: &[[T; B]], z: &mut [[f32; B]]) {
    // A batch is compiled into its caller, whose instruction set may be wider.
    if B == 1 { alone(layout, x, z) } else { lanes(layout, x, z) }
}

#[inline(never)] // one copy in flash
fn alone<const B: usize, T: Element>(layout: &Layout<'_>, x: &[[T; B]], z: &mut [[f32; B]]) {
    lanes(layout, x, z);
}

#[inline(always)]
fn lanes<const B: usize, T: Element>(layout: &Layout<'_>, x: &[[T; B]], z: &mut [[f32; B]]) {
    let meta = layout.meta();
    let mut readout = Readout::new(layout, z);
    let (mut rows, _) = layout.floats(Section::Centers).as_chunks::<4>();
    let mut phases = layout.floats(Section::Phases).as_chunks::<4>().0.iter();
    let count = layout.mapped();
    let mut first = 0;
    while first < count {
        let block = take(&mut rows, x.len());
        let mut turns = [0.0; 4];
        let mut values = match (meta.feature_map, meta.kernel) {
            // A linear model: the features themselves, zeros behind the last one.
            (0, _) => core::array::from_fn(|at| x.get(first + at).map_or([0.0; B], |x| x.map(Into::into))),
            (code::MAP_CENTERS, code::KERNEL_GAUSSIAN) if cfg!(feature = "gaussian") => {
                interleave::squared_distances(block, x)
            }
            (code::MAP_CENTERS, code::KERNEL_LAPLACIAN) if cfg!(feature = "laplacian") => {
                interleave::sums(block, x, interleave::absolute_difference)
            }
            (code::MAP_SEEDED, _) if cfg!(feature = "random") => random::seeded(meta, first as u32, x, &mut turns),
            _ if cfg!(any(feature = "polynomial", feature = "random")) => {
                let &[t0, t1, t2, t3] = phases.next().unwrap_or(&[0.0; 4]);
                turns = [t0, t1, t2, t3];
                interleave::products(block, x)
            }
            _ => [[0.0; B]; 4],
        };
        match (meta.feature_map, meta.kernel) {
            (0, _) => {}
            (code::MAP_CENTERS, code::KERNEL_POLYNOMIAL) if cfg!(feature = "polynomial") => {
                for value in values.as_flattened_mut() {
                    *value = math::power(*value * meta.gamma + meta.offset, meta.degree);
                }
            }
            (code::MAP_RANDOM | code::MAP_SEEDED, _) if cfg!(feature = "random") => {
                for (values, turns) in values.iter_mut().zip(&turns) {
                    for value in values {
                        *value = math::cos_turns(*value * meta.gamma + turns);
                    }
                }
            }
            _ => {
                for value in values.as_flattened_mut() {
                    *value = math::exp_negative(*value * -meta.gamma);
                }
            }
        }
        readout.push(&values);
        first += 4;
    }
}
