//! What the device learns: labelled prototypes in RAM, beside a model in flash.

use core::fmt;

use heapless::Vec;

use crate::{Candidate, ClassId, Error, Model, Prediction, Sample, head::finite};

/// Enrolled prototypes as plain slices, `stride` words apart: one copy of the code in flash
/// serves a memory of any size.
#[derive(Copy, Clone, Debug, Default)]
pub struct Enrolled<'a> {
    /// The class of each.
    pub labels: &'a [ClassId],
    /// Their coordinates.
    pub words: &'a [u32],
    /// Words from one to the next.
    pub stride: usize,
}

/// Up to `P` enrolled prototypes of up to `D` coordinates, tied to one model.
///
/// A new class needs no retraining: show the device a few samples of it.
///
/// ```
/// # use nearmark_format::{AlignedBuf, Head, ModelBuf, Tensor};
/// # let bytes = AlignedBuf::from(ModelBuf {
/// #     head: Head::Means(Tensor::F32(vec![0.0, 0.0, 4.0, 0.0])), ..ModelBuf::new(2, 2, 2)
/// # }.encode()?.as_slice());
/// # let model = nearmark::Model::from_bytes(&bytes)?;
/// # let mut scratch = [0; 8];
/// // `model` knows the classes 0, at (0, 0), and 1, at (4, 0).
/// let mut memory = nearmark::Memory::<8, 2>::new(&model)?;
/// let wave = memory.next_class(&model);
/// memory.enroll(&model, &[0.0, 5.0], wave, &mut scratch)?;
///
/// let seen = memory.classify(&model, &[0.5, 4.5], &mut scratch)?;
/// assert_eq!(seen.class(), wave);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Memory<const P: usize, const D: usize> {
    model: u32,
    dim: usize,
    labels: Vec<ClassId, P>,
    embeddings: Vec<[u32; D], P>,
}

/// Why a sample was not enrolled, or not compared with what was.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum MemoryError {
    /// The memory belongs to another model.
    OtherModel {
        /// The id of the model it was made for.
        needed: u32,
        /// The id of the model given.
        got: u32,
    },
    /// Embeddings of the model do not fit.
    Dimension {
        /// Coordinates of the model's embedding.
        needed: usize,
        /// Coordinates that a prototype has room for.
        got: usize,
    },
    /// No room for another prototype.
    Full {
        /// Prototypes that fit.
        capacity: usize,
    },
    /// The class number is reserved.
    Class(ClassId),
    /// The sample could not be embedded or classified.
    Sample(Error),
}

impl<const P: usize, const D: usize> Memory<P, D> {
    /// An empty memory for one model.
    ///
    /// # Errors
    /// If the model's embeddings have more than `D` coordinates.
    pub fn new(model: &Model<'_>) -> Result<Self, MemoryError> {
        if model.dim() > D {
            return Err(MemoryError::Dimension { needed: model.dim(), got: D });
        }
        Ok(Self { model: model.id(), dim: model.dim(), labels: Vec::new(), embeddings: Vec::new() })
    }

    /// Stores a sample as a prototype of `class`: one of the model's, or any number beyond them.
    ///
    /// # Errors
    /// If the memory is full or belongs to another model, or the sample cannot be embedded. Then
    /// nothing has changed.
    pub fn enroll<S: Sample + ?Sized>(
        &mut self,
        model: &Model<'_>,
        x: &S,
        class: ClassId,
        scratch: &mut [u32],
    ) -> Result<(), MemoryError> {
        self.belongs_to(model)?;
        let (z, _) = model.embedding(x, scratch)?;
        self.store(model, class, z)
    }

    /// Puts back a prototype that was read out with [`iter`](Self::iter), from a journal in flash.
    ///
    /// # Errors
    /// If the memory is full, or the words are not an embedding of this model's length.
    pub fn restore(&mut self, model: &Model<'_>, class: ClassId, words: &[u32]) -> Result<(), MemoryError> {
        self.belongs_to(model)?;
        if words.len() != self.dim {
            return Err(MemoryError::Dimension { needed: self.dim, got: words.len() });
        }
        self.store(model, class, words)
    }

    fn store(&mut self, model: &Model<'_>, class: ClassId, z: &[u32]) -> Result<(), MemoryError> {
        storable(model, class, z)?;
        let full = MemoryError::Full { capacity: P };
        let z = core::array::from_fn(|at| z.get(at).copied().unwrap_or_default());
        self.embeddings.push(z).map_err(|_| full)?;
        self.labels.push(class).map_err(|_| full)
    }

    /// Drops every prototype of a class and returns how many there were.
    pub fn forget(&mut self, class: ClassId) -> usize {
        let before = self.labels.len();
        let mut kept = 0;
        for at in 0..before {
            let Some(&label) = self.labels.get(at) else { break };
            if label != class {
                self.labels.get_mut(kept).into_iter().for_each(|to| *to = label);
                self.move_embedding(at, kept);
                kept += 1;
            }
        }
        self.labels.truncate(kept);
        self.embeddings.truncate(kept);
        before - kept
    }

    /// Word by word: whole arrays would be moved by `memcpy`, a kilobyte of flash.
    fn move_embedding(&mut self, from: usize, to: usize) {
        let words = self.embeddings.as_flattened_mut();
        for at in 0..D {
            if let Some(&word) = words.get(from * D + at)
                && let Some(room) = words.get_mut(to * D + at)
            {
                *room = word;
            }
        }
    }

    /// Drops the prototype stored last, if there is one.
    pub fn undo(&mut self) -> Option<ClassId> {
        self.embeddings.pop();
        self.labels.pop()
    }

    /// Drops every prototype.
    pub fn clear(&mut self) {
        self.labels.clear();
        self.embeddings.clear();
    }

    /// A class number that neither the model nor this memory uses.
    #[must_use]
    pub fn next_class(&self, model: &Model<'_>) -> ClassId {
        let used = self.labels.iter().map(|label| label.0.saturating_add(1)).max().unwrap_or(0);
        ClassId(used.max(model.classes() as u16))
    }

    /// Names the nearest class among the model's and the enrolled ones.
    ///
    /// # Errors
    /// As [`Model::classify`], and if the memory belongs to another model.
    pub fn classify<S: Sample + ?Sized>(
        &self,
        model: &Model<'_>,
        x: &S,
        scratch: &mut [u32],
    ) -> Result<Prediction, MemoryError> {
        self.belongs_to(model)?;
        Ok(model.classify_with(x, scratch, self.enrolled())?)
    }

    /// The best `K` classes among the model's and the enrolled ones.
    ///
    /// # Errors
    /// As [`Model::rank`], and if the memory belongs to another model.
    pub fn rank<const K: usize, S: Sample + ?Sized>(
        &self,
        model: &Model<'_>,
        x: &S,
        scratch: &mut [u32],
    ) -> Result<Vec<Candidate, K>, MemoryError> {
        self.belongs_to(model)?;
        Ok(model.rank_with(x, scratch, self.enrolled())?)
    }

    /// Prototypes stored.
    #[must_use]
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether nothing is stored.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Prototypes that fit.
    #[must_use]
    pub const fn capacity(&self) -> usize {
        P
    }

    /// Coordinates of a prototype.
    #[must_use]
    pub const fn dim(&self) -> usize {
        self.dim
    }

    /// The id of the model that this memory belongs to: store it in front of a journal.
    #[must_use]
    pub const fn model_id(&self) -> u32 {
        self.model
    }

    /// Every prototype, oldest first: its class and the raw words of its embedding.
    pub fn iter(&self) -> impl Iterator<Item = (ClassId, &[u32])> {
        let words = self.embeddings.iter().map(|z| z.get(..self.dim).unwrap_or_default());
        self.labels.iter().copied().zip(words)
    }

    fn enrolled(&self) -> Enrolled<'_> {
        Enrolled { labels: &self.labels, words: self.embeddings.as_flattened(), stride: D }
    }

    fn belongs_to(&self, model: &Model<'_>) -> Result<(), MemoryError> {
        if self.model == model.id() {
            return Ok(());
        }
        Err(MemoryError::OtherModel { needed: self.model, got: model.id() })
    }
}

/// Whether an embedding may be stored as a prototype of a class.
pub(crate) fn storable(model: &Model<'_>, class: ClassId, z: &[u32]) -> Result<(), MemoryError> {
    if class == ClassId(u16::MAX) {
        return Err(MemoryError::Class(class));
    }
    finite(&model.layout, z).map_err(MemoryError::Sample)
}

impl From<Error> for MemoryError {
    fn from(error: Error) -> Self {
        Self::Sample(error)
    }
}

impl fmt::Display for MemoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherModel { needed, got } => {
                write!(f, "memory belongs to model {needed:08x}, got model {got:08x}")
            }
            Self::Dimension { needed, got } => write!(f, "embeddings have {needed} coordinates, got {got}"),
            Self::Full { capacity } => write!(f, "memory is full, it holds {capacity} prototypes"),
            Self::Class(class) => write!(f, "class number {} is reserved", class.0),
            Self::Sample(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for MemoryError {}
