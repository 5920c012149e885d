//! What goes to the board: the model, the rows in the type that the model takes, and the host's answers to compare with.

use super::{Answer, DeviceError};
use crate::emulator::board::Board;
use crate::evaluate::{self, EvalError};
use crate::linalg::Mat;
use crate::model::ModelFile;
use nearmark::{Item, Model, Num};
use nearmark_format::{crc32, needs};

/// Flash kept free for the harness.
const PROGRAM: usize = 64 * 1024;
/// Nearest items that are compared, as many as in the harness.
const NEAREST: usize = 10;
/// The model's address, its bytes, rows, words per row.
const HEADER_WORDS: usize = 4;

/// A model and rows that fit a board.
#[derive(Debug, Clone)]
pub struct Workload {
    /// The board.
    pub board: Board,
    /// The core: what lies in flash.
    pub model: ModelFile,
    /// Cargo features that the model needs.
    pub features: Vec<&'static str>,
    /// The type in which values go to the board.
    pub sample: Num,
    /// What the host answers, row by row.
    pub expected: Vec<Answer>,
    /// Bytes of a row, padding aside.
    pub row_bytes: usize,
    /// Bytes of scratch.
    pub scratch_bytes: usize,
    /// Every row, padded to whole words.
    rows: Vec<u8>,
}

impl Workload {
    /// Checks that model and rows fit the board, and lets the host answer.
    ///
    /// # Errors
    /// If they do not fit the board or each other.
    pub fn new(file: &ModelFile, rows: &Mat, board: Board) -> Result<Self, DeviceError> {
        let core = file.core();
        let model = core.model();
        let (expected, got) = (model.inputs(), rows.ncols());
        if expected != got {
            return Err(EvalError::Width { expected, got }.into());
        }
        let room = board.flash.len as usize - PROGRAM;
        if core.core_len() > room {
            return Err(DeviceError::Unsuitable(format!(
                "the model takes {} bytes of flash, and {board} has room for {room}: a smaller model or another board helps",
                core.core_len()
            )));
        }
        let sample = sample_type(&core, rows);
        let row_bytes = rows.ncols() * sample.bytes();
        let scratch = core.scratch_bytes() + 4 * model.dim();
        let buffers = 4 * board.buffer_words();
        let needed = row_bytes.next_multiple_of(4) + scratch + 4 * Answer::WORDS;
        if needed > buffers {
            let room = buffers - 4 * Answer::WORDS;
            return Err(DeviceError::Unsuitable(format!(
                "a row takes {row_bytes} bytes and the model {scratch} bytes of RAM, and {board} has room for {room} in all: \
                 fewer inputs or another board help"
            )));
        }
        Ok(Self {
            board,
            features: needs::features(core.header().needs.into()).collect(),
            sample,
            expected: host_answers(&core, rows)?,
            row_bytes,
            scratch_bytes: core.scratch_bytes(),
            rows: pack(rows, sample),
            model: core,
        })
    }

    /// Where QEMU is to put the model: at the end of the flash.
    pub(super) fn address(&self) -> u32 {
        let flash = self.board.flash;
        flash.origin + flash.len - (self.model.bytes().len().next_multiple_of(16) as u32)
    }

    /// The file that the harness reads.
    pub(super) fn file(&self) -> Vec<u8> {
        let row_words = self.row_bytes.div_ceil(4);
        let header: [u32; HEADER_WORDS] =
            [self.address(), self.model.bytes().len() as u32, self.expected.len() as u32, row_words as u32];
        header.into_iter().flat_map(u32::to_le_bytes).chain(self.rows.iter().copied()).collect()
    }
}

/// An integer model gets the integers it was trained on if the rows are such; floats round to them, with the same bits.
fn sample_type(file: &ModelFile, rows: &Mat) -> Num {
    let input = file.input();
    let (least, most) = match input {
        Num::U8 => (0.0, 255.0),
        Num::I8 => (-128.0, 127.0),
        Num::I16 => (-32_768.0, 32_767.0),
        Num::F32 => return Num::F32,
    };
    let whole = |value: &f64| value.fract() == 0.0 && (least..=most).contains(value);
    if file.is_integer() && rows.iter().all(whole) { input } else { Num::F32 }
}

/// The host's answers: as `eval` finds them, with checksums of the embedding and of the nearest items.
fn host_answers(file: &ModelFile, rows: &Mat) -> Result<Vec<Answer>, DeviceError> {
    let found = evaluate::predict(file, rows)?;
    let model = file.model();
    let mut scratch = vec![0; model.scratch_words()];
    let mut z = vec![0; model.dim()];
    let answer = |(i, found): (usize, &nearmark::Prediction)| {
        let x: Vec<f32> = rows.row(i).iter().map(|&value| value as f32).collect();
        let embedded = model.embed_raw(x.as_slice(), &mut z, &mut scratch);
        let refused = |source| EvalError::Row { first: i, end: i + 1, source };
        embedded.map_err(refused)?;
        let items = nearest(&model, &x, &mut scratch).map_err(refused)?;
        let bytes: Vec<u8> = z.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
        let raw = found.raw();
        Ok(Answer {
            class: found.class().0.into(),
            distance: raw.distance,
            runner_up: raw.runner_up,
            embedding: crc32(&bytes),
            items,
        })
    };
    found.iter().enumerate().map(answer).collect()
}

/// CRC of id, class and raw distance of the nearest items; 0 where the model holds none.
fn nearest(model: &Model<'_>, x: &[f32], scratch: &mut [u32]) -> Result<u32, nearmark::Error> {
    if !model.layout().meta().has_prototypes() {
        return Ok(0);
    }
    let mut items = [Item::default(); NEAREST];
    let found = model.nearest_into(x, scratch, &mut items)?;
    let words = items.iter().take(found).flat_map(|item| [item.id(), item.class().0.into(), item.raw_distance()]);
    Ok(crc32(&words.flat_map(u32::to_le_bytes).collect::<Vec<u8>>()))
}

/// The rows one after the other, each padded to whole words.
fn pack(rows: &Mat, sample: Num) -> Vec<u8> {
    let mut packed = Vec::new();
    for row in rows.row_iter() {
        for &value in &row {
            match sample {
                Num::F32 => packed.extend((value as f32).to_le_bytes()),
                Num::I16 => packed.extend((value as i16).to_le_bytes()),
                Num::I8 => packed.extend((value as i8).to_le_bytes()),
                Num::U8 => packed.push(value as u8),
            }
        }
        packed.resize(packed.len().next_multiple_of(4), 0);
    }
    packed
}
