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
    /// Readout weights, a row of `dim` per center; in the INT profile a multiplier per coordinate follows.
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
    // A weight takes a word in the F32 profile, a byte in the INT profile, where inputs are padded too.
    let weights = |count: u32| if int { bytes(count) } else { count };
    let rows = |rows: u32, width: u32| {
        let width = if int { width.div_ceil(4).saturating_mul(4) } else { width };
        weights(rows.div_ceil(4).saturating_mul(4).saturating_mul(width))
    };
    let wide = |num: u8, count: u32| match num {
        _ if !int => count,
        1 => halves(count),
        _ => bytes(count),
    };
    let when = |on: bool, words: u32| if on { words } else { 0 };
    let sparse = cfg!(feature = "sparse") && m.project == code::PROJECT_SPARSE;
    let stored = m.lift == code::LIFT_CENTERS || m.lift == code::LIFT_RANDOM;
    let half_phases = int && m.lift == code::LIFT_RANDOM;
    let readout = wide(m.readout_num, s.lifted.saturating_mul(s.dim)).saturating_add(when(int, s.dim));
    let heads = match m.head {
        code::HEAD_MEANS => s.classes,
        code::HEAD_PROTOTYPES => m.prototypes,
        _ => 0,
    };
    let mut end = 0u32;
    [
        s.mask,
        when(m.scale == code::SCALE_FEATURES, if int { s.kept } else { s.kept.saturating_mul(2) }),
        when(sparse, halves(s.projected)),
        when(sparse, bytes(m.nonzeros)),
        match m.project {
            0 => 0,
            _ if sparse => weights(m.nonzeros),
            _ => rows(s.projected, s.kept),
        },
        when(m.project != 0 && m.project_bias != 0, s.projected),
        when(stored, rows(s.lifted, s.projected)),
        when(m.lift == code::LIFT_RANDOM || m.norms != 0, if half_phases { halves(s.lifted) } else { s.lifted }),
        when(m.readout != 0, readout),
        when(m.readout == code::READOUT_BIAS, s.dim),
        wide(m.head_num, heads.saturating_mul(s.dim)),
        when(m.head == code::HEAD_PROTOTYPES, halves(s.classes)),
    ]
    .map(|words| {
        end = end.saturating_add(words);
        end
    })
}

/// Whether every section that holds floats holds finite ones.
pub(crate) fn are_finite(body: &[u32], ends: &[u32; COUNT]) -> bool {
    let mut start = 0;
    for (at, &end) in ends.iter().enumerate() {
        let words = body.get(start..end as usize).unwrap_or_default();
        if INTEGERS >> at & 1 == 0 && !words.iter().all(|&word| is_finite(word)) {
            return false;
        }
        start = end as usize;
    }
    true
}
