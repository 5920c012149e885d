//! Squared distances between embeddings of floats, as bits.

use nearmark_format::{Section, meta::code};

use crate::{
    ClassId,
    head::Heads,
    slices::{numbers, take},
};

/// Visits every mean or prototype with its class and the bits of its squared distance.
pub(crate) fn scan(heads: &Heads<'_>, z: &[f32], visit: &mut dyn FnMut(ClassId, u32)) {
    let layout = heads.layout;
    let unit = layout.meta().head == code::HEAD_UNIT;
    // ‖z − e_c‖² = ‖z‖² − 2 z_c + 1: rounding keeps the order of the z_c.
    let squares = if unit { squared_length(z) } else { 0.0 };
    let mut rows = layout.floats(Section::Head);
    let mut counts = if cfg!(feature = "knn") { layout.halves(Section::Counts) } else { &[] }.iter();
    for class in 0..layout.header().classes {
        for _ in 0..counts.next().copied().unwrap_or(1) {
            let distance = if unit {
                let gap = (squares - 2.0 * z.get(usize::from(class)).copied().unwrap_or_default()) + 1.0;
                if gap < 0.0 { 0 } else { gap.to_bits() }
            } else {
                distance(z, take(&mut rows, z.len()))
            };
            visit(ClassId(class), distance);
        }
    }
    let mut rows: &[f32] = numbers(heads.enrolled.words);
    for &class in heads.enrolled.labels {
        visit(class, distance(z, take(&mut rows, heads.enrolled.stride)));
    }
}

/// Bits of the squared distance.
#[inline(never)] // one copy in flash
fn distance(z: &[f32], to: &[f32]) -> u32 {
    let mut sum = 0.0;
    for (z, to) in z.iter().zip(to) {
        sum += (z - to) * (z - to);
    }
    f32::to_bits(sum)
}

fn squared_length(z: &[f32]) -> f32 {
    let mut sum = 0.0;
    for v in z {
        sum += v * v;
    }
    sum
}
