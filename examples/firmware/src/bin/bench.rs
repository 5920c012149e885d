//! Cost of a classification on this board: instructions and stack, one line per model for `xtask` to parse.

#![no_std]
#![no_main]

use nearmark::Model;
use nearmark_firmware::{
    count::Counter,
    entry,
    golden::{GOLDENS, Golden, SCRATCH},
    stack,
};
use semihosting::{println, process};

/// Rows averaged: the exponential takes other paths for other values.
const ROWS: u32 = 10;

#[entry]
fn main() -> ! {
    let Some(counter) = Counter::new() else {
        println!("the timer stands still: run under -icount");
        process::exit(1)
    };
    println!("calibration ticks_per_thousand={}", counter.ticks_per_thousand());
    let mut failed = false;
    for golden in GOLDENS.iter().filter(|golden| golden.name.starts_with("bench-")) {
        if measure(&counter, golden).is_none() {
            println!("{}: does not run", golden.name);
            failed = true;
        }
    }
    process::exit(i32::from(failed))
}

fn measure(counter: &Counter, golden: &Golden) -> Option<()> {
    let mut loaded = None;
    let load = counter.instructions(|| loaded = Model::from_bytes(golden.bytes).ok());
    let model = loaded?;
    let mut scratch = [0; SCRATCH];
    let mut rows = golden.rows().ok()?;
    let (mut instructions, mut stack, mut measured) = (0, 0, 0);
    while let Some(row) = rows.read().ok()?.filter(|_| measured < ROWS) {
        let mut answer = None;
        instructions += counter.instructions(|| answer = row.classify(&model, &mut scratch).ok());
        stack = stack.max(stack::depth(|| row.classify(&model, &mut scratch)));
        // The answer must be right too.
        let answer = answer.filter(|a| a.raw().distance == row.distance)?;
        if u32::from(answer.class().0) != row.class {
            return None;
        }
        measured += 1;
    }
    let instructions = instructions.checked_div(u64::from(measured))?;
    println!(
        "bench {} instructions={instructions} load={load} stack={stack} scratch={} model={}",
        golden.name,
        4 * model.scratch_words(),
        golden.bytes.len()
    );
    Some(())
}
