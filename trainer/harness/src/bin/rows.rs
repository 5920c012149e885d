//! Classifies every row of a file on the host, and writes what it found and what it cost to another.
//!
//! Both files are little endian words. `job` has a header ([`Job`]) and the rows, each padded to whole words; `answers`
//! has two words of instructions for loading the model, then nine words per row ([`answer`]). The model lies in flash,
//! where the emulator has put it.

#![no_std]
#![no_main]

use core::{ptr, slice};

use nearmark::{Item, Model, format::crc32};
use nearmark_board::{BUFFER_WORDS, count::Counter, entry, stack};
use nearmark_harness::Value;
use semihosting::{
    fs::File,
    io::{self, Read, Write},
    println, process,
};

/// Rows per call to the host, which are slow; fewer where the RAM is small.
const BATCH: usize = 64;
const ANSWER_WORDS: usize = 9;
/// Nearest items that are compared with the host's.
const NEAREST: usize = 10;

/// The head of the job.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Job {
    /// Where the model begins.
    model: u32,
    /// Its bytes.
    model_len: u32,
    rows: u32,
    /// Words of a row.
    row_words: u32,
}

/// Why there are no more answers.
enum Stop {
    Timer,
    Load(nearmark::LoadError),
    Ram,
    File(io::Error),
}

impl From<io::Error> for Stop {
    fn from(why: io::Error) -> Self {
        Self::File(why)
    }
}

#[entry]
#[allow(clippy::large_stack_arrays, reason = "the stack has the rest of the RAM")]
fn main() -> ! {
    let mut buffer = [0; BUFFER_WORDS];
    match answer_all(&mut buffer) {
        Ok(()) => process::exit(0),
        Err(Stop::Timer) => println!("the timer stands still"),
        Err(Stop::Load(why)) => println!("the model does not load: {why:?}"),
        Err(Stop::Ram) => println!("the model and one row do not fit the RAM"),
        Err(Stop::File(why)) => println!("no connection to the host: {why:?}"),
    }
    process::exit(1)
}

fn answer_all(buffer: &mut [u32]) -> Result<(), Stop> {
    let counter = Counter::new().ok_or(Stop::Timer)?;
    let mut source = File::open(c"job")?;
    let mut sink = File::create(c"answers")?;
    let mut job: Job = bytemuck::Zeroable::zeroed();
    source.read_exact(bytemuck::bytes_of_mut(&mut job))?;

    // SAFETY: the emulator has put that many bytes there, in flash, beyond the program; nobody writes to them.
    #[allow(unsafe_code, reason = "the model is no part of the program, only its address is known")]
    let bytes =
        unsafe { slice::from_raw_parts(ptr::with_exposed_provenance(job.model as usize), job.model_len as usize) };
    let mut loaded = Err(nearmark::LoadError::TooShort);
    let instructions = counter.instructions(|| loaded = Model::from_bytes(bytes));
    let model = loaded.map_err(Stop::Load)?;
    sink.write_all(bytemuck::cast_slice(&halves(instructions)))?;

    let row_words = job.row_words as usize;
    let (scratch, rest) = buffer.split_at_mut_checked(model.scratch_words()).ok_or(Stop::Ram)?;
    let (z, rest) = rest.split_at_mut_checked(model.dim()).ok_or(Stop::Ram)?;
    let batch = (rest.len() / (row_words + ANSWER_WORDS)).min(BATCH);
    if batch == 0 {
        return Err(Stop::Ram);
    }
    let (rows, answers) = rest.split_at_mut(batch * row_words);
    let mut left = job.rows as usize;
    while left > 0 {
        let count = left.min(batch);
        let rows = &mut rows[..count * row_words];
        source.read_exact(bytemuck::cast_slice_mut(rows))?;
        let (answers, _) = answers.as_chunks_mut::<ANSWER_WORDS>();
        for (row, out) in rows.chunks_exact(row_words).zip(&mut *answers) {
            let values: &[Value] = bytemuck::cast_slice(row);
            *out = answer(&counter, &model, &values[..model.inputs()], z, scratch);
        }
        sink.write_all(bytemuck::cast_slice(&answers[..count]))?;
        left -= count;
    }
    Ok(())
}

/// Whether there is an answer (1, else 0), class, raw distance, raw runner-up, CRC of the raw embedding, instructions of
/// one `classify` (low word, high word), bytes of stack that it takes, CRC of the nearest items.
fn answer(
    counter: &Counter,
    model: &Model<'_>,
    x: &[Value],
    z: &mut [u32],
    scratch: &mut [u32],
) -> [u32; ANSWER_WORDS] {
    let mut found = Err(nearmark::Error::NotFinite);
    let mut instructions = 0;
    let depth = stack::depth(|| instructions = counter.instructions(|| found = model.classify(x, scratch)));
    let embedded = model.embed_raw(x, z, scratch).is_ok();
    let [low, high] = halves(instructions);
    let (class, raw) = match &found {
        Ok(answer) => (u32::from(answer.class().0), Some(answer.raw())),
        Err(_) => (u32::MAX, None),
    };
    let (distance, runner_up) = raw.map_or((0, 0), |raw| (raw.distance, raw.runner_up));
    let items = nearest(model, x, scratch);
    let known = u32::from(found.is_ok() && embedded && items.is_some());
    let (z, items) = (crc32(bytemuck::cast_slice(z)), items.unwrap_or(0));
    [known, class, distance, runner_up, z, low, high, depth as u32, items]
}

/// CRC of id, class and raw distance of the nearest items; 0 where the model holds none, nothing where they are refused.
fn nearest(model: &Model<'_>, x: &[Value], scratch: &mut [u32]) -> Option<u32> {
    if !model.layout().meta().has_prototypes() {
        return Some(0);
    }
    let mut items = [Item::default(); NEAREST];
    let found = model.nearest_into(x, scratch, &mut items).ok()?;
    let words = items.map(|item| [item.id(), item.class().0.into(), item.raw_distance()]);
    Some(crc32(bytemuck::cast_slice(&words[..found])))
}

fn halves(count: u64) -> [u32; 2] {
    [count as u32, (count >> 32) as u32]
}
