//! The self-test's vector: a sample, and the answer that this machine computes.
//!
//! A vector is as good as the errors that it detects. So candidates are tried on copies of the model with one byte of
//! the sections altered and the checksum corrected, and the one whose answer changes most often is kept.

use super::{CodeError, candidates};
use crate::model::ModelFile;
use crate::rng::Rng;
use nearmark::{Error, Model};
use nearmark_format::{CRC_BYTES, Num, Tensor, checksum};

/// Altered bytes that every candidate is tried on.
const TRIED: usize = 64;
/// Bytes to choose by. Always the same: the same model gives the same code.
const CHOICE: u64 = 0x6e6d_6b31;
/// Other bytes to report the sensitivity by: on those that it was chosen by, a vector does too well.
const REPORT: u64 = 0x6e6d_6b32;
/// Bits of f32's infinity; those of NaN are larger, and differ between processors.
const INFINITE: u32 = 0x7f80_0000;

/// A sample in the type that the model takes, and its answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Vector {
    pub(super) values: Tensor,
    pub(super) class: u16,
    pub(super) distance: u32,
    pub(super) runner_up: u32,
    /// How many altered bytes change the answer or are refused on load.
    pub(super) noticed: usize,
    /// Of how many.
    pub(super) tried: usize,
}

/// Class and raw distances.
type Answer = (u16, u32, u32);

/// The most sensitive candidate for a stripped model.
pub(super) fn choose(core: &ModelFile) -> Result<Vector, CodeError> {
    let (model, input) = (core.model(), core.input());
    let mut scratch = vec![0; model.scratch_words()];
    let (mut found, mut refused) = (Vec::new(), Error::NotFinite);
    for candidate in candidates::of(&core.decode()) {
        let values = sample(&candidate, input);
        match classify(&values, &model, &mut scratch) {
            Ok(answer) if model.layout().int() || answer.2 <= INFINITE => found.push((values, answer)),
            Ok(_) => {}
            Err(why) => refused = why,
        }
    }
    // What the metadata and the extras leave.
    let spec = model.layout().spec();
    let sections = spec.preamble_len()..spec.core_len() - spec.extras_bytes();
    let tried = if sections.is_empty() { 0 } else { TRIED };
    let mut noticed = |seed: u64, candidates: &[(Tensor, Answer)]| -> Vec<usize> {
        let mut rng = Rng::new(seed);
        let mut altered = core.bytes().to_vec();
        let mut noticed = vec![0; candidates.len()];
        for _ in 0..tried {
            let at = sections.start + rng.below(sections.len());
            let change = 1 + rng.below(255) as u8;
            altered[at] ^= change;
            let crc = checksum(&altered);
            altered[CRC_BYTES].copy_from_slice(&crc.to_le_bytes());
            let file = ModelFile::from_bytes(&altered);
            let model = file.as_ref().map(ModelFile::model);
            for ((values, answer), noticed) in candidates.iter().zip(&mut noticed) {
                // A model that is refused fails the self-test too.
                let same = model.is_ok_and(|model| classify(values, &model, &mut scratch) == Ok(*answer));
                *noticed += usize::from(!same);
            }
            altered[at] ^= change;
        }
        noticed
    };
    let counts = noticed(CHOICE, &found);
    // Of equals the first, and simplest.
    let best = (0..found.len()).rev().max_by_key(|&i| counts[i]).ok_or(refused)?;
    let chosen = found.swap_remove(best);
    let noticed = noticed(REPORT, std::slice::from_ref(&chosen)).iter().sum();
    let (values, (class, distance, runner_up)) = chosen;
    Ok(Vector { values, class, distance, runner_up, noticed, tried })
}

/// The nearest sample of a type.
fn sample(row: &[f64], num: Num) -> Tensor {
    // Casts from floats saturate at the type's ends.
    match num {
        Num::F32 => Tensor::F32(row.iter().map(|&v| short(v)).collect()),
        Num::I16 => Tensor::I16(row.iter().map(|v| v.round() as i16).collect()),
        Num::I8 => Tensor::I8(row.iter().map(|v| v.round() as i8).collect()),
        Num::U8 => Tensor::U8(row.iter().map(|v| v.round() as u8).collect()),
    }
}

fn classify(sample: &Tensor, model: &Model<'_>, scratch: &mut [u32]) -> Result<Answer, Error> {
    let answer = match sample {
        Tensor::F32(v) => model.classify(v.as_slice(), scratch),
        Tensor::I16(v) => model.classify(v.as_slice(), scratch),
        Tensor::I8(v) => model.classify(v.as_slice(), scratch),
        Tensor::U8(v) => model.classify(v.as_slice(), scratch),
    }?;
    Ok((answer.class().0, answer.raw().distance, answer.raw().runner_up))
}

/// Values in the type that a model takes, as near as it holds them.
pub(super) fn exact(values: &[f64], input: Num) -> Tensor {
    match input {
        Num::F32 => Tensor::F32(values.iter().map(|&v| v as f32).collect()),
        _ => sample(values, input),
    }
}

/// The numbers as Rust and C write them.
pub(super) fn literals(sample: &Tensor) -> Vec<String> {
    match sample {
        Tensor::F32(v) => v.iter().map(|&v| float(v)).collect(),
        Tensor::I16(v) => v.iter().map(ToString::to_string).collect(),
        Tensor::I8(v) => v.iter().map(ToString::to_string).collect(),
        Tensor::U8(v) => v.iter().map(ToString::to_string).collect(),
    }
}

/// Three digits: as good a sample, and half the source.
fn short(value: f64) -> f32 {
    format!("{value:.2e}").parse().unwrap_or(0.0)
}

/// The shortest decimal that is this float and no other; an exponent where there would be many zeros.
fn float(value: f32) -> String {
    if value == 0.0 || (1e-3..1e4).contains(&value.abs()) { format!("{value:?}") } else { format!("{value:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_written_so_that_they_come_back() {
        for value in [0.0, -0.125, 1.0, 999.0, 12_300.0, 1e-7, -3.4e38] {
            assert_eq!(float(value).parse::<f32>(), Ok(value));
            assert!(float(value).contains(['.', 'e']), "{}", float(value));
        }
        assert_eq!([float(1.0), float(12_300.0), float(0.000_5)], ["1.0", "1.23e4", "5e-4"]);
    }

    #[test]
    fn integers_stay_in_their_range() {
        assert_eq!(sample(&[-5.0, 0.4, 254.6, 300.0], Num::U8), Tensor::U8(vec![0, 0, 255, 255]));
        assert_eq!(sample(&[-500.0, 127.2], Num::I8), Tensor::I8(vec![-128, 127]));
    }
}
