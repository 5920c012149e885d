//! The nearest stored items, into the caller's array.
#![allow(clippy::too_many_arguments, reason = "C passes an array as two arguments, and there are three")]

use nearmark::{Item, Sample, ffi};

use crate::{
    model::{nearmark_model, opened},
    nearmark_status, nearmark_status as Status,
    pointers::{place, places, value, values, values_mut},
    status::to_status,
};

/// A stored item and how far from the sample it lies.
#[repr(C)]
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct nearmark_item {
    /// Its id: what the training data had in its id column, or the number of its row there.
    pub id: u32,
    /// Raw squared distance to it, as in nearmark_prediction.
    pub distance: u32,
    /// Scale from raw to real distances: for nearmark_item_distance_sq().
    pub unit: u32,
    /// Its class; 0 where the data had no labels.
    pub class_id: u16,
}

// The caller's array is where the list is made: an item of ours fits an item of theirs.
const _: () = assert!(size_of::<nearmark_item>() == size_of::<Item>());
const _: () = assert!(align_of::<nearmark_item>() == align_of::<Item>());

/// Lists the nearest items. The caller keeps the crate's contract.
unsafe fn nearest<T: Copy>(
    model: *const nearmark_model,
    (x, len): (*const T, usize),
    (scratch, words): (*mut u32, usize),
    (out, room): (*mut nearmark_item, usize),
    found: *mut usize,
) -> Result<(), Status>
where
    [T]: Sample,
{
    // SAFETY: the caller keeps the crate's contract.
    let (model, x, scratch) = unsafe { (opened(model)?, values(x, len)?, values_mut(scratch, words)?) };
    let found = place(found)?;
    // SAFETY: of the same size and alignment; by the contract ours to write.
    let items = unsafe { places(out.cast::<Item>(), room, ffi::NO_ITEM) }?;
    let count = model.nearest_into(x, scratch, items)?;
    let unit = ffi::unit(model);
    for at in 0..count.min(room) {
        // SAFETY: below `room`; our item is read before theirs is written in its place.
        unsafe {
            let item = out.add(at).cast::<Item>().read();
            let (id, distance, class_id) = (item.id(), item.raw_distance(), item.class().0);
            out.add(at).write(nearmark_item { id, distance, unit, class_id });
        }
    }
    // SAFETY: neither null nor misaligned, and ours to write by the contract.
    unsafe { found.write(count) };
    Ok(())
}

/// Writes the stored items nearest to a sample, nearest first, as many as there are and `room` allows, and their number
/// to `*found`. Of items that are equally far the one with the lower id comes first. A model with class means has these
/// as items, numbered by their class. On an error, what lies at `out` has no meaning.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_nearest_f32(
    model: *const nearmark_model,
    x: *const f32,
    len: usize,
    scratch: *mut u32,
    words: usize,
    out: *mut nearmark_item,
    room: usize,
    found: *mut usize,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { nearest(model, (x, len), (scratch, words), (out, room), found) })
}

/// As nearmark_nearest_f32(), for a sample of uint8_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_nearest_u8(
    model: *const nearmark_model,
    x: *const u8,
    len: usize,
    scratch: *mut u32,
    words: usize,
    out: *mut nearmark_item,
    room: usize,
    found: *mut usize,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { nearest(model, (x, len), (scratch, words), (out, room), found) })
}

/// As nearmark_nearest_f32(), for a sample of int8_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_nearest_i8(
    model: *const nearmark_model,
    x: *const i8,
    len: usize,
    scratch: *mut u32,
    words: usize,
    out: *mut nearmark_item,
    room: usize,
    found: *mut usize,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { nearest(model, (x, len), (scratch, words), (out, room), found) })
}

/// As nearmark_nearest_f32(), for a sample of int16_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_nearest_i16(
    model: *const nearmark_model,
    x: *const i16,
    len: usize,
    scratch: *mut u32,
    words: usize,
    out: *mut nearmark_item,
    room: usize,
    found: *mut usize,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { nearest(model, (x, len), (scratch, words), (out, room), found) })
}

/// Squared distance to the item as a float; NaN for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_item_distance_sq(item: *const nearmark_item) -> f32 {
    // SAFETY: the caller keeps the crate's contract.
    unsafe { value(item) }.map_or(f32::NAN, |i| ffi::to_float(i.distance, i.unit))
}
