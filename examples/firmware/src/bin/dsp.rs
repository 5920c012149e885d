//! Compares the DSP instructions with portable code: the same bits on 100 000 random cases.

#![no_std]
#![no_main]

use nearmark_dsp::portable;
use nearmark_firmware::entry;
use semihosting::{println, process};

const CASES: u32 = 100_000;
/// Words of the longest vector, and coordinates of the longest embedding.
const WORDS: usize = 9;
const DIM: usize = 5;

#[entry]
fn main() -> ! {
    let mut random = Random(0x1234_5678);
    for case in 0..CASES {
        if !agree(&mut random, case as usize) {
            println!("case {case}: the instructions differ from plain code");
            process::exit(1);
        }
    }
    println!("{CASES} random cases, the same bits");
    process::exit(0)
}

/// Whether every function agrees on vectors of some length, full of random bits or of extremes.
fn agree(random: &mut Random, case: usize) -> bool {
    let len = case % (WORDS + 1);
    let extreme = case.is_multiple_of(7);
    let mut word = || if extreme { random.extremes() } else { random.next() };
    let blocks: [[u32; 4]; WORDS] = core::array::from_fn(|_| core::array::from_fn(|_| word()));
    let x: [u32; WORDS] = core::array::from_fn(|_| word());
    let (blocks, x) = (&blocks[..len], &x[..len]);
    let values: [i32; 4] = core::array::from_fn(|_| i32::from(word() as i16));
    let wide: [[u32; 2]; DIM] = core::array::from_fn(|_| core::array::from_fn(|_| word()));
    let narrow: [u32; DIM] = core::array::from_fn(|_| word());
    let start: [i32; DIM] = core::array::from_fn(|_| word().cast_signed());
    let (mut z, mut expected) = (start, start);
    nearmark_dsp::add_i16(values, &wide, &mut z);
    portable::add_i16(values, &wide, &mut expected);
    nearmark_dsp::add_i8(values, &narrow, &mut z);
    portable::add_i8(values, &narrow, &mut expected);
    // As many words as there are weights for: a turn of two, and one more.
    nearmark_dsp::map_i16(&x[..len.min(3)], wide.as_flattened().as_chunks().0, &mut z[..1]);
    portable::map_i16(&x[..len.min(3)], wide.as_flattened().as_chunks().0, &mut expected[..1]);
    nearmark_dsp::map_i8(&x[..len.min(2)], &narrow, &mut z[..2]);
    portable::map_i8(&x[..len.min(2)], &narrow, &mut expected[..2]);
    z == expected
        && nearmark_dsp::products_i8(blocks, x) == portable::products_i8(blocks, x)
        && nearmark_dsp::squared_distances(blocks, x) == portable::squared_distances(blocks, x)
        && nearmark_dsp::l1_distances(blocks, x) == portable::l1_distances(blocks, x)
}

/// xorshift32.
struct Random(u32);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }

    /// Four bytes that are each 0, 127, 128 or 255.
    fn extremes(&mut self) -> u32 {
        let bytes = self.next().to_le_bytes();
        u32::from_le_bytes(bytes.map(|byte| [0, 127, 128, 255][usize::from(byte >> 6)]))
    }
}
