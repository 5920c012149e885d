//! An exported module on the board: its self-test, then one sample.
//!
//! `cargo xtask test` exports a model, points `NEARMARK_EXPORTED` at the folder and runs this; with one byte of the
//! model altered it must fail.

#![no_std]
#![no_main]

use nearmark::Scratch;
use nearmark_firmware::entry;
use semihosting::{println, process};

#[forbid(unsafe_code)]
#[allow(unreachable_pub, reason = "the module is made for libraries too")]
mod shapes {
    include!(concat!(env!("NEARMARK_EXPORTED"), "/shapes.rs"));
}

#[entry]
fn main() -> ! {
    if let Err(why) = shapes::self_test() {
        println!("self-test: {why:?}: {why}");
        process::exit(1);
    }
    let mut scratch = Scratch::<{ shapes::SCRATCH }>::new();
    let sample: shapes::Sample = [128 as _; shapes::INPUTS];
    let answer = shapes::model().map(|model| shapes::classify(&model, &sample, &mut scratch));
    let Ok(Ok((class, _))) = answer else { process::exit(2) };
    println!("self-test passed, a grey sample is a {}", class.name());
    process::exit(0)
}
