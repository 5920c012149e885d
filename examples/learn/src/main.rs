//! Learns a class on the device: a model that knows three motions is shown three windows of a fourth.

#![no_std]
#![no_main]

mod imu;

use core::fmt::Display;

use cortex_m_rt::entry;
use nearmark::{ClassId, Memory, MemoryError, Model, Scratch};
use semihosting::{println, process};

use imu::Imu;

// Trained without badminton, and given radii, beyond which it says that it does not know.
nearmark::include_model!(mod motions = "../learn.nmk");

/// Room for eight samples, in RAM.
type Learnt = Memory<8, { motions::DIM }>;
const LESSONS: usize = 3;
const BADMINTON: usize = 8;

#[entry]
fn main() -> ! {
    let model = motions::model().unwrap_or_else(|why| stop("the model in flash", why));
    run(&model).unwrap_or_else(|why| stop("learn", why));
    process::exit(0)
}

fn run(model: &Model<'_>) -> Result<(), MemoryError> {
    let mut memory = Learnt::new(model)?;
    println!("before:");
    play(model, &memory)?;

    let badminton = memory.next_class(model);
    let mut scratch = Scratch::<{ motions::SCRATCH }>::new();
    let mut window = [0_i16; motions::INPUTS];
    let mut imu = Imu::new();
    for _ in 0..LESSONS {
        imu.read(&mut window);
        memory.enroll(model, &window, badminton, &mut scratch)?;
    }
    println!("learned class {} from {LESSONS} windows, in {} bytes of RAM", badminton.0, size_of::<Learnt>());
    println!("after:");
    play(model, &memory)
}

/// Names every window of the recording that is no lesson.
fn play(model: &Model<'_>, memory: &Learnt) -> Result<(), MemoryError> {
    let mut scratch = Scratch::<{ motions::SCRATCH }>::new();
    let mut window = [0_i16; motions::INPUTS];
    let mut imu = Imu::new();
    let mut played = 0;
    while imu.read(&mut window) {
        played += 1;
        if played <= LESSONS {
            continue;
        }
        let answer = memory.classify(model, &window, &mut scratch)?;
        let done = if played <= BADMINTON { "badminton" } else { "a motion it knows" };
        let named = if answer.is_known() { name(model, answer.class()) } else { "unknown" };
        println!("  {done:17}  {named:9}  distance² {:.4}", answer.distance_sq());
    }
    Ok(())
}

/// The model has the names of its own classes; the learned class is named here.
fn name<'a>(model: &Model<'a>, class: ClassId) -> &'a str {
    model.class_name(class).unwrap_or("Badminton")
}

fn stop(what: &str, why: impl Display) -> ! {
    println!("{what}: {why}");
    process::exit(1)
}
