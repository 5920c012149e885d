//! Links only if no path to a panic is left: the panic handler calls a function that does not exist.
//!
//! It is never run. Model, sample and buffers come out of `black_box`, so the compiler knows nothing of them
//! and the image holds no model: its size less that of the program without features is nearmark's.

#![no_std]
#![no_main]

use core::{
    hint::{black_box, spin_loop},
    panic::PanicInfo,
};

/// What the sensor gives: with integers only, bytes.
#[cfg(any(feature = "gaussian", not(feature = "integers")))]
type Value = f32;
#[cfg(all(feature = "integers", not(any(feature = "gaussian", feature = "int-counts"))))]
type Value = u8;
/// A raw series in 16 bits.
#[cfg(feature = "int-counts")]
type Value = i16;

#[unsafe(no_mangle)]
#[allow(unsafe_code, reason = "the linker's entry point")]
extern "C" fn _start() -> ! {
    let bytes: &[u8] = black_box(&[]);
    let sample: &[Value] = black_box(&[]);
    let scratch: &mut [u32] = black_box(&mut []);
    #[cfg(feature = "classify")]
    classify(bytes, sample, scratch);
    #[cfg(feature = "panics")]
    black_box(bytes[0]);
    black_box((bytes, sample, scratch));
    loop {
        spin_loop();
    }
}

#[cfg(feature = "classify")]
fn classify(bytes: &[u8], sample: &[Value], scratch: &mut [u32]) {
    let Ok(model) = nearmark::Model::from_bytes(bytes) else { return };
    // The result is not black-boxed whole: firmware reads class and distances, not the error's fields.
    if let Ok(answer) = model.classify(sample, scratch) {
        black_box((answer.class(), answer.raw().distance));
    }
    #[cfg(feature = "everything")]
    everything(&model, sample, scratch);
}

#[cfg(feature = "everything")]
fn everything(model: &nearmark::Model<'_>, sample: &[Value], scratch: &mut [u32]) {
    // Real coordinates are floats: firmware without them reads the raw ones.
    #[cfg(feature = "gaussian")]
    black_box(model.embed(sample, black_box(&mut []), scratch).is_ok());
    #[cfg(not(feature = "gaussian"))]
    black_box(model.embed_raw(sample, black_box(&mut []), scratch).is_ok());
    if let Ok(ranked) = model.rank::<3, _>(sample, scratch) {
        black_box(ranked.first().map(nearmark::Candidate::class));
    }
    if let Ok(items) = model.nearest::<3>(sample, scratch) {
        black_box(items.first().map(|item| (item.id(), item.raw_distance())));
    }
    black_box(model.class_name_bytes(nearmark::ClassId(0)));
    if let Ok(mut stream) = nearmark::Stream::<Value, 96>::new(model, black_box(4))
        && let Ok(Some(answer)) = stream.push(sample, scratch)
    {
        black_box(answer.class());
    }
    let Ok(mut memory) = nearmark::Memory::<8, 16>::new(model) else { return };
    let class = memory.next_class(model);
    black_box(memory.enroll(model, sample, class, scratch).is_ok());
    if let Ok(answer) = memory.classify(model, sample, scratch) {
        black_box((answer.class(), answer.raw().distance));
    }
    black_box(memory.forget(class));
}

#[panic_handler]
#[allow(unsafe_code, reason = "only a foreign function can be missing")]
fn panic(_: &PanicInfo<'_>) -> ! {
    unsafe extern "C" {
        fn a_path_to_a_panic_is_left() -> !;
    }
    // SAFETY: a program that could come here does not link.
    unsafe { a_path_to_a_panic_is_left() }
}
