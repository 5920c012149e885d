//! DPLE (Bozas and Izquierdo): linear axes that part neighbors of different classes.
//!
//! The device takes one product of the pixels; the nearest class mean is the answer.

#![no_std]
#![no_main]

use cortex_m_rt::entry;
use nearmark::Scratch;
use semihosting::println;

nearmark::include_model!(mod digits = "../../dple.nmk");

#[entry]
fn main() -> ! {
    let model = papers::or_stop(digits::model());
    println!("DPLE, {} bytes: a linear map from 64 pixels to {} coordinates", digits::BYTES.len(), digits::DIM);
    let mut scratch = Scratch::<{ digits::SCRATCH }>::new();
    papers::or_stop(papers::classify_all(&model, &mut scratch));
    papers::done()
}
