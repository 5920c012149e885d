//! Learns a class, and is reset in the middle of one word after the other of what that writes: nothing is lost.

#![no_std]
#![no_main]

mod flash;
#[path = "../../imu.rs"]
mod imu;

use core::fmt::Display;

use cortex_m_rt::entry;
use nearmark::{ClassId, Model, Scratch};
use nearmark_store::{Error, OtherModel, Store};
use semihosting::{println, process};

use flash::{BYTES, Flash, Lasting};
use imu::Imu;

nearmark::include_model!(mod motions = "../../../learn.nmk");

/// Up to eight samples, in RAM and in flash.
type Learnt = Store<Flash, 8, { motions::DIM }>;
type Failure = Error<embedded_storage::nor_flash::NorFlashErrorKind>;

const BADMINTON: ClassId = ClassId(3);
/// Resets are tried before each of so many words: more than any change writes.
const WORDS: u32 = 60;

/// `STARTED` once the counters below were set up; anything else when power comes on.
#[unsafe(link_section = ".uninit.state")]
static STATE: Lasting = Lasting::new();
const STARTED: u32 = 0x4E4D_5331;
/// The word to be reset in.
#[unsafe(link_section = ".uninit.word")]
static WORD: Lasting = Lasting::new();
/// Resets so far.
#[unsafe(link_section = ".uninit.resets")]
static RESETS: Lasting = Lasting::new();
/// After how many of them the third sample was already stored.
#[unsafe(link_section = ".uninit.after")]
static AFTER: Lasting = Lasting::new();

#[entry]
fn main() -> ! {
    let model = motions::model().unwrap_or_else(|why| stop("the model in flash", why));
    run(&model).unwrap_or_else(|why| stop("power", why));
    process::exit(0)
}

fn run(model: &Model<'_>) -> Result<(), Failure> {
    let mut lessons = [[0_i16; motions::INPUTS]; 3];
    let mut imu = Imu::new();
    for window in &mut lessons {
        imu.read(window);
    }
    let [first, second, third] = &lessons;
    let mut scratch = Scratch::<{ motions::SCRATCH }>::new();
    if STATE.get() == STARTED {
        RESETS.set(RESETS.get() + 1);
        check(model, &lessons)?;
    } else {
        let mut store = open(model, None)?;
        store.enroll(model, first, BADMINTON, &mut scratch)?;
        store.enroll(model, second, BADMINTON, &mut scratch)?;
        println!("learned badminton from {} windows", store.memory().len());
        for counter in [&WORD, &RESETS, &AFTER] {
            counter.set(0);
        }
        STATE.set(STARTED);
    }
    while WORD.get() < WORDS {
        WORD.set(WORD.get() + 1);
        // The reset comes in here, or not at all if fewer words are written.
        open(model, Some(WORD.get() - 1))?.enroll(model, third, BADMINTON, &mut scratch)?;
        open(model, None)?.undo()?;
    }
    println!("{} resets in the middle of a word or an erasure while a third window is stored", RESETS.get());
    println!("{} times three windows were there afterwards, {} times two", AFTER.get(), RESETS.get() - AFTER.get());
    let store = open(model, None)?;
    let answer = store.memory().classify(model, third, &mut scratch).map_err(Error::Memory)?;
    println!("the third window is {}", if answer.class() == BADMINTON { "badminton" } else { "something else" });
    Ok(())
}

/// After a reset flash holds the two samples, and the third whole or not at all.
fn check(model: &Model<'_>, lessons: &[[i16; motions::INPUTS]; 3]) -> Result<(), Failure> {
    let mut store = open(model, None)?;
    let mut scratch = Scratch::<{ motions::SCRATCH }>::new();
    let kept = store.memory().len();
    if !(2..=3).contains(&kept) {
        println!("{kept} samples after reset {}", RESETS.get());
        process::exit(1)
    }
    for ((class, words), window) in store.memory().iter().zip(lessons) {
        let mut expected = [0; motions::DIM];
        model.embed_raw(window, &mut expected, &mut scratch).map_err(|why| Error::Memory(why.into()))?;
        if (class, words) != (BADMINTON, expected.as_slice()) {
            println!("a sample has changed in reset {}", RESETS.get());
            process::exit(1)
        }
    }
    if kept == 3 {
        AFTER.set(AFTER.get() + 1);
        store.undo()?;
    }
    Ok(())
}

fn open(model: &Model<'_>, reset_in: Option<u32>) -> Result<Learnt, Failure> {
    Store::open(Flash { reset_in }, 0..BYTES, model, OtherModel::Refuse)
}

fn stop(what: &str, why: impl Display) -> ! {
    println!("{what}: {why}");
    process::exit(1)
}
