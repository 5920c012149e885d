//! Where every byte goes.

use nearmark_format::{HEADER_LEN, Layout, Num, Section, extras, meta::code};

/// A part of a model file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// What it is.
    pub name: String,
    /// Its bytes, without padding.
    pub bytes: usize,
    /// How these bytes come about.
    pub detail: String,
}

/// Every part of a file of `file_bytes`, in its order; what only fills up to whole words or groups of four comes last.
pub(super) fn of(layout: &Layout<'_>, file_bytes: usize) -> Vec<Part> {
    let header = layout.header();
    let core = header.core_len as usize;
    let mut parts = Vec::new();
    let mut add = |name: &str, bytes: usize, detail: String| {
        parts.push(Part { name: name.to_owned(), bytes, detail });
    };
    let metadata = layout.spec().preamble_len() - HEADER_LEN;
    add("header", HEADER_LEN, "name, version, lengths, checksum, sizes, stages".to_owned());
    add("metadata", metadata, "codes, dimensions and constants of the stages".to_owned());
    for (section, name, arrays) in sections(layout) {
        if !layout.words(section).is_empty() {
            let detail: Vec<String> = arrays.iter().map(Array::describe).collect();
            add(name, arrays.iter().map(Array::bytes).sum(), detail.join(", "));
        }
    }
    for extra in layout.extras().iter() {
        let (name, detail) = extra_name(extra.tag);
        // Tag, flags and length take eight bytes.
        add(&format!("extra: {name}"), 8 + extra.payload.len(), detail.to_owned());
    }
    if file_bytes > core {
        add("provenance", file_bytes - core, "how the model was made; never in flash".to_owned());
    }
    let listed: usize = parts.iter().map(|part| part.bytes).sum();
    if file_bytes > listed {
        let detail = "zeros that fill up to whole words and to groups of four rows".to_owned();
        parts.push(Part { name: "padding".to_owned(), bytes: file_bytes - listed, detail });
    }
    parts
}

/// Numbers of one type, in rows.
struct Array {
    rows: usize,
    width: usize,
    num: Stored,
}

/// A type of numbers: its name and bits.
type Stored = (&'static str, usize);

const BIT: Stored = ("bit", 1);
const U8: Stored = ("u8", 8);
const I8: Stored = ("i8", 8);
const U16: Stored = ("u16", 16);
const I16: Stored = ("i16", 16);
const I32: Stored = ("i32", 32);
const F32: Stored = ("f32", 32);

impl Array {
    fn bytes(&self) -> usize {
        (self.rows * self.width * self.num.1).div_ceil(8)
    }

    fn describe(&self) -> String {
        let num = self.num.0;
        if self.rows == 1 { format!("{} {num}", self.width) } else { format!("{} x {} {num}", self.rows, self.width) }
    }
}

/// Every section that a model may have, with the arrays that it then holds.
fn sections(layout: &Layout<'_>) -> Vec<(Section, &'static str, Vec<Array>)> {
    let spec = layout.spec();
    let (meta, int) = (spec.meta(), layout.int());
    let (w, p, m) = (layout.kept(), layout.projected(), layout.mapped());
    let (d, classes) = (usize::from(layout.header().dim), usize::from(layout.header().classes));
    let nonzeros = usize::from(meta.nonzeros);
    let array = |rows: usize, width: usize, num: Stored| vec![Array { rows, width, num }];
    let by = |float: Stored, integer: Stored| if int { integer } else { float };
    let sparse = meta.project == code::PROJECT_SPARSE;
    let random = meta.feature_map == code::MAP_RANDOM;
    let (centers, center_num) = if random { ("random weights", I8) } else { ("centers", U8) };
    let (values, value_rows) = if sparse { (nonzeros, 1) } else { (w, p) };
    let mut project = array(value_rows, values, by(F32, I8));
    let readout_num = match Num::from_code(meta.readout_num) {
        Some(Num::I16) => I16,
        Some(Num::I8) => I8,
        _ => F32,
    };
    let mut readout = array(m, d, readout_num);
    if int {
        // A multiplier per output brings sums back to few bits.
        project.extend(array(1, p, U16));
        readout.extend(array(1, d, U16));
    }
    let (heads, rows) = match meta.head {
        code::HEAD_PROTOTYPES => ("prototypes", meta.prototypes.into()),
        _ => ("class means", classes),
    };
    vec![
        (Section::Mask, "selection", array(1, layout.pooled(), BIT)),
        (Section::Scale, "scaling", array(2, w, by(F32, I16))),
        (Section::SparseCounts, "projection counts", array(1, p, U16)),
        (Section::SparseGaps, "projection gaps", array(1, nonzeros, U8)),
        (Section::Project, "projection", project),
        (Section::ProjectBias, "projection bias", array(1, p, by(F32, I32))),
        (Section::Centers, centers, array(m, p, by(F32, center_num))),
        (Section::Phases, "phases", array(1, m, by(F32, U16))),
        (Section::Readout, "readout", readout),
        (Section::ReadoutBias, "readout bias", array(1, d, by(F32, I32))),
        (Section::Head, heads, array(rows, d, by(F32, I16))),
        (Section::Counts, "prototype counts", array(1, classes, U16)),
    ]
}

fn extra_name(tag: u16) -> (String, &'static str) {
    let (name, detail) = match tag {
        extras::NAMES => ("class names", "a length and UTF-8 per class"),
        extras::RADII => ("reject radii", "a squared distance per class"),
        extras::H => ("certificate matrix", "upper triangle, f32"),
        extras::CALIBRATION => ("calibration", "slope and offset of a confidence, f32"),
        extras::EXEMPLARS => ("exemplars", "number of the training row behind each center, u32"),
        _ => return (format!("tag {tag}"), "not known to this version"),
    };
    (name.to_owned(), detail)
}
