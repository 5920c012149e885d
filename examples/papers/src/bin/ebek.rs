//! EBEK (Elbagoury et al. 2016): retrieval in an embedding that keeps a kernel, learned from a few exemplars.
//!
//! The model holds every training row as an item with its id, here the row's number in `builtin:digits:train`. The device
//! finds the three items nearest to an image.

#![no_std]
#![no_main]

use cortex_m_rt::entry;
use nearmark::{Error, Model, Scratch};
use semihosting::{print, println};

nearmark::include_model!(mod digits = "../../ebek.nmk");

/// Items to find.
const NEAREST: usize = 3;
/// Images whose items are printed with their squared distances: one of each digit, of which the first is drawn.
const SHOWN: usize = 10;

#[entry]
fn main() -> ! {
    let model = papers::or_stop(digits::model());
    println!("EBEK, {} bytes: from 64 pixels to {} coordinates", digits::BYTES.len(), digits::DIM);
    papers::or_stop(retrieve(&model));
    papers::done()
}

fn retrieve(model: &Model<'_>) -> Result<(), Error> {
    let mut scratch = Scratch::<{ digits::SCRATCH }>::new();
    let (mut right, mut all) = (0, 0);
    for (at, (digit, pixels)) in papers::images().enumerate() {
        let items = model.nearest::<NEAREST>(pixels, &mut scratch)?;
        if at == 0 {
            papers::draw(pixels);
        }
        if at < SHOWN {
            print!("a {digit}: nearest");
            for item in &items {
                print!("  row {:4}, a {}, {:7}", item.id(), item.class().0, item.raw_distance());
            }
            println!();
        }
        all += items.len();
        right += items.iter().filter(|item| item.class().0 == digit).count();
    }
    println!("{right} of {all} items found are of the image's digit");
    Ok(())
}
