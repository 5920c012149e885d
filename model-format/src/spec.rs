//! Everything about a model but its numbers: what its sizes follow from.
//!
//! Bytes in flash and words of scratch are computed in [`sizes`] and nowhere else. The encoder lays a
//! model out by its [`Spec`], the reader checks files by the same functions, and a search for a
//! model that fits a budget asks before there are any weights.

mod sizes;

use crate::{
    Layout, Meta, Num, Pool, Pooling, Shape, Window, extras,
    meta::{BASE_LEN, code},
};

/// The arithmetic of a model.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Profile {
    /// Floats throughout.
    F32,
    /// Integers throughout.
    Int,
}

/// Which matrices of an INT model are stored in 4 bits.
///
/// Their bytes are multiples of 16, and only the upper halves are stored: with 4 bits a weight is one of −128, −112 … 112,
/// a center one of 0, 16 … 240. Nothing else of the arithmetic changes.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Nibbles {
    /// The weights of a dense projection.
    pub project: bool,
    /// Centers of a Gaussian kernel.
    pub centers: bool,
    /// The weights of the readout.
    pub readout: bool,
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

    /// So many counts and statistics of a series; give the [`shape`](Self::shape) too.
    #[must_use]
    pub fn counts(mut self, entries: usize, interleaved: bool) -> Self {
        (self.meta.shape, self.meta.entries) = (code::SHAPE_COUNTS, self.half(entries));
        self.meta.interleaved = interleaved.into();
        self
    }

    /// Sums over blocks; give the [`shape`](Self::shape) too.
    #[must_use]
    pub fn pool(mut self, pool: Pool) -> Self {
        (self.meta.shape, self.meta.pool_rows, self.meta.pool_cols) = (code::SHAPE_POOL, pool.rows, pool.cols);
        self
    }

    /// Filters of 3 × 3 in one layer, or two where `filters2` is not 0, behind the mean of blocks; give the
    /// [`shape`](Self::shape) too.
    #[must_use]
    pub fn convolution(mut self, block: Pool, filters: usize, filters2: usize, pooling: Pooling) -> Self {
        (self.meta.shape, self.meta.stats) = (code::SHAPE_CONVOLUTION, pooling.code());
        (self.meta.pool_rows, self.meta.pool_cols) = (block.rows, block.cols);
        (self.meta.filters, self.meta.filters2) = (filters as u8, filters2 as u8);
        self.overflows |= filters == 0 || (filters | filters2) >> 8 != 0;
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

    /// Matrices in 4 bits; give them first. Only dense projections, Gaussian centers and readouts of the INT profile
    /// can be.
    #[must_use]
    pub fn nibbles(mut self, nibbles: Nibbles) -> Self {
        let (int, m) = (self.is_int(), &mut self.meta);
        if int && nibbles.project && m.project == code::PROJECT_DENSE {
            m.project = code::PROJECT_NIBBLES;
        }
        if int && nibbles.centers && m.feature_map == code::MAP_CENTERS && m.kernel == code::KERNEL_GAUSSIAN {
            m.kernel = code::KERNEL_GAUSSIAN_NIBBLES;
        }
        if int && nibbles.readout && m.readout != 0 {
            m.readout_num = code::READOUT_NIBBLES;
        }
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
