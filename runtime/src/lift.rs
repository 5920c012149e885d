//! Kernel values at centers, or random features, four at a time into the readout.

use nearmark_format::{F32Sections, Meta, meta::code};

use crate::{math, quads, random, readout::Readout, sample::Element};

/// Writes the embedding of the (projected) features `x` to `z`.
#[inline(never)] // one copy in flash
pub(crate) fn embed<const B: usize, T: Element>(
    meta: &Meta,
    sections: &F32Sections<'_>,
    x: &[[T; B]],
    z: &mut [[f32; B]],
) {
    let weights = (meta.readout != 0).then_some(sections.readout);
    let mut readout = Readout::new(weights, sections.readout_bias, z);
    if meta.lift == 0 {
        for values in x.chunks(4) {
            let mut four = [[0.0; B]; 4];
            for (four, values) in four.iter_mut().zip(values) {
                *four = values.map(Into::into);
            }
            readout.push(four);
        }
        return;
    }
    let mut blocks = sections.centers.chunks_exact(x.len().max(1));
    let mut phases = sections.phases.chunks(4);
    for first in (0..meta.centers).step_by(4) {
        let mut block = || blocks.next().unwrap_or_default();
        let values = match meta.lift {
            code::LIFT_CENTERS => kernel(meta, block(), x),
            code::LIFT_RANDOM if cfg!(feature = "random") => {
                let sums = quads::sums(block(), x, [0.0; 4], quads::product);
                let mut four = [0.0; 4];
                four.iter_mut().zip(phases.next().unwrap_or_default()).for_each(|(f, p)| *f = *p);
                cosines(meta.gamma, sums, four)
            }
            _ if cfg!(feature = "random") => {
                let (sums, phases) = random::seeded(meta, first, x);
                cosines(meta.gamma, sums, phases)
            }
            _ => [[0.0; B]; 4],
        };
        readout.push(values);
    }
}

/// Kernel values of `B` samples at four centers.
#[inline(always)]
fn kernel<const B: usize, T: Element>(meta: &Meta, block: &[[f32; 4]], x: &[[T; B]]) -> [[f32; B]; 4] {
    let zero = [0.0; 4];
    match meta.kernel {
        code::KERNEL_GAUSSIAN if cfg!(feature = "gaussian") => {
            each(quads::sums(block, x, zero, quads::squared_gap), |s| math::exp_negative(s * -meta.gamma))
        }
        code::KERNEL_LAPLACIAN if cfg!(feature = "laplacian") => {
            each(quads::sums(block, x, zero, quads::gap), |s| math::exp_negative(s * -meta.gamma))
        }
        code::KERNEL_POLYNOMIAL if cfg!(feature = "polynomial") => {
            each(quads::sums(block, x, zero, quads::product), |s| {
                let base = s * meta.gamma + meta.offset;
                (1..meta.degree).fold(base, |power, _| power * base)
            })
        }
        _ => [[0.0; B]; 4],
    }
}

#[inline(always)]
fn cosines<const B: usize>(gamma: f32, sums: [[f32; B]; 4], phases: [f32; 4]) -> [[f32; B]; 4] {
    let mut values = sums;
    for (values, phase) in values.iter_mut().zip(phases) {
        values.iter_mut().for_each(|v| *v = math::cos_turns(*v * gamma + phase));
    }
    values
}

#[inline(always)]
fn each<const B: usize>(values: [[f32; B]; 4], f: impl Fn(f32) -> f32) -> [[f32; B]; 4] {
    values.map(|row| row.map(&f))
}
