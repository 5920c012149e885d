//! Naming the nearest class, and distances as floats for those who want them.

use nearmark::{
    Prediction, Sample,
    ffi::{self, Enrolled},
};

use crate::{
    model::{nearmark_model, opened},
    nearmark_status, nearmark_status as Status,
    pointers::{place, value, values, values_mut},
    status::to_status,
};

/// The nearest class, how near it is, and how near the next one is.
#[repr(C)]
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct nearmark_prediction {
    /// The class: below nearmark_classes(), or beyond when enrolled.
    pub class_id: u16,
    /// Whether the sample lies within the class's reject radius; always, where the model has none.
    pub is_known: bool,
    /// Raw squared distance to the class: bits of a float, or an integer in an integer model. Either way,
    /// smaller is nearer.
    pub distance: u32,
    /// Raw squared distance to the nearest other class.
    pub runner_up: u32,
    /// Scale from raw to real distances: for nearmark_distance_sq() and nearmark_margin().
    pub unit: u32,
}

impl nearmark_prediction {
    pub(crate) fn new(answer: &Prediction, unit: u32) -> Self {
        let raw = answer.raw();
        let (class_id, is_known) = (answer.class().0, answer.is_known());
        Self { class_id, is_known, distance: raw.distance, runner_up: raw.runner_up, unit }
    }
}

/// Classifies beside what is enrolled. The caller keeps the crate's contract.
pub(crate) unsafe fn classify<T: Copy>(
    model: *const nearmark_model,
    enrolled: Enrolled<'_>,
    (x, len): (*const T, usize),
    (scratch, words): (*mut u32, usize),
    out: *mut nearmark_prediction,
) -> Result<(), Status>
where
    [T]: Sample,
{
    // SAFETY: the caller keeps the crate's contract.
    let (model, x, scratch) = unsafe { (opened(model)?, values(x, len)?, values_mut(scratch, words)?) };
    let out = place(out)?;
    let answer = ffi::classify(model, enrolled, x, scratch)?;
    // SAFETY: neither null nor misaligned, and ours to write by the contract.
    unsafe { out.write(nearmark_prediction::new(&answer, ffi::unit(model))) };
    Ok(())
}

/// Names the nearest class of a sample of floats: `len` values at `x`, `words` words of scratch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_classify_f32(
    model: *const nearmark_model,
    x: *const f32,
    len: usize,
    scratch: *mut u32,
    words: usize,
    out: *mut nearmark_prediction,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { classify(model, Enrolled::default(), (x, len), (scratch, words), out) })
}

/// As nearmark_classify_f32(), for a sample of uint8_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_classify_u8(
    model: *const nearmark_model,
    x: *const u8,
    len: usize,
    scratch: *mut u32,
    words: usize,
    out: *mut nearmark_prediction,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { classify(model, Enrolled::default(), (x, len), (scratch, words), out) })
}

/// As nearmark_classify_f32(), for a sample of int8_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_classify_i8(
    model: *const nearmark_model,
    x: *const i8,
    len: usize,
    scratch: *mut u32,
    words: usize,
    out: *mut nearmark_prediction,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { classify(model, Enrolled::default(), (x, len), (scratch, words), out) })
}

/// As nearmark_classify_f32(), for a sample of int16_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_classify_i16(
    model: *const nearmark_model,
    x: *const i16,
    len: usize,
    scratch: *mut u32,
    words: usize,
    out: *mut nearmark_prediction,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract.
    to_status(unsafe { classify(model, Enrolled::default(), (x, len), (scratch, words), out) })
}

/// Squared distance to the class as a float; NaN for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_distance_sq(prediction: *const nearmark_prediction) -> f32 {
    // SAFETY: the caller keeps the crate's contract.
    unsafe { value(prediction) }.map_or(f32::NAN, |p| ffi::to_float(p.distance, p.unit))
}

/// How much farther the nearest other class is, in squared distance; NaN for NULL.
///
/// Negative where a vote of several neighbors overruled the nearest one; infinite where there is no other class.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_margin(prediction: *const nearmark_prediction) -> f32 {
    // SAFETY: the caller keeps the crate's contract.
    unsafe { value(prediction) }
        .map_or(f32::NAN, |p| ffi::to_float(p.runner_up, p.unit) - ffi::to_float(p.distance, p.unit))
}
