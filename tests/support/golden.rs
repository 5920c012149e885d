//! Golden files: a model, samples for it, and the answers to the bit.
//!
//! `NAME.nmk` is the model. `NAME.expect` is little endian, 4-aligned: magic, rows, inputs, dim and
//! kind as `u32`; then per row the sample, padded with zeros to four bytes, the class, the raw distance,
//! the raw runner-up, `dim` raw words of the embedding, and three words per listed item, nearest first:
//! its id, its class, its raw distance. The kind's low byte is the sample type (the code of [`Num`]), the
//! next one the number of items listed: [`NEAREST`] where the model stores ids, else none.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use nearmark::{Item, Model, Num, Sample};
use nearmark_format::{Header, crc32, extras};

use crate::cases::Rows;

/// First word of an expectation file.
pub const MAGIC: u32 = 0x4E4D_4B45;

/// Items listed per row of a model that stores ids.
pub const NEAREST: usize = 5;

/// What a model must answer to one sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The class.
    pub class: u16,
    /// Raw distance.
    pub distance: u32,
    /// Raw distance of the runner-up.
    pub runner_up: u32,
    /// Raw embedding.
    pub z: Vec<u32>,
    /// Id, class and raw distance of the nearest items; empty where the model stores no ids.
    pub items: Vec<[u32; 3]>,
}

/// The folder of the golden files.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden")
}

/// A line of the manifest: checksums that bind from the freeze of the format on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The file's name without its ending.
    pub name: String,
    /// The model's id.
    pub id: u32,
    /// CRC-32 of the model file.
    pub model: u32,
    /// CRC-32 of the expectation file.
    pub expect: u32,
}

impl Entry {
    /// The entry of these files.
    ///
    /// # Panics
    /// If the model has no header.
    #[must_use]
    pub fn new(name: &str, model: &[u8], expect: &[u8]) -> Self {
        let id = Header::read(model).expect("a model's header").crc;
        Self { name: name.to_owned(), id, model: crc32(model), expect: crc32(expect) }
    }

    /// The entry as it stands in the manifest.
    #[must_use]
    pub fn line(&self) -> String {
        format!("{:24} {:08X} {:08X} {:08X}\n", self.name, self.id, self.model, self.expect)
    }

    fn read(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let name = words.next()?.to_owned();
        let mut number = || u32::from_str_radix(words.next()?, 16).ok();
        Some(Self { name, id: number()?, model: number()?, expect: number()? })
    }
}

/// Where the manifest lies.
#[must_use]
pub fn manifest_path() -> PathBuf {
    folder().join("MANIFEST")
}

/// Every entry of the manifest.
///
/// # Errors
/// If it cannot be read.
pub fn manifest() -> io::Result<Vec<Entry>> {
    let text = fs::read_to_string(manifest_path())?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| Entry::read(line).ok_or_else(|| io::Error::other(line.to_owned()))).collect()
}

/// What a model answers to every row, by the runtime.
///
/// # Panics
/// If a row is refused.
#[must_use]
pub fn answers(model: &Model<'_>, rows: &Rows) -> Vec<Answer> {
    fn all<T>(model: &Model<'_>, rows: &[Vec<T>]) -> Vec<Answer>
    where
        [T]: Sample,
    {
        rows.iter().map(|row| answer(model, row.as_slice())).collect()
    }
    match rows {
        Rows::F32(rows) => all(model, rows),
        Rows::I16(rows) => all(model, rows),
        Rows::I8(rows) => all(model, rows),
        Rows::U8(rows) => all(model, rows),
    }
}

fn answer<S: Sample + ?Sized>(model: &Model<'_>, row: &S) -> Answer {
    // Dirty scratch: nothing may depend on what it held before.
    let mut scratch = vec![0xFFFF_FFFF; model.scratch_words()];
    let mut z = vec![0xFFFF_FFFF; model.dim()];
    let prediction = model.classify(row, &mut scratch).expect("a golden row is answered");
    model.embed_raw(row, &mut z, &mut scratch).expect("a golden row is embedded");
    let listed = if model.layout().extras().find(extras::ITEMS).is_some() { NEAREST } else { 0 };
    let mut nearest = vec![Item::default(); listed];
    let found = model.nearest_into(row, &mut scratch, &mut nearest).expect("a golden row has nearest items");
    assert_eq!(found, listed, "a golden model has at least {NEAREST} items");
    let items = nearest.iter().map(|item| [item.id(), item.class().0.into(), item.raw_distance()]).collect();
    let raw = prediction.raw();
    Answer { class: prediction.class().0, distance: raw.distance, runner_up: raw.runner_up, z, items }
}

/// The expectation file of rows and answers.
#[must_use]
pub fn encode(rows: &Rows, answers: &[Answer]) -> Vec<u8> {
    let (num, rows): (Num, Vec<&[u8]>) = match rows {
        Rows::F32(rows) => (Num::F32, rows.iter().map(|r| bytemuck::cast_slice(r)).collect()),
        Rows::I16(rows) => (Num::I16, rows.iter().map(|r| bytemuck::cast_slice(r)).collect()),
        Rows::I8(rows) => (Num::I8, rows.iter().map(|r| bytemuck::cast_slice(r)).collect()),
        Rows::U8(rows) => (Num::U8, rows.iter().map(Vec::as_slice).collect()),
    };
    let inputs = rows.first().map_or(0, |row| row.len() / size_of_num(num));
    let dim = answers.first().map_or(0, |answer| answer.z.len());
    let mut out = Vec::new();
    let word = |out: &mut Vec<u8>, word: u32| out.extend(word.to_le_bytes());
    let listed = answers.first().map_or(0, |answer| answer.items.len());
    for head in [MAGIC, rows.len() as u32, inputs as u32, dim as u32, num as u32 | (listed as u32) << 8] {
        word(&mut out, head);
    }
    for (row, answer) in rows.iter().zip(answers) {
        out.extend_from_slice(row);
        out.resize(out.len().next_multiple_of(4), 0);
        word(&mut out, answer.class.into());
        word(&mut out, answer.distance);
        word(&mut out, answer.runner_up);
        answer.z.iter().chain(answer.items.as_flattened()).for_each(|&z| word(&mut out, z));
    }
    out
}

/// Rows and answers of an expectation file.
///
/// # Panics
/// If the file is malformed.
#[must_use]
pub fn decode(bytes: &[u8]) -> (Rows, Vec<Answer>) {
    let words: Vec<u32> = bytes.chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect();
    let [magic, rows, inputs, dim, kind] = words[..5].try_into().unwrap();
    assert_eq!(magic, MAGIC, "an expectation file");
    let num = Num::from_code(kind as u8).expect("a sample type");
    let (dim, listed) = (dim as usize, (kind >> 8) as usize);
    let row_words = (inputs as usize * size_of_num(num)).div_ceil(4);
    let mut samples: Vec<Vec<u8>> = Vec::new();
    let mut answers = Vec::new();
    for row in words[5..].chunks_exact(row_words + 3 + dim + 3 * listed) {
        let (sample, answer) = row.split_at(row_words);
        let mut sample: Vec<u8> = sample.iter().flat_map(|w| w.to_le_bytes()).collect();
        sample.truncate(inputs as usize * size_of_num(num));
        samples.push(sample);
        let [class, distance, runner_up, ref rest @ ..] = answer[..] else { unreachable!("three words at least") };
        let (z, items) = rest.split_at(dim);
        let (items, _) = items.as_chunks::<3>();
        answers.push(Answer { class: class as u16, distance, runner_up, z: z.to_vec(), items: items.to_vec() });
    }
    assert_eq!(answers.len(), rows as usize, "rows promised");
    (typed(num, &samples), answers)
}

fn typed(num: Num, samples: &[Vec<u8>]) -> Rows {
    fn each<T: bytemuck::AnyBitPattern>(samples: &[Vec<u8>]) -> Vec<Vec<T>> {
        samples
            .iter()
            .map(|bytes| bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect())
            .collect()
    }
    match num {
        Num::F32 => Rows::F32(each(samples)),
        Num::I16 => Rows::I16(each(samples)),
        Num::I8 => Rows::I8(each(samples)),
        Num::U8 => Rows::U8(samples.to_vec()),
    }
}

const fn size_of_num(num: Num) -> usize {
    match num {
        Num::F32 => 4,
        Num::I16 => 2,
        Num::I8 | Num::U8 => 1,
    }
}

/// A golden's name, the model's bytes and the expectation's.
pub type Golden = (String, Vec<u8>, Vec<u8>);

/// Every golden file in the folder.
///
/// # Errors
/// If the folder cannot be read.
pub fn load_all() -> io::Result<Vec<Golden>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder())? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "nmk") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            all.push((name, fs::read(&path)?, fs::read(path.with_extension("expect"))?));
        }
    }
    all.sort();
    Ok(all)
}
