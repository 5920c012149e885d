//! What follows from a [`Spec`]: bytes in flash, words of scratch, the place of every section.

use super::{Profile, Spec};
use crate::{
    Meta, Section,
    check::{self, Widths},
    header::HEADER_LEN,
    meta::BASE_LEN,
    sections::{self, COUNT, Sizes},
};

impl Spec {
    /// Bytes of the core: what the model takes in flash. `usize::MAX` where a size is beyond the format's limits.
    #[must_use]
    pub fn core_len(&self) -> usize {
        self.sections_end().saturating_add(self.extras)
    }

    /// Words that `classify` needs in RAM. `u32::MAX` where a size is beyond the format's limits.
    #[must_use]
    pub fn scratch_words(&self) -> u32 {
        if !self.is_in_limits() {
            return u32::MAX;
        }
        let widths = Widths { pooled: self.pooled_width(), kept: self.kept_width() };
        check::scratch(&self.meta, self.is_int(), widths, self.dim)
    }

    /// Profile and stages, a bit each; see [`needs`](crate::needs).
    #[must_use]
    pub fn needs(&self) -> u32 {
        self.meta.needs(self.is_int())
    }

    /// Bytes of a section with its padding. `usize::MAX` where a size is beyond the format's limits.
    #[must_use]
    pub fn section_bytes(&self, section: Section) -> usize {
        let (start, end) = self.section_range(section);
        if self.is_in_limits() { end - start } else { usize::MAX }
    }

    /// The arithmetic.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// Stages and their codes.
    #[must_use]
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// Values per sample.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.inputs as usize
    }

    /// Length of the embedding.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim as usize
    }

    /// Number of classes.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.classes as usize
    }

    /// Bytes of all extras.
    #[must_use]
    pub fn extras_bytes(&self) -> usize {
        self.extras
    }

    /// Width after window statistics, counts or pooling.
    #[must_use]
    pub fn pooled(&self) -> usize {
        self.pooled_width() as usize
    }

    /// Width after selection.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.kept_width() as usize
    }

    /// Width after projection: what centers or the readout take.
    #[must_use]
    pub fn projected(&self) -> usize {
        self.projected_width() as usize
    }

    /// Number of kernel values or random features; the projected width without a feature map.
    #[must_use]
    pub fn mapped(&self) -> usize {
        self.mapped_width() as usize
    }

    /// Whether every size can be expressed in the format.
    #[must_use]
    pub fn is_in_limits(&self) -> bool {
        let (pooled, kept) = (self.pooled_width(), self.kept_width());
        !self.overflows
            && (self.dim | self.classes) >> 16 == 0
            && check::sizes(pooled.max(kept), self.projected_width(), self.mapped_width())
    }

    /// Bytes before the sections: header and metadata. `usize::MAX` where a size is beyond the format's limits.
    #[must_use]
    pub fn preamble_len(&self) -> usize {
        if !self.is_in_limits() {
            return usize::MAX;
        }
        let [.., end] = self.ends();
        let behind = (end as usize).saturating_mul(4).saturating_add(self.extras);
        let used = HEADER_LEN + BASE_LEN + 4 * usize::from(self.meta.tail_words(self.is_int()));
        // Readers look at whole metadata in place, so a core is never shorter.
        used.max((HEADER_LEN + size_of::<Meta>()).saturating_sub(behind))
    }

    /// The metadata as it is stored.
    pub(crate) fn stored_meta(&self) -> Meta {
        let tail = self.preamble_len().saturating_sub(HEADER_LEN + BASE_LEN) / 4;
        Meta { tail: tail as u8, ..self.meta }
    }

    pub(crate) fn is_int(&self) -> bool {
        self.profile == Profile::Int
    }

    fn pooled_width(&self) -> u32 {
        check::pooled(&self.meta, self.inputs)
    }

    fn kept_width(&self) -> u32 {
        if self.meta.has_select() { self.selected } else { self.pooled_width() }
    }

    fn projected_width(&self) -> u32 {
        if self.meta.has_projection() { self.meta.projected.into() } else { self.kept_width() }
    }

    fn mapped_width(&self) -> u32 {
        if self.meta.feature_map == 0 { self.projected_width() } else { self.meta.centers.into() }
    }

    /// Where a section lies in the core, in bytes.
    pub(crate) fn section_range(&self, section: Section) -> (usize, usize) {
        let (start, end) = sections::range(&self.meta, self.is_int(), &self.ends(), section);
        let byte = |words: usize| self.preamble_len().saturating_add(words.saturating_mul(4));
        (byte(start), byte(end))
    }

    /// Where the sections end and the extras begin.
    pub(crate) fn sections_end(&self) -> usize {
        if self.is_in_limits() { self.section_range(Section::Counts).1 } else { usize::MAX }
    }

    fn ends(&self) -> [u32; COUNT] {
        if !self.is_in_limits() {
            return [u32::MAX; COUNT];
        }
        let sizes = Sizes {
            mask: if self.meta.has_select() { sections::mask_words(self.pooled_width()) } else { 0 },
            kept: self.kept_width(),
            projected: self.projected_width(),
            mapped: self.mapped_width(),
            dim: self.dim,
            classes: self.classes,
        };
        sections::ends(&self.meta, self.is_int(), sizes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meta::code;

    #[test]
    fn sizes_beyond_the_format_fit_no_budget() {
        let small = Spec::new(Profile::Int, 64, 9, 9).project(10, true).readout(true);
        assert!(small.is_in_limits());
        for large in [small.project(70_000, true), small.centers(usize::MAX, 0), Spec::new(Profile::F32, 64, 70_000, 9)]
        {
            assert!(!large.is_in_limits());
            let sizes = (large.core_len(), large.scratch_words(), large.section_bytes(Section::Readout));
            assert_eq!(sizes, (usize::MAX, u32::MAX, usize::MAX));
        }
    }

    #[test]
    fn sections_add_up_to_the_core() {
        let spec = Spec::new(Profile::Int, 64, 9, 9)
            .select(50)
            .project(10, true)
            .centers(40, code::KERNEL_GAUSSIAN)
            .readout(true)
            .names(&["a", "bc"]);
        let sections: usize = Section::ALL.iter().map(|&section| spec.section_bytes(section)).sum();
        // A word of tag, one of length, two length bytes and three letters padded to eight.
        assert_eq!(spec.extras_bytes(), 16);
        assert_eq!(spec.core_len(), spec.preamble_len() + sections + 16);
        // Ten outputs padded to twelve rows of 52 inputs, then twelve multipliers of two bytes.
        assert_eq!(spec.section_bytes(Section::Project), 12 * 52 + 24);
    }
}
