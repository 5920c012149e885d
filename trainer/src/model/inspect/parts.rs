//! Where every byte goes.

use nearmark_format::{Array, HEADER_LEN, Layout, Meta, Section, extras, meta::code};

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
    let spec = layout.spec();
    let metadata = spec.preamble_len() - HEADER_LEN;
    add("header", HEADER_LEN, "name, version, lengths, checksum, sizes, stages".to_owned());
    add("metadata", metadata, "codes, dimensions and constants of the stages".to_owned());
    for section in Section::ALL {
        let arrays = spec.arrays(section);
        if !arrays.is_empty() {
            let detail: Vec<String> = arrays.iter().map(describe).collect();
            add(section_name(section, spec.meta()), arrays.iter().map(Array::bytes).sum(), detail.join(", "));
        }
    }
    for extra in layout.extras().iter() {
        let (name, detail) = extra_name(extra.tag);
        add(&format!("extra: {name}"), extras::PREFIX_LEN + extra.payload.len(), detail.to_owned());
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

fn describe(array: &Array) -> String {
    let Array { rows, width, element, .. } = array;
    if *rows == 1 { format!("{width} {element}") } else { format!("{rows} x {width} {element}") }
}

fn section_name(section: Section, meta: &Meta) -> &'static str {
    match section {
        Section::Mask => "selection",
        Section::Scale => "scaling",
        Section::SparseCounts => "projection counts",
        Section::SparseGaps => "projection gaps",
        Section::Project => "projection",
        Section::ProjectBias => "projection bias",
        Section::Centers if meta.feature_map == code::MAP_RANDOM => "random weights",
        Section::Centers => "centers",
        Section::Phases => "phases",
        Section::Readout => "readout",
        Section::ReadoutBias => "readout bias",
        Section::Head if meta.head == code::HEAD_PROTOTYPES => "prototypes",
        Section::Head => "class means",
        Section::Counts => "prototype counts",
        Section::Series => "features of the series",
        Section::Filters => "filters",
    }
}

fn extra_name(tag: u16) -> (String, &'static str) {
    let (name, detail) = match tag {
        extras::NAMES => ("class names", "a length and UTF-8 per class"),
        extras::RADII => ("reject radii", "a squared distance per class"),
        extras::H => ("certificate matrix", "upper triangle, f32"),
        extras::CALIBRATION => ("calibration", "slope and offset of a confidence, f32"),
        extras::EXEMPLARS => ("exemplars", "number of the training row behind each center, u32"),
        extras::ITEMS => ("ids", "id of each prototype, u32"),
        _ => return (format!("tag {tag}"), "not known to this version"),
    };
    (name.to_owned(), detail)
}
