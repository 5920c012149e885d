//! Classifies windows of a motion sensor: one source for cores with and without a floating-point unit.

#![no_std]
#![no_main]

mod imu;
mod stopwatch;

use core::fmt::Display;

use cortex_m::Peripherals;
use cortex_m_rt::entry;
use nearmark::{Error, Model, Scratch};
use semihosting::{println, process};

use imu::Imu;
use stopwatch::Stopwatch;

// The ABI of cores with a floating-point unit: MPS2 AN386.
#[cfg(target_abi = "eabihf")]
nearmark::include_model!(mod gesture = "../gesture-f32.nmk");
#[cfg(target_abi = "eabihf")]
const CLOCK_HZ: u32 = 25_000_000;

// No floating-point unit, so the same model in integers: micro:bit.
#[cfg(not(target_abi = "eabihf"))]
nearmark::include_model!(mod gesture = "../gesture-i8.nmk");
#[cfg(not(target_abi = "eabihf"))]
const CLOCK_HZ: u32 = 16_000_000;

#[entry]
fn main() -> ! {
    let Some(board) = Peripherals::take() else { process::exit(1) };
    let stopwatch = Stopwatch::new(board.SYST, CLOCK_HZ);
    let model = gesture::model().unwrap_or_else(|why| stop("the model in flash", why));
    run(&model, &stopwatch).unwrap_or_else(|why| stop("classify", why));
    process::exit(0)
}

fn run(model: &Model<'_>, stopwatch: &Stopwatch) -> Result<(), Error> {
    println!("model of {} bytes, {} bytes of scratch", gesture::BYTES.len(), 4 * gesture::SCRATCH);
    let mut scratch = Scratch::<{ gesture::SCRATCH }>::new();
    let mut window = [0_i16; gesture::INPUTS];
    let mut imu = Imu::new();
    while imu.read(&mut window) {
        let (answer, instructions) = stopwatch.time(|| model.classify(&window, &mut scratch));
        let answer = answer?;
        let name = model.class_name(answer.class()).unwrap_or("?");
        println!("{name:9}  margin {:.3}  {instructions} instructions", answer.margin());
    }
    Ok(())
}

fn stop(what: &str, why: impl Display) -> ! {
    println!("{what}: {why}");
    process::exit(1)
}
