//! Series: a step at a time has the bits of whole windows, and entries that do not fit are refused.

use nearmark::{Error, LoadError, Model, Prediction, Sample, Stream};
use nearmark_format::{AlignedBuf, CRC_BYTES, Layout, Shape, checksum, strip};
use nearmark_tests::{
    cases::{self, Case, Rows},
    golden,
};

fn case(name: &str) -> Case {
    cases::all().into_iter().find(|case| case.name == name).unwrap()
}

/// All there is to an answer.
fn bits(answer: Result<Prediction, Error>) -> (u16, u32, u32) {
    let answer = answer.unwrap();
    (answer.class().0, answer.raw().distance, answer.raw().runner_up)
}

/// The series that rows make one after the other, in the order of time: all channels of a step side by side.
fn steps<T: Copy>(rows: &[Vec<T>], channels: usize, interleaved: bool) -> Vec<Vec<T>> {
    let step = |row: &Vec<T>, t: usize| -> Vec<T> {
        let time = row.len() / channels;
        (0..channels).map(|c| if interleaved { row[t * channels + c] } else { row[c * time + t] }).collect()
    };
    rows.iter().flat_map(|row| (0..row.len() / channels).map(move |t| step(row, t))).collect()
}

/// A stream with this hop answers as `classify` does on every window, and says nothing between them.
fn agrees<T: Copy + Default, const N: usize>(model: &Model<'_>, rows: &[Vec<T>], hop: usize) -> usize
where
    [T]: Sample,
{
    let meta = model.layout().meta();
    let (channels, time) = (meta.channels as usize, meta.cols as usize);
    let interleaved = meta.interleaved != 0;
    let series = steps(rows, channels, interleaved);
    let mut stream = Stream::<T, N>::new(model, hop).unwrap();
    let (mut scratch, mut whole) = (vec![9; model.scratch_words()], vec![7; model.scratch_words()]);
    let mut answers = 0;
    for (at, step) in series.iter().enumerate() {
        let answer = stream.push(step, &mut scratch).unwrap();
        let due = (at + 1).checked_sub(time).is_some_and(|start| start.is_multiple_of(hop));
        assert_eq!(answer.is_some(), due, "hop {hop}, step {at}");
        if let Some(answer) = answer {
            let steps = &series[at + 1 - time..=at];
            let window: Vec<T> = if interleaved {
                steps.concat()
            } else {
                (0..channels).flat_map(|c| steps.iter().map(move |step| step[c])).collect()
            };
            assert_eq!(bits(Ok(answer)), bits(model.classify(window.as_slice(), &mut whole)), "hop {hop}, step {at}");
            answers += 1;
        }
    }
    answers
}

#[test]
fn a_step_at_a_time_has_the_bits_of_whole_windows() {
    /// Of one model, with hops within and beyond its window.
    fn all<const N: usize>(name: &str) {
        let case = case(name);
        let bytes = AlignedBuf::from(case.model.encode().unwrap().as_slice());
        let model = Model::from_bytes(&bytes).unwrap();
        let time = model.layout().meta().cols as usize;
        for hop in [1, 3, time, time + 4] {
            let rows = case.rows.first(5);
            let answers = match &rows {
                Rows::F32(rows) => agrees::<f32, N>(&model, rows, hop),
                Rows::I16(rows) => agrees::<i16, N>(&model, rows, hop),
                Rows::I8(rows) => agrees::<i8, N>(&model, rows, hop),
                Rows::U8(rows) => agrees::<u8, N>(&model, rows, hop),
            };
            assert_eq!(answers, (4 * time) / hop + 1, "{name}");
            agrees::<f32, N>(&model, &rows.floats(), hop);
        }
    }
    all::<78>("window-major");
    all::<78>("window-interleaved");
    all::<78>("int-window-major");
    all::<78>("int-window-bytes");
    all::<180>("counts-major");
    all::<360>("counts-interleaved");
    all::<231>("int-counts-major");
    all::<300>("int-counts-interleaved");
    all::<260>("int-counts-bytes");
    all::<80>("int-counts-floats");
}

#[test]
fn a_stream_starts_again_when_cleared() {
    let case = case("int-counts-floats");
    let bytes = AlignedBuf::from(case.model.encode().unwrap().as_slice());
    let model = Model::from_bytes(&bytes).unwrap();
    let mut scratch = vec![0; model.scratch_words()];
    let series = steps(&case.rows.floats()[..1], 2, true);
    let mut stream = Stream::<f32, 80>::new(&model, 1).unwrap();
    assert!(series[..7].iter().all(|step| stream.push(step, &mut scratch).unwrap().is_none()));
    stream.clear();
    let answers: Vec<_> = series.iter().map(|step| stream.push(step, &mut scratch).unwrap()).collect();
    assert_eq!(answers.iter().filter(|answer| answer.is_some()).count(), 1);
    let expected = golden::answers(&model, &case.rows.first(1));
    assert_eq!(bits(Ok(answers[39].unwrap())).1, expected[0].distance);
}

#[test]
fn streams_that_do_not_fit_the_model_are_refused() {
    let bytes = AlignedBuf::from(case("int-counts-floats").model.encode().unwrap().as_slice());
    let model = Model::from_bytes(&bytes).unwrap();
    assert_eq!(Stream::<f32, 79>::new(&model, 1).err(), Some(Error::InputLen { needed: 80, got: 79 }));
    let mut stream = Stream::<f32, 80>::new(&model, 1).unwrap();
    let mut scratch = vec![0; model.scratch_words()];
    let push = |stream: &mut Stream<'_, f32, 80>, step: &[f32], scratch: &mut [u32]| stream.push(step, scratch).err();
    assert_eq!(push(&mut stream, &[0.0], &mut scratch), Some(Error::InputLen { needed: 2, got: 1 }));
    let needed = scratch.len();
    assert_eq!(push(&mut stream, &[0.0; 2], &mut scratch[1..]), Some(Error::Scratch { needed, got: needed - 1 }));
    let bytes = AlignedBuf::from(case("gaussian").model.encode().unwrap().as_slice());
    let model = Model::from_bytes(&bytes).unwrap();
    assert_eq!(Stream::<f32, 16>::new(&model, 1).err(), Some(Error::NotASeries));
}

#[test]
fn entries_of_a_series_without_outputs_are_refused() {
    for name in ["counts-major", "int-counts-major"] {
        let case = case(name);
        let core = strip(&case.model.encode().unwrap()).unwrap();
        let layout_start = Layout::from_bytes(&AlignedBuf::from(core.as_slice())).unwrap().spec().preamble_len();
        // Three channels: their numbers of entries, padded to two words, then the entries.
        let changed = |at: usize, change: fn(u32) -> u32| {
            let mut bytes = core.clone();
            let word: &mut [u8] = &mut bytes[layout_start + at..][..4];
            let value = change(u32::from_le_bytes((&*word).try_into().unwrap()));
            word.copy_from_slice(&value.to_le_bytes());
            let crc = checksum(&bytes);
            bytes[CRC_BYTES].copy_from_slice(&crc.to_le_bytes());
            Model::from_bytes(&AlignedBuf::from(bytes.as_slice())).map(drop)
        };
        assert_eq!(changed(8, |word| word), Ok(()), "{name}");
        assert_eq!(changed(0, |word| word + 1), Err(LoadError::Dimension), "{name}: an entry too many");
        assert_eq!(changed(0, |word| (word - 1) + (1 << 16)), Ok(()), "{name}: an entry of the next channel");
        assert_eq!(changed(8, |word| word | 0x7F), Err(LoadError::Dimension), "{name}: operator 127");
        assert_eq!(changed(8, |word| word | 0x380), Err(LoadError::Dimension), "{name}: part 7");
    }
    let short = |steps| {
        let mut model = case("int-counts-major").model;
        (model.inputs, model.shape) = (3 * steps as usize, Some(Shape { channels: 3, rows: 1, cols: steps }));
        model.encode().map(drop)
    };
    assert_eq!(short(77), Ok(()));
    assert!(short(8).is_err(), "nine taps in eight steps");
}
