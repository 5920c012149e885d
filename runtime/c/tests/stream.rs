//! A stream in C answers what `classify` answers in Rust, for each type of sample.
#![allow(clippy::undocumented_unsafe_blocks, reason = "every pointer here is made of a slice beside its length")]

use std::{fs, mem::MaybeUninit};

use nearmark::Model;
use nearmark_c::*;
use nearmark_format::AlignedBuf;
use nearmark_tests::{cases::Rows, golden};

const OK: nearmark_status = nearmark_status::Ok;

fn open(bytes: &[u8]) -> nearmark_model {
    let mut model = MaybeUninit::uninit();
    assert_eq!(unsafe { nearmark_open(bytes.as_ptr(), bytes.len(), model.as_mut_ptr()) }, OK);
    unsafe { model.assume_init() }
}

fn start(model: &nearmark_model, hop: usize) -> Result<nearmark_stream, nearmark_status> {
    let mut stream = nearmark_stream::default();
    match unsafe { nearmark_stream_init(model, hop, &raw mut stream) } {
        OK => Ok(stream),
        refused => Err(refused),
    }
}

fn read(name: &str) -> (AlignedBuf, Rows) {
    let path = golden::folder().join(name);
    let rows = golden::decode(&fs::read(path.with_extension("expect")).unwrap()).0;
    (AlignedBuf::from(fs::read(path.with_extension("nmk")).unwrap().as_slice()), rows)
}

/// Windows that follow each other without overlap: the rows themselves.
macro_rules! agree {
    ($name:literal, $rows:path, $push:ident) => {{
        let (file, rows) = read($name);
        let $rows(rows) = rows else { panic!("samples of another type") };
        let (rust, c) = (Model::from_bytes(&file).unwrap(), open(&file));
        let meta = rust.layout().meta();
        let (channels, time) = (meta.channels as usize, meta.cols as usize);
        let mut stream = start(&c, time).unwrap();
        let mut window = vec![Default::default(); rust.inputs()];
        let (mut scratch, mut own) = (vec![0x5555; rust.scratch_words()], vec![0xAAAA; rust.scratch_words()]);
        for row in &rows {
            for t in 0..time {
                let at = |c: usize| if meta.interleaved == 0 { c * time + t } else { t * channels + c };
                let step: Vec<_> = (0..channels).map(|c| row[at(c)]).collect();
                let (mut answer, mut is_answered) = (nearmark_prediction::default(), true);
                let (values, len) = (window.as_mut_ptr(), window.len());
                let (room, words) = (scratch.as_mut_ptr(), scratch.len());
                let (out, is) = (&raw mut answer, &raw mut is_answered);
                let pushed = unsafe {
                    $push(&raw const c, &raw mut stream, step.as_ptr(), channels, values, len, room, words, out, is)
                };
                assert_eq!((pushed, is_answered), (OK, t + 1 == time), $name);
                if is_answered {
                    let expected = rust.classify(row.as_slice(), &mut own).unwrap();
                    assert_eq!((answer.class_id, answer.distance), (expected.class().0, expected.raw().distance));
                }
            }
        }
    }};
}

#[test]
fn a_step_at_a_time_answers_as_whole_windows_do() {
    agree!("counts-major", Rows::F32, nearmark_stream_push_f32);
    agree!("int-counts-floats", Rows::F32, nearmark_stream_push_f32);
    agree!("int-counts-major", Rows::I16, nearmark_stream_push_i16);
    agree!("int-counts-interleaved", Rows::U8, nearmark_stream_push_u8);
    agree!("int-counts-bytes", Rows::I8, nearmark_stream_push_i8);
}

#[test]
fn streams_that_do_not_fit_are_refused() {
    let (file, _) = read("gaussian");
    assert_eq!(start(&open(&file), 1).unwrap_err(), nearmark_status::NotASeries);
    let (file, _) = read("int-counts-floats");
    let c = open(&file);
    let mut stream = start(&c, 1).unwrap();
    let (mut window, mut scratch) = ([0f32; 80], [0u32; 200]);
    let (mut answer, mut is_answered) = (nearmark_prediction::default(), true);
    let mut push = |stream: &mut nearmark_stream, channels: usize, len: usize, words: usize| unsafe {
        let (step, values, room) = ([0f32; 2], window.as_mut_ptr(), scratch.as_mut_ptr());
        let (out, is) = (&raw mut answer, &raw mut is_answered);
        nearmark_stream_push_f32(&raw const c, stream, step.as_ptr(), channels, values, len, room, words, out, is)
    };
    assert_eq!(push(&mut stream, 1, 80, 200), nearmark_status::InputLen);
    assert_eq!(push(&mut stream, 2, 79, 200), nearmark_status::InputLen);
    assert_eq!(push(&mut stream, 2, 80, 1), nearmark_status::Scratch);
    assert_eq!(push(&mut stream, 2, 80, 200), OK);
    stream.model_id ^= 1;
    assert_eq!(push(&mut stream, 2, 80, 200), nearmark_status::OtherModel);
    // Fields that no function wrote: no harm.
    let mut wild = nearmark_stream { hop: 0, filled: usize::MAX, dropped: 0, model_id: stream.model_id ^ 1 };
    assert_eq!(push(&mut wild, 2, 80, 200), OK);
}
