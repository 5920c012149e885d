//! A series as it comes: one time step after the other, an answer every few steps.
#![allow(clippy::too_many_arguments, reason = "C passes an array as two arguments, and there are three")]

use nearmark::{
    Sample,
    ffi::{self, Place},
};

use crate::{
    classify::nearmark_prediction,
    model::{nearmark_model, opened},
    nearmark_status, nearmark_status as Status,
    pointers::{Bits, place, value_mut, values, values_mut},
    status::to_status,
};

/// Where a series is in its window, which is an array of the caller's. Fields may be read; functions write them.
#[repr(C)]
#[derive(Copy, Clone, Debug, Default)]
pub struct nearmark_stream {
    /// Steps from one answer to the next.
    pub hop: usize,
    /// Steps in the window.
    pub filled: usize,
    /// Steps that are still dropped, where answers are farther apart than a window is long.
    pub dropped: usize,
    /// nearmark_id() of the model that it was set up for.
    pub model_id: u32,
}

/// Sets up a stream for one model, which answers when its window is full and then every `hop` steps (0 counts as 1). To start
/// again after a gap in the series, set it up again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_stream_init(
    model: *const nearmark_model,
    hop: usize,
    stream: *mut nearmark_stream,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { opened(model) }.and_then(|model| unsafe {
        let stream = place(stream)?;
        let Place { hop, filled, dropped } = Place::new(model, model.inputs(), hop)?;
        stream.write(nearmark_stream { hop, filled, dropped, model_id: model.id() });
        Ok(())
    }))
}

/// Takes a step. The caller keeps the crate's contract.
unsafe fn push<T: Bits>(
    model: *const nearmark_model,
    stream: *mut nearmark_stream,
    (step, channels): (*const T, usize),
    (window, len): (*mut T, usize),
    (scratch, words): (*mut u32, usize),
    (out, is_answered): (*mut nearmark_prediction, *mut bool),
) -> Result<(), Status>
where
    [T]: Sample,
{
    // SAFETY: the caller keeps the crate's contract.
    let (model, stream) = unsafe { (opened(model)?, value_mut(stream)?) };
    // SAFETY: as above.
    let (step, window, scratch) =
        unsafe { (values(step, channels)?, values_mut(window, len)?, values_mut(scratch, words)?) };
    let (out, is_answered) = (place(out)?, place(is_answered)?);
    if stream.model_id != model.id() {
        return Err(Status::OtherModel);
    }
    let mut at = Place { hop: stream.hop, filled: stream.filled, dropped: stream.dropped };
    let answer = ffi::push(model, &mut at, window, step, scratch);
    (stream.filled, stream.dropped) = (at.filled, at.dropped);
    let answer = answer?;
    // SAFETY: neither null nor misaligned, and ours to write by the contract.
    unsafe { is_answered.write(answer.is_some()) };
    if let Some(answer) = answer {
        // SAFETY: as above.
        unsafe { out.write(nearmark_prediction::new(&answer, ffi::unit(model))) };
    }
    Ok(())
}

/// Takes the values of all channels at the next time step: `channels` floats at `step`. Where that completes a window,
/// `*is_answered` is true and `*out` names its nearest class, with the bits of nearmark_classify_f32(); else
/// `*is_answered` is false. `window` has nearmark_inputs() values, `len` of them, and is the stream's between the calls.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_stream_push_f32(
    model: *const nearmark_model,
    stream: *mut nearmark_stream,
    step: *const f32,
    channels: usize,
    window: *mut f32,
    len: usize,
    scratch: *mut u32,
    words: usize,
    out: *mut nearmark_prediction,
    is_answered: *mut bool,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { push(model, stream, (step, channels), (window, len), (scratch, words), (out, is_answered)) })
}

/// As nearmark_stream_push_f32(), for steps of uint8_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_stream_push_u8(
    model: *const nearmark_model,
    stream: *mut nearmark_stream,
    step: *const u8,
    channels: usize,
    window: *mut u8,
    len: usize,
    scratch: *mut u32,
    words: usize,
    out: *mut nearmark_prediction,
    is_answered: *mut bool,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { push(model, stream, (step, channels), (window, len), (scratch, words), (out, is_answered)) })
}

/// As nearmark_stream_push_f32(), for steps of int8_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_stream_push_i8(
    model: *const nearmark_model,
    stream: *mut nearmark_stream,
    step: *const i8,
    channels: usize,
    window: *mut i8,
    len: usize,
    scratch: *mut u32,
    words: usize,
    out: *mut nearmark_prediction,
    is_answered: *mut bool,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { push(model, stream, (step, channels), (window, len), (scratch, words), (out, is_answered)) })
}

/// As nearmark_stream_push_f32(), for steps of int16_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_stream_push_i16(
    model: *const nearmark_model,
    stream: *mut nearmark_stream,
    step: *const i16,
    channels: usize,
    window: *mut i16,
    len: usize,
    scratch: *mut u32,
    words: usize,
    out: *mut nearmark_prediction,
    is_answered: *mut bool,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { push(model, stream, (step, channels), (window, len), (scratch, words), (out, is_answered)) })
}
