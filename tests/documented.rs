//! FORMAT.md is true: its example is a model, its tables name every field, and a reader written
//! from it alone gives the runtime's bits.

use std::{fmt::Write as _, fs, path::Path};

use nearmark::Model;
use nearmark_format::{
    AlignedBuf, FeatureMap, Head, Header, Info, Kernel, LoadError, Meta, ModelBuf, Readout, Tensor, checksum, crc32,
    needs, seed::Row,
};
use nearmark_tests::{golden, int_reader};

#[path = "documented/reader.rs"]
mod reader;
#[path = "documented/trailer.rs"]
mod trailer;

fn text() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../model-format/FORMAT.md");
    fs::read_to_string(path).unwrap()
}

/// The lines of the fenced block with this tag.
fn block(text: &str, tag: &str) -> Vec<String> {
    let fence = format!("```{tag}");
    let lines = text.lines().skip_while(|line| line.trim() != fence).skip(1);
    let lines: Vec<String> = lines.take_while(|line| line.trim() != "```").map(String::from).collect();
    assert!(!lines.is_empty(), "FORMAT.md has a block {fence}");
    lines
}

/// The example of FORMAT.md.
fn example() -> ModelBuf {
    ModelBuf {
        feature_map: FeatureMap::Centers {
            kernel: Kernel::Gaussian { gamma: 0.5 },
            values: Tensor::F32(vec![0.0, 0.0, 3.0, 4.0]),
        },
        readout: Some(Readout { weights: Tensor::F32(vec![1.0, 0.0, 0.0, 1.0]), ..Readout::default() }),
        head: Head::Unit,
        names: vec!["near".into(), "far".into()],
        ..ModelBuf::new(2, 2, 2)
    }
}

/// The bytes of the example: lines of `offset: bytes ; meaning`.
fn hex(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in block(text, "hex") {
        let (offset, rest) = line.split_once(':').expect("an offset");
        let (digits, meaning) = rest.split_once(';').expect("a meaning");
        assert_eq!(offset.trim().parse(), Ok(bytes.len()), "offset of {line:?}");
        assert!(!meaning.trim().is_empty(), "{line:?} says what it is");
        bytes.extend(digits.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()));
    }
    bytes
}

#[test]
fn the_example_in_hex_is_the_model_it_says() {
    let bytes = hex(&text());
    assert_eq!(bytes, example().encode().unwrap(), "as it should be:\n{}", dump(&example().encode().unwrap()));
    assert_eq!(ModelBuf::decode(&AlignedBuf::from(bytes.as_slice())), Ok(example()));
}

/// Four bytes a line, to paste after a change of the format.
fn dump(bytes: &[u8]) -> String {
    bytes.chunks(4).enumerate().fold(String::new(), |mut out, (at, word)| {
        let digits: Vec<String> = word.iter().map(|b| format!("{b:02X}")).collect();
        writeln!(out, "{}: {}", 4 * at, digits.join(" ")).unwrap();
        out
    })
}

/// Numbers behind `name:` in a block, in hex or decimal.
fn numbers(lines: &[String], name: &str) -> Vec<i64> {
    let line = lines.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let number = |word: &str| match word.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).unwrap(),
        None => word.parse().unwrap(),
    };
    line.unwrap_or_else(|| panic!("a line {name}:")).split_whitespace().map(number).collect()
}

#[test]
fn the_example_answers_as_documented() {
    let lines = block(&text(), "answer");
    let sample: Vec<f32> = numbers(&lines, "sample").iter().map(|&v| v as f32).collect();
    let expected = reader::Answer {
        class: numbers(&lines, "class")[0] as u16,
        distance: numbers(&lines, "distance")[0] as u32,
        runner_up: numbers(&lines, "runner-up")[0] as u32,
        z: numbers(&lines, "z").iter().map(|&v| v as u32).collect(),
        items: Vec::new(),
    };
    let bytes = AlignedBuf::from(hex(&text()).as_slice());
    let model = Model::from_bytes(&bytes).unwrap();
    let mut scratch = vec![0; model.scratch_words()];
    let mut z = vec![0; model.dim()];
    model.embed_raw(sample.as_slice(), &mut z, &mut scratch).unwrap();
    let answer = model.classify(sample.as_slice(), &mut scratch).unwrap();
    let raw = answer.raw();
    let (class, items) = (answer.class().0, Vec::new());
    let got = reader::Answer { class, distance: raw.distance, runner_up: raw.runner_up, z, items };
    assert_eq!(got, expected, "{got:#X?}");
    assert_eq!(model.class_name(answer.class()), Some("near"));
}

#[test]
fn the_seeds_test_vector_is_met() {
    let lines = block(&text(), "seed");
    let [lo, hi, row] = ["seed_lo", "seed_hi", "row"].map(|name| numbers(&lines, name)[0] as u32);
    for (law, name) in [(0, "signs"), (1, "bytes")] {
        let expected = numbers(&lines, name);
        assert!(expected.len() >= 4);
        let mut weights = Row::new(lo, hi, row, law);
        let made: Vec<i64> = expected.iter().map(|_| weights.weight().into()).collect();
        assert_eq!(made, expected, "{name}");
        let phase = weights.phase();
        assert_eq!(i64::from(phase), numbers(&lines, &format!("{name} phase"))[0], "{name}");
        let (plain, plain_phase) = reader::random_row(lo, hi, row, law.into(), expected.len());
        assert!(plain.iter().map(|&w| i64::from(w)).eq(expected) && plain_phase == phase, "{name}, by the reader");
    }
}

#[test]
fn a_reader_written_from_the_document_gives_the_same_bits() {
    let goldens = golden::load_all().unwrap();
    assert!(goldens.len() >= 46);
    let listed = |golden: &&golden::Golden| !golden::decode(&golden.2).1[0].items.is_empty();
    assert!(goldens.iter().filter(listed).count() >= 2, "items of both profiles");
    for (name, model, expect) in goldens {
        let (rows, answers) = golden::decode(&expect);
        if Header::read(&model).unwrap().needs & (needs::INT as u16) != 0 {
            for (at, (row, answer)) in rows.integers(&model).iter().zip(answers).enumerate() {
                assert_eq!(int_reader::classify(&model, row), answer, "{name}, row {at}");
            }
            continue;
        }
        for (at, (row, answer)) in rows.floats().iter().zip(answers).enumerate() {
            let golden::Answer { class, distance, runner_up, z, items } = answer;
            let expected = reader::Answer { class, distance, runner_up, z, items };
            assert_eq!(reader::classify(&model, row), expected, "{name}, row {at}");
        }
    }
}

/// Every field of the provenance, as the reader of the document calls it.
fn origin(info: Info) -> trailer::Origin {
    let Info { tool, method, params, seed, data_hash, rows, scores, feature_names, class_names, .. } = info;
    trailer::Origin {
        tool,
        method,
        parameters: params,
        seed,
        data: data_hash,
        rows,
        scores,
        features: feature_names,
        classes: class_names,
        interleaved: info.interleaved,
        exemplars: info.exemplars,
        similarities: info.similarities,
    }
}

/// The example with provenance, in which every list has something.
fn with_provenance(class_names: &[&str], interleaved: bool) -> ModelBuf {
    let info = Info {
        tool: "nearmark 0.1".into(),
        method: "cmvda".into(),
        params: vec![("ridge".into(), "0.1".into())],
        seed: u64::MAX,
        data_hash: [7; 16],
        rows: 300,
        scores: vec![("holdout".into(), 0.5)],
        feature_names: vec!["x".into(), "y".into()],
        class_names: class_names.iter().map(ToString::to_string).collect(),
        interleaved,
        ..Info::default()
    };
    ModelBuf { names: Vec::new(), info: Some(info), ..example() }
}

#[test]
fn a_trailer_read_by_the_document_says_what_was_written() {
    let mut lengths = Vec::new();
    for (names, interleaved) in [(&[][..], false), (&["near", "far"], false), (&[], true), (&["a", "b"], true)] {
        let model = with_provenance(names, interleaved);
        let bytes = AlignedBuf::from(model.encode().unwrap().as_slice());
        assert_eq!(trailer::read(&bytes), model.info.clone().map(origin));
        assert_eq!(ModelBuf::decode(&bytes).as_ref(), Ok(&model));
        lengths.push(bytes.len());
    }
    for (exemplars, similarities) in [(vec![(300, 1), (7, 0)], false), (vec![], true)] {
        let mut model = with_provenance(&[], false);
        model.info = model.info.map(|info| Info { exemplars, similarities, ..info });
        let bytes = AlignedBuf::from(model.encode().unwrap().as_slice());
        assert_eq!(trailer::read(&bytes), model.info.clone().map(origin));
        assert_eq!(ModelBuf::decode(&bytes).as_ref(), Ok(&model));
    }
    // Without both of the last fields neither is written.
    assert_eq!([lengths[1] - lengths[0], lengths[2] - lengths[0]], ["_near_far".len() + 2, 2]);
    let mut trailers = 0;
    for (name, bytes, _) in golden::load_all().unwrap() {
        let info = Info::from_model(&AlignedBuf::from(bytes.as_slice())).unwrap();
        trailers += usize::from(info.is_some());
        assert_eq!(trailer::read(&bytes), info.map(origin), "{name}");
    }
    assert!(trailers >= 6, "goldens with provenance");
}

#[test]
fn class_names_of_the_provenance_are_as_many_as_the_classes() {
    let missing = with_provenance(&["near"], false).encode();
    let told = missing.map_err(|why| why.to_string());
    assert_eq!(told, Err("class names in the provenance takes 2 values, got 1".to_owned()));
    // Written by somebody else: the list's length is the byte before its names.
    let mut bytes = with_provenance(&["a", "b"], false).encode().unwrap();
    let core = Header::read(&bytes).unwrap().core_len as usize;
    let list = bytes.len() - "2_a_b0".len();
    assert_eq!(bytes[list], 2);
    bytes[list] = 1;
    let crc = crc32(&bytes[core + 12..]);
    bytes[core + 8..core + 12].copy_from_slice(&crc.to_le_bytes());
    assert_eq!(Info::from_model(&AlignedBuf::from(bytes.as_slice())), Err(LoadError::Trailer));
}

#[test]
fn constants_of_the_reader_are_those_of_the_document() {
    let text = text();
    for bits in reader::EXP.iter().chain(&reader::COS).chain([&reader::ROOT]) {
        assert!(text.contains(&format!("`0x{bits:08X}`")), "0x{bits:08X}");
    }
}

/// The names of a struct's fields, in order, from its `Debug` output.
fn fields(debug: &str) -> Vec<&str> {
    let (_, inside) = debug.split_once('{').unwrap();
    inside.split(", ").filter_map(|field| Some(field.split_once(':')?.0.trim())).collect()
}

#[test]
fn tables_name_every_field_at_its_offset() {
    let text = text();
    let row = |offset: usize, name: &str, kind: &str| {
        let start = format!("| {offset} | `{name}` | {kind} |");
        assert!(text.lines().any(|line| line.starts_with(&start)), "a row {start}");
    };
    let meta = format!("{:?}", Meta::default());
    let mut offset = 0;
    for name in fields(&meta) {
        let (kind, bytes) = match name {
            "projected" | "centers" | "z_one" | "z_max" | "nonzeros" | "prototypes" | "entries" => ("u16", 2),
            "in_zero" | "in_mul" => ("i16", 2),
            "k_mul" | "rows" | "cols" | "channels" | "seed_lo" | "seed_hi" => ("u32", 4),
            "gamma" | "z_unit" | "scale_mul" | "scale_add" | "offset" => ("f32", 4),
            _ => ("u8", 1),
        };
        row(offset, name, kind);
        offset += bytes;
    }
    assert_eq!((offset, size_of::<Meta>()), (88, 88), "types and order are those of Meta");
    assert!(text.contains("88 bytes"));
    row(0, "magic", "4 bytes");
    row(4, "version", "u8");
    row(5, "flags", "u8");
    row(core::mem::offset_of!(Header, needs), "needs", "u16");
    row(core::mem::offset_of!(Header, core_len), "core_len", "u32");
    row(core::mem::offset_of!(Header, crc), "crc", "u32");
    row(core::mem::offset_of!(Header, inputs), "inputs", "u32");
    row(core::mem::offset_of!(Header, dim), "dim", "u16");
    row(core::mem::offset_of!(Header, classes), "classes", "u16");
    row(core::mem::offset_of!(Header, scratch), "scratch", "u32");
}

#[test]
fn the_needs_bits_are_listed_in_order() {
    let text = text();
    for (bit, name) in needs::names(0x1FFF).enumerate() {
        assert!(text.contains(&format!("| {bit} | {name} |")), "bit {bit} is {name}");
    }
}

#[test]
fn the_id_is_the_documented_checksum() {
    let bytes = hex(&text());
    let id = u32::from_le_bytes(bytes[12..16].try_into().unwrap());
    assert_eq!(id, checksum(&bytes));
    assert!(text().contains(&format!("0x{id:08X}")), "the example tells its id 0x{id:08X}");
}
