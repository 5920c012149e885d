//! A program that does nothing: what `library` has over it is the library.

#![no_std]
#![no_main]

use core::{
    hint::{black_box, spin_loop},
    panic::PanicInfo,
};

use nearmark_harness::Value;

#[unsafe(no_mangle)]
#[allow(unsafe_code, reason = "the linker's entry point")]
extern "C" fn _start() -> ! {
    let bytes: &[u8] = black_box(&[]);
    let sample: &[Value] = black_box(&[]);
    let scratch: &mut [u32] = black_box(&mut []);
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
