//! The raw arrays, borrowed in place: a cursor hands them out in the order of the file.

use bytemuck::AnyBitPattern;

#[cfg(feature = "int")]
use crate::meta::Num;
use crate::{LoadError, Meta, check::is_finite, meta::code};

/// Takes sections from the front of what is left of a model.
pub(crate) struct Cursor<'a> {
    pub(crate) rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// The next section: `len` values of `T`, starting and ending 4-aligned.
    pub(crate) fn section<T: AnyBitPattern>(&mut self, len: usize) -> Result<&'a [T], LoadError> {
        let bytes = len.checked_mul(size_of::<T>()).ok_or(LoadError::Dimension)?;
        let padded = bytes.checked_next_multiple_of(4).ok_or(LoadError::Dimension)?;
        let (head, rest) = self.rest.split_at_checked(padded).ok_or(LoadError::Dimension)?;
        self.rest = rest;
        let values = head.get(..bytes).ok_or(LoadError::Dimension)?;
        bytemuck::try_cast_slice(values).map_err(|_| LoadError::Misaligned)
    }

    /// The next section: `len` finite floats.
    pub(crate) fn floats(&mut self, len: usize) -> Result<&'a [f32], LoadError> {
        let values: &[f32] = self.section(len)?;
        if values.iter().all(|&v| is_finite(v)) { Ok(values) } else { Err(LoadError::NonFinite) }
    }

    /// The next section: `⌈rows⌉₄/4 × width` groups of four floats.
    #[cfg(feature = "f32")]
    fn quads(&mut self, rows: usize, width: usize) -> Result<&'a [[f32; 4]], LoadError> {
        let groups = rows.div_ceil(4).checked_mul(width).ok_or(LoadError::Dimension)?;
        let values = self.floats(groups.checked_mul(4).ok_or(LoadError::Dimension)?)?;
        bytemuck::try_cast_slice(values).map_err(|_| LoadError::Misaligned)
    }

    fn sparse_index(&mut self, meta: &Meta, width: usize) -> Result<Sparse<'a>, LoadError> {
        let counts: &[u16] = self.section(meta.projected as usize)?;
        let gaps: &[u8] = self.section(meta.nonzeros as usize)?;
        let mut rest = gaps;
        for &count in counts {
            let (row, tail) = rest.split_at_checked(usize::from(count)).ok_or(LoadError::Dimension)?;
            rest = tail;
            let end: usize = row.iter().map(|&gap| usize::from(gap) + 1).sum();
            if end > width {
                return Err(LoadError::Dimension);
            }
        }
        if rest.is_empty() { Ok(Sparse { counts, gaps }) } else { Err(LoadError::Dimension) }
    }
}

/// Where a sparse projection's values belong.
#[derive(Copy, Clone, Debug, Default)]
pub struct Sparse<'a> {
    /// Values per output.
    pub counts: &'a [u16],
    /// Inputs skipped before each value, counted from the one before it in the same output.
    pub gaps: &'a [u8],
}

/// The arrays of a model, by profile.
#[derive(Copy, Clone, Debug)]
pub enum Sections<'a> {
    /// Every array holds floats.
    #[cfg(feature = "f32")]
    F32(F32Sections<'a>),
    /// Every array holds integers.
    #[cfg(feature = "int")]
    Int(IntSections<'a>),
    /// No profile is built in; such a layout cannot be loaded.
    #[doc(hidden)]
    None(core::convert::Infallible, core::marker::PhantomData<&'a ()>),
}

/// Widths that the sections follow from.
#[derive(Copy, Clone)]
pub(crate) struct Sizes {
    pub(crate) kept: usize,
    pub(crate) projected: usize,
    pub(crate) lifted: usize,
    pub(crate) dim: usize,
    pub(crate) classes: usize,
}

impl Sizes {
    fn head_values(&self, meta: &Meta) -> Result<usize, LoadError> {
        let rows = match meta.head {
            code::HEAD_MEANS => self.classes,
            code::HEAD_PROTOTYPES => meta.prototypes as usize,
            _ => 0,
        };
        rows.checked_mul(self.dim).ok_or(LoadError::Dimension)
    }

    fn readout_values(&self) -> Result<usize, LoadError> {
        self.lifted.checked_mul(self.dim).ok_or(LoadError::Dimension)
    }
}

/// The arrays of the F32 profile. Absent ones are empty.
#[cfg(feature = "f32")]
#[derive(Copy, Clone, Debug, Default)]
pub struct F32Sections<'a> {
    /// Per-feature multipliers, then offsets.
    pub scale: &'a [f32],
    /// Dense projection: four outputs side by side, input by input.
    pub project: &'a [[f32; 4]],
    /// Sparse projection: where the values belong.
    pub sparse: Sparse<'a>,
    /// Sparse projection: the values.
    pub sparse_values: &'a [f32],
    /// Projection bias.
    pub project_bias: &'a [f32],
    /// Centers or random weights: four side by side, input by input.
    pub centers: &'a [[f32; 4]],
    /// Phases of stored random features, in turns.
    pub phases: &'a [f32],
    /// Readout weights, a row of `dim` per center.
    pub readout: &'a [f32],
    /// Readout bias.
    pub readout_bias: &'a [f32],
    /// Class means or prototypes, a row of `dim` each.
    pub head: &'a [f32],
}

#[cfg(feature = "f32")]
impl<'a> F32Sections<'a> {
    pub(crate) fn take(from: &mut Cursor<'a>, meta: &Meta, sizes: Sizes) -> Result<Self, LoadError> {
        let mut s = Self::default();
        if cfg!(feature = "scale") && meta.scale == code::SCALE_FEATURES {
            s.scale = from.floats(sizes.kept.checked_mul(2).ok_or(LoadError::Dimension)?)?;
        }
        if cfg!(feature = "project") && meta.project == code::PROJECT_DENSE {
            s.project = from.quads(sizes.projected, sizes.kept)?;
        }
        if cfg!(feature = "sparse") && meta.project == code::PROJECT_SPARSE {
            s.sparse = from.sparse_index(meta, sizes.kept)?;
            s.sparse_values = from.floats(meta.nonzeros as usize)?;
        }
        if meta.project != 0 && meta.project_bias != 0 {
            s.project_bias = from.floats(sizes.projected)?;
        }
        if meta.lift == code::LIFT_CENTERS || meta.lift == code::LIFT_RANDOM {
            s.centers = from.quads(sizes.lifted, sizes.projected)?;
        }
        if cfg!(feature = "random") && meta.lift == code::LIFT_RANDOM {
            s.phases = from.floats(sizes.lifted)?;
        }
        if meta.readout != 0 {
            s.readout = from.floats(sizes.readout_values()?)?;
        }
        if meta.readout == code::READOUT_BIAS {
            s.readout_bias = from.floats(sizes.dim)?;
        }
        s.head = from.floats(sizes.head_values(meta)?)?;
        Ok(s)
    }
}

/// An array that is stored in one of several integer types.
#[cfg(feature = "int")]
#[derive(Copy, Clone, Debug)]
pub enum Ints<'a> {
    /// Signed 16 bits.
    I16(&'a [i16]),
    /// Signed 8 bits.
    I8(&'a [i8]),
    /// Unsigned 8 bits.
    U8(&'a [u8]),
}

#[cfg(feature = "int")]
impl<'a> Ints<'a> {
    fn take(from: &mut Cursor<'a>, num: u8, len: usize) -> Result<Self, LoadError> {
        match Num::from_code(num) {
            Some(Num::I16) => from.section(len).map(Self::I16),
            Some(Num::I8) => from.section(len).map(Self::I8),
            Some(Num::U8) => from.section(len).map(Self::U8),
            _ => Err(LoadError::Meta),
        }
    }
}

/// The arrays of the INT profile. Absent ones are empty.
#[cfg(feature = "int")]
#[derive(Copy, Clone, Debug)]
pub struct IntSections<'a> {
    /// Per-feature zeros, then multipliers.
    pub scale: &'a [i16],
    /// Dense projection in tiles of 4 outputs × 4 inputs, or the values of a sparse one.
    pub project: &'a [i8],
    /// Sparse projection: where the values belong.
    pub sparse: Sparse<'a>,
    /// Projection bias.
    pub project_bias: &'a [i32],
    /// Centers or random weights in tiles of 4 centers × 4 inputs.
    pub centers: Ints<'a>,
    /// Squared lengths of the centers.
    pub norms: &'a [u32],
    /// Phases of stored random features, in 1/65536 turns.
    pub phases: &'a [u16],
    /// Readout weights, a row of `dim` per center.
    pub readout: Ints<'a>,
    /// Readout multipliers, one per output.
    pub readout_mul: &'a [i32],
    /// Readout bias.
    pub readout_bias: &'a [i32],
    /// Class means or prototypes, a row of `dim` each.
    pub head: &'a [i16],
}

#[cfg(feature = "int")]
impl<'a> IntSections<'a> {
    pub(crate) fn take(from: &mut Cursor<'a>, meta: &Meta, sizes: Sizes) -> Result<Self, LoadError> {
        let tiles = |rows: usize, width: usize| {
            let tiles = rows.div_ceil(4).checked_mul(width.div_ceil(4)).and_then(|t| t.checked_mul(16));
            tiles.ok_or(LoadError::Dimension)
        };
        let mut s = Self {
            scale: &[],
            project: &[],
            sparse: Sparse::default(),
            project_bias: &[],
            centers: Ints::I8(&[]),
            norms: &[],
            phases: &[],
            readout: Ints::I16(&[]),
            readout_mul: &[],
            readout_bias: &[],
            head: &[],
        };
        if cfg!(feature = "scale") && meta.scale == code::SCALE_FEATURES {
            s.scale = from.section(sizes.kept.checked_mul(2).ok_or(LoadError::Dimension)?)?;
        }
        if cfg!(feature = "project") && meta.project == code::PROJECT_DENSE {
            s.project = from.section(tiles(sizes.projected, sizes.kept)?)?;
        }
        if cfg!(feature = "sparse") && meta.project == code::PROJECT_SPARSE {
            s.sparse = from.sparse_index(meta, sizes.kept)?;
            s.project = from.section(meta.nonzeros as usize)?;
        }
        if meta.project != 0 && meta.project_bias != 0 {
            s.project_bias = from.section(sizes.projected)?;
        }
        if meta.lift == code::LIFT_CENTERS || meta.lift == code::LIFT_RANDOM {
            s.centers = Ints::take(from, meta.center_num, tiles(sizes.lifted, sizes.projected)?)?;
        }
        if meta.lift == code::LIFT_CENTERS && meta.norms != 0 {
            s.norms = from.section(sizes.lifted)?;
        }
        if cfg!(feature = "random") && meta.lift == code::LIFT_RANDOM {
            s.phases = from.section(sizes.lifted)?;
        }
        if meta.readout != 0 {
            s.readout = Ints::take(from, meta.readout_num, sizes.readout_values()?)?;
            s.readout_mul = from.section(sizes.dim)?;
        }
        if meta.readout == code::READOUT_BIAS {
            s.readout_bias = from.section(sizes.dim)?;
        }
        s.head = from.section(sizes.head_values(meta)?)?;
        Ok(s)
    }
}
