//! CMVDA (Iosifidis): kernel regression on the class indicators, one coordinate per class.
//!
//! The device evaluates a Gaussian kernel at the training rows and takes one product; the nearest class mean is the answer.

#![no_std]
#![no_main]

use cortex_m_rt::entry;
use nearmark::Scratch;
use semihosting::println;

nearmark::include_model!(mod digits = "../../cmvda.nmk");

#[entry]
fn main() -> ! {
    let model = papers::or_stop(digits::model());
    println!("CMVDA, {} bytes: from 64 pixels to {} coordinates, one per class", digits::BYTES.len(), digits::DIM);
    let mut scratch = Scratch::<{ digits::SCRATCH }>::new();
    papers::or_stop(papers::classify_all(&model, &mut scratch));
    papers::done()
}
