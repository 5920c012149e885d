//! Handwritten digits classified on Cortex-M0: integer arithmetic only, no floating-point routine in the program.

#![no_std]
#![no_main]

mod stopwatch;

use core::fmt::Display;

use cortex_m::Peripherals;
use cortex_m_rt::entry;
use nearmark::{Error, Model, Scratch};
use semihosting::{print, println, process};

use stopwatch::Stopwatch;

nearmark::include_model!(mod digits = "../digits.nmk");

/// Test images: the true digit, then the pixels, 0 to 16.
static IMAGES: &[u8] = include_bytes!("../digits.bin");
const WIDTH: usize = 8;
const CLOCK_HZ: u32 = 16_000_000;

#[entry]
fn main() -> ! {
    let Some(board) = Peripherals::take() else { process::exit(1) };
    let stopwatch = Stopwatch::new(board.SYST, CLOCK_HZ);
    let model = digits::model().unwrap_or_else(|why| stop("the model in flash", why));
    run(&model, &stopwatch).unwrap_or_else(|why| stop("classify", why));
    process::exit(0)
}

fn run(model: &Model<'_>, stopwatch: &Stopwatch) -> Result<(), Error> {
    println!("model of {} bytes, {} bytes of scratch", digits::BYTES.len(), 4 * digits::SCRATCH);
    let mut scratch = Scratch::<{ digits::SCRATCH }>::new();
    let (mut right, mut images, mut most) = (0, 0, 0);
    for image in IMAGES.chunks_exact(1 + digits::INPUTS) {
        let Some((&meant, pixels)) = image.split_first() else { break };
        let (answer, instructions) = stopwatch.time(|| model.classify(pixels, &mut scratch));
        let answer = answer?;
        // Classes are numbered in the order of their names, and these are the digits.
        let named = answer.class().0;
        if images == 3 {
            draw(pixels);
            let raw = answer.raw();
            println!("a {named}: squared distance {}, to the next digit {}", raw.distance, raw.runner_up);
        }
        images += 1;
        right += u32::from(named == u16::from(meant));
        most = most.max(instructions);
    }
    println!("{right} of {images} images are classified correctly, in at most {most} instructions each");
    Ok(())
}

fn draw(pixels: &[u8]) {
    for row in pixels.chunks(WIDTH) {
        for &pixel in row {
            print!("{}", ["  ", "..", "oo", "##"][usize::from(pixel.min(15) / 4)]);
        }
        println!();
    }
}

fn stop(what: &str, why: impl Display) -> ! {
    println!("{what}: {why}");
    process::exit(1)
}
