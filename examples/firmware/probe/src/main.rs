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

#[unsafe(no_mangle)]
#[allow(unsafe_code, reason = "the linker's entry point")]
extern "C" fn _start() -> ! {
    let bytes: &[u8] = black_box(&[]);
    let sample: &[f32] = black_box(&[]);
    let scratch: &mut [u32] = black_box(&mut []);
    #[cfg(feature = "gaussian")]
    classify(bytes, sample, scratch);
    #[cfg(feature = "panics")]
    black_box(bytes[0]);
    black_box((bytes, sample, scratch));
    loop {
        spin_loop();
    }
}

#[cfg(feature = "gaussian")]
fn classify(bytes: &[u8], sample: &[f32], scratch: &mut [u32]) {
    let Ok(model) = nearmark::Model::from_bytes(bytes) else { return };
    // The result is not black-boxed whole: firmware reads class and distances, not the error's fields.
    if let Ok(answer) = model.classify(sample, scratch) {
        black_box((answer.class(), answer.raw().distance));
    }
    #[cfg(feature = "all")]
    everything(&model, sample, scratch);
}

#[cfg(feature = "all")]
fn everything(model: &nearmark::Model<'_>, sample: &[f32], scratch: &mut [u32]) {
    let z: &mut [f32] = black_box(&mut []);
    black_box(model.embed(sample, z, scratch).is_ok());
    if let Ok(ranked) = model.rank::<3, _>(sample, scratch) {
        black_box(ranked.first().map(nearmark::Candidate::class));
    }
    black_box(model.class_name_bytes(nearmark::ClassId(0)));
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
