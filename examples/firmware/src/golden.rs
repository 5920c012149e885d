//! Golden models in flash, and the host's answers to them, read row by row through semihosting.
//!
//! An expectation file is little endian: five header words (magic, rows, inputs, dim, kind), then per row the sample
//! padded to whole words, class, raw distance, raw runner-up, `dim` raw words of z, and id, class and raw distance of
//! the nearest items. The kind's low byte is the sample type, the next one the number of items.

use core::ffi::CStr;

use nearmark::{Error, Item, Model, Prediction};
use semihosting::{
    fs::File,
    io::{self, Read},
};

include!(concat!(env!("OUT_DIR"), "/goldens.rs"));

const MAGIC: u32 = 0x4e4d_4b45;

/// A model and where its expectations lie.
pub struct Golden {
    /// File name without ending.
    pub name: &'static str,
    /// The model file's core, aligned.
    pub bytes: &'static [u8],
    expect: &'static CStr,
}

/// Type of a sample's values.
#[derive(Clone, Copy)]
enum Type {
    F32,
    I16,
    I8,
    U8,
}

/// An open expectation file.
pub struct Rows {
    file: File,
    /// Rows that are left.
    pub left: u32,
    inputs: usize,
    dim: usize,
    items: usize,
    kind: Type,
    words: [u32; ROW_WORDS],
}

/// A sample and what the host answered.
pub struct Row<'a> {
    sample: &'a [u32],
    inputs: usize,
    kind: Type,
    /// The class's number.
    pub class: u32,
    /// Raw distance to it.
    pub distance: u32,
    /// Raw distance to the nearest other class.
    pub runner_up: u32,
    /// The embedding's raw words.
    pub z: &'a [u32],
    /// Id, class and raw distance of the nearest items; none where the model stores no ids.
    pub items: &'a [[u32; 3]],
}

impl Golden {
    /// Opens the expectation file.
    ///
    /// # Errors
    /// The host cannot open or read it, or it is none.
    pub fn rows(&self) -> io::Result<Rows> {
        let mut file = File::open(self.expect)?;
        let mut header = [0; 5];
        file.read_exact(bytemuck::bytes_of_mut(&mut header))?;
        let [magic, left, inputs, dim, kind] = header;
        let items = (kind >> 8) as usize;
        let kind = match kind & 0xFF {
            0 => Type::F32,
            1 => Type::I16,
            2 => Type::I8,
            3 => Type::U8,
            _ => return Err(io::ErrorKind::InvalidData.into()),
        };
        if magic != MAGIC {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(Rows { file, left, inputs: inputs as usize, dim: dim as usize, items, kind, words: [0; ROW_WORDS] })
    }
}

impl Rows {
    /// The next row, or `None` after the last.
    ///
    /// # Errors
    /// The file ends early or its rows are longer than the build script found.
    pub fn read(&mut self) -> io::Result<Option<Row<'_>>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let sample = (self.inputs * self.kind.bytes()).div_ceil(4);
        let words = self.words.get_mut(..sample + 3 + self.dim + 3 * self.items).ok_or(io::ErrorKind::InvalidData)?;
        self.file.read_exact(bytemuck::cast_slice_mut(words))?;
        let (sample, answer) = words.split_at(sample);
        let &[class, distance, runner_up, ref z @ ..] = answer else { return Err(io::ErrorKind::InvalidData.into()) };
        let (z, items) = z.split_at(self.dim);
        let (items, _) = items.as_chunks();
        Ok(Some(Row { sample, inputs: self.inputs, kind: self.kind, class, distance, runner_up, z, items }))
    }
}

impl Row<'_> {
    /// Classifies the sample in its own type.
    ///
    /// # Errors
    /// As [`Model::classify`].
    pub fn classify(&self, model: &Model<'_>, scratch: &mut [u32]) -> Result<Prediction, Error> {
        match self.kind {
            Type::F32 => model.classify(self.values::<f32>(), scratch),
            Type::I16 => model.classify(self.values::<i16>(), scratch),
            Type::I8 => model.classify(self.values::<i8>(), scratch),
            Type::U8 => model.classify(self.values::<u8>(), scratch),
        }
    }

    /// Embeds the sample in its own type.
    ///
    /// # Errors
    /// As [`Model::embed_raw`].
    pub fn embed(&self, model: &Model<'_>, z: &mut [u32], scratch: &mut [u32]) -> Result<(), Error> {
        match self.kind {
            Type::F32 => model.embed_raw(self.values::<f32>(), z, scratch),
            Type::I16 => model.embed_raw(self.values::<i16>(), z, scratch),
            Type::I8 => model.embed_raw(self.values::<i8>(), z, scratch),
            Type::U8 => model.embed_raw(self.values::<u8>(), z, scratch),
        }
    }

    /// Finds the nearest items of the sample in its own type.
    ///
    /// # Errors
    /// As [`Model::nearest_into`].
    pub fn nearest(&self, model: &Model<'_>, items: &mut [Item], scratch: &mut [u32]) -> Result<usize, Error> {
        match self.kind {
            Type::F32 => model.nearest_into(self.values::<f32>(), scratch, items),
            Type::I16 => model.nearest_into(self.values::<i16>(), scratch, items),
            Type::I8 => model.nearest_into(self.values::<i8>(), scratch, items),
            Type::U8 => model.nearest_into(self.values::<u8>(), scratch, items),
        }
    }

    /// The sample's values; the padding behind them is left away.
    fn values<T: bytemuck::AnyBitPattern>(&self) -> &[T] {
        let values: &[T] = bytemuck::cast_slice(self.sample);
        &values[..self.inputs]
    }
}

impl Type {
    fn bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::I16 => 2,
            Self::I8 | Self::U8 => 1,
        }
    }
}

const fn max(values: &[usize]) -> usize {
    let (mut largest, mut i) = (0, 0);
    while i < values.len() {
        if values[i] > largest {
            largest = values[i];
        }
        i += 1;
    }
    largest
}
