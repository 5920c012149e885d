//! The README's Rust, compiled and run: each snippet stands here between two marks, with what it takes for granted around it.

use std::error::Error;

use nearmark::ClassId;
use nearmark_train::{
    Run,
    io::{self as data_io, Options},
};

const README: &str = include_str!("../../README.md");
const HERE: &str = include_str!("readme.rs");

type Outcome = Result<(), Box<dyn Error>>;

nearmark::include_model!(mod gestures = "../../examples/gesture/gesture-f32.nmk");

/// Frames as a driver reads them, until they are used up.
struct Sensor {
    recording: &'static [u8],
}

impl Sensor {
    const RECORDING: &[u8] = include_bytes!("../../examples/gesture/gesture.bin");

    fn read(&mut self) -> Option<[i16; gestures::INPUTS]> {
        let (bytes, rest) = self.recording.split_at_checked(2 * gestures::INPUTS)?;
        self.recording = rest;
        Some(std::array::from_fn(|at| i16::from_le_bytes([bytes[2 * at], bytes[2 * at + 1]])))
    }
}

#[test]
fn firmware_in_ten_lines() -> Outcome {
    let mut sensor = Sensor { recording: Sensor::RECORDING };
    let mut acted = Vec::new();
    let mut act_on = |class: ClassId| acted.push(class.0);
    // README: Firmware
    let model = gestures::model()?;
    let mut scratch = nearmark::Scratch::<{ gestures::SCRATCH }>::new();
    while let Some(window) = sensor.read() {
        let answer = model.classify(&window, &mut scratch)?;
        if answer.is_known() {
            act_on(answer.class());
        }
    }
    // end
    assert_eq!(acted, [3, 2, 0, 1, 3, 2, 0, 1]);
    Ok(())
}

#[test]
#[allow(clippy::items_after_statements, reason = "the snippet brings its own imports")]
fn training_from_rust() -> Outcome {
    let load = |name| data_io::load(name, &Options::default(), &Run::default()).map(|loaded| loaded.data);
    let (train, test) = (load("builtin:digits:train")?, load("builtin:digits:test")?);
    // README: Training
    use nearmark_train::{Pipeline, compile, evaluate, methods::cmvda::Cmvda};

    let fitted = Pipeline::new(&Cmvda::default()).fit(&train)?;
    let file = compile::model(&fitted)?.encode()?;
    println!("{:.3}", evaluate::evaluate(&file, &test)?.accuracy());
    // end
    assert!(evaluate::evaluate(&file, &test)?.accuracy() > 0.98);
    Ok(())
}

#[test]
fn learning_on_the_device() -> Outcome {
    let mut sensor = Sensor { recording: Sensor::RECORDING };
    let mut read = || sensor.read().ok_or("the recording has ended");
    let three_windows = [read()?, read()?, read()?];
    let window = three_windows[1];
    let model = gestures::model()?;
    let mut scratch = nearmark::Scratch::<{ gestures::SCRATCH }>::new();
    // README: Learning
    let mut memory = nearmark::Memory::<8, { gestures::DIM }>::new(&model)?;
    let wave = memory.next_class(&model);
    for window in &three_windows {
        memory.enroll(&model, window, wave, &mut scratch)?;
    }
    let answer = memory.classify(&model, &window, &mut scratch)?;
    // end
    assert_eq!((answer.class(), answer.distance_sq()), (wave, 0.0));
    Ok(())
}

#[test]
fn the_readme_shows_what_is_compiled_here() {
    let shown: Vec<Vec<String>> = README.split("```rust\n").skip(1).map(|rest| code(rest, "```")).collect();
    let names = ["Firmware", "Training", "Learning"];
    assert_eq!(shown.len(), names.len(), "a snippet is not compiled");
    for (shown, name) in shown.into_iter().zip(names) {
        let (_, rest) = HERE.split_once(&format!("// README: {name}\n")).unwrap_or_default();
        // The model's file lies elsewhere here.
        let shown: Vec<String> = shown.into_iter().filter(|line| !line.contains("include_model!")).collect();
        assert_eq!(shown, code(rest, "// end"), "{name}");
    }
}

/// Lines up to `end`, without comments, blank lines and spaces that align.
fn code(text: &str, end: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim).take_while(|line| *line != end);
    let lines = lines.map(|line| line.split("//").next().unwrap_or_default().trim_end());
    lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
}
