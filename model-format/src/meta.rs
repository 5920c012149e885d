//! What the stages are and how wide: one flat struct, read in place.
//!
//! Fields lie at fixed offsets, so the device looks at the metadata where it lies in flash: decoding varints into RAM
//! took 900 bytes of code and 100 bytes of RAM more, and saved 40 bytes per model. What every model needs comes first;
//! the fields of rarer stages follow, and a file ends its metadata behind the last one in use. Code 0 always means
//! "stage absent".

use bytemuck::{Pod, Zeroable};

use crate::needs;

/// How numbers are stored.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[repr(u8)]
pub enum Num {
    /// IEEE 754 single precision.
    F32 = 0,
    /// Signed 16 bits.
    I16 = 1,
    /// Signed 8 bits.
    I8 = 2,
    /// Unsigned 8 bits.
    U8 = 3,
}

impl Num {
    /// The type with this code, if there is one.
    #[must_use]
    pub const fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::F32),
            1 => Some(Self::I16),
            2 => Some(Self::I8),
            3 => Some(Self::U8),
            _ => None,
        }
    }

    /// Its name in Rust.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::I16 => "i16",
            Self::I8 => "i8",
            Self::U8 => "u8",
        }
    }
}

/// The stages' codes.
pub mod code {
    /// `shape`: window statistics over a series.
    pub const SHAPE_WINDOW: u8 = 1;
    /// `shape`: sums over blocks of a picture.
    pub const SHAPE_POOL: u8 = 2;
    /// `shape`: a geometry that no stage uses.
    pub const SHAPE_ONLY: u8 = 3;
    /// `shape`: counts and statistics of a series.
    pub const SHAPE_COUNTS: u8 = 4;
    /// `shape`: convolutions over a picture.
    pub const SHAPE_CONVOLUTION: u8 = 5;
    /// `scale`: one multiplier and one offset for all features.
    pub const SCALE_UNIFORM: u8 = 1;
    /// `scale`: a multiplier and an offset per feature.
    pub const SCALE_FEATURES: u8 = 2;
    /// `scale`: divide by the length of the row.
    pub const SCALE_UNIT: u8 = 3;
    /// `project`: every weight stored.
    pub const PROJECT_DENSE: u8 = 1;
    /// `project`: counts, gaps and values.
    pub const PROJECT_SPARSE: u8 = 2;
    /// `project`: every weight stored, in 4 bits.
    pub const PROJECT_NIBBLES: u8 = 3;
    /// `feature_map`: kernel values at centers.
    pub const MAP_CENTERS: u8 = 1;
    /// `feature_map`: cosines of stored weights and phases.
    pub const MAP_RANDOM: u8 = 2;
    /// `feature_map`: cosines of weights and phases made from a seed.
    pub const MAP_SEEDED: u8 = 3;
    /// `kernel`: `exp(−γ‖u−v‖²)`.
    pub const KERNEL_GAUSSIAN: u8 = 0;
    /// `kernel`: `exp(−γ‖u−v‖₁)`.
    pub const KERNEL_LAPLACIAN: u8 = 1;
    /// `kernel`: `(γ uᵀv + offset)^degree`.
    pub const KERNEL_POLYNOMIAL: u8 = 2;
    /// `kernel`: the Gaussian, with centers of 4 bits.
    pub const KERNEL_GAUSSIAN_NIBBLES: u8 = 3;
    /// `law`: weights ±1, 32 of them from a word.
    pub const LAW_SIGNS: u8 = 0;
    /// `law`: the sum of a word's four bytes, less 510.
    pub const LAW_BYTES: u8 = 1;
    /// `readout`: weights.
    pub const READOUT_WEIGHTS: u8 = 1;
    /// `readout`: weights and a bias.
    pub const READOUT_BIAS: u8 = 2;
    /// `readout_num`: weights of 4 bits; other codes are those of [`Num`](crate::Num).
    pub const READOUT_NIBBLES: u8 = 4;
    /// `head`: nearest class mean.
    pub const HEAD_MEANS: u8 = 1;
    /// `head`: labelled prototypes, k nearest vote.
    pub const HEAD_PROTOTYPES: u8 = 2;
    /// `head`: class means are the unit vectors, so nothing is stored.
    pub const HEAD_UNIT: u8 = 3;
    /// `stats` of a convolution: the largest of 2 × 2 values.
    pub const PICK_MAX: u8 = 1;
    /// `stats` of a convolution: the mean of 2 × 2 values.
    pub const PICK_MEAN: u8 = 2;
    /// `stats`: mean.
    pub const STAT_MEAN: u8 = 1;
    /// `stats`: mean absolute deviation from the mean.
    pub const STAT_DEVIATION: u8 = 2;
    /// `stats`: minimum.
    pub const STAT_MIN: u8 = 4;
    /// `stats`: maximum.
    pub const STAT_MAX: u8 = 8;
    /// `stats`: mean absolute step from one value to the next.
    pub const STAT_STEP: u8 = 16;
    /// `stats`: all five.
    pub const STAT_ALL: u8 = 31;
}

/// Fields of one byte, at the start of [`Meta`].
pub(crate) const CODES: usize = 16;
/// Bytes of metadata that every model stores; what follows is stored as far as it is in use.
pub(crate) const BASE_LEN: usize = 40;

/// The metadata; see `FORMAT.md` for the meaning of each field.
///
/// In place, as [`Layout::meta`](crate::Layout::meta) lends it, the fields of a stage that the model does not have may
/// hold anything: ask whether there is a window before asking for its segments.
#[derive(Copy, Clone, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
#[allow(missing_docs)] // FORMAT.md describes each field; a second description could disagree.
pub struct Meta {
    pub tail: u8,
    pub input: u8,
    pub shape: u8,
    pub select: u8,
    pub scale: u8,
    pub project: u8,
    pub project_bias: u8,
    pub feature_map: u8,
    pub kernel: u8,
    pub readout: u8,
    pub readout_num: u8,
    pub head: u8,
    pub in_shift: u8,
    pub p_shift: u8,
    pub k_shift: u8,
    pub z_shift: u8,
    pub projected: u16,
    pub centers: u16,
    pub in_zero: i16,
    pub in_mul: i16,
    pub z_one: u16,
    pub z_max: u16,
    pub k_mul: u32,
    pub gamma: f32,
    pub z_unit: f32,
    pub scale_mul: f32,
    pub scale_add: f32,
    pub nonzeros: u16,
    pub prototypes: u16,
    pub knn: u8,
    pub degree: u8,
    pub law: u8,
    pub interleaved: u8,
    pub rows: u32,
    pub cols: u32,
    pub channels: u32,
    pub segments: u8,
    pub stats: u8,
    pub pool_rows: u8,
    pub pool_cols: u8,
    pub entries: u16,
    pub filters: u8,
    pub filters2: u8,
    pub seed_lo: u32,
    pub seed_hi: u32,
    pub offset: f32,
}

impl Meta {
    /// The fields of one byte.
    pub(crate) fn codes(&self) -> &[u8] {
        bytemuck::bytes_of(self).first_chunk::<CODES>().map_or(&[], |codes| codes)
    }

    /// The bits of the floats that the model has: γ, the unit of coordinates, and the scale of float samples.
    pub(crate) fn float_bits(&self, int: bool) -> &[u32] {
        const FIRST: usize = core::mem::offset_of!(Meta, gamma) / 4;
        let words: &[u32] = bytemuck::try_cast_slice(core::slice::from_ref(self)).unwrap_or_default();
        words.get(FIRST..if self.has_sample_scale(int) { FIRST + 4 } else { FIRST + 2 }).unwrap_or_default()
    }

    /// Whether samples have one multiplier and offset, as floats.
    fn has_sample_scale(&self, int: bool) -> bool {
        if int && cfg!(feature = "int") { self.input == Num::F32 as u8 } else { self.scale == code::SCALE_UNIFORM }
    }

    /// Words of metadata beyond [`BASE_LEN`] that the stages of this model use.
    pub(crate) fn tail_words(&self, int: bool) -> u8 {
        const fn words(end: usize) -> u8 {
            ((end - BASE_LEN) / 4) as u8
        }
        if self.is_polynomial() {
            words(size_of::<Self>())
        } else if self.is_random() && self.feature_map == code::MAP_SEEDED {
            words(core::mem::offset_of!(Meta, offset))
        } else if self.has_counts() || self.has_convolution() {
            words(core::mem::offset_of!(Meta, seed_lo))
        } else if self.shape != 0 {
            words(core::mem::offset_of!(Meta, entries))
        } else if self.is_sparse() || self.has_prototypes() {
            words(core::mem::offset_of!(Meta, rows))
        } else if self.has_sample_scale(int) {
            words(core::mem::offset_of!(Meta, nonzeros))
        } else {
            0
        }
    }

    /// Whether window statistics come first.
    #[must_use]
    #[inline]
    pub const fn has_window(&self) -> bool {
        cfg!(feature = "window") && self.shape == code::SHAPE_WINDOW
    }

    /// Whether blocks are summed.
    #[must_use]
    #[inline]
    pub const fn has_pool(&self) -> bool {
        cfg!(feature = "pool") && self.shape == code::SHAPE_POOL
    }

    /// Whether counts and statistics of a series come first.
    #[must_use]
    #[inline]
    pub const fn has_counts(&self) -> bool {
        cfg!(feature = "counts") && self.shape == code::SHAPE_COUNTS
    }

    /// Whether filters over a picture come first.
    #[must_use]
    #[inline]
    pub const fn has_convolution(&self) -> bool {
        cfg!(feature = "convolution") && self.shape == code::SHAPE_CONVOLUTION
    }

    /// Whether features are selected.
    #[must_use]
    #[inline]
    pub const fn has_select(&self) -> bool {
        cfg!(feature = "select") && self.select != 0
    }

    /// Whether features are scaled.
    #[must_use]
    #[inline]
    pub const fn has_scale(&self) -> bool {
        cfg!(feature = "scale") && self.scale != 0
    }

    /// Whether features are projected, by a dense matrix or a sparse one.
    #[must_use]
    #[inline]
    pub const fn has_projection(&self) -> bool {
        cfg!(any(feature = "project", feature = "sparse")) && self.project != 0
    }

    /// Whether the projection is sparse.
    #[must_use]
    #[inline]
    pub const fn is_sparse(&self) -> bool {
        cfg!(feature = "sparse") && self.project == code::PROJECT_SPARSE
    }

    /// Whether the weights of the projection have 4 bits.
    #[must_use]
    #[inline]
    pub const fn has_nibble_projection(&self) -> bool {
        cfg!(feature = "nibbles") && self.project == code::PROJECT_NIBBLES
    }

    /// Whether centers have 4 bits.
    #[must_use]
    #[inline]
    pub const fn has_nibble_centers(&self) -> bool {
        cfg!(feature = "nibbles")
            && self.feature_map == code::MAP_CENTERS
            && self.kernel == code::KERNEL_GAUSSIAN_NIBBLES
    }

    /// Whether the weights of the readout have 4 bits.
    #[must_use]
    #[inline]
    pub const fn has_nibble_readout(&self) -> bool {
        cfg!(feature = "nibbles") && self.readout_num == code::READOUT_NIBBLES
    }

    /// Whether any matrix has weights of 4 bits.
    #[must_use]
    pub const fn has_nibbles(&self) -> bool {
        self.has_nibble_projection() || self.has_nibble_centers() || self.has_nibble_readout()
    }

    /// Whether there are kernel centers.
    #[must_use]
    #[inline]
    pub const fn has_centers(&self) -> bool {
        cfg!(any(feature = "gaussian", feature = "laplacian", feature = "polynomial"))
            && self.feature_map == code::MAP_CENTERS
    }

    /// Whether the kernel is a polynomial.
    #[must_use]
    #[inline]
    pub const fn is_polynomial(&self) -> bool {
        cfg!(feature = "polynomial") && self.feature_map == code::MAP_CENTERS && self.kernel == code::KERNEL_POLYNOMIAL
    }

    /// Whether there are random features, stored or from a seed.
    #[must_use]
    #[inline]
    pub const fn is_random(&self) -> bool {
        cfg!(feature = "random") && self.feature_map >= code::MAP_RANDOM
    }

    /// Whether prototypes vote.
    #[must_use]
    #[inline]
    pub const fn has_prototypes(&self) -> bool {
        cfg!(feature = "knn") && self.head == code::HEAD_PROTOTYPES
    }

    /// Words of scratch for the nearest prototypes.
    #[must_use]
    #[inline]
    pub const fn neighbor_words(&self) -> u32 {
        if self.has_prototypes() && self.knn > 1 { 2 * self.knn as u32 } else { 0 }
    }

    /// The `needs` bits of a model with this metadata in the given profile.
    ///
    /// Stages that this build leaves out do not show: their codes are refused before.
    #[must_use]
    pub fn needs(&self, int: bool) -> u32 {
        let bit = |on: bool, bit: u32| u32::from(on) * bit;
        // The kernels' bits lie one after the other, in the order of their codes.
        let kernel =
            bit(self.has_centers(), needs::GAUSSIAN) << if self.has_nibble_centers() { 0 } else { self.kernel & 3 };
        bit(int, needs::INT)
            | bit(self.has_window(), needs::WINDOW)
            | bit(self.has_pool(), needs::POOL)
            | bit(self.has_select(), needs::SELECT)
            | bit(self.has_scale(), needs::SCALE)
            | bit(self.has_projection() && !self.is_sparse(), needs::PROJECT)
            | bit(self.is_sparse(), needs::SPARSE)
            | kernel
            | bit(self.is_random(), needs::RANDOM)
            | bit(self.has_prototypes(), needs::KNN)
            | bit(self.has_counts(), needs::COUNTS)
            | bit(self.has_convolution(), needs::CONVOLUTION)
            | bit(self.has_nibbles(), needs::NIBBLES)
    }

    /// The type of the training rows as they were given.
    #[must_use]
    pub const fn input(&self) -> Num {
        match Num::from_code(self.input) {
            Some(num) => num,
            None => Num::F32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_ends_behind_the_last_field_in_use() {
        let base = Meta { input: Num::U8 as u8, ..Meta::default() };
        assert_eq!((size_of::<Meta>(), base.tail_words(true)), (88, 0));
        assert_eq!(Meta::default().tail_words(true), 2, "float samples of an integer model have a scale");
        assert_eq!(Meta { scale: code::SCALE_UNIFORM, ..base }.tail_words(false), 2);
        assert_eq!(Meta { shape: code::SHAPE_ONLY, ..base }.tail_words(true), 8);
        if cfg!(feature = "counts") {
            assert_eq!(Meta { shape: code::SHAPE_COUNTS, ..base }.tail_words(true), 9);
        }
        if cfg!(feature = "convolution") {
            assert_eq!(Meta { shape: code::SHAPE_CONVOLUTION, ..base }.tail_words(true), 9);
        }
        if cfg!(feature = "random") {
            assert_eq!(Meta { feature_map: code::MAP_SEEDED, ..base }.tail_words(true), 11);
        }
        if cfg!(feature = "sparse") {
            assert_eq!(Meta { project: code::PROJECT_SPARSE, ..base }.tail_words(true), 4);
        }
    }
}
