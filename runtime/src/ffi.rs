//! For bindings to other languages: what [`Memory`](crate::Memory) and `rank` do, over slices whose lengths are
//! known only when the program runs.
//!
//! Hidden from the documentation and outside of what versions promise: it moves with `nearmark-c`.

use crate::{Candidate, ClassId, Error, Item, MemoryError, Model, Prediction, Sample, memory, prediction};
pub use crate::{
    memory::Enrolled,
    stream::{Place, push},
};

/// As `Memory::classify`, which is `Model::classify` where nothing is enrolled.
///
/// # Errors
/// As [`Model::classify`].
pub fn classify<S: Sample + ?Sized>(
    model: &Model<'_>,
    enrolled: Enrolled<'_>,
    x: &S,
    scratch: &mut [u32],
) -> Result<Prediction, Error> {
    model.classify_with(x, scratch, enrolled)
}

/// As `Memory::rank`: writes the best classes, as many as fit, and returns how many there are.
///
/// # Errors
/// As [`Model::rank`].
pub fn rank<S: Sample + ?Sized>(
    model: &Model<'_>,
    enrolled: Enrolled<'_>,
    x: &S,
    scratch: &mut [u32],
    ranking: &mut [Candidate],
) -> Result<usize, Error> {
    model.rank_into(x, scratch, enrolled, ranking)
}

/// Whether an embedding may be stored as a prototype of a class.
///
/// # Errors
/// As [`Memory::restore`](crate::Memory::restore).
pub fn storable(model: &Model<'_>, class: ClassId, z: &[u32]) -> Result<(), MemoryError> {
    memory::storable(model, class, z)
}

/// An empty line of a ranking, to fill an array with.
pub const NO_CANDIDATE: Candidate = Candidate::NONE;

/// An empty place of a list of items, to fill an array with.
pub const NO_ITEM: Item = Item::NONE;

/// Scale from raw to real distances of this model: the second argument of [`to_float`].
#[must_use]
pub fn unit(model: &Model<'_>) -> u32 {
    crate::head::Heads { layout: model.layout(), enrolled: Enrolled::default() }.unit()
}

/// A raw distance as a float.
#[must_use]
pub fn to_float(raw: u32, unit: u32) -> f32 {
    prediction::to_float(raw, unit)
}
