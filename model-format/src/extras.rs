//! Optional parts after the sections, each with a tag, in ascending order of the tags.

use crate::{Fault, layout::view};

/// Class names: a length byte and UTF-8, once per class.
pub const NAMES: u16 = 1;
/// Reject radii: a raw squared distance per class, compared by its bits.
pub const RADII: u16 = 2;
/// `H = CᵀKC`, upper triangle by rows, for certified radii.
pub const H: u16 = 3;
/// Calibration of confidence: a pair of floats.
pub const CALIBRATION: u16 = 4;
/// Row numbers of the exemplars that became centers.
pub const EXEMPLARS: u16 = 5;
/// Ids of the prototypes, a word each; without it they are numbered from 0 as they lie in the file.
pub const ITEMS: u16 = 6;
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

    /// Bytes that they take in the core.
    #[must_use]
    pub fn stored_len(&self) -> usize {
        size_of_val(self.words)
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

    /// The name of class number `class`, in UTF-8, if the model has names.
    #[cfg(feature = "names")]
    #[must_use]
    pub fn name(&self, class: usize) -> Option<&'a [u8]> {
        let mut rest = self.find(NAMES)?;
        for _ in 0..class {
            let (&len, tail) = rest.split_first()?;
            rest = tail.get(usize::from(len)..)?;
        }
        let (&len, tail) = rest.split_first()?;
        tail.get(..usize::from(len))
    }
}

/// Bytes before a payload: tag, flags, length.
pub const PREFIX_LEN: usize = 8;

/// Bytes that an extra takes in the core: tag, length, and the payload padded to a word.
#[must_use]
pub const fn stored_len(payload: usize) -> usize {
    PREFIX_LEN + payload.next_multiple_of(4)
}

/// Bytes of the payload that holds these class names.
pub fn names_len<S: AsRef<str>>(names: &[S]) -> usize {
    names.iter().map(|name| 1 + name.as_ref().len()).sum()
}

/// Checks everything up to the end of the core: the walk, and the lengths of radii and ids, which answers need.
///
/// Who reads another extra checks its payload.
pub(crate) fn check(words: &[u32], classes: u32, prototypes: u32) -> Result<(), Fault> {
    let mut rest = words;
    let mut last = 0;
    while !rest.is_empty() {
        let (Extra { tag, critical, payload }, tail) = split(rest).ok_or(Fault::Dimension)?;
        let known = match tag {
            RADII => payload.len() == 4 * classes as usize,
            // Not zero: class means have no ids.
            ITEMS => prototypes != 0 && payload.len() == 4 * prototypes as usize,
            NAMES..=EXEMPLARS => true,
            _ => !critical,
        };
        // Ascending tags make a tag that comes twice impossible to miss, in one pass.
        if tag <= last || !known {
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
    let payload = view(padded).get(..len as usize)?;
    let extra = Extra { tag: kind as u16, critical: kind >> 16 != 0, payload };
    (kind >> 17 == 0).then_some((extra, tail))
}
