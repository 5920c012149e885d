//! What an exported C project is tested with:
//! `cargo run --release -p nearmark-train --example c_rows -- MODEL.nmk DATA NAME ROWS FOLDER`.
//!
//! `FOLDER/rows.h` has rows of DATA as samples of the model, `FOLDER/expected.txt` class and raw distances of each by
//! Rust, `FOLDER/altered.c` what `nearmark export` writes as NAME.c but for one byte of the model, its checksum made
//! good: it opens, it answers, and only a self-test can tell. `cargo xtask c` compiles and runs them.

use nearmark::{Model, Prediction};
use nearmark_format::{CRC_BYTES, Num, checksum};
use nearmark_train::{ModelFile, Run, codegen, io};
use std::{env, error::Error, fmt::Write, fs, path::Path};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

fn main() -> Outcome {
    let args: Vec<String> = env::args().skip(1).collect();
    let [model, data, name, count, folder] = args.as_slice() else {
        return Err("usage: c_rows MODEL.nmk DATA NAME ROWS FOLDER".into());
    };
    let core = ModelFile::read(model)?.core();
    let rows = io::load(data, &io::Options::default(), &Run::default())?.data;
    let count = count.parse::<usize>()?.min(rows.len());
    // Evenly spread: sets are often sorted by class.
    let row = |i: usize| rows.rows().row(i * rows.len() / count).iter().copied().collect();
    let rows: Vec<Vec<f64>> = (0..count).map(row).collect();
    let folder = Path::new(folder);
    fs::create_dir_all(folder)?;
    fs::write(folder.join("rows.h"), header(&core, name, &rows)?)?;
    fs::write(folder.join("expected.txt"), answers(&core, &rows)?)?;
    fs::write(folder.join("altered.c"), altered(&core, name, &rows)?)?;
    Ok(())
}

/// The rows in C, and the model's name for a program that does not know it.
fn header(core: &ModelFile, name: &str, rows: &[Vec<f64>]) -> Outcome<String> {
    let float = core.input() == Num::F32;
    let upper = name.to_ascii_uppercase();
    let mut text = format!(
        "/* Made by the example c_rows. */\n#include \"{name}.h\"\n\n#define MODEL(what) {name}_##what\n#define SCRATCH_WORDS {upper}_SCRATCH_WORDS\n#define ROWS {}\n\nstatic const {name}_sample rows[ROWS] = {{\n",
        rows.len()
    );
    for row in rows {
        let values = row.iter().map(|&v| if float { format!("{:?}f", v as f32) } else { v.to_string() });
        writeln!(text, "    {{{}}},", values.collect::<Vec<_>>().join(", "))?;
    }
    Ok(text + "};\n")
}

/// A line per row, as the C program prints it.
fn answers(core: &ModelFile, rows: &[Vec<f64>]) -> Outcome<String> {
    let model = core.model();
    let mut text = String::new();
    for row in rows {
        let answer = classify(&model, row)?;
        writeln!(text, "{} {:08x} {:08x}", answer.class().0, answer.raw().distance, answer.raw().runner_up)?;
    }
    Ok(text)
}

fn classify(model: &Model<'_>, row: &[f64]) -> Result<Prediction, nearmark::Error> {
    fn cast<T>(row: &[f64], cast: fn(f64) -> T) -> Vec<T> {
        row.iter().map(|&v| cast(v)).collect()
    }
    let scratch = &mut vec![0; model.scratch_words()][..];
    match model.layout().meta().input() {
        Num::F32 => model.classify(&cast(row, |v| v as f32)[..], scratch),
        Num::I16 => model.classify(&cast(row, |v| v as i16)[..], scratch),
        Num::I8 => model.classify(&cast(row, |v| v as i8)[..], scratch),
        Num::U8 => model.classify(&cast(row, |v| v as u8)[..], scratch),
    }
}

/// NAME.c around an altered model: the first byte, from the middle on, that changes every row's answer.
fn altered(core: &ModelFile, name: &str, rows: &[Vec<f64>]) -> Outcome<String> {
    let expected = answers(core, rows)?;
    for at in core.core_len() / 2..core.core_len() {
        let mut other = core.bytes().to_vec();
        other[at] ^= 0x40;
        let crc = checksum(&other);
        other[CRC_BYTES].copy_from_slice(&crc.to_le_bytes());
        let differs = |got: &str| got.lines().zip(expected.lines()).all(|(got, expected)| got != expected);
        let Ok(other) = ModelFile::from_bytes(&other) else { continue };
        if answers(&other, rows).is_ok_and(|got| differs(&got)) {
            return spliced(&source_of(core, name)?, &source_of(&other, name)?);
        }
    }
    Err("no byte changes every answer".into())
}

fn source_of(model: &ModelFile, name: &str) -> Outcome<String> {
    let files = codegen::c(model, name, &codegen::Target::HOST)?;
    let (_, text) = files.into_iter().find(|(file, _)| *file == format!("{name}.c")).ok_or("no source")?;
    Ok(String::from_utf8(text)?)
}

/// One source with the model of the other: it is the first array.
fn spliced(source: &str, other: &str) -> Outcome<String> {
    let (_, rest) = source.split_once("\n};").ok_or("no array")?;
    let (head, _) = other.split_once("\n};").ok_or("no array")?;
    Ok(format!("{head}\n}};{rest}"))
}
