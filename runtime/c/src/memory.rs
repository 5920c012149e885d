//! What the device learns: prototypes in the caller's words, with sizes chosen when the program runs.

use core::{ptr, slice};

use nearmark::{
    ClassId, Model, Sample,
    ffi::{self, Enrolled},
};

use crate::{
    model::{nearmark_model, opened},
    nearmark_status, nearmark_status as Status,
    pointers::{place, value, value_mut, values, values_mut},
    status::to_status,
};

/// Prototypes enrolled for one model, in words of the caller's. Fields may be read; functions write them.
#[repr(C)]
#[derive(Debug)]
pub struct nearmark_memory {
    /// The caller's words: the coordinates of every prototype, then their classes.
    pub words: *mut u32,
    /// Prototypes that fit.
    pub capacity: usize,
    /// Prototypes stored.
    pub count: usize,
    /// Coordinates of each.
    pub dim: usize,
    /// nearmark_id() of the model they belong to: store it in front of a journal.
    pub model_id: u32,
}

impl nearmark_memory {
    fn words(capacity: usize, dim: usize) -> Option<usize> {
        capacity.checked_mul(dim)?.checked_add(capacity.div_ceil(2))
    }

    /// Whether it looks as `nearmark_memory_init` left it.
    fn check(&self) -> Result<(), Status> {
        let sound = !self.words.is_null() && self.words.is_aligned() && self.count <= self.capacity && self.dim > 0;
        let sound = sound && Self::words(self.capacity, self.dim).is_some();
        if sound { Ok(()) } else { Err(Status::NotOpen) }
    }

    fn belongs_to(&self, model: &Model<'_>) -> Result<(), Status> {
        self.check()?;
        if self.model_id == model.id() && self.dim == model.dim() { Ok(()) } else { Err(Status::OtherModel) }
    }

    /// Coordinates of a prototype below the capacity. The memory is sound.
    unsafe fn coordinates(&self, at: usize) -> *mut u32 {
        // SAFETY: `nearmark_memory_init` saw words for so many prototypes.
        unsafe { self.words.add(at.wrapping_mul(self.dim)) }
    }

    /// The class of a prototype below the capacity. The memory is sound.
    unsafe fn label(&self, at: usize) -> *mut u16 {
        // SAFETY: behind the coordinates of all of them, half a word each.
        unsafe { self.coordinates(self.capacity).cast::<u16>().add(at) }
    }

    unsafe fn labels<'a>(&self) -> &'a [ClassId] {
        // SAFETY: the first `count` were written, and a `ClassId` is its number.
        unsafe { slice::from_raw_parts(self.label(0).cast::<ClassId>(), self.count) }
    }

    /// Takes the prototype whose coordinates were written behind the last one.
    unsafe fn keep(&mut self, class: u16) {
        // SAFETY: the caller saw that there is room.
        unsafe { self.label(self.count).write(class) };
        self.count = self.count.wrapping_add(1);
    }
}

/// What a sound memory of this model holds. The caller keeps the crate's contract.
pub(crate) unsafe fn enrolled<'a>(
    model: *const nearmark_model,
    memory: *const nearmark_memory,
) -> Result<Enrolled<'a>, Status> {
    // SAFETY: the caller keeps the crate's contract.
    let (model, memory) = unsafe { (opened(model)?, value(memory)?) };
    memory.belongs_to(model)?;
    // SAFETY: the first `count` prototypes were written.
    let words = unsafe { slice::from_raw_parts(memory.words, memory.count.wrapping_mul(memory.dim)) };
    // SAFETY: the memory is sound.
    Ok(Enrolled { labels: unsafe { memory.labels() }, words, stride: memory.dim })
}

/// Sets up an empty memory for `capacity` prototypes of one model in `words`, of which there are `len`: at least
/// NEARMARK_MEMORY_WORDS(capacity, nearmark_dim(model)). They belong to the memory as long as it is used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_memory_init(
    model: *const nearmark_model,
    capacity: usize,
    words: *mut u32,
    len: usize,
    memory: *mut nearmark_memory,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { opened(model) }.and_then(|model| unsafe {
        let memory = place(memory)?;
        let room = values_mut(place(words)?, len)?;
        let dim = model.dim();
        if nearmark_memory::words(capacity, dim).is_none_or(|needed| needed > room.len()) {
            return Err(Status::MemoryWords);
        }
        memory.write(nearmark_memory { words, capacity, count: 0, dim, model_id: model.id() });
        Ok(())
    }))
}

/// Embeds a sample behind the last prototype, and keeps it. The caller keeps the crate's contract.
unsafe fn enroll<T: Copy>(
    model: *const nearmark_model,
    memory: *mut nearmark_memory,
    (x, len): (*const T, usize),
    class: u16,
    (scratch, words): (*mut u32, usize),
) -> Result<(), Status>
where
    [T]: Sample,
{
    // SAFETY: the caller keeps the crate's contract.
    let (model, memory) = unsafe { (opened(model)?, value_mut(memory)?) };
    // SAFETY: as above.
    let (x, scratch) = unsafe { (values(x, len)?, values_mut(scratch, words)?) };
    memory.belongs_to(model)?;
    if memory.count == memory.capacity {
        return Err(Status::Full);
    }
    // SAFETY: below the capacity of a sound memory.
    let z = unsafe { values_mut(memory.coordinates(memory.count), memory.dim) }?;
    model.embed_raw(x, z, scratch)?;
    ffi::storable(model, ClassId(class), z)?;
    // SAFETY: there is room.
    unsafe { memory.keep(class) };
    Ok(())
}

/// Stores a sample as a prototype of a class: one of the model's, or any number beyond them but 65535. On an
/// error the memory is as it was.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_enroll_f32(
    model: *const nearmark_model,
    memory: *mut nearmark_memory,
    x: *const f32,
    len: usize,
    class_id: u16,
    scratch: *mut u32,
    words: usize,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { enroll(model, memory, (x, len), class_id, (scratch, words)) })
}

/// As nearmark_enroll_f32(), for a sample of uint8_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_enroll_u8(
    model: *const nearmark_model,
    memory: *mut nearmark_memory,
    x: *const u8,
    len: usize,
    class_id: u16,
    scratch: *mut u32,
    words: usize,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { enroll(model, memory, (x, len), class_id, (scratch, words)) })
}

/// As nearmark_enroll_f32(), for a sample of int8_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_enroll_i8(
    model: *const nearmark_model,
    memory: *mut nearmark_memory,
    x: *const i8,
    len: usize,
    class_id: u16,
    scratch: *mut u32,
    words: usize,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { enroll(model, memory, (x, len), class_id, (scratch, words)) })
}

/// As nearmark_enroll_f32(), for a sample of int16_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_enroll_i16(
    model: *const nearmark_model,
    memory: *mut nearmark_memory,
    x: *const i16,
    len: usize,
    class_id: u16,
    scratch: *mut u32,
    words: usize,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { enroll(model, memory, (x, len), class_id, (scratch, words)) })
}

/// Points `*z` at the coordinates of a stored prototype, `memory->dim` raw words, oldest first, and writes its class
/// to `*class_id`: what a journal in flash needs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_memory_get(
    memory: *const nearmark_memory,
    index: usize,
    class_id: *mut u16,
    z: *mut *const u32,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract; the index lies below the count of a sound memory.
    to_status(unsafe { value(memory) }.and_then(|memory| unsafe {
        memory.check()?;
        let (class_id, z) = (place(class_id)?, place(z)?);
        if index >= memory.count {
            return Err(Status::Index);
        }
        class_id.write(memory.label(index).read());
        z.write(memory.coordinates(index));
        Ok(())
    }))
}

/// Puts back a prototype that was read out with nearmark_memory_get(): `dim` raw words at `z`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_memory_restore(
    model: *const nearmark_model,
    memory: *mut nearmark_memory,
    class_id: u16,
    z: *const u32,
    dim: usize,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract; there is room behind the last prototype.
    to_status(unsafe { opened(model) }.and_then(|model| unsafe {
        let (memory, z) = (value_mut(memory)?, values(z, dim)?);
        memory.belongs_to(model)?;
        if dim != memory.dim {
            return Err(Status::OutputLen);
        }
        ffi::storable(model, ClassId(class_id), z)?;
        if memory.count == memory.capacity {
            return Err(Status::Full);
        }
        ptr::copy(z.as_ptr(), memory.coordinates(memory.count), dim);
        memory.keep(class_id);
        Ok(())
    }))
}

/// Drops every prototype of a class and returns how many there were; 0 if the memory was not set up.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_memory_forget(memory: *mut nearmark_memory, class_id: u16) -> usize {
    // SAFETY: the caller keeps the crate's contract.
    let Ok(memory) = (unsafe { value_mut(memory) }) else { return 0 };
    if memory.check().is_err() {
        return 0;
    }
    let (before, mut kept) = (memory.count, 0);
    for at in 0..before {
        // SAFETY: `kept <= at < count`; of the same prototype onto itself, or of a later one onto an earlier.
        unsafe {
            let label = memory.label(at).read();
            if label != class_id {
                memory.label(kept).write(label);
                ptr::copy(memory.coordinates(at), memory.coordinates(kept), memory.dim);
                kept = kept.wrapping_add(1);
            }
        }
    }
    memory.count = kept;
    before.wrapping_sub(kept)
}

/// Drops the prototype stored last and returns whether there was one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_memory_undo(memory: *mut nearmark_memory) -> bool {
    // SAFETY: the caller keeps the crate's contract.
    match unsafe { value_mut(memory) } {
        Ok(memory) if memory.check().is_ok() && memory.count > 0 => {
            memory.count = memory.count.wrapping_sub(1);
            true
        }
        _ => false,
    }
}

/// A class number that neither the model nor the memory uses; 65535, which nothing can be enrolled as, if one of
/// them was not set up.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_memory_next_class(
    model: *const nearmark_model,
    memory: *const nearmark_memory,
) -> u16 {
    // SAFETY: the caller keeps the crate's contract.
    let (Ok(model), Ok(enrolled)) = (unsafe { (opened(model), enrolled(model, memory)) }) else { return u16::MAX };
    let used = enrolled.labels.iter().map(|label| label.0.saturating_add(1)).max().unwrap_or(0);
    used.max(model.classes() as u16)
}
