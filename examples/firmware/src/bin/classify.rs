//! A minimal program: a model in flash, one sample, its class.

#![no_std]
#![no_main]

use nearmark_firmware::entry;
use semihosting::{println, process};

nearmark::include_model!(mod digits = "../../../../tests/golden/bench-gaussian.nmk");

#[entry]
fn main() -> ! {
    let sample = [0.5_f32; digits::INPUTS];
    let mut scratch = [0; digits::SCRATCH];
    let Ok(model) = digits::model() else { process::exit(1) };
    match model.classify(&sample, &mut scratch) {
        Ok(answer) => println!("class {}", answer.class().0),
        Err(why) => {
            println!("{why:?}");
            process::exit(1);
        }
    }
    process::exit(0)
}
