//! Loads a model and classifies a sample, nothing else. It is never run: its size, less that of `bare`, is the library's.
//!
//! It has no start-up code, whose routines the library could share: firmware without them would pay for them.

#![no_std]
#![no_main]

use core::{
    hint::{black_box, spin_loop},
    panic::PanicInfo,
};

use nearmark::Model;
use nearmark_harness::Value;

#[unsafe(no_mangle)]
#[allow(unsafe_code, reason = "the linker's entry point")]
extern "C" fn _start() -> ! {
    let bytes: &[u8] = black_box(&[]);
    let sample: &[Value] = black_box(&[]);
    let scratch: &mut [u32] = black_box(&mut []);
    if let Ok(model) = Model::from_bytes(bytes)
        && let Ok(answer) = model.classify(sample, scratch)
    {
        black_box((answer.class(), answer.raw().distance));
    }
    black_box((bytes, sample, scratch));
    loop {
        spin_loop();
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {
        spin_loop();
    }
}
