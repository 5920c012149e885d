//! The model: opened once in the caller's memory, then only read.

use core::{
    ffi::c_char,
    mem::MaybeUninit,
    ptr::{addr_of, addr_of_mut},
};

use nearmark::Model;

use crate::{
    nearmark_status, nearmark_status as Status,
    pointers::{place, values},
    status::to_status,
};

/// Words of a nearmark_model; no need to look at it.
#[cfg(target_pointer_width = "32")]
pub const NEARMARK_MODEL_WORDS: usize = 17;
/// Words of a nearmark_model; no need to look at it.
#[cfg(target_pointer_width = "64")]
pub const NEARMARK_MODEL_WORDS: usize = 11;

/// An opened model: room for what nearmark_open() finds out. It refers to the model's bytes and may be copied
/// like any struct; there is nothing to close.
#[repr(C)]
pub struct nearmark_model {
    /// Private.
    opaque: [MaybeUninit<usize>; NEARMARK_MODEL_WORDS],
}

/// What really lies there.
#[repr(C)]
struct Opened {
    model: MaybeUninit<Model<'static>>,
    /// Tells an opened model from one that was not, or that failed to open.
    mark: u32,
}

const MARK: u32 = u32::from_le_bytes(*b"open");

// C reserves exactly what Rust uses.
const _: () = assert!(size_of::<nearmark_model>() == size_of::<Opened>());
const _: () = assert!(align_of::<nearmark_model>() == align_of::<Opened>());

/// The model, if it was opened. The caller keeps the crate's contract.
pub(crate) unsafe fn opened<'a>(at: *const nearmark_model) -> Result<&'a Model<'static>, Status> {
    let at = place(at.cast_mut())?.cast::<Opened>();
    // SAFETY: aligned and of that size; any four bytes are a number.
    if unsafe { addr_of!((*at).mark).read() } != MARK {
        return Err(Status::NotOpen);
    }
    // SAFETY: `nearmark_open` alone writes the mark, after the model.
    Ok(unsafe { (*at).model.assume_init_ref() })
}

/// Checks every byte of a model and opens it.
///
/// `bytes` must begin at a multiple of 4, fill `len` exactly, and stay where they are, unchanged, as long as the
/// model is used: put them into flash. When this fails, `*out` is a model that every other function refuses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_open(bytes: *const u8, len: usize, out: *mut nearmark_model) -> nearmark_status {
    to_status(place(out).and_then(|out| {
        let out = out.cast::<Opened>();
        // SAFETY: of that size, aligned, and ours to write by the contract. A failure must leave no mark.
        unsafe { addr_of_mut!((*out).mark).write(0) };
        if bytes.is_null() {
            return Err(Status::Null);
        }
        // SAFETY: by the contract `len` bytes lie there and outlive the model, whatever lifetime it has here.
        let model = Model::from_bytes(unsafe { values(bytes, len) }?)?;
        // SAFETY: as above.
        unsafe { out.write(Opened { model: MaybeUninit::new(model), mark: MARK }) };
        Ok(())
    }))
}

/// Values per sample; 0 if the model was not opened.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_inputs(model: *const nearmark_model) -> usize {
    // SAFETY: the caller keeps the crate's contract.
    unsafe { opened(model) }.map_or(0, Model::inputs)
}

/// Coordinates of an embedding; 0 if the model was not opened.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_dim(model: *const nearmark_model) -> usize {
    // SAFETY: the caller keeps the crate's contract.
    unsafe { opened(model) }.map_or(0, Model::dim)
}

/// Number of classes; 0 if the model was not opened.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_classes(model: *const nearmark_model) -> usize {
    // SAFETY: the caller keeps the crate's contract.
    unsafe { opened(model) }.map_or(0, Model::classes)
}

/// Words of scratch that every call with a sample needs; 0 if the model was not opened.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_scratch_words(model: *const nearmark_model) -> usize {
    // SAFETY: the caller keeps the crate's contract.
    unsafe { opened(model) }.map_or(0, Model::scratch_words)
}

/// The model's id, its checksum; 0 if the model was not opened.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_id(model: *const nearmark_model) -> u32 {
    // SAFETY: the caller keeps the crate's contract.
    unsafe { opened(model) }.map_or(0, Model::id)
}

/// Points `*name` at the name of a class: `*len` bytes of UTF-8 inside the model, with no NUL behind them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nearmark_class_name(
    model: *const nearmark_model,
    class_id: u16,
    name: *mut *const c_char,
    len: *mut usize,
) -> nearmark_status {
    // SAFETY: the caller keeps the crate's contract, which covers the two places.
    to_status(unsafe { opened(model) }.and_then(|model| unsafe {
        let (name, len) = (place(name)?, place(len)?);
        let bytes = class_name(model, class_id).ok_or(Status::NoName)?;
        name.write(bytes.as_ptr().cast());
        len.write(bytes.len());
        Ok(())
    }))
}

#[cfg(feature = "names")]
fn class_name(model: &Model<'static>, class: u16) -> Option<&'static [u8]> {
    model.class_name_bytes(nearmark::ClassId(class))
}

#[cfg(not(feature = "names"))]
fn class_name(_: &Model<'static>, _: u16) -> Option<&'static [u8]> {
    None
}
