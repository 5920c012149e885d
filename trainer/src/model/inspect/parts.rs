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
    add("header", HEADER_LEN, "name, version, lengths, checksum, sizes, stages".to_owned());
    add(
        "metadata",
        layout.spec().preamble_len() - HEADER_LEN,
        "codes, dimensions and constants of the stages".to_owned(),
    );
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

/// Types of numbers in sections.
#[derive(Clone, Copy)]
enum Stored {
    Bits,
    U8,
    I8,
    U16,
    I16,
    I32,
    F32,
}

impl Array {
    fn bytes(&self) -> usize {
        let count = self.rows * self.width;
        match self.num {
            Stored::Bits => count.div_ceil(8),
            Stored::U8 | Stored::I8 => count,
            Stored::U16 | Stored::I16 => 2 * count,
            Stored::I32 | Stored::F32 => 4 * count,
        }
    }

    fn describe(&self) -> String {
        let num = match self.num {
            Stored::Bits => "bit",
            Stored::U8 => "u8",
            Stored::I8 => "i8",
            Stored::U16 => "u16",
            Stored::I16 => "i16",
            Stored::I32 => "i32",
            Stored::F32 => "f32",
        };
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
    let (random, sparse) = (meta.feature_map == code::MAP_RANDOM, meta.project == code::PROJECT_SPARSE);
    let (values, value_rows) = if sparse { (nonzeros, 1) } else { (w, p) };
    let mut project = array(value_rows, values, by(Stored::F32, Stored::I8));
    let mut readout = array(m, d, stored(meta.readout_num));
    if int {
        // A multiplier per output brings sums back to few bits.
        project.extend(array(1, p, Stored::U16));
        readout.extend(array(1, d, Stored::U16));
    }
    let (heads, rows) = match meta.head {
        code::HEAD_PROTOTYPES => ("prototypes", meta.prototypes.into()),
        _ => ("class means", classes),
    };
    vec![
        (Section::Mask, "selection", array(1, layout.pooled(), Stored::Bits)),
        (Section::Scale, "scaling", array(2, w, by(Stored::F32, Stored::I16))),
        (Section::SparseCounts, "projection counts", array(1, p, Stored::U16)),
        (Section::SparseGaps, "projection gaps", array(1, nonzeros, Stored::U8)),
        (Section::Project, "projection", project),
        (Section::ProjectBias, "projection bias", array(1, p, by(Stored::F32, Stored::I32))),
        if random {
            (Section::Centers, "random weights", array(m, p, by(Stored::F32, Stored::I8)))
        } else {
            (Section::Centers, "centers", array(m, p, by(Stored::F32, Stored::U8)))
        },
        (Section::Phases, "phases", array(1, m, by(Stored::F32, Stored::U16))),
        (Section::Readout, "readout", readout),
        (Section::ReadoutBias, "readout bias", array(1, d, by(Stored::F32, Stored::I32))),
        (Section::Head, heads, array(rows, d, by(Stored::F32, Stored::I16))),
        (Section::Counts, "prototype counts", array(1, classes, Stored::U16)),
    ]
}

/// The type with a code of the format.
fn stored(num: u8) -> Stored {
    match Num::from_code(num) {
        Some(Num::I16) => Stored::I16,
        Some(Num::I8) => Stored::I8,
        Some(Num::U8) => Stored::U8,
        _ => Stored::F32,
    }
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
