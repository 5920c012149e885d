//! The code of the README and of the guide pages, `docs/*.md`, compiled and run: each Rust snippet stands here between two
//! marks, with the code that it assumes around it. Commands are held to the help, C and TOML to what the tool writes.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use nearmark::ClassId;
use nearmark_store::{OtherModel, Store};
use nearmark_train::{
    Run,
    io::{self as data_io, Options},
};

#[path = "cli/sandbox.rs"]
#[allow(dead_code, reason = "the other tests use the rest")]
mod sandbox;

#[path = "../../store/tests/support/flash.rs"]
#[allow(dead_code, reason = "the store's own tests use the rest")]
mod flash;

use sandbox::{Outcome, Sandbox};

const HERE: &str = include_str!("readme.rs");
/// The model of the snippets.
const MODEL: &str = "examples/gesture/gesture-f32.nmk";

nearmark::include_model!(mod gestures = "../../examples/gesture/gesture-f32.nmk");

nearmark::include_model!(mod digits = "../../examples/papers/ebek.nmk");

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
    // snippet: Firmware
    let model = gestures::model()?;
    let mut scratch = nearmark::Scratch::<{ gestures::SCRATCH }>::new();
    while let Some(window) = sensor.read() {
        let answer = model.classify(&window, &mut scratch)?;
        act_on(answer.class());
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
    // snippet: Training
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
    // snippet: Learning
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
fn learning_across_power_failures() -> Outcome {
    let window = Sensor { recording: Sensor::RECORDING }.read().ok_or("the recording has ended")?;
    let model = gestures::model()?;
    let mut scratch = nearmark::Scratch::<{ gestures::SCRATCH }>::new();
    let mut flash = flash::SimFlash::<4, 4096>::new(2);
    let wave = ClassId(9);
    // snippet: Storing
    let mut store = Store::<_, 8, { gestures::DIM }>::open(&mut flash, 0..8192, &model, OtherModel::Refuse)?;
    store.enroll(&model, &window, wave, &mut scratch)?;
    let answer = store.memory().classify(&model, &window, &mut scratch)?;
    // end
    assert_eq!(answer.class(), wave);
    let store = Store::<_, 8, { gestures::DIM }>::open(&mut flash, 0..8192, &model, OtherModel::Refuse)?;
    assert_eq!(store.memory().classify(&model, &window, &mut scratch)?.class(), wave);
    Ok(())
}

#[test]
fn items_by_their_ids() -> Outcome {
    let pixels = [0_u8; digits::INPUTS];
    let mut shown = Vec::new();
    let mut show = |id: u32, class: ClassId, far: f32| shown.push((id, class.0 < 10, far > 0.0));
    let model = digits::model()?;
    let mut scratch = nearmark::Scratch::<{ digits::SCRATCH }>::new();
    // snippet: Retrieval
    let items = model.nearest::<3>(&pixels, &mut scratch)?;
    for item in &items {
        show(item.id(), item.class(), item.distance_sq());
    }
    // end
    assert!(shown.len() == 3 && shown.iter().all(|&(id, class, far)| id < 1257 && class && far), "{shown:?}");
    Ok(())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A fenced block of a page.
struct Block {
    page: String,
    language: String,
    text: String,
}

/// The blocks of the README and the guide pages, in order.
fn blocks() -> Outcome<Vec<Block>> {
    let mut pages = vec![root().join("README.md")];
    for entry in fs::read_dir(root().join("docs"))? {
        pages.push(entry?.path());
    }
    let mut blocks = Vec::new();
    for page in pages.iter().filter(|page| page.extension().is_some_and(|ending| ending == "md")) {
        let text = fs::read_to_string(page)?;
        let name = page.file_name().unwrap_or_default().to_string_lossy();
        for fenced in text.split("```").skip(1).step_by(2) {
            let (language, text) = fenced.split_once('\n').unwrap_or_default();
            blocks.push(Block { page: name.to_string(), language: language.to_owned(), text: text.to_owned() });
        }
    }
    Ok(blocks)
}

fn in_language(language: &str) -> Outcome<Vec<Block>> {
    let found: Vec<Block> = blocks()?.into_iter().filter(|block| block.language == language).collect();
    assert!(!found.is_empty(), "no page has a block of {language}");
    Ok(found)
}

#[test]
fn every_block_is_of_a_language_that_is_checked() -> Outcome {
    for Block { page, language, .. } in blocks()? {
        // Text is a picture, or quoted output, which is compared below.
        assert!(["rust", "toml", "c", "sh", "text"].contains(&language.as_str()), "{page}: a block of '{language}'");
    }
    Ok(())
}

#[test]
fn pages_show_the_rust_that_is_compiled_here() -> Outcome {
    let snippets = HERE.split("\n    // snippet: ").skip(1).filter_map(|rest| rest.split_once('\n'));
    let mut snippets: Vec<(&str, Vec<String>)> = snippets.map(|(name, rest)| (name, code(rest, "// end"))).collect();
    for Block { page, text, .. } in in_language("rust")? {
        // The model's file has another path here.
        let shown: Vec<String> =
            code(&text, "```").into_iter().filter(|line| !line.contains("include_model!")).collect();
        let at = snippets.iter().position(|(_, compiled)| *compiled == shown);
        snippets.remove(at.unwrap_or_else(|| panic!("{page} has a snippet that is not compiled here: {shown:#?}")));
    }
    assert!(snippets.is_empty(), "not shown on a page: {snippets:#?}");
    Ok(())
}

/// Lines up to `end`, without comments, blank lines and spaces that align.
fn code(text: &str, end: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim).take_while(|line| *line != end);
    let lines = lines.map(|line| line.split("//").next().unwrap_or_default().trim_end());
    lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[test]
fn commands_exist_with_every_flag() -> Outcome {
    let sandbox = Sandbox::new()?;
    let xtask = fs::read_to_string(root().join("xtask/src/main.rs"))?;
    let mut checked = 0;
    for Block { page, text, .. } in in_language("sh")? {
        for line in text.lines() {
            let words: Vec<&str> = line.split('#').next().unwrap_or_default().split_whitespace().collect();
            let (command, flags) = match words.as_slice() {
                ["nearmark", command, rest @ ..] | ["cargo", "run", "--release", "--", command, rest @ ..] => {
                    (*command, rest)
                }
                ["cargo", "xtask", command, ..] => {
                    assert!(xtask.contains(&format!("[\"{command}\"")), "{page}: no `cargo xtask {command}`");
                    continue;
                }
                ["cargo", "install", "--path", "trainer"] => continue,
                _ => panic!("{page}: a command that is not checked: {line}"),
            };
            let help = sandbox.ok(&format!("{command} --help"))?.stdout;
            for flag in flags.iter().filter(|word| word.starts_with('-')) {
                let known = help.split([' ', ',', '\n']).any(|word| word == *flag);
                assert!(known, "{page}: `nearmark {command}` has no {flag}");
            }
            checked += 1;
        }
    }
    assert!(checked > 5, "{checked} commands were checked");
    Ok(())
}

#[test]
fn the_dependency_is_the_one_that_the_tool_prints() -> Outcome {
    let inspected = Sandbox::new()?.ok(&format!("inspect {}", root().join(MODEL).display()))?.stdout;
    for Block { page, text, .. } in in_language("toml")? {
        for line in text.lines().filter(|line| !line.starts_with('[')) {
            assert!(inspected.contains(line), "{page}: {line}\n{inspected}");
        }
    }
    Ok(())
}

#[test]
fn the_names_in_c_are_those_of_an_exported_project() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.ok(&format!("export {} --lang c -o out --name gestures --no-library", root().join(MODEL).display()))?;
    let mut declared = fs::read_to_string(sandbox.path("out/gestures.h"))?;
    declared += &fs::read_to_string(root().join("runtime/c/include/nearmark.h"))?;
    let declared = identifiers(&declared);
    for Block { page, text, .. } in in_language("c")? {
        let ours = |word: &&String| ["nearmark_", "gestures_"].iter().any(|ours| word.to_lowercase().starts_with(ours));
        for word in identifiers(&text).iter().filter(ours).chain([&"class_id".to_owned()]) {
            assert!(declared.contains(word), "{page}: {word} is in no header");
        }
    }
    Ok(())
}

fn identifiers(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned).collect()
}

#[test]
#[ignore = "needs QEMU: cargo xtask device"]
fn quoted_output_is_what_the_tool_prints() -> Outcome {
    let sandbox = Sandbox::new()?;
    let mut compared = 0;
    for Block { page, text, .. } in in_language("text")? {
        for step in text.split("$ nearmark ").skip(1) {
            let (line, quoted) = step.split_once('\n').unwrap_or((step, ""));
            let ran = sandbox.ok(line)?;
            // Where nothing is quoted, the page leaves the output out.
            if !quoted.is_empty() {
                let printed = format!("{}{}", ran.stdout, ran.stderr);
                assert!(agrees(quoted, &printed), "{page}: nearmark {line} now prints\n{printed}");
                compared += 1;
            }
        }
    }
    assert!(compared > 0, "no output is quoted");
    Ok(())
}

/// Whether words and numbers agree. Larger counts are the compiler's and may differ by a tenth.
fn agrees(quoted: &str, printed: &str) -> bool {
    let (quoted, printed) = (measured(quoted), measured(printed));
    let close = |(a, b): (&f64, &f64)| a == b || (*a > 100.0 && (a - b).abs() <= 0.1 * a);
    quoted.0 == printed.0 && quoted.1.iter().zip(&printed.1).all(close)
}

/// The text with `#` for its numbers, whose digits may be grouped by spaces, and the numbers.
fn measured(text: &str) -> (String, Vec<f64>) {
    let (mut words, mut numbers) = (String::new(), Vec::new());
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        let bytes = rest.as_bytes();
        let grouped = |at: usize| bytes[at] == b' ' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        let inside = |at: &usize| bytes[*at].is_ascii_digit() || bytes[*at] == b'.' || grouped(*at);
        let length = if first.is_ascii_digit() { (0..bytes.len()).take_while(inside).count() } else { 0 };
        match rest[..length].replace(' ', "").trim_end_matches('.').parse() {
            Ok(number) => {
                numbers.push(number);
                words.push('#');
            }
            Err(_) => words.push(first),
        }
        rest = &rest[length.max(first.len_utf8())..];
    }
    (words, numbers)
}

#[test]
fn quoted_numbers_may_move_a_little_and_words_may_not() {
    let agrees = |printed: &str| agrees("accuracy 95.93 %\nflash 10 030 bytes", printed);
    assert!(agrees("accuracy 95.93 %\nflash 10 100 bytes\n"));
    assert!(!agrees("accuracy 95.93 %\nflash 12 100 bytes"));
    assert!(!agrees("accuracy 95.92 %\nflash 10 030 bytes"));
    assert!(!agrees("accuracy 95.93 %\nflash 10 030 words"));
}
