//! Everything about a model but its numbers: what its sizes follow from.
//!
//! Bytes in flash and words of scratch are computed here and nowhere else. The encoder lays a
//! model out by its [`Spec`], the reader checks files by the same functions, and a search for a
//! model that fits a budget asks before there are any weights.

use crate::{
    Layout, Meta, Num, Pool, Section, Shape, Window,
    check::{self, Widths},
    extras,
    header::HEADER_LEN,
    meta::{BASE_LEN, code},
    sections::{self, COUNT, Sizes},
};

/// The arithmetic of a model.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Profile {
    /// Floats throughout.
    F32,
    /// Integers throughout.
    Int,
}

/// A model's stages and sizes, without the numbers in its arrays.
///
/// [`Layout::spec`] has that of a checked file and [`ModelBuf::spec`](crate::ModelBuf::spec) that of a model still to be
/// encoded. Without either, start from [`Spec::new`] and add the stages in any order:
///
/// ```
/// use nearmark_format::{Profile, Spec, meta::code};
///
/// let spec = |profile| {
///     Spec::new(profile, 64, 9, 9) // values per sample, length of the embedding, classes
///         .select(50)
///         .project(10, true)
///         .centers(40, code::KERNEL_GAUSSIAN)
///         .readout(true)
/// };
/// let (int, f32) = (spec(Profile::Int), spec(Profile::F32));
/// assert!(int.core_len() < 2048 && f32.core_len() > 5000);
/// assert_eq!((int.kept(), int.projected(), int.mapped()), (50, 10, 40));
/// ```
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Spec {
    pub(crate) profile: Profile,
    pub(crate) inputs: u32,
    pub(crate) dim: u32,
    pub(crate) classes: u32,
    /// Features that the mask keeps; not looked at without one.
    pub(crate) selected: u32,
    pub(crate) meta: Meta,
    /// Bytes of all extras.
    pub(crate) extras: usize,
    /// Whether a size did not fit its field.
    pub(crate) overflows: bool,
}

/// Building a spec by hand.
impl Spec {
    /// A model without stages whose class means are the unit vectors: `inputs` values per sample, an embedding of
    /// length `dim`, so many classes.
    #[must_use]
    pub fn new(profile: Profile, inputs: usize, dim: usize, classes: usize) -> Self {
        let meta = Meta { head: code::HEAD_UNIT, z_unit: 1.0, ..Meta::default() };
        Self {
            profile,
            inputs: saturated(inputs),
            dim: saturated(dim),
            classes: saturated(classes),
            selected: 0,
            meta,
            extras: 0,
            overflows: false,
        }
    }

    /// Type of the training rows as given.
    #[must_use]
    pub fn input(mut self, num: Num) -> Self {
        self.meta.input = num as u8;
        self
    }

    /// The geometry of a sample.
    #[must_use]
    pub fn shape(mut self, shape: Shape) -> Self {
        (self.meta.channels, self.meta.rows, self.meta.cols) = (shape.channels, shape.rows, shape.cols);
        if self.meta.shape == 0 {
            self.meta.shape = code::SHAPE_ONLY;
        }
        self
    }

    /// Window statistics; give the [`shape`](Self::shape) too.
    #[must_use]
    pub fn window(mut self, window: Window) -> Self {
        let m = &mut self.meta;
        (m.shape, m.segments, m.stats) = (code::SHAPE_WINDOW, window.segments, window.stats);
        m.interleaved = window.interleaved.into();
        self
    }

    /// Sums over blocks; give the [`shape`](Self::shape) too.
    #[must_use]
    pub fn pool(mut self, pool: Pool) -> Self {
        (self.meta.shape, self.meta.pool_rows, self.meta.pool_cols) = (code::SHAPE_POOL, pool.rows, pool.cols);
        self
    }

    /// A mask that keeps so many features.
    #[must_use]
    pub fn select(mut self, kept: usize) -> Self {
        (self.meta.select, self.selected) = (1, saturated(kept));
        self
    }

    /// Scaling that a later stage does not take in, by its code: [`code::SCALE_UNIFORM`] or its siblings.
    #[must_use]
    pub fn scale(mut self, code: u8) -> Self {
        self.meta.scale = code;
        self
    }

    /// A dense projection.
    #[must_use]
    pub fn project(mut self, outputs: usize, bias: bool) -> Self {
        (self.meta.project, self.meta.projected) = (code::PROJECT_DENSE, self.half(outputs));
        self.meta.project_bias = bias.into();
        self
    }

    /// A sparse projection with so many stored entries; zeros that bridge gaps above 255 count.
    #[must_use]
    pub fn project_sparse(mut self, outputs: usize, nonzeros: usize, bias: bool) -> Self {
        self = self.project(outputs, bias);
        (self.meta.project, self.meta.nonzeros) = (code::PROJECT_SPARSE, self.half(nonzeros));
        self
    }

    /// Kernel centers; the kernel by its code, [`code::KERNEL_GAUSSIAN`] or its siblings.
    #[must_use]
    pub fn centers(mut self, count: usize, kernel: u8) -> Self {
        (self.meta.feature_map, self.meta.centers, self.meta.kernel) = (code::MAP_CENTERS, self.half(count), kernel);
        self
    }

    /// Random features with stored weights and phases.
    #[must_use]
    pub fn random(mut self, count: usize) -> Self {
        (self.meta.feature_map, self.meta.centers) = (code::MAP_RANDOM, self.half(count));
        self
    }

    /// Random features from a seed.
    #[must_use]
    pub fn seeded(mut self, count: usize) -> Self {
        (self.meta.feature_map, self.meta.centers) = (code::MAP_SEEDED, self.half(count));
        self
    }

    /// A readout; in the INT profile its weights have 8 bits.
    #[must_use]
    pub fn readout(mut self, bias: bool) -> Self {
        self.meta.readout = if bias { code::READOUT_BIAS } else { code::READOUT_WEIGHTS };
        self.meta.readout_num = if self.is_int() { Num::I8 } else { Num::F32 } as u8;
        self
    }

    /// A readout whose weights have 16 bits in the INT profile.
    #[must_use]
    pub fn wide_readout(mut self, bias: bool) -> Self {
        self = self.readout(bias);
        self.meta.readout_num = if self.is_int() { Num::I16 } else { Num::F32 } as u8;
        self
    }

    /// Class means.
    #[must_use]
    pub fn means(mut self) -> Self {
        self.meta.head = code::HEAD_MEANS;
        self
    }

    /// Prototypes, so many in all, of which the `k` nearest vote.
    #[must_use]
    pub fn prototypes(mut self, k: u8, count: usize) -> Self {
        (self.meta.head, self.meta.knn, self.meta.prototypes) = (code::HEAD_PROTOTYPES, k, self.half(count));
        self
    }

    /// Class names.
    #[must_use]
    pub fn names<S: AsRef<str>>(self, names: &[S]) -> Self {
        if names.is_empty() { self } else { self.extra(extras::names_len(names)) }
    }

    /// One more extra, by the length of its payload in bytes.
    #[must_use]
    pub fn extra(mut self, payload: usize) -> Self {
        self.extras = self.extras.saturating_add(extras::stored_len(payload));
        self
    }

    /// A size in a field of 16 bits; one that does not fit is beyond the format's limits.
    fn half(&mut self, size: usize) -> u16 {
        self.overflows |= size > usize::from(u16::MAX);
        size as u16
    }
}

/// What follows from it.
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

    /// Width after window statistics or pooling.
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
        let ends = self.ends();
        let at = section as usize;
        let byte = |words: u32| self.preamble_len().saturating_add((words as usize).saturating_mul(4));
        (byte(if at == 0 { 0 } else { ends[at - 1] }), byte(ends[at]))
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

impl Layout<'_> {
    /// The spec of this model: everything but its numbers.
    #[must_use]
    pub fn spec(&self) -> Spec {
        let header = self.header();
        // Fields that are not stored are zero in a spec, and so is what only says where they end.
        let mut meta = Meta::default();
        let stored = BASE_LEN + 4 * usize::from(self.meta().tail_words(self.int()));
        bytemuck::bytes_of_mut(&mut meta)[..stored].copy_from_slice(&bytemuck::bytes_of(self.meta())[..stored]);
        meta.tail = 0;
        Spec {
            profile: if self.int() { Profile::Int } else { Profile::F32 },
            inputs: header.inputs,
            dim: header.dim.into(),
            classes: header.classes.into(),
            selected: if self.meta().has_select() { saturated(self.kept()) } else { 0 },
            meta,
            extras: self.extras().stored_len(),
            overflows: false,
        }
    }
}

/// A size as a word; one that does not fit is beyond every limit of the format.
pub(crate) fn saturated(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

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
