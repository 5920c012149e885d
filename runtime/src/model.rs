//! The model: checked once, then ready for any number of samples.

use nearmark_format::{Layout, LoadError};

#[cfg(feature = "names")]
use crate::ClassId;
#[cfg(feature = "int")]
use crate::int;
use crate::{
    Candidate, Error, Prediction, Sample,
    error::input_len,
    head::{Heads, finite},
    memory::Enrolled,
    slices::{cast, split},
};

/// A classifier, borrowed from flash.
///
/// Loading checks every byte; afterwards only a slice of the wrong length or a sample with values
/// that are not finite can fail, and nothing panics.
#[derive(Copy, Clone, Debug)]
pub struct Model<'a> {
    pub(crate) layout: Layout<'a>,
}

impl<'a> Model<'a> {
    /// Checks a model that fills `bytes` exactly.
    ///
    /// # Errors
    /// If the bytes are damaged, misaligned, or need a stage that this build leaves out.
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self, LoadError> {
        Layout::from_bytes(bytes).map(|layout| Self { layout })
    }

    /// Checks a model at the start of `bytes`, such as a flash partition, and returns the rest.
    ///
    /// # Errors
    /// As [`from_bytes`](Self::from_bytes).
    pub fn from_prefix(bytes: &'a [u8]) -> Result<(Self, &'a [u8]), LoadError> {
        Layout::from_prefix(bytes).map(|(layout, rest)| (Self { layout }, rest))
    }

    /// The model's id: its checksum.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.layout.header().crc
    }

    /// Values per sample.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.layout.header().inputs as usize
    }

    /// Length of the embedding.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.layout.header().dim.into()
    }

    /// Number of classes.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.layout.header().classes.into()
    }

    /// Scratch words that classification needs.
    #[must_use]
    pub fn scratch_words(&self) -> usize {
        self.layout.header().scratch as usize
    }

    /// The checked parts of the model file.
    #[must_use]
    pub fn layout(&self) -> &Layout<'a> {
        &self.layout
    }

    /// The name of a class, if the model stores names.
    #[cfg(feature = "names")]
    #[must_use]
    pub fn class_name(&self, class: ClassId) -> Option<&'a str> {
        core::str::from_utf8(self.class_name_bytes(class)?).ok()
    }

    /// The name of a class as UTF-8 bytes: what a serial port wants, and 600 bytes of flash less
    /// than a checked `str`.
    #[cfg(feature = "names")]
    #[must_use]
    pub fn class_name_bytes(&self, class: ClassId) -> Option<&'a [u8]> {
        self.layout.extras().name(class.0.into())
    }

    /// Names the nearest class of a sample.
    ///
    /// # Errors
    /// If the sample has the wrong length, values that are not finite, or a type that an integer
    /// model does not take, or the scratch is short.
    pub fn classify<S: Sample + ?Sized>(&self, x: &S, scratch: &mut [u32]) -> Result<Prediction, Error> {
        self.classify_with(x, scratch, Enrolled::default())
    }

    /// The best `K` classes, nearest first, each with the distance to its nearest mean or prototype.
    ///
    /// Where the model lets several neighbors vote, votes come before distance, so that the first
    /// candidate is always the one that [`classify`](Self::classify) names.
    ///
    /// # Errors
    /// As [`classify`](Self::classify).
    pub fn rank<const K: usize, S: Sample + ?Sized>(
        &self,
        x: &S,
        scratch: &mut [u32],
    ) -> Result<heapless::Vec<Candidate, K>, Error> {
        self.rank_with(x, scratch, Enrolled::default())
    }

    /// Writes the embedding of a sample, [`dim`](Self::dim) coordinates.
    ///
    /// # Errors
    /// If the sample, `z` or the scratch has the wrong length, or a coordinate is not finite: then `z` holds no
    /// embedding.
    pub fn embed<S: Sample + ?Sized>(&self, x: &S, z: &mut [f32], scratch: &mut [u32]) -> Result<(), Error> {
        self.embed_raw(x, cast(z), scratch)?;
        #[cfg(feature = "int")]
        if self.layout.int() {
            int::to_floats(&self.layout, z);
        }
        Ok(())
    }

    /// Writes the embedding as raw words, comparable to the bit between machines: bits of `f32`, or
    /// signed integers in the INT profile.
    ///
    /// # Errors
    /// As [`embed`](Self::embed).
    pub fn embed_raw<S: Sample + ?Sized>(&self, x: &S, z: &mut [u32], scratch: &mut [u32]) -> Result<(), Error> {
        if z.len() != self.dim() {
            return Err(Error::OutputLen { needed: self.dim(), got: z.len() });
        }
        self.check_scratch(scratch)?;
        self.run(x, z, scratch)?;
        finite(&self.layout, z)
    }

    pub(crate) fn check_scratch(&self, scratch: &[u32]) -> Result<(), Error> {
        let (needed, got) = (self.scratch_words(), scratch.len());
        if got < needed { Err(Error::Scratch { needed, got }) } else { Ok(()) }
    }
}

impl Model<'_> {
    fn run<S: Sample + ?Sized>(&self, x: &S, z: &mut [u32], work: &mut [u32]) -> Result<(), Error> {
        let x = x.values();
        input_len(self.inputs(), x.len())?;
        // Where only one profile is built, the other is refused on load.
        #[cfg(feature = "int")]
        if self.layout.int() {
            return int::sample(&self.layout, x, z, work);
        }
        crate::f32::sample(&self.layout, x, cast(z), cast(work));
        Ok(())
    }

    /// Embeds into the scratch, and returns the embedding and the room for a vote.
    pub(crate) fn embedding<'s, S: Sample + ?Sized>(
        &self,
        x: &S,
        scratch: &'s mut [u32],
    ) -> Result<(&'s mut [u32], &'s mut [u32]), Error> {
        self.check_scratch(scratch)?;
        let (z, rest) = split(scratch, self.dim());
        let (neighbors, work) = split(rest, self.layout.meta().neighbor_words() as usize);
        self.run(x, z, work)?;
        Ok((z, neighbors))
    }

    pub(crate) fn classify_with<S: Sample + ?Sized>(
        &self,
        x: &S,
        scratch: &mut [u32],
        enrolled: Enrolled<'_>,
    ) -> Result<Prediction, Error> {
        let (z, neighbors) = self.embedding(x, scratch)?;
        Heads { layout: &self.layout, enrolled }.decide(z, neighbors)
    }

    pub(crate) fn rank_with<const K: usize, S: Sample + ?Sized>(
        &self,
        x: &S,
        scratch: &mut [u32],
        enrolled: Enrolled<'_>,
    ) -> Result<heapless::Vec<Candidate, K>, Error> {
        let mut ranking = heapless::Vec::new();
        // Never refused: it is the capacity.
        let _ = ranking.resize(K, Candidate::NONE);
        let len = self.rank_into(x, scratch, enrolled, &mut ranking)?;
        ranking.truncate(len);
        Ok(ranking)
    }

    pub(crate) fn rank_into<S: Sample + ?Sized>(
        &self,
        x: &S,
        scratch: &mut [u32],
        enrolled: Enrolled<'_>,
        ranking: &mut [Candidate],
    ) -> Result<usize, Error> {
        let (z, neighbors) = self.embedding(x, scratch)?;
        Heads { layout: &self.layout, enrolled }.rank(z, neighbors, ranking)
    }
}
