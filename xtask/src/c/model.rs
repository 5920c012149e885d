//! A golden model as the C header that the firmware includes: the model, samples, and Rust's answers to them.

use std::{fmt::Write, fs, path::Path};

use anyhow::{Context, Result, bail};

use crate::command::root;

/// Rows that go with a model: few enough for the smallest board.
const ROWS: usize = 24;
/// Bytes 8..12 of a model are the length of what a device needs; byte 5 has the flag of the provenance behind it.
const CORE_LEN: usize = 8;
const FLAGS: usize = 5;
/// Magic, rows, inputs, dim, sample type.
const EXPECT_HEADER: usize = 5;

/// Writes `model.h` into `folder`.
pub(crate) fn write(name: &str, folder: &Path) -> Result<()> {
    write_with(name, folder, |_| ())
}

/// The same with the last bit of one expected distance turned.
pub(crate) fn write_altered(name: &str, folder: &Path) -> Result<()> {
    write_with(name, folder, |expect| {
        // The row ends with class, distance, runner-up and the embedding; samples of this model are floats.
        let at = EXPECT_HEADER + expect[2] as usize + 1;
        expect[at] ^= 1;
    })
}

fn write_with(name: &str, folder: &Path, alter: impl FnOnce(&mut [u32])) -> Result<()> {
    let golden = root().join("tests/golden").join(name);
    let model = fs::read(golden.with_extension("nmk")).with_context(|| format!("reading {name}.nmk"))?;
    let mut expect =
        words(&fs::read(golden.with_extension("expect")).with_context(|| format!("reading {name}.expect"))?);
    alter(&mut expect);
    fs::create_dir_all(folder)?;
    fs::write(folder.join("model.h"), source(name, model, &expect)?)?;
    Ok(())
}

fn source(name: &str, mut model: Vec<u8>, expect: &[u32]) -> Result<String> {
    let scratch = words(&model)[6];
    model.truncate(words(&model)[CORE_LEN / 4] as usize);
    model[FLAGS] = 0;
    let &[_, rows, inputs, dim, kind] = expect.first_chunk().context("the expectations are cut off")?;
    let (sample, ending, bytes) = match kind {
        0 => ("float", "f32", 4),
        1 => ("int16_t", "i16", 2),
        2 => ("int8_t", "i8", 1),
        3 => ("uint8_t", "u8", 1),
        _ => bail!("{name}: no sample type {kind}"),
    };
    let sample_words = (inputs as usize * bytes).div_ceil(4);
    let rows = ROWS.min(rows as usize);
    let mut text = format!(
        "/* {name}, made by `cargo xtask c`. Words, so that the compiler aligns them. */
#include <stdint.h>

#define MODEL_INPUTS {inputs}
#define MODEL_DIM {dim}
#define MODEL_SCRATCH_WORDS {scratch}
#define MODEL_ROWS {rows}
#define MODEL_FUNCTION(name) nearmark_##name##_{ending}
typedef {sample} model_sample;
struct model_row {{
    uint32_t sample[{sample_words}], class_id, distance, runner_up;
}};

static const uint32_t model_words[] = {{{}}};

static const struct model_row model_rows[] = {{\n",
        list(&words(&model))
    );
    for row in expect[EXPECT_HEADER..].chunks_exact(sample_words + 3 + dim as usize).take(rows) {
        let (sample, answer) = row.split_at(sample_words);
        writeln!(text, "    {{{{{}}}, {}}},", list(sample), list(&answer[..3]))?;
    }
    text.push_str("};\n");
    Ok(text)
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

fn list(words: &[u32]) -> String {
    words.iter().map(|word| format!("{word:#x}u")).collect::<Vec<_>>().join(", ")
}
