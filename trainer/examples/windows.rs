//! Cuts recordings into windows, for whoever measures on them:
//! `cargo run --release -p nearmark-train --example windows -- RECORDINGS.npz OUT.npz STEPS`.
//!
//! RECORDINGS.npz has `signal` (time steps × channels, one recording after the other), `length` (steps per recording), `y` and
//! `subject` (a number per recording). OUT.npz has `X_train` (windows × channels × STEPS), `y_train` and `subject_train`; windows do
//! not overlap, and the rest of a recording that fills no window is dropped.

use npyz::npz::{NpzArchive, NpzWriter};
use npyz::zip::write::FileOptions;
use npyz::{Order, WriterBuilder};
use std::{env, error::Error, fs::File, io::BufReader};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

fn main() -> Outcome {
    let args: Vec<String> = env::args().skip(1).collect();
    let [recordings, out, steps] = &args[..] else {
        return Err("usage: windows RECORDINGS.npz OUT.npz STEPS".into());
    };
    let steps: usize = steps.parse().ok().filter(|steps| *steps > 0).ok_or("STEPS is no number above 0")?;
    let mut archive = NpzArchive::new(BufReader::new(File::open(recordings)?))?;
    let (shape, signal) = floats(&mut archive, "signal")?;
    let [_, channels] = shape[..] else { return Err("`signal` does not have two axes".into()) };
    let lengths = integers(&mut archive, "length")?;
    let (classes, subjects) = (integers(&mut archive, "y")?, integers(&mut archive, "subject")?);
    if lengths.iter().sum::<i64>() * channels as i64 != signal.len() as i64 {
        return Err("the lengths do not add up to the rows of `signal`".into());
    }
    if lengths.len() != classes.len() || lengths.len() != subjects.len() {
        return Err("`length`, `y` and `subject` differ in length".into());
    }
    let (mut values, mut y, mut subject) = (Vec::<f32>::new(), Vec::new(), Vec::new());
    let mut rest = &signal[..];
    for ((length, class), person) in lengths.into_iter().zip(classes).zip(subjects) {
        let (recording, after) = rest.split_at(length as usize * channels);
        rest = after;
        for window in recording.chunks_exact(steps * channels) {
            for channel in 0..channels {
                values.extend(window.iter().skip(channel).step_by(channels));
            }
            y.push(class);
            subject.push(person);
        }
    }
    // Aside first: a file that is there is a whole one.
    let aside = format!("{out}.part");
    let mut file = NpzWriter::new(File::create(&aside)?);
    let windows = [y.len() as u64, channels as u64, steps as u64];
    let mut array = file.array("X_train", FileOptions::default())?.default_dtype().shape(&windows).begin_nd()?;
    array.extend(values)?;
    array.finish()?;
    for (name, values) in [("y_train", &y), ("subject_train", &subject)] {
        let array = file.array(name, FileOptions::default())?;
        let mut array = array.default_dtype().shape(&[values.len() as u64]).begin_nd()?;
        array.extend(values.iter().copied())?;
        array.finish()?;
    }
    drop(file);
    std::fs::rename(aside, out)?;
    println!("{out}: {} windows of {channels} × {steps}", y.len());
    Ok(())
}

type Archive = NpzArchive<BufReader<File>>;

fn floats(archive: &mut Archive, name: &str) -> Outcome<(Vec<usize>, Vec<f32>)> {
    let array = archive.by_name(name)?.ok_or_else(|| format!("no array `{name}`"))?;
    let shape: Vec<usize> = array.shape().iter().map(|&axis| axis as usize).collect();
    let is_columns = array.order() == Order::Fortran;
    let values: Vec<f32> = array.into_vec()?;
    if let (true, &[rows, columns]) = (is_columns, &shape[..]) {
        let by_rows = (0..rows * columns).map(|i| values[i % columns * rows + i / columns]).collect();
        return Ok((shape, by_rows));
    }
    Ok((shape, values))
}

/// Integers of 32 or 8 bits.
fn integers(archive: &mut Archive, name: &str) -> Outcome<Vec<i64>> {
    let missing = || format!("no array `{name}`");
    if let Ok(wide) = archive.by_name(name)?.ok_or_else(missing)?.into_vec::<i32>() {
        return Ok(wide.into_iter().map(i64::from).collect());
    }
    let bytes = archive.by_name(name)?.ok_or_else(missing)?.into_vec::<u8>()?;
    Ok(bytes.into_iter().map(i64::from).collect())
}
