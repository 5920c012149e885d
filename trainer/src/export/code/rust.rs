//! The Rust module.

use super::{Facts, idents, wrapped};
use std::fmt::Write;

/// The text of `NAME.rs`.
///
/// Plain comments at its head and no inner attributes, so that `include!` takes it as well as `mod`. Whatever a
/// program may leave unused is allowed to be: `dead_code` on a function covers what it uses.
pub(super) fn source(facts: &Facts) -> String {
    let Facts { name, header, dependency, vector, .. } = facts;
    let (inputs, dim, classes, scratch) = (header.inputs, header.dim, header.classes, header.scratch);
    let variants = idents::variants(&facts.class_names);
    let (mut enumeration, mut arms, mut names) = (String::new(), String::new(), String::new());
    for (class, (variant, name)) in variants.iter().zip(&facts.class_names).enumerate() {
        let _ = write!(enumeration, "    /// {}\n    {variant} = {class},\n", doc(class, name));
        let _ = writeln!(arms, "            {class} => Some(Self::{variant}),");
        let _ = writeln!(names, "        {name:?},");
    }
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

/// Values per sample.
pub const INPUTS: usize = {inputs};
/// Length of the embedding.
pub const DIM: usize = {dim};
/// Number of classes.
pub const CLASSES: usize = {classes};
/// Words of scratch.
pub const SCRATCH: usize = {scratch};

// Model and module cannot drift apart.
const _: () = assert!(INPUTS == blob::INPUTS && DIM == blob::DIM);
const _: () = assert!(CLASSES == blob::CLASSES && SCRATCH == blob::SCRATCH);

/// What the model was trained on.
pub type Sample = [{element}; INPUTS];

/// The classes.
#[allow(dead_code, clippy::enum_variant_names)]
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u16)]
pub enum Class {{
{enumeration}}}

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

/// The model in flash, every byte checked.
///
/// # Errors
/// If the bytes are damaged.
#[allow(dead_code)]
pub fn model() -> Result<nearmark::Model<'static>, nearmark::LoadError> {{
    blob::model()
}}

/// Names the nearest class.
///
/// # Errors
/// If the sample holds values that are not finite, or the model is not this module's.
#[allow(dead_code)]
pub fn classify(
    model: &nearmark::Model<'_>,
    sample: &Sample,
    scratch: &mut nearmark::Scratch<SCRATCH>,
) -> Result<(Class, nearmark::Prediction), nearmark::Error> {{
    let answer = model.classify(sample, scratch)?;
    // Another model's classes do not fit this enum.
    let (needed, got) = (model.classes(), CLASSES);
    let foreign = nearmark::Error::OutputLen {{ needed, got }};
    let class = Class::from_id(answer.class()).ok_or(foreign)?;
    Ok((class, answer))
}}

/// What [`self_test`] found.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SelfTestError {{
    /// The model is damaged, or needs what this build leaves out.
    Load(nearmark::LoadError),
    /// The vector is not classified at all.
    Classify(nearmark::Error),
    /// Another class or distance than where the model was exported.
    Answer,
    /// The answer is right, but the model is not the one that was exported.
    Id,
}}

impl core::fmt::Display for SelfTestError {{
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {{
        match self {{
            Self::Load(why) => why.fmt(f),
            Self::Classify(why) => why.fmt(f),
            Self::Answer => f.write_str("the self-test vector gets another answer"),
            Self::Id => f.write_str("the model is not the one that was exported"),
        }}
    }}
}}

impl core::error::Error for SelfTestError {{}}

// {sensitivity}
#[rustfmt::skip]
static VECTOR: Sample = [
{sample}];
const VECTOR_CLASS: u16 = {class};
const VECTOR_DISTANCE: u32 = {distance};
const VECTOR_RUNNER_UP: u32 = {runner_up};
const ID: u32 = {id};

/// Checks on the device that model, compiler and processor give the answer of the workstation, to the bit.
///
/// # Errors
/// What is wrong, the first of: the model does not load, the vector's answer differs, the model is another one.
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
"#,
        summary = facts.summary(),
        origin = facts.origin,
        element = facts.input.name(),
        sensitivity = facts.sensitivity(),
        sample = wrapped(vector.values.literals()),
        class = vector.class,
        distance = hex(vector.distance),
        runner_up = hex(vector.runner_up),
        id = hex(header.crc),
    )
}

/// The doc comment of a class.
fn doc(class: usize, name: &str) -> String {
    // Names may hold anything; only what is safe between backticks is shown.
    let harmless = !name.is_empty() && name.chars().all(|c| c != '`' && !c.is_control()) && name.trim() == name;
    if harmless { format!("Class {class}, `{name}`.") } else { format!("Class {class}.") }
}

/// A word as readable digits.
fn hex(word: u32) -> String {
    format!("0x{:04x}_{:04x}", word >> 16, word & 0xffff)
}
