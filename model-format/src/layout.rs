//! A checked model: header, metadata and sections, in one pass over the bytes.

use bytemuck::{Pod, Zeroable};

use crate::{
    Fault, LoadError, Meta,
    check::{self, Widths, is_finite},
    crc::Crc32,
    extras::{self, Extras},
    header::{CRC_BYTES, FLAG_TRAILER, FLAGS_OFFSET, HEADER_LEN, Header, MAGIC, VERSION},
    meta::BASE_LEN,
    needs, padding,
    sections::{self, COUNT, Section, Sizes},
    series::Word,
    trailer,
};

/// A model whose every byte has been checked, borrowed where it lies.
///
/// Sizes agree with each other and with the sections, none is zero, floats are finite. Small
/// enough (64 bytes on 32-bit targets) to be moved around without a call to `memcpy`.
#[derive(Copy, Clone, Debug)]
pub struct Layout<'a> {
    preamble: &'a Preamble,
    /// Sections and extras.
    body: &'a [u32],
    /// Where each section ends in the body, in words.
    ends: [u32; COUNT],
    kept: u32,
}

#[cfg(target_pointer_width = "32")]
const _: () = assert!(size_of::<Layout<'static>>() == 64);

/// Header and metadata, which lie at the start of every model; the last fields overlap the sections where the model
/// does not use them.
#[derive(Copy, Clone, Debug, Pod, Zeroable)]
#[repr(C)]
struct Preamble {
    header: Header,
    meta: Meta,
}

impl<'a> Layout<'a> {
    /// Checks a model that fills `bytes` exactly.
    ///
    /// # Errors
    /// See [`LoadError`]; a model followed by anything but its own trailer is refused too.
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self, LoadError> {
        let layout = Self::read(bytes)?;
        let rest = layout.behind(bytes)?;
        if rest.is_empty() {
            return Ok(layout);
        }
        let needed = bytes.len().wrapping_sub(rest.len());
        Err(LoadError::Length { needed: needed as u32, got: bytes.len() as u32 })
    }

    /// Checks a model at the start of `bytes`, and returns what follows it and its trailer.
    ///
    /// # Errors
    /// See [`LoadError`].
    pub fn from_prefix(bytes: &'a [u8]) -> Result<(Self, &'a [u8]), LoadError> {
        let layout = Self::read(bytes)?;
        Ok((layout, layout.behind(bytes)?))
    }

    fn read(bytes: &'a [u8]) -> Result<Self, LoadError> {
        const POLYNOMIAL_INT: u32 = needs::POLYNOMIAL | needs::INT;
        let whole = bytes.get(..bytes.len() & !3).unwrap_or_default();
        let words: &[u32] = bytemuck::try_cast_slice(whole).map_err(|_| LoadError::Misaligned)?;
        let header = words.first_chunk::<{ HEADER_LEN / 4 }>().ok_or(LoadError::TooShort)?;
        let header: &Header = bytemuck::try_cast_ref(header).map_err(|_| LoadError::Misaligned)?;
        if header.magic != MAGIC {
            return Err(LoadError::NotAModel);
        }
        if header.version != VERSION {
            return Err(LoadError::Version(header.version));
        }
        let too_long = LoadError::Length { needed: header.core_len, got: bytes.len() as u32 };
        let core = words.get(..header.core_len as usize / 4).ok_or(too_long)?;
        if checksum(view(core)) != header.crc {
            return Err(LoadError::Checksum);
        }
        let missing = needs::missing(header.needs.into());
        if missing != 0 {
            return Err(LoadError::Stage(missing));
        }
        if cfg!(feature = "int") && u32::from(header.needs) & POLYNOMIAL_INT == POLYNOMIAL_INT {
            return Err(LoadError::IntegerPolynomial);
        }
        Ok(Self::check(core)?)
    }

    /// What follows the model and its trailer.
    fn behind(&self, bytes: &'a [u8]) -> Result<&'a [u8], LoadError> {
        let rest = bytes.get(self.header().core_len as usize..).unwrap_or_default();
        match self.header().flags {
            0 => Ok(rest),
            FLAG_TRAILER => Ok(trailer::split(rest)?.1),
            _ => Err(LoadError::Trailer),
        }
    }

    fn check(core: &'a [u32]) -> Result<Self, Fault> {
        const WORDS: usize = size_of::<Preamble>() / 4;
        let preamble = core.first_chunk::<WORDS>().ok_or(Fault::Meta)?;
        let preamble: &Preamble = bytemuck::try_cast_ref(preamble).map_err(|_| Fault::Meta)?;
        let Preamble { header, meta } = preamble;
        // Later writers of this version may have appended metadata: what is left over is theirs.
        let start = (HEADER_LEN + BASE_LEN) / 4 + usize::from(meta.tail);
        let body = core.get(start..).filter(|_| header.core_len % 4 == 0).ok_or(Fault::Meta)?;
        let int = is_int(header);
        let (dim, classes) = (u32::from(header.dim), u32::from(header.classes));
        check::codes(meta, int, dim, classes)?;
        if meta.needs(int) != u32::from(header.needs) {
            return Err(Fault::Meta);
        }
        let pooled = check::pooled(meta, header.inputs);
        let (mask, kept) = selection(body, meta, pooled)?;
        let projected = if meta.has_projection() { meta.projected.into() } else { kept };
        let mapped = if meta.feature_map == 0 { projected } else { meta.centers.into() };
        if pooled == 0 || !check::sizes(pooled.max(kept), projected, mapped) {
            return Err(Fault::Dimension);
        }
        let sizes = Sizes { mask, kept, projected, mapped, dim, classes };
        let ends = sections::ends(meta, int, sizes);
        let layout = Self { preamble, body, ends, kept };
        let [.., end] = ends;
        let extras = body.get(end as usize..).ok_or(Fault::Dimension)?;
        if !int && !sections::are_finite(meta, body, &ends) {
            return Err(Fault::NonFinite);
        }
        let prototypes = if meta.has_prototypes() { meta.prototypes.into() } else { 0 };
        extras::check(extras, classes, prototypes)?;
        let agree = (meta.readout != 0 || mapped == dim)
            && check::scratch(meta, int, Widths { pooled, kept }, dim) == header.scratch
            && layout.counts_agree()
            && (!meta.has_counts() || layout.series_agrees())
            && (!int || padding::is_harmless(meta, sizes, body, &ends));
        if agree { Ok(layout) } else { Err(Fault::Dimension) }
    }

    /// The header.
    #[must_use]
    pub fn header(&self) -> &'a Header {
        &self.preamble.header
    }

    /// The stages, in place: fields of a stage that the model does not have may hold anything.
    #[must_use]
    pub fn meta(&self) -> &'a Meta {
        &self.preamble.meta
    }

    /// Whether the model computes in integers; known when compiling where one profile is built.
    #[must_use]
    #[inline]
    pub fn int(&self) -> bool {
        is_int(self.header())
    }

    /// Names, radii and other optional parts.
    #[must_use]
    pub fn extras(&self) -> Extras<'a> {
        let [.., end] = self.ends;
        Extras::new(self.body.get(end as usize..).unwrap_or_default())
    }

    /// Width after window statistics, counts or pooling.
    #[must_use]
    pub fn pooled(&self) -> usize {
        check::pooled(self.meta(), self.header().inputs) as usize
    }

    /// Width after selection.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.kept as usize
    }

    /// Whether sparse rows stay within their width, and prototypes add up.
    fn counts_agree(&self) -> bool {
        let (meta, mut good) = (self.meta(), true);
        if meta.is_sparse() {
            let mut left = u32::from(meta.nonzeros);
            let mut gaps = self.bytes(Section::SparseGaps).iter();
            for &count in self.halves(Section::SparseCounts).iter().take(self.projected()) {
                let mut end = 0;
                for _ in 0..count {
                    end += gaps.next().map_or(0, |&gap| u32::from(gap) + 1);
                }
                // Below zero it wraps, and never comes back to zero.
                left = left.wrapping_sub(count.into());
                good &= end <= self.kept;
            }
            good &= left == 0;
        }
        if meta.has_prototypes() {
            let counts = self.halves(Section::Counts).iter().take(usize::from(self.header().classes));
            good &= counts.map(|&count| u32::from(count)).sum::<u32>() == meta.prototypes.into();
        }
        good
    }

    /// Whether the entries of a series add up, and each exists in it.
    fn series_agrees(&self) -> bool {
        let (counts, entries) = self.series();
        let (int, steps) = (self.int(), self.meta().cols);
        let mut left = u32::from(self.meta().entries);
        let mut good = true;
        for &count in counts {
            // Below zero it wraps, and never comes back to zero.
            left = left.wrapping_sub(count.into());
        }
        for entry in entries.chunks(if int { 1 } else { 2 }) {
            let (word, float) = (entry.first().map_or(0, |word| *word), entry.last().map_or(0, |word| *word));
            good &= Word(word).span(steps).len != 0 && (int || (is_finite(word) && is_finite(float)));
        }
        good && left == 0
    }

    /// The features of a series: entries per channel, and the words of all entries, one each in the INT profile and
    /// two in F32.
    #[must_use]
    #[inline]
    pub fn series(&self) -> (&'a [u16], &'a [u32]) {
        let channels = self.meta().channels as usize;
        let words = self.words(Section::Series);
        let (counts, entries) = words.split_at_checked(channels.div_ceil(2)).unwrap_or_default();
        (view(counts).get(..channels).unwrap_or_default(), entries)
    }

    /// A section as words; empty where the model does not have it.
    #[must_use]
    #[inline(never)] // asked for in a dozen places
    pub fn words(&self, section: Section) -> &'a [u32] {
        let (start, end) = sections::range(self.meta(), self.int(), &self.ends, section);
        self.body.get(start..end).unwrap_or_default()
    }

    /// A section as floats.
    #[must_use]
    #[inline]
    pub fn floats(&self, section: Section) -> &'a [f32] {
        view(self.words(section))
    }

    /// A section as numbers of 16 bits, up to one more than it has.
    #[must_use]
    #[inline]
    pub fn halves(&self, section: Section) -> &'a [u16] {
        view(self.words(section))
    }

    /// A section as bytes, up to three more than it has.
    #[must_use]
    #[inline]
    pub fn bytes(&self, section: Section) -> &'a [u8] {
        view(self.words(section))
    }

    /// Width after projection: what centers or the readout take.
    #[must_use]
    pub fn projected(&self) -> usize {
        if self.meta().has_projection() { self.meta().projected.into() } else { self.kept as usize }
    }

    /// Number of kernel values or random features; the projected width without a feature map.
    #[must_use]
    pub fn mapped(&self) -> usize {
        if self.meta().feature_map == 0 { self.projected() } else { self.meta().centers.into() }
    }
}

/// Words as smaller numbers or floats, which they always can be: a cast that leaves no panic behind.
pub(crate) fn view<T: bytemuck::AnyBitPattern>(words: &[u32]) -> &[T] {
    bytemuck::try_cast_slice(words).unwrap_or_default()
}

/// A model of a profile that is not built has been refused: what is left may be known when compiling.
#[inline]
fn is_int(header: &Header) -> bool {
    cfg!(feature = "int") && (!cfg!(feature = "f32") || u32::from(header.needs) & needs::INT != 0)
}

/// Words of the mask, and the number of features it keeps.
fn selection(body: &[u32], meta: &Meta, pooled: u32) -> Result<(u32, u32), Fault> {
    if !meta.has_select() {
        return Ok((0, pooled));
    }
    let words = sections::mask_words(pooled);
    let mask = body.get(..words as usize).ok_or(Fault::Dimension)?;
    let kept = mask.iter().map(|word| word.count_ones()).sum();
    // Bits and padding beyond the last feature are zero.
    let spare = mask.last().map_or(0, |last| last.unbounded_shr(pooled.wrapping_sub(1) % 32 + 1));
    if kept == 0 || spare != 0 { Err(Fault::Dimension) } else { Ok((words, kept)) }
}

/// The checksum of a core: everything but the flags byte and the checksum itself.
#[must_use]
pub fn checksum(core: &[u8]) -> u32 {
    let mut crc = Crc32::new();
    crc.update(core.get(..FLAGS_OFFSET).unwrap_or_default());
    crc.update(core.get(FLAGS_OFFSET + 1..CRC_BYTES.start).unwrap_or_default());
    crc.update(core.get(CRC_BYTES.end..).unwrap_or_default());
    crc.finish()
}
