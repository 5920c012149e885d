//! What the four programs share: test images, and a console.

#![no_std]

use core::fmt::Display;

use nearmark::{Error, Model};
use semihosting::{print, println, process};

/// Test images: the true digit, then the pixels, 0 to 16.
static IMAGES: &[u8] = include_bytes!("../digits.bin");
const WIDTH: usize = 8;
const PIXELS: usize = WIDTH * WIDTH;

/// Every test image with its digit.
pub fn images() -> impl Iterator<Item = (u16, &'static [u8])> {
    IMAGES.chunks_exact(1 + PIXELS).filter_map(|image| {
        let (&digit, pixels) = image.split_first()?;
        Some((digit.into(), pixels))
    })
}

/// Classifies every test image and prints how many are right.
///
/// # Errors
/// As [`Model::classify`].
pub fn classify_all(model: &Model<'_>, scratch: &mut [u32]) -> Result<(), Error> {
    let (mut right, mut all) = (0, 0);
    for (digit, pixels) in images() {
        // Classes are numbered in the order of their names, and these are the digits.
        right += u32::from(model.classify(pixels, scratch)?.class().0 == digit);
        all += 1;
    }
    println!("{right} of {all} images are classified correctly");
    Ok(())
}

/// Draws an image in characters.
pub fn draw(pixels: &[u8]) {
    for row in pixels.chunks(WIDTH) {
        for &pixel in row {
            print!("{}", ["  ", "..", "oo", "##"][usize::from(pixel.min(15) / 4)]);
        }
        println!();
    }
}

/// The value, or the end of the program with the reason why there is none.
pub fn or_stop<T, E: Display>(outcome: Result<T, E>) -> T {
    outcome.unwrap_or_else(|why| {
        println!("{why}");
        process::exit(1)
    })
}

/// Ends the program.
pub fn done() -> ! {
    process::exit(0)
}
