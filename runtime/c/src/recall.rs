//! Answers that know what was enrolled.
#![allow(clippy::too_many_arguments, reason = "C passes an array as two arguments, and there are three")]

use nearmark::ffi::Enrolled;

use crate::{
    classify::{classify, nearmark_prediction},
    memory::{enrolled, nearmark_memory},
    model::nearmark_model,
    nearmark_status, nearmark_status as Status,
    rank::{nearmark_candidate, rank},
    status::to_status,
};

/// What `memory` holds for `model`, handed on. The caller keeps the crate's contract.
unsafe fn with<'a>(
    model: *const nearmark_model,
    memory: *const nearmark_memory,
    then: impl FnOnce(Enrolled<'a>) -> Result<(), Status>,
) -> Status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { enrolled(model, memory) }.and_then(then))
}

/// Names the nearest class among the model's and the enrolled ones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_memory_classify_f32(
    model: *const nearmark_model,
    memory: *const nearmark_memory,
    x: *const f32,
    len: usize,
    scratch: *mut u32,
    words: usize,
    out: *mut nearmark_prediction,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    unsafe { with(model, memory, |enrolled| classify(model, enrolled, (x, len), (scratch, words), out)) }
}

/// As nearmark_memory_classify_f32(), for a sample of uint8_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_memory_classify_u8(
    model: *const nearmark_model,
    memory: *const nearmark_memory,
    x: *const u8,
    len: usize,
    scratch: *mut u32,
    words: usize,
    out: *mut nearmark_prediction,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    unsafe { with(model, memory, |enrolled| classify(model, enrolled, (x, len), (scratch, words), out)) }
}

/// As nearmark_memory_classify_f32(), for a sample of int8_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_memory_classify_i8(
    model: *const nearmark_model,
    memory: *const nearmark_memory,
    x: *const i8,
    len: usize,
    scratch: *mut u32,
    words: usize,
    out: *mut nearmark_prediction,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    unsafe { with(model, memory, |enrolled| classify(model, enrolled, (x, len), (scratch, words), out)) }
}

/// As nearmark_memory_classify_f32(), for a sample of int16_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_memory_classify_i16(
    model: *const nearmark_model,
    memory: *const nearmark_memory,
    x: *const i16,
    len: usize,
    scratch: *mut u32,
    words: usize,
    out: *mut nearmark_prediction,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    unsafe { with(model, memory, |enrolled| classify(model, enrolled, (x, len), (scratch, words), out)) }
}

/// Writes the best classes among the model's and the enrolled ones, as nearmark_rank_f32() does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_memory_rank_f32(
    model: *const nearmark_model,
    memory: *const nearmark_memory,
    x: *const f32,
    len: usize,
    scratch: *mut u32,
    words: usize,
    out: *mut nearmark_candidate,
    room: usize,
    found: *mut usize,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    unsafe { with(model, memory, |enrolled| rank(model, enrolled, (x, len), (scratch, words), (out, room), found)) }
}

/// As nearmark_memory_rank_f32(), for a sample of uint8_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_memory_rank_u8(
    model: *const nearmark_model,
    memory: *const nearmark_memory,
    x: *const u8,
    len: usize,
    scratch: *mut u32,
    words: usize,
    out: *mut nearmark_candidate,
    room: usize,
    found: *mut usize,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    unsafe { with(model, memory, |enrolled| rank(model, enrolled, (x, len), (scratch, words), (out, room), found)) }
}

/// As nearmark_memory_rank_f32(), for a sample of int8_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_memory_rank_i8(
    model: *const nearmark_model,
    memory: *const nearmark_memory,
    x: *const i8,
    len: usize,
    scratch: *mut u32,
    words: usize,
    out: *mut nearmark_candidate,
    room: usize,
    found: *mut usize,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    unsafe { with(model, memory, |enrolled| rank(model, enrolled, (x, len), (scratch, words), (out, room), found)) }
}

/// As nearmark_memory_rank_f32(), for a sample of int16_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_memory_rank_i16(
    model: *const nearmark_model,
    memory: *const nearmark_memory,
    x: *const i16,
    len: usize,
    scratch: *mut u32,
    words: usize,
    out: *mut nearmark_candidate,
    room: usize,
    found: *mut usize,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    unsafe { with(model, memory, |enrolled| rank(model, enrolled, (x, len), (scratch, words), (out, room), found)) }
}
