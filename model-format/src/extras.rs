//! Optional parts after the sections, each with a tag, in ascending order of the tags.

use crate::{Fault, Meta, check::is_finite, sections::product};

/// Class names: a length byte and UTF-8, once per class.
pub const NAMES: u16 = 1;
/// Reject radii: a raw squared distance per class.
pub const RADII: u16 = 2;
/// `H = CᵀKC`, upper triangle by rows, for certified radii.
pub const H: u16 = 3;
/// Calibration of confidence: a pair of floats.
pub const CALIBRATION: u16 = 4;
/// Row numbers of the exemplars that became centers.
pub const EXEMPLARS: u16 = 5;
/// Tags from here on are private: skipped by everybody else.
pub const PRIVATE: u16 = 0x8000;

/// The extras of a checked model.
#[derive(Copy, Clone, Debug)]
pub struct Extras<'a> {
    words: &'a [u32],
}

/// One extra.
#[derive(Copy, Clone, Debug)]
pub struct Extra<'a> {
    /// What it is.
    pub tag: u16,
    /// Whether a reader that does not know the tag must refuse the model.
    pub critical: bool,
    /// Its bytes, without padding.
    pub payload: &'a [u8],
}

impl<'a> Extras<'a> {
    pub(crate) fn new(words: &'a [u32]) -> Self {
        Self { words }
    }

    /// Every extra, in ascending order of the tags.
    pub fn iter(&self) -> impl Iterator<Item = Extra<'a>> + use<'a> {
        let mut rest = self.words;
        core::iter::from_fn(move || {
            let (extra, tail) = split(rest)?;
            rest = tail;
            Some(extra)
        })
    }

    /// The payload under a tag, if the model has it.
    #[must_use]
    pub fn find(&self, tag: u16) -> Option<&'a [u8]> {
        self.iter().find(|extra| extra.tag == tag).map(|extra| extra.payload)
    }

    /// The name of class number `class`, if the model has names.
    #[cfg(feature = "names")]
    #[must_use]
    pub fn name(&self, class: usize) -> Option<&'a str> {
        let mut rest = self.find(NAMES)?;
        for _ in 0..class {
            let (&len, tail) = rest.split_first()?;
            rest = tail.get(usize::from(len)..)?;
        }
        let (&len, tail) = rest.split_first()?;
        core::str::from_utf8(tail.get(..usize::from(len))?).ok()
    }
}

/// Checks everything up to the end of the core.
pub(crate) fn check(words: &[u32], meta: &Meta, int: bool, dim: u32, classes: u32) -> Result<(), Fault> {
    let mut rest = words;
    let mut last = 0;
    while !rest.is_empty() {
        let (Extra { tag, critical, payload }, tail) = split(rest).ok_or(Fault::Dimension)?;
        let words = match tag {
            RADII => classes,
            // dim is at most 65535: nothing overflows.
            H => (dim * (dim + 1)) >> 1,
            CALIBRATION => 2,
            _ => meta.centers,
        };
        let known = match tag {
            NAMES => !cfg!(feature = "names") || names_fit(payload, classes),
            RADII..=EXEMPLARS => payload.len() as u32 == product(words, 4),
            _ => !critical,
        };
        let floats = matches!(tag, RADII..=CALIBRATION) && !(int && tag == RADII);
        // Ascending tags make a tag that comes twice impossible to miss, in one pass.
        if tag <= last || !known || (floats && !finite(payload)) {
            return Err(Fault::Meta);
        }
        last = tag;
        rest = tail;
    }
    Ok(())
}

/// The first extra of `words` and what follows it.
fn split(words: &[u32]) -> Option<(Extra<'_>, &[u32])> {
    let (&[kind, len], rest) = words.split_first_chunk::<2>()?;
    let (padded, tail) = rest.split_at_checked(len.div_ceil(4) as usize)?;
    let payload = bytemuck::cast_slice(padded).get(..len as usize)?;
    let extra = Extra { tag: kind as u16, critical: kind >> 16 != 0, payload };
    (kind >> 17 == 0).then_some((extra, tail))
}

fn finite(payload: &[u8]) -> bool {
    payload.as_chunks::<4>().0.iter().all(|&word| is_finite(u32::from_le_bytes(word)))
}

/// Whether the payload holds just one string per class; whether it is UTF-8 is asked on lookup.
fn names_fit(payload: &[u8], classes: u32) -> bool {
    let mut rest = payload;
    for _ in 0..classes {
        let Some((&len, tail)) = rest.split_first() else { return false };
        let Some(tail) = tail.get(usize::from(len)..) else { return false };
        rest = tail;
    }
    rest.is_empty()
}
