//! The embedding itself, as floats or as raw words.
#![allow(clippy::too_many_arguments, reason = "C passes an array as two arguments, and there are three")]

use nearmark::Sample;

use crate::{
    model::{nearmark_model, opened},
    nearmark_status, nearmark_status as Status,
    pointers::{values, values_mut},
    status::to_status,
};

unsafe fn embed<T: Copy>(
    model: *const nearmark_model,
    (x, len): (*const T, usize),
    (z, dim): (*mut f32, usize),
    (scratch, words): (*mut u32, usize),
) -> Result<(), Status>
where
    [T]: Sample,
{
    // SAFETY: the caller keeps the crate's contract.
    let (model, x, z, scratch) =
        unsafe { (opened(model)?, values(x, len)?, values_mut(z, dim)?, values_mut(scratch, words)?) };
    Ok(model.embed(x, z, scratch)?)
}

unsafe fn embed_raw<T: Copy>(
    model: *const nearmark_model,
    (x, len): (*const T, usize),
    (z, dim): (*mut u32, usize),
    (scratch, words): (*mut u32, usize),
) -> Result<(), Status>
where
    [T]: Sample,
{
    // SAFETY: the caller keeps the crate's contract.
    let (model, x, z, scratch) =
        unsafe { (opened(model)?, values(x, len)?, values_mut(z, dim)?, values_mut(scratch, words)?) };
    Ok(model.embed_raw(x, z, scratch)?)
}

/// Writes the embedding of a sample: nearmark_dim() coordinates to `z`, which has room for `dim`. On an error,
/// what lies at `z` has no meaning.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_embed_f32(
    model: *const nearmark_model,
    x: *const f32,
    len: usize,
    z: *mut f32,
    dim: usize,
    scratch: *mut u32,
    words: usize,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { embed(model, (x, len), (z, dim), (scratch, words)) })
}

/// As nearmark_embed_f32(), for a sample of uint8_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_embed_u8(
    model: *const nearmark_model,
    x: *const u8,
    len: usize,
    z: *mut f32,
    dim: usize,
    scratch: *mut u32,
    words: usize,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { embed(model, (x, len), (z, dim), (scratch, words)) })
}

/// As nearmark_embed_f32(), for a sample of int8_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_embed_i8(
    model: *const nearmark_model,
    x: *const i8,
    len: usize,
    z: *mut f32,
    dim: usize,
    scratch: *mut u32,
    words: usize,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { embed(model, (x, len), (z, dim), (scratch, words)) })
}

/// As nearmark_embed_f32(), for a sample of int16_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_embed_i16(
    model: *const nearmark_model,
    x: *const i16,
    len: usize,
    z: *mut f32,
    dim: usize,
    scratch: *mut u32,
    words: usize,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { embed(model, (x, len), (z, dim), (scratch, words)) })
}

/// As nearmark_embed_f32(), in raw words: bits of floats, or signed integers in an integer model. The same bits
/// on every machine, and an integer model needs no float arithmetic for them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_embed_raw_f32(
    model: *const nearmark_model,
    x: *const f32,
    len: usize,
    z: *mut u32,
    dim: usize,
    scratch: *mut u32,
    words: usize,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { embed_raw(model, (x, len), (z, dim), (scratch, words)) })
}

/// As nearmark_embed_raw_f32(), for a sample of uint8_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_embed_raw_u8(
    model: *const nearmark_model,
    x: *const u8,
    len: usize,
    z: *mut u32,
    dim: usize,
    scratch: *mut u32,
    words: usize,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { embed_raw(model, (x, len), (z, dim), (scratch, words)) })
}

/// As nearmark_embed_raw_f32(), for a sample of int8_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_embed_raw_i8(
    model: *const nearmark_model,
    x: *const i8,
    len: usize,
    z: *mut u32,
    dim: usize,
    scratch: *mut u32,
    words: usize,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { embed_raw(model, (x, len), (z, dim), (scratch, words)) })
}

/// As nearmark_embed_raw_f32(), for a sample of int16_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_embed_raw_i16(
    model: *const nearmark_model,
    x: *const i16,
    len: usize,
    z: *mut u32,
    dim: usize,
    scratch: *mut u32,
    words: usize,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { embed_raw(model, (x, len), (z, dim), (scratch, words)) })
}
