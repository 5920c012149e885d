//! NSSE (Örnek and Vural 2018): a smooth map that follows a supervised embedding of the training rows.
//!
//! The device evaluates a Gaussian kernel at the training rows and takes one product; the nearest class mean is the answer.

#![no_std]
#![no_main]

use cortex_m_rt::entry;
use nearmark::Scratch;
use semihosting::println;

nearmark::include_model!(mod digits = "../../nsse.nmk");

#[entry]
fn main() -> ! {
    let model = papers::or_stop(digits::model());
    println!("NSSE, {} bytes: a smooth map from 64 pixels to {} coordinates", digits::BYTES.len(), digits::DIM);
    let mut scratch = Scratch::<{ digits::SCRATCH }>::new();
    papers::or_stop(papers::classify_all(&model, &mut scratch));
    papers::done()
}
