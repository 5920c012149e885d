//! The raw arrays, borrowed in place as words: every section starts and ends 4-aligned.
//!
//! One table of lengths serves both profiles, and a checked model remembers only where each
//! section ends. Typed views of words cost nothing: floats have the size of a word, and smaller
//! numbers fit evenly.

use crate::{Meta, Num, check::is_finite, meta::code};

/// A section. They lie in the order of [`ALL`](Self::ALL).
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
    /// Projection weights, interleaved; the values of a sparse one in order. In the INT profile a
    /// multiplier per output follows, `u16`.
    Project,
    /// One bias per projected feature.
    ProjectBias,
    /// Centers or random weights, interleaved.
    Centers,
    /// Phases of stored random features.
    Phases,
    /// Readout weights, four centers side by side, coordinate by coordinate; in the INT profile a
    /// multiplier per coordinate follows, `u16`.
    Readout,
    /// Readout bias, one per coordinate.
    ReadoutBias,
    /// Class means or prototypes, a row of `dim` each.
    Head,
    /// Prototypes per class, `u16`.
    Counts,
    /// Features of a series: `u16` entries per channel, then the entries. It lies in front of the mask, and its length
    /// follows from the metadata alone.
    Series,
    /// Filters of a convolution, a layer after the other: weights, multipliers (`u16`, INT) and biases. It lies there too.
    Filters,
}

/// Sections from the mask on, whose ends a checked model remembers.
pub(crate) const COUNT: usize = 12;

impl Section {
    /// Every section, in the order of the file.
    pub const ALL: [Self; COUNT + 2] = [
        Self::Series,
        Self::Filters,
        Self::Mask,
        Self::Scale,
        Self::SparseCounts,
        Self::SparseGaps,
        Self::Project,
        Self::ProjectBias,
        Self::Centers,
        Self::Phases,
        Self::Readout,
        Self::ReadoutBias,
        Self::Head,
        Self::Counts,
    ];
}

/// Words of a mask over so many features.
pub(crate) fn mask_words(features: u32) -> u32 {
    features.div_ceil(32)
}

/// Sizes that the lengths of the sections follow from.
#[derive(Copy, Clone)]
pub(crate) struct Sizes {
    pub(crate) mask: u32,
    pub(crate) kept: u32,
    pub(crate) projected: u32,
    pub(crate) mapped: u32,
    pub(crate) dim: u32,
    pub(crate) classes: u32,
}

/// Words of sections in front of the mask; none where no such stage is built.
pub(crate) fn leading(m: &Meta, int: bool) -> u32 {
    if m.has_convolution() {
        return m.filter_words(int && cfg!(feature = "int"));
    }
    if !m.has_counts() {
        return 0;
    }
    let each = if int && cfg!(feature = "int") { 1 } else { 2 };
    m.channels.div_ceil(2).saturating_add(each * u32::from(m.entries))
}

/// Where a section starts and ends, in words, by the ends of all from the mask on.
pub(crate) fn range(m: &Meta, int: bool, ends: &[u32; COUNT], section: Section) -> (usize, usize) {
    let (leading, at) = (leading(m, int) as usize, section as usize);
    if cfg!(any(feature = "counts", feature = "convolution")) && at >= COUNT {
        let filters = section as usize == Section::Filters as usize;
        return (0, if filters == m.has_convolution() { leading } else { 0 });
    }
    let start = at.checked_sub(1).and_then(|before| ends.get(before)).map_or(leading, |end| *end as usize);
    (start, ends.get(at).map_or(0, |end| *end as usize))
}

/// Where each section from the mask on ends, in words.
///
/// No product overflows: see [`check::sizes`](crate::check::sizes).
pub(crate) fn ends(m: &Meta, int: bool, s: Sizes) -> [u32; COUNT] {
    let int = int && cfg!(feature = "int");
    let four = |count: u32| count.div_ceil(4) * 4;
    let bytes = |count: u32| if int { count.div_ceil(4) } else { count };
    let halves = |count: u32| if int { count.div_ceil(2) } else { count };
    // Integers lie in blocks of four by four, so that inputs are padded too.
    let width = |count: u32| if int { four(count) } else { count };
    let (outputs, values) = (four(s.projected), four(s.mapped));
    let random = m.is_random() && m.feature_map == code::MAP_RANDOM;
    let heads = match m.head {
        code::HEAD_MEANS => s.classes,
        code::HEAD_PROTOTYPES if cfg!(feature = "knn") => m.prototypes.into(),
        _ => 0,
    };
    let when = |has: bool, words: u32| if has { words } else { 0 };
    let multipliers = |count: u32| when(int, count.div_ceil(2));
    let nonzeros = u32::from(m.nonzeros);
    // Nibbles lie in blocks of four rows by eight inputs, a word per row.
    let matrix = |nibbles: bool, rows: u32, inputs: u32| {
        if nibbles { rows * inputs.div_ceil(8) } else { bytes(rows * width(inputs)) }
    };
    let wide = m.readout_num == Num::I16 as u8;
    let lengths = [
        s.mask,
        when(m.has_scale() && m.scale == code::SCALE_FEATURES, halves(2 * s.kept)),
        when(m.is_sparse(), s.projected.div_ceil(2)),
        when(m.is_sparse(), nonzeros.div_ceil(4)),
        if m.is_sparse() {
            bytes(nonzeros) + multipliers(outputs)
        } else {
            when(m.has_projection(), matrix(m.has_nibble_projection(), outputs, s.kept) + multipliers(outputs))
        },
        when(m.has_projection() && m.project_bias != 0, outputs),
        when(m.has_centers() || random, matrix(m.has_nibble_centers(), values, s.projected)),
        when(random, halves(values)),
        when(
            m.readout != 0,
            if m.has_nibble_readout() {
                s.mapped.div_ceil(8) * s.dim
            } else if wide {
                halves(values * s.dim)
            } else {
                bytes(values * s.dim)
            } + multipliers(s.dim),
        ),
        when(m.readout == code::READOUT_BIAS, s.dim),
        halves(heads * s.dim),
        when(m.has_prototypes(), s.classes.div_ceil(2)),
    ];
    let mut end = leading(m, int);
    lengths.map(|words| {
        end = end.saturating_add(words);
        end
    })
}

/// Whether every section that holds floats holds finite ones: all but the mask, the index of a
/// sparse projection, the prototype counts and the series.
pub(crate) fn are_finite(m: &Meta, body: &[u32], ends: &[u32; COUNT]) -> bool {
    let &[mask, scale, _, gaps, .., head, _] = ends;
    let finite = |from: u32, to: u32| {
        let words = body.get(from as usize..to as usize).unwrap_or_default();
        words.iter().all(|&word| is_finite(word))
    };
    (!m.has_convolution() || finite(0, leading(m, false)))
        && (!cfg!(feature = "scale") || finite(mask, scale))
        && finite(gaps, head)
}

#[cfg(all(test, feature = "int", feature = "project", feature = "gaussian"))]
mod tests {
    use super::*;
    use crate::check::{LARGEST_SIZE, sizes};

    #[test]
    fn the_largest_sizes_do_not_overflow() {
        let m = Meta { project: 1, feature_map: 1, readout: 2, head: 1, ..Meta::default() };
        let most = LARGEST_SIZE;
        assert!(sizes(most, most, most));
        assert!(!sizes(most + 1, most, most) && !sizes(most, most + 1, most) && !sizes(1, 1, u32::MAX));
        let all = Sizes { mask: 0, kept: most, projected: most, mapped: most, dim: 65_535, classes: 65_535 };
        for int in [false, true] {
            let [.., end] = ends(&m, int, all);
            assert!(end > 1 << 31, "{end} words");
        }
    }
}
