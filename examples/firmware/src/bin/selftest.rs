//! Replays every golden model and compares the bits of classes, distances, embeddings and nearest items with the host's.

#![no_std]
#![no_main]

use nearmark::{Item, Model};
use nearmark_firmware::{
    entry,
    golden::{DIM, GOLDENS, Golden, LEFT_OUT, SCRATCH},
};
use semihosting::{io, println, process};

/// Misses printed per model; the rest are counted.
const SHOWN: u32 = 3;
/// Items listed per row at most.
const NEAREST: usize = 5;

#[entry]
fn main() -> ! {
    for (name, why) in LEFT_OUT {
        println!("{name}: left out, {why}");
    }
    let failed = GOLDENS.iter().filter(|golden| !passes(golden)).count();
    println!("{} models replayed, {failed} failed, {} left out", GOLDENS.len(), LEFT_OUT.len());
    process::exit(i32::from(failed > 0 || GOLDENS.is_empty()))
}

fn passes(golden: &Golden) -> bool {
    let name = golden.name;
    let replayed = replay(golden);
    match &replayed {
        Ok((rows, 0)) => println!("{name}: {rows} rows, same bits"),
        Ok((rows, misses)) => println!("{name}: {misses} misses in {rows} rows"),
        Err(Stop::Load(why)) => println!("{name}: does not load: {why:?}"),
        Err(Stop::Classify(why)) => println!("{name}: does not classify: {why:?}"),
        Err(Stop::Read(why)) => println!("{name}: expectations: {why:?}"),
    }
    matches!(replayed, Ok((1.., 0)))
}

enum Stop {
    Load(nearmark::LoadError),
    Classify(nearmark::Error),
    Read(io::Error),
}

/// Rows compared, and values that differ.
fn replay(golden: &Golden) -> Result<(u32, u32), Stop> {
    let model = Model::from_bytes(golden.bytes).map_err(Stop::Load)?;
    let mut expected = golden.rows().map_err(Stop::Read)?;
    let mut scratch = [0; SCRATCH];
    let mut z = [0; DIM];
    let (mut rows, mut misses) = (0, 0);
    while let Some(row) = expected.read().map_err(Stop::Read)? {
        let mut compare = |what: &str, got: u32, expected: u32| {
            if got != expected {
                misses += 1;
                if misses <= SHOWN {
                    println!("{}: row {rows}: {what} is {got:08x}, the host has {expected:08x}", golden.name);
                }
            }
        };
        let answer = row.classify(&model, &mut scratch).map_err(Stop::Classify)?;
        compare("class", u32::from(answer.class().0), row.class);
        compare("distance", answer.raw().distance, row.distance);
        compare("runner-up", answer.raw().runner_up, row.runner_up);
        let z = &mut z[..model.dim()];
        row.embed(&model, z, &mut scratch).map_err(Stop::Classify)?;
        compare("length of z", z.len() as u32, row.z.len() as u32);
        for (got, &expected) in z.iter().zip(row.z) {
            compare("z", *got, expected);
        }
        let mut items = [Item::default(); NEAREST];
        let items = &mut items[..row.items.len()];
        let found = row.nearest(&model, items, &mut scratch).map_err(Stop::Classify)?;
        compare("number of items", found as u32, row.items.len() as u32);
        for (got, &[id, class, distance]) in items.iter().zip(row.items) {
            compare("id", got.id(), id);
            compare("class of an item", got.class().0.into(), class);
            compare("distance of an item", got.raw_distance(), distance);
        }
        rows += 1;
    }
    Ok((rows, misses))
}
