//! The smallest program that loads a model and classifies: once from the binary itself, as firmware
//! does, once from a file; then it learns a class from three samples.
//!
//! `cargo run --release [-- MODEL.nmk]`

use std::{env, error::Error, fs};

use nearmark::{ClassId, Memory, Model, Scratch, format::AlignedBuf};

// Checked at compile time: the sizes of the model are constants from here on.
nearmark::include_model!(mod shapes = "../../../tests/golden/gaussian.nmk");

/// A file to load at run time where none is given.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/linear.nmk");

fn main() -> Result<(), Box<dyn Error>> {
    included()?;
    loaded(&env::args().nth(1).unwrap_or_else(|| FILE.into()))?;
    learned()
}

/// A model that is part of the program, and memory of a size known to the compiler.
fn included() -> Result<(), Box<dyn Error>> {
    let model = shapes::model()?;
    let mut scratch = Scratch::<{ shapes::SCRATCH }>::new();
    println!(
        "included model {:08x}: {} inputs, {} classes, {} bytes of flash, {} bytes of RAM",
        model.id(),
        shapes::INPUTS,
        shapes::CLASSES,
        shapes::BYTES.len(),
        4 * shapes::SCRATCH
    );

    let answer = model.classify(&slope(0.3), &mut scratch)?;
    println!(
        "  a rising slope: class {}, distance² {:.3}, margin {:.3}",
        answer.class().0,
        answer.distance_sq(),
        answer.margin()
    );

    println!("  its three nearest classes:");
    for candidate in model.rank::<3, _>(&slope(0.3), &mut scratch)? {
        println!("    class {}, distance² {:.3}", candidate.class().0, candidate.distance_sq());
    }
    Ok(())
}

/// A model from a file, whose sizes are known when it has been read.
fn loaded(path: &str) -> Result<(), Box<dyn Error>> {
    let bytes = fs::read(path).map_err(|why| format!("reading {path}: {why}"))?;
    // Arrays are used in place, so the bytes must be aligned.
    let bytes = AlignedBuf::from(bytes.as_slice());
    let model = Model::from_bytes(&bytes).map_err(|why| format!("loading {path}: {why}"))?;
    let mut scratch = vec![0; model.scratch_words()];
    println!("loaded model {:08x}: {} inputs, {} classes", model.id(), model.inputs(), model.classes());

    for value in [-1.0, 0.0, 1.0f32] {
        let sample = vec![value; model.inputs()];
        let class = model.classify(sample.as_slice(), &mut scratch)?.class();
        println!("  a sample of {value:+.0} throughout: {}", name(&model, class));
    }
    Ok(())
}

/// A class that the model has never seen, from three samples.
fn learned() -> Result<(), Box<dyn Error>> {
    let model = shapes::model()?;
    let mut scratch = Scratch::<{ shapes::SCRATCH }>::new();
    let mut memory = Memory::<8, { shapes::DIM }>::new(&model)?;
    let zigzag = memory.next_class(&model);

    let before = memory.classify(&model, &zigzags(0.44), &mut scratch)?;
    for height in [0.4, 0.5, 0.6] {
        memory.enroll(&model, &zigzags(height), zigzag, &mut scratch)?;
    }
    let after = memory.classify(&model, &zigzags(0.44), &mut scratch)?;
    println!("learned a zigzag as class {} from {} samples", zigzag.0, memory.len());
    println!("  another zigzag, before: class {}, distance² {:.3}", before.class().0, before.distance_sq());
    println!("  another zigzag, after:  class {}, distance² {:.3}", after.class().0, after.distance_sq());

    let known = memory.classify(&model, &slope(0.3), &mut scratch)?;
    println!("  the rising slope, after: class {}", known.class().0);
    Ok(())
}

fn name(model: &Model<'_>, class: ClassId) -> String {
    let name = model.class_name(class).filter(|name| !name.is_empty());
    name.map_or_else(|| format!("class {}", class.0), |name| format!("{name:?}"))
}

/// A sample that rises from `-height` to about `height`.
fn slope(height: f32) -> [f32; shapes::INPUTS] {
    std::array::from_fn(|at| height * (at as f32 / 8.0 - 1.0))
}

/// A sample that goes up and down.
fn zigzags(height: f32) -> [f32; shapes::INPUTS] {
    std::array::from_fn(|at| if at % 2 == 0 { height } else { -height })
}
