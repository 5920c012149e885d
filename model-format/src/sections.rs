//! The raw arrays, borrowed in place as words: every section starts and ends 4-aligned.
//!
//! One table of lengths serves both profiles, and a checked model remembers only where each
//! section ends. Typed
//! views of words cost nothing: floats have the size of a word, and smaller numbers fit evenly.

use crate::{Meta, check::is_finite, meta::code};

/// A section, in the order of the file.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Section {
    /// Bit mask of the features kept.
    Mask,
    /// Per-feature scaling: multipliers then offsets (F32), zeros then multipliers (INT).
    Scale,
    /// Sparse projection: values per output, `u16`.
    SparseCounts,
    /// Sparse projection: inputs skipped before each value, `u8`.
    SparseGaps,
    /// Projection weights, interleaved; the values of a sparse one in order.
    Project,
    /// One bias per projected feature.
    ProjectBias,
    /// Centers or random weights, interleaved.
    Centers,
    /// Phases of stored random features; squared lengths of integer centers.
    Phases,
    /// Readout weights, four centers side by side, coordinate by coordinate; in the INT profile a
    /// multiplier per coordinate follows.
    Readout,
    /// Readout bias, one per coordinate.
    ReadoutBias,
    /// Class means or prototypes, a row of `dim` each.
    Head,
    /// Prototypes per class, `u16`.
    Counts,
}

/// How many kinds of section there are.
pub(crate) const COUNT: usize = 12;

/// Bits of the sections that hold no floats in any profile.
const INTEGERS: u32 = 1 << Section::Mask as u32
    | 1 << Section::SparseCounts as u32
    | 1 << Section::SparseGaps as u32
    | 1 << Section::Counts as u32;

/// Sizes that the lengths of the sections follow from.
#[derive(Copy, Clone)]
pub(crate) struct Sizes {
    pub(crate) mask: u32,
    pub(crate) kept: u32,
    pub(crate) projected: u32,
    pub(crate) lifted: u32,
    pub(crate) dim: u32,
    pub(crate) classes: u32,
}

/// Where each section ends, in words; a product that overflows ends behind any file.
pub(crate) fn ends(m: &Meta, int: bool, s: Sizes) -> [u32; COUNT] {
    let int = int && cfg!(feature = "int");
    let bytes = |count: u32| count.div_ceil(4);
    let halves = |count: u32| count.div_ceil(2);
    let four = |count: u32| product(bytes(count), 4);
    // A weight takes a word in the F32 profile, a byte in the INT profile, where inputs are padded too.
    let rows = |rows: u32, width: u32| product(four(rows), if int { bytes(width) } else { width });
    let wide = |num: u8, count: u32| match num {
        _ if !int => count,
        1 => halves(count),
        _ => bytes(count),
    };
    let when = |on: bool, words: u32| if on { words } else { 0 };
    let sparse = m.is_sparse();
    let phases = m.is_random() && m.lift == code::LIFT_RANDOM;
    let stored = m.has_centers() || phases;
    let readout = wide(m.readout_num, product(four(s.lifted), s.dim)).saturating_add(when(int, s.dim));
    let heads = match m.head {
        code::HEAD_MEANS => s.classes,
        code::HEAD_PROTOTYPES if cfg!(feature = "knn") => m.prototypes,
        _ => 0,
    };
    let mut end = 0u32;
    [
        s.mask,
        when(m.has_scale() && m.scale == code::SCALE_FEATURES, if int { s.kept } else { product(s.kept, 2) }),
        when(sparse, halves(s.projected)),
        when(sparse, bytes(m.nonzeros)),
        when(m.has_projection(), if sparse { wide(0, m.nonzeros) } else { rows(s.projected, s.kept) }),
        when(m.has_projection() && m.project_bias != 0, four(s.projected)),
        when(stored, rows(s.lifted, s.projected)),
        when(phases || (int && m.norms != 0), if int && phases { halves(four(s.lifted)) } else { four(s.lifted) }),
        when(m.readout != 0, readout),
        when(m.readout == code::READOUT_BIAS, s.dim),
        wide(m.head_num, product(heads, s.dim)),
        when(m.has_prototypes(), halves(s.classes)),
    ]
    .map(|words| {
        end = end.saturating_add(words);
        end
    })
}

/// A product that stops at the largest number instead of overflowing.
#[inline(never)] // asked for in a dozen places
pub(crate) fn product(a: u32, b: u32) -> u32 {
    a.saturating_mul(b)
}

/// Whether every section that holds floats holds finite ones.
pub(crate) fn are_finite(body: &[u32], ends: &[u32; COUNT]) -> bool {
    let mut start = 0;
    let mut finite = true;
    for (at, &end) in ends.iter().enumerate() {
        // Without these stages all sections are floats, and one look at everything does.
        let mixed = cfg!(any(feature = "select", feature = "sparse", feature = "knn"));
        if if mixed { INTEGERS >> at & 1 == 0 } else { at == COUNT - 1 } {
            let words = body.get(start..end as usize).unwrap_or_default();
            finite &= words.iter().all(|&word| is_finite(word));
        }
        if mixed {
            start = end as usize;
        }
    }
    finite
}
