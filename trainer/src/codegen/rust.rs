//! The Rust module.
//!
//! Plain comments at its head and no inner attributes, so that `include!` takes it as well as `mod`. Whatever a
//! program may leave unused is allowed to be: `dead_code` on a function covers what it uses. Lines are broken where
//! rustfmt breaks them, both by its defaults and with wide lines.

use super::vector::literals;
use super::{Facts, idents, wrapped};
use crate::model::inspect::dependency;
use std::fmt::Write;

/// The text of `NAME.rs`.
pub(super) fn source(facts: &Facts) -> String {
    [head(facts), sizes(facts), classes(facts), FUNCTIONS.to_owned(), self_test(facts)].join("\n")
}

/// What it is, where it comes from, how to use it.
fn head(facts: &Facts) -> String {
    let Facts { name, origin, core, .. } = facts;
    let (summary, dependency) = (facts.summary(), dependency(core.header().needs.into()));
    format!(
        r#"// {summary}
// {origin}
//
// In Cargo.toml:
//     {dependency}
// In the program, with {name}.nmk and this file in the same folder:
//     mod {name};
//     {name}::self_test()?;
//     let model = {name}::model()?;
//     let mut scratch = nearmark::Scratch::<{{ {name}::SCRATCH }}>::new();
//     let (class, answer) = {name}::classify(&model, &sample, &mut scratch)?;

nearmark::include_model!(mod blob = "{name}.nmk");
"#
    )
}

fn sizes(facts: &Facts) -> String {
    let header = facts.core.header();
    let items = facts.core.items().map_or_else(String::new, |items| {
        format!(
            "/// Stored items, for `nearest`.\n#[allow(dead_code)]\npub const ITEMS: usize = {};\n",
            number(items as u32)
        )
    });
    let prepared = prepared(facts);
    format!(
        "/// Values per sample.
pub const INPUTS: usize = {};
/// Length of the embedding.
pub const DIM: usize = {};
/// Number of classes.
pub const CLASSES: usize = {};
{items}/// Words of scratch.
pub const SCRATCH: usize = {};

// Model and module cannot drift apart.
const _: () = assert!(INPUTS == blob::INPUTS && DIM == blob::DIM);
const _: () = assert!(CLASSES == blob::CLASSES && SCRATCH == blob::SCRATCH);

/// What the model was trained on.
pub type Sample = [{}; INPUTS];
{prepared}",
        number(header.inputs),
        number(header.dim.into()),
        number(header.classes.into()),
        number(header.scratch),
        facts.core.input().name(),
    )
}

/// What stands for missing values, and which numbers words are; nothing for models of plain numbers.
fn prepared(facts: &Facts) -> String {
    let mut text = String::new();
    if let Some(fill) = facts.fill() {
        let values = wrapped(literals(&fill));
        let _ = write!(
            text,
            "
/// What to put in place of values that are missing: medians of the training rows.
#[rustfmt::skip]
#[allow(dead_code)]
pub const FILL: Sample = [
{values}];
"
        );
    }
    for line in facts.words() {
        let _ = write!(text, "\n// Words of column {line}\n");
    }
    text
}

fn classes(facts: &Facts) -> String {
    let (mut variants, mut arms, mut names) = (String::new(), String::new(), String::new());
    let class_names = facts.core.class_names();
    for (class, (variant, name)) in idents::variants(class_names).iter().zip(class_names).enumerate() {
        let _ = write!(variants, "    /// {}\n    {variant} = {class},\n", doc(class, name));
        let _ = writeln!(arms, "            {class} => Some(Self::{variant}),");
        let _ = writeln!(names, "        {name:?},");
    }
    format!(
        "/// The classes.
#[allow(dead_code, clippy::enum_variant_names)]
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u16)]
pub enum Class {{
{variants}}}

#[allow(dead_code)]
impl Class {{
    /// Their names, in order.
    #[rustfmt::skip]
    pub const NAMES: [&'static str; CLASSES] = [
{names}    ];

    /// The class with this number; `None` for one that the device has learnt itself.
    #[must_use]
    pub const fn from_id(id: nearmark::ClassId) -> Option<Self> {{
        match id.0 {{
{arms}            _ => None,
        }}
    }}

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {{
        Self::NAMES.get(self as usize).copied().unwrap_or_default()
    }}
}}
"
    )
}

const FUNCTIONS: &str = r#"/// The model in flash, every byte checked.
///
/// # Errors
/// If the bytes are damaged.
#[allow(dead_code)]
pub fn model() -> Result<nearmark::Model<'static>, nearmark::LoadError> {
    blob::model()
}

/// Names the nearest class.
///
/// # Errors
/// If the sample holds values that are not finite, or the model is not this module's.
#[allow(dead_code)]
pub fn classify(
    model: &nearmark::Model<'_>,
    sample: &Sample,
    scratch: &mut nearmark::Scratch<SCRATCH>,
) -> Result<(Class, nearmark::Prediction), nearmark::Error> {
    let answer = model.classify(sample, scratch)?;
    // Another model's classes do not fit this enum.
    let (needed, got) = (model.classes(), CLASSES);
    let foreign = nearmark::Error::OutputLen { needed, got };
    let class = Class::from_id(answer.class()).ok_or(foreign)?;
    Ok((class, answer))
}

/// What [`self_test`] found.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SelfTestError {
    /// The model is damaged, or needs what this build leaves out.
    Load(nearmark::LoadError),
    /// The vector is not classified at all.
    Classify(nearmark::Error),
    /// Another class or distance than where the model was exported.
    Answer,
    /// The answer is right, but the model is not the one that was exported.
    Id,
}

impl core::fmt::Display for SelfTestError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Load(why) => why.fmt(f),
            Self::Classify(why) => why.fmt(f),
            Self::Answer => f.write_str("the self-test vector gets another answer"),
            Self::Id => f.write_str("the model is not the one that was exported"),
        }
    }
}

impl core::error::Error for SelfTestError {}
"#;

fn self_test(facts: &Facts) -> String {
    let vector = &facts.vector;
    let (sensitivity, sample, class) = (facts.sensitivity(), wrapped(literals(&vector.values)), vector.class);
    let (distance, runner_up, id) = (hex(vector.distance), hex(vector.runner_up), hex(facts.core.header().crc));
    format!(
        "// {sensitivity}
#[rustfmt::skip]
static VECTOR: Sample = [
{sample}];
const VECTOR_CLASS: u16 = {class};
const VECTOR_DISTANCE: u32 = {distance};
const VECTOR_RUNNER_UP: u32 = {runner_up};
const ID: u32 = {id};

/// Checks on the device that model, compiler and processor give the workstation's answer, to the bit.
///
/// # Errors
/// What is wrong first: the model does not load, the vector's answer differs, the model is another.
#[allow(dead_code)]
pub fn self_test() -> Result<(), SelfTestError> {{
    let model = model().map_err(SelfTestError::Load)?;
    let mut scratch = nearmark::Scratch::<SCRATCH>::new();
    let answer = model.classify(&VECTOR, &mut scratch);
    let answer = answer.map_err(SelfTestError::Classify)?;
    let (class, raw) = (answer.class().0, answer.raw());
    let got = (class, raw.distance, raw.runner_up);
    if got != (VECTOR_CLASS, VECTOR_DISTANCE, VECTOR_RUNNER_UP) {{
        return Err(SelfTestError::Answer);
    }}
    if model.id() != ID {{
        return Err(SelfTestError::Id);
    }}
    Ok(())
}}
"
    )
}

/// The doc comment of a class.
fn doc(class: usize, name: &str) -> String {
    // Names may hold anything; only what is safe between backticks is shown.
    let harmless =
        !name.is_empty() && name.chars().all(|c| c != '`' && c.escape_debug().len() == 1) && name.trim() == name;
    if harmless { format!("Class {class}, `{name}`.") } else { format!("Class {class}.") }
}

/// A count, in groups of three digits as linters want large ones.
fn number(value: u32) -> String {
    let digits = value.to_string();
    if digits.len() < 6 {
        return digits;
    }
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|group| str::from_utf8(group).ok()).collect();
    groups.join("_")
}

/// A word as readable digits.
fn hex(word: u32) -> String {
    format!("0x{:04x}_{:04x}", word >> 16, word & 0xffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_counts_are_grouped() {
        assert_eq!([number(64), number(65_532), number(1_234_567)], ["64", "65532", "1_234_567"]);
    }
}
