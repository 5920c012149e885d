//! NOR flash whose power can fail at any step, and a model to learn for.
#![allow(dead_code, reason = "each test uses its part")]

pub(crate) mod flash;

use flash::SimFlash;
use nearmark::{ClassId, Memory, Model};
use nearmark_format::{AlignedBuf, Head, ModelBuf, Tensor};
use nearmark_store::{Error, OtherModel, Store};

/// Coordinates of an embedding.
pub(crate) const DIM: usize = 3;
/// Samples that a memory holds.
pub(crate) const CAPACITY: usize = 4;

pub(crate) type Kept<'f, const WRITE: usize, const PAGE: usize> = Store<&'f mut SimFlash<WRITE, PAGE>, CAPACITY, DIM>;
pub(crate) type Learned = Memory<CAPACITY, DIM>;
pub(crate) type Contents = Vec<(ClassId, Vec<u32>)>;

/// A model that embeds a sample as itself; `place` tells models apart.
pub(crate) fn model_bytes(place: f32) -> AlignedBuf {
    let head = Head::Means(Tensor::F32(vec![place, 0.0, 0.0, 0.0, 4.0, 0.0]));
    AlignedBuf::from(ModelBuf { head, ..ModelBuf::new(DIM, DIM, 2) }.encode().unwrap().as_slice())
}

/// Every word of a memory.
pub(crate) fn contents(memory: &Learned) -> Contents {
    memory.iter().map(|(class, words)| (class, words.to_vec())).collect()
}

/// A change, as a program would ask for it.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Change {
    Enroll(u16, f32),
    Forget(u16),
    Undo,
    Clear,
}

impl Change {
    /// The sample of an enrolment. One coordinate has all bits set but one, as erased flash would.
    pub(crate) fn sample(value: f32) -> [f32; DIM] {
        [value, -value, f32::from_bits(0xFF7F_FFFF)]
    }

    /// What the change makes of a memory that is kept in RAM only.
    pub(crate) fn expected(self, before: &Contents) -> Contents {
        let mut after = before.clone();
        match self {
            Self::Enroll(class, value) if after.len() < CAPACITY => {
                after.push((ClassId(class), Self::sample(value).map(f32::to_bits).to_vec()));
            }
            Self::Enroll(..) => {}
            Self::Forget(class) => after.retain(|(label, _)| label.0 != class),
            Self::Undo => drop(after.pop()),
            Self::Clear => after.clear(),
        }
        after
    }

    /// Makes the change in a store. A memory that is full is no failure here.
    pub(crate) fn make<const WRITE: usize, const PAGE: usize>(
        self,
        store: &mut Kept<'_, WRITE, PAGE>,
        model: &Model<'_>,
    ) -> Result<(), Error<flash::Failed>> {
        let mut scratch = vec![0; model.scratch_words()];
        match self {
            Self::Enroll(class, value) => {
                match store.enroll(model, &Self::sample(value), ClassId(class), &mut scratch) {
                    Err(Error::Memory(nearmark::MemoryError::Full { capacity: CAPACITY })) => Ok(()),
                    other => other,
                }
            }
            Self::Forget(class) => store.forget(ClassId(class)).map(drop),
            Self::Undo => store.undo().map(drop),
            Self::Clear => store.clear(),
        }
    }
}

/// Opens the whole flash as a store of a model.
pub(crate) fn open<'f, const WRITE: usize, const PAGE: usize>(
    flash: &'f mut SimFlash<WRITE, PAGE>,
    model: &Model<'_>,
) -> Result<Kept<'f, WRITE, PAGE>, Error<flash::Failed>> {
    let end = flash.bytes.len() as u32;
    Store::open(flash, 0..end, model, OtherModel::Refuse)
}

/// What a device finds when it starts.
pub(crate) fn found<const WRITE: usize, const PAGE: usize>(
    flash: &mut SimFlash<WRITE, PAGE>,
    model: &Model<'_>,
) -> Contents {
    contents(open(flash, model).unwrap().memory())
}
