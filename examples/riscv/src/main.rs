//! Handwritten digits on RISC-V: the three nearest classes of each image, best first.

#![no_std]
#![no_main]

use core::fmt::Display;

use nearmark::{Error, Model, Scratch};
use riscv::register::minstret;
use riscv_rt::entry;
use semihosting::{print, println, process};

nearmark::include_model!(mod digits = "../riscv.nmk");

/// Test images: the true digit, then the pixels, 0 to 16.
static IMAGES: &[u8] = include_bytes!("../riscv.bin");
/// QEMU's `-icount shift=6` counts 64 for each instruction; a real core counts one.
const PER_INSTRUCTION: u64 = 64;

#[entry]
fn main() -> ! {
    let model = digits::model().unwrap_or_else(|why| stop("the model in flash", why));
    run(&model).unwrap_or_else(|why| stop("rank", why));
    process::exit(0)
}

fn run(model: &Model<'_>) -> Result<(), Error> {
    println!("model of {} bytes, {} bytes of scratch", digits::BYTES.len(), 4 * digits::SCRATCH);
    let mut scratch = Scratch::<{ digits::SCRATCH }>::new();
    for image in IMAGES.chunks_exact(1 + digits::INPUTS) {
        let Some((digit, pixels)) = image.split_first() else { break };
        let before = minstret::read64();
        let best = model.rank::<3, _>(pixels, &mut scratch)?;
        let instructions = (minstret::read64() - before) / PER_INSTRUCTION;
        print!("digit {digit}, {instructions} instructions:");
        for candidate in &best {
            print!("  {} at {}", candidate.class().0, candidate.raw_distance());
        }
        println!();
    }
    Ok(())
}

fn stop(what: &str, why: impl Display) -> ! {
    println!("{what}: {why}");
    process::exit(1)
}
