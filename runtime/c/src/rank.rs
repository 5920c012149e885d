//! The best few classes, into the caller's array.
#![allow(clippy::too_many_arguments, reason = "C passes an array as two arguments, and there are three")]

use nearmark::{
    Candidate, Sample,
    ffi::{self, Enrolled},
};

use crate::{
    model::{nearmark_model, opened},
    nearmark_status, nearmark_status as Status,
    pointers::{place, places, value, values, values_mut},
    status::to_status,
};

/// One line of a ranking.
#[repr(C)]
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct nearmark_candidate {
    /// The class.
    pub class_id: u16,
    /// Raw squared distance to it, as in nearmark_prediction.
    pub distance: u32,
    /// Scale from raw to real distances: for nearmark_candidate_distance_sq().
    pub unit: u32,
}

// The caller's array is where the ranking is made: a line of ours fits a line of theirs.
const _: () = assert!(size_of::<nearmark_candidate>() == size_of::<Candidate>());
const _: () = assert!(align_of::<nearmark_candidate>() == align_of::<Candidate>());

/// Ranks beside what is enrolled. The caller keeps the crate's contract.
pub(crate) unsafe fn rank<T: Copy>(
    model: *const nearmark_model,
    enrolled: Enrolled<'_>,
    (x, len): (*const T, usize),
    (scratch, words): (*mut u32, usize),
    (out, room): (*mut nearmark_candidate, usize),
    found: *mut usize,
) -> Result<(), Status>
where
    [T]: Sample,
{
    // SAFETY: the caller keeps the crate's contract.
    let (model, x, scratch) = unsafe { (opened(model)?, values(x, len)?, values_mut(scratch, words)?) };
    let found = place(found)?;
    // SAFETY: of the same size and alignment; by the contract ours to write.
    let lines = unsafe { places(out.cast::<Candidate>(), room, ffi::NO_CANDIDATE) }?;
    let count = ffi::rank(model, enrolled, x, scratch, lines)?;
    let unit = ffi::unit(model);
    for at in 0..count.min(room) {
        // SAFETY: below `room`; our line is read before theirs is written in its place.
        unsafe {
            let line = out.add(at).cast::<Candidate>().read();
            out.add(at).write(nearmark_candidate { class_id: line.class().0, distance: line.raw_distance(), unit });
        }
    }
    // SAFETY: neither null nor misaligned, and ours to write by the contract.
    unsafe { found.write(count) };
    Ok(())
}

/// Writes the best classes of a sample, nearest first, as many as there are and `room` allows, and their number
/// to `*found`. The first is the class that nearmark_classify_f32() names. On an error, what lies at `out` has
/// no meaning.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_rank_f32(
    model: *const nearmark_model,
    x: *const f32,
    len: usize,
    scratch: *mut u32,
    words: usize,
    out: *mut nearmark_candidate,
    room: usize,
    found: *mut usize,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { rank(model, Enrolled::default(), (x, len), (scratch, words), (out, room), found) })
}

/// As nearmark_rank_f32(), for a sample of uint8_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_rank_u8(
    model: *const nearmark_model,
    x: *const u8,
    len: usize,
    scratch: *mut u32,
    words: usize,
    out: *mut nearmark_candidate,
    room: usize,
    found: *mut usize,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { rank(model, Enrolled::default(), (x, len), (scratch, words), (out, room), found) })
}

/// As nearmark_rank_f32(), for a sample of int8_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_rank_i8(
    model: *const nearmark_model,
    x: *const i8,
    len: usize,
    scratch: *mut u32,
    words: usize,
    out: *mut nearmark_candidate,
    room: usize,
    found: *mut usize,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { rank(model, Enrolled::default(), (x, len), (scratch, words), (out, room), found) })
}

/// As nearmark_rank_f32(), for a sample of int16_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_rank_i16(
    model: *const nearmark_model,
    x: *const i16,
    len: usize,
    scratch: *mut u32,
    words: usize,
    out: *mut nearmark_candidate,
    room: usize,
    found: *mut usize,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { rank(model, Enrolled::default(), (x, len), (scratch, words), (out, room), found) })
}

/// Squared distance to the class as a float; NaN for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_candidate_distance_sq(candidate: *const nearmark_candidate) -> f32 {
    // SAFETY: the caller keeps the crate's contract.
    unsafe { value(candidate) }.map_or(f32::NAN, |c| ffi::to_float(c.distance, c.unit))
}
