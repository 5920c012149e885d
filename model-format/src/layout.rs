//! A checked model: header, metadata and typed sections, in one pass over the bytes.

#[cfg(feature = "f32")]
use crate::sections::F32Sections;
#[cfg(feature = "int")]
use crate::sections::IntSections;
use crate::{
    LoadError, Meta,
    check::{self, Widths},
    crc::Crc32,
    extras::Extras,
    header::{FLAG_TRAILER, FLAGS_OFFSET, HEADER_LEN, Header},
    needs,
    sections::{Cursor, Sections, Sizes},
    trailer,
};

/// A model whose every byte has been checked, borrowed where it lies.
///
/// Sizes agree with each other and with the sections, none is zero, floats are finite.
#[derive(Copy, Clone, Debug)]
#[non_exhaustive]
pub struct Layout<'a> {
    /// The checksum, which is the model's id.
    pub id: u32,
    /// Values per sample.
    pub inputs: u32,
    /// Length of the embedding.
    pub dim: u16,
    /// Number of classes.
    pub classes: u16,
    /// Words that `classify` needs.
    pub scratch: u32,
    /// Width after window statistics or pooling.
    pub pooled: u32,
    /// Width after selection.
    pub kept: u32,
    /// The stages.
    pub meta: Meta,
    /// Bit mask of the features kept; empty without selection.
    pub mask: &'a [u8],
    /// The arrays.
    pub sections: Sections<'a>,
    /// Prototypes per class; empty unless the head has prototypes.
    pub counts: &'a [u16],
    /// Names, radii and other optional parts.
    pub extras: Extras<'a>,
}

impl<'a> Layout<'a> {
    /// Checks a model that fills `bytes` exactly.
    ///
    /// # Errors
    /// See [`LoadError`]; a model followed by anything but its own trailer is refused too.
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self, LoadError> {
        let (layout, rest) = Self::from_prefix(bytes)?;
        if rest.is_empty() {
            return Ok(layout);
        }
        let needed = bytes.len() - rest.len();
        Err(LoadError::Length { needed: needed as u32, got: bytes.len() as u32 })
    }

    /// Checks a model at the start of `bytes`, and returns what follows it and its trailer.
    ///
    /// # Errors
    /// See [`LoadError`].
    pub fn from_prefix(bytes: &'a [u8]) -> Result<(Self, &'a [u8]), LoadError> {
        let header = Header::read(bytes)?;
        let core_len = header.core_len as usize;
        let too_long = LoadError::Length { needed: header.core_len, got: bytes.len() as u32 };
        let (core, rest) = bytes.split_at_checked(core_len).ok_or(too_long)?;
        let (_, body) = core.split_at_checked(HEADER_LEN).ok_or(LoadError::TooShort)?;
        if core_len % 4 != 0 {
            return Err(LoadError::Dimension);
        }
        if core.as_ptr().addr() % 4 != 0 {
            return Err(LoadError::Misaligned);
        }
        if checksum(core) != header.crc {
            return Err(LoadError::Checksum);
        }
        let rest = match header.flags {
            0 => rest,
            FLAG_TRAILER => trailer::split(rest)?.1,
            _ => return Err(LoadError::Trailer),
        };
        Ok((Self::check(&header, body)?, rest))
    }

    fn check(header: &Header, body: &'a [u8]) -> Result<Self, LoadError> {
        if let Some(stage) = needs::missing(header.needs) {
            return Err(LoadError::Stage(stage));
        }
        let int = header.needs & needs::INT != 0;
        let mut cursor = Cursor { rest: body };
        let meta_bytes = cursor.section::<u8>(usize::from(header.meta_len))?;
        // Later writers of this version may have appended fields: what is left over is theirs.
        let (meta, _) = postcard::take_from_bytes::<Meta>(meta_bytes).map_err(|_| LoadError::Meta)?;
        if meta.needs(int) != header.needs {
            return Err(LoadError::Meta);
        }
        check::codes(&meta, int, header.dim, header.classes)?;
        let pooled = check::pooled(&meta, header.inputs)?;
        let (mask, kept) = selection(&mut cursor, &meta, pooled)?;
        let projected = if meta.project == 0 { kept } else { meta.projected };
        let lifted = if meta.lift == 0 { projected } else { meta.centers };
        // The work of one sample must be countable, seeded weights included.
        lifted.checked_mul(projected).ok_or(LoadError::Dimension)?;
        if meta.readout == 0 && lifted != u32::from(header.dim) {
            return Err(LoadError::Dimension);
        }
        let sizes = Sizes {
            kept: kept as usize,
            projected: projected as usize,
            lifted: lifted as usize,
            dim: usize::from(header.dim),
            classes: usize::from(header.classes),
        };
        let sections = take(&mut cursor, &meta, int, sizes)?;
        let counts = prototype_counts(&mut cursor, &meta, sizes.classes)?;
        let extras = Extras::check(cursor.rest, &meta, int, header.dim, header.classes)?;
        if check::scratch(&meta, int, Widths { pooled, kept }, header.dim) != Some(header.scratch) {
            return Err(LoadError::Dimension);
        }
        Ok(Self {
            id: header.crc,
            inputs: header.inputs,
            dim: header.dim,
            classes: header.classes,
            scratch: header.scratch,
            pooled,
            kept,
            meta,
            mask,
            sections,
            counts,
            extras,
        })
    }

    /// Width after projection: what centers or the readout take.
    #[must_use]
    pub fn projected(&self) -> usize {
        (if self.meta.project == 0 { self.kept } else { self.meta.projected }) as usize
    }

    /// Number of kernel values or random features; the projected width without a lift.
    #[must_use]
    pub fn lifted(&self) -> usize {
        if self.meta.lift == 0 { self.projected() } else { self.meta.centers as usize }
    }
}

#[allow(unused_variables)] // without a profile there is nothing to take
fn take<'a>(cursor: &mut Cursor<'a>, meta: &Meta, int: bool, sizes: Sizes) -> Result<Sections<'a>, LoadError> {
    #[cfg(feature = "int")]
    if int {
        return IntSections::take(cursor, meta, sizes).map(Sections::Int);
    }
    #[cfg(feature = "f32")]
    if !int {
        return F32Sections::take(cursor, meta, sizes).map(Sections::F32);
    }
    Err(LoadError::Meta)
}

/// The mask and the number of features it keeps.
fn selection<'a>(cursor: &mut Cursor<'a>, meta: &Meta, pooled: u32) -> Result<(&'a [u8], u32), LoadError> {
    if !cfg!(feature = "select") || meta.select == 0 {
        return Ok((&[], pooled));
    }
    let mask: &[u8] = cursor.section(pooled.div_ceil(8) as usize)?;
    let kept = mask.iter().map(|byte| byte.count_ones()).sum();
    let spare = mask.last().map_or(0, |last| u32::from(*last) >> ((pooled - 1) % 8 + 1));
    if kept == 0 || spare != 0 { Err(LoadError::Dimension) } else { Ok((mask, kept)) }
}

fn prototype_counts<'a>(cursor: &mut Cursor<'a>, meta: &Meta, classes: usize) -> Result<&'a [u16], LoadError> {
    if !cfg!(feature = "knn") || meta.head != crate::meta::code::HEAD_PROTOTYPES {
        return Ok(&[]);
    }
    let counts: &[u16] = cursor.section(classes)?;
    let total = counts.iter().map(|&count| u64::from(count)).sum::<u64>();
    if total == u64::from(meta.prototypes) { Ok(counts) } else { Err(LoadError::Dimension) }
}

/// The checksum of a core: everything but the flags byte and the checksum itself.
#[must_use]
pub fn checksum(core: &[u8]) -> u32 {
    let mut crc = Crc32::new();
    let parts = [0..FLAGS_OFFSET, FLAGS_OFFSET + 1..12, 16..core.len()];
    for part in parts {
        crc.update(core.get(part).unwrap_or_default());
    }
    crc.finish()
}
