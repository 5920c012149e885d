//! Compares the DSP instructions with portable code: the same bits on 100 000 random cases.

#![no_std]
#![no_main]

use nearmark_dsp::portable;
use nearmark_firmware::entry;
use semihosting::{println, process};

const CASES: u32 = 20_000;
/// Words of the longest vector: more than a loop takes apart at a time. Tiles of four rows, and coordinates of the
/// longest embedding.
const WORDS: usize = 37;
const TILES: usize = 3;
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
    let (len, tiles, dim) = (case % (WORDS + 1), case % (TILES + 1), case % (DIM + 1));
    let extreme = case.is_multiple_of(7);
    let mut word = || if extreme { random.extremes() } else { random.next() };
    let rows: [[u32; 4]; WORDS * TILES] = core::array::from_fn(|_| core::array::from_fn(|_| word()));
    let x: [u32; WORDS] = core::array::from_fn(|_| word());
    let (rows, x) = (&rows[..len * tiles], &x[..len]);
    let values: [[u32; 2]; TILES] = core::array::from_fn(|_| core::array::from_fn(|_| word()));
    let wide: [[u32; 2]; TILES * DIM] = core::array::from_fn(|_| core::array::from_fn(|_| word()));
    let narrow: [u32; TILES * DIM] = core::array::from_fn(|_| word());
    let start: [i32; DIM] = core::array::from_fn(|_| word().cast_signed());
    let eights = tiles.div_ceil(2) * dim;
    let (mut z, mut expected) = (start, start);
    let values = &values[..tiles];
    nearmark_dsp::add_i16(values, &wide[..tiles * dim], &mut z[..dim]);
    portable::add_i16(values, &wide[..tiles * dim], &mut expected[..dim]);
    nearmark_dsp::add_i8(values, &narrow[..tiles * dim], &mut z[..dim]);
    portable::add_i8(values, &narrow[..tiles * dim], &mut expected[..dim]);
    nearmark_dsp::add_i4(values, &narrow[..eights], &mut z[..dim]);
    portable::add_i4(values, &narrow[..eights], &mut expected[..dim]);
    let same = |ours: Sums, theirs: Sums, words: usize| {
        let rows = &rows[..len.div_ceil(words) * tiles];
        let (mut sums, mut expected) = ([[1; 4]; TILES], [[1; 4]; TILES]);
        ours(rows, x, &mut sums[..tiles]);
        theirs(rows, x, &mut expected[..tiles]);
        sums == expected
    };
    z == expected
        && nearmark_dsp::widen(narrow[0]) == portable::widen(narrow[0])
        && same(nearmark_dsp::products_i8, portable::products_i8, 1)
        && same(nearmark_dsp::squared_distances, portable::squared_distances, 1)
        && same(nearmark_dsp::products_i4, portable::products_i4, 2)
        && same(nearmark_dsp::squared_distances_u4, portable::squared_distances_u4, 2)
        && same(nearmark_dsp::l1_distances, portable::l1_distances, 1)
}

/// Sums over rows.
type Sums = fn(&[[u32; 4]], &[u32], &mut [[u32; 4]]);

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
