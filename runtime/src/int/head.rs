//! Exact squared distances between embeddings of integers.

use nearmark_format::{Section, meta::code};

use crate::{ClassId, head::Heads, slices::take};

/// Class, distance and runner-up where every class has one mean or unit vector and nothing was enrolled beside them.
///
/// The nearest unit vector is that of the largest coordinate: distances are needed for two classes only. Checked bounds
/// make them exact, so these are the answers that [`scan`] gives.
pub(crate) fn nearest_mean(heads: &Heads<'_>, z: &[i32]) -> Option<(ClassId, u32, u32)> {
    let layout = heads.layout;
    let meta = layout.meta();
    if !layout.int() || meta.has_prototypes() || !heads.enrolled.labels.is_empty() {
        return None;
    }
    let unit = meta.head == code::HEAD_UNIT;
    let mut rows: &[i16] = bytemuck::try_cast_slice(layout.words(Section::Head)).unwrap_or_default();
    let mut coordinates = z.iter();
    let (mut class, mut best, mut second) = (0, u32::MAX, u32::MAX);
    for at in 0..layout.header().classes {
        // Of unit vectors, what falls as the distance does: coordinates have 16 bits.
        let gap = if unit {
            coordinates.next().map_or(u32::MAX, |&z| 0x7FFF_u32.wrapping_sub(z as u32))
        } else {
            distance(z, take(&mut rows, z.len()))
        };
        if gap < best {
            (class, second, best) = (at, best, gap);
        } else if gap < second {
            second = gap;
        }
    }
    if unit {
        let one = u32::from(meta.z_one);
        let squares = squared_length(z).wrapping_add(one.wrapping_mul(one));
        let distance = |gap| match gap {
            u32::MAX => gap,
            gap => squares.wrapping_sub(one.wrapping_mul(2).wrapping_mul(0x7FFF_u32.wrapping_sub(gap))),
        };
        (best, second) = (distance(best), distance(second));
    }
    Some((ClassId(class), best, second))
}

/// Visits every mean or prototype with its class and its squared distance.
pub(crate) fn scan(heads: &Heads<'_>, z: &[i32], visit: &mut dyn FnMut(ClassId, u32)) {
    let layout = heads.layout;
    let meta = layout.meta();
    if meta.head == code::HEAD_UNIT {
        // ‖z − u·e_c‖² = ‖z‖² + u² − 2u·z_c, where u is the raw unit.
        let one = u32::from(meta.z_one);
        let squares = squared_length(z).wrapping_add(one.wrapping_mul(one));
        for (class, &z) in (0..layout.header().classes).zip(z) {
            visit(ClassId(class), squares.wrapping_sub(one.wrapping_mul(2).wrapping_mul(z as u32)));
        }
        return enrolled(heads, z, visit);
    }
    let mut rows: &[i16] = bytemuck::try_cast_slice(layout.words(Section::Head)).unwrap_or_default();
    let mut counts = if cfg!(feature = "knn") { layout.halves(Section::Counts) } else { &[] }.iter();
    for class in 0..layout.header().classes {
        for _ in 0..counts.next().copied().unwrap_or(1) {
            visit(ClassId(class), distance(z, take(&mut rows, z.len())));
        }
    }
    enrolled(heads, z, visit);
}

/// Visits the enrolled prototypes.
fn enrolled(heads: &Heads<'_>, z: &[i32], visit: &mut dyn FnMut(ClassId, u32)) {
    let mut rows: &[i32] = bytemuck::try_cast_slice(heads.enrolled.words).unwrap_or_default();
    for &class in heads.enrolled.labels {
        visit(class, distance(z, take(&mut rows, heads.enrolled.stride)));
    }
}

/// Exact for coordinates within the model's bounds; they never exceed 16 bits, nor do differences 17.
fn distance<T: Copy + Into<i32>>(z: &[i32], to: &[T]) -> u32 {
    let mut sum = 0u32;
    for (&z, &to) in z.iter().zip(to) {
        let gap = z.wrapping_sub(to.into());
        sum = sum.wrapping_add(gap.wrapping_mul(gap) as u32);
    }
    sum
}

fn squared_length(z: &[i32]) -> u32 {
    z.iter().fold(0u32, |sum, &z| sum.wrapping_add(z.wrapping_mul(z) as u32))
}
