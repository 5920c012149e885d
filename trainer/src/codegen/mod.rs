//! A model as source code: a Rust module or a C project, with sizes as constants and a self-test.
//!
//! ```
//! use nearmark_train::{Method, codegen, compile, dataset::synthetic, methods::cmvda::Cmvda};
//!
//! let fitted = Cmvda::default().fit(&synthetic::moons(50, 0.1, 0))?;
//! let bytes = compile::model(&fitted)?.encode()?;
//! let files = codegen::rust(&bytes, "half-moons")?;
//! assert_eq!(files[0].0, "half_moons.nmk");
//! assert_eq!(files[1].0, "half_moons.rs"); // `mod half_moons;` beside it, and nothing else
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The self-test is one sample with the answer that this machine computed, to the bit. No data are at hand here,
//! so the sample is made from the model itself and chosen by measurement: of many candidates the one that notices
//! most of a number of altered bytes.

mod c;
mod candidates;
mod example;
mod idents;
mod rust;
mod target;
mod vector;

pub use target::Target;

use crate::evaluate;
use crate::model::inspect::dependency;
use nearmark::{LoadError, Model};
use nearmark_format::{AlignedBuf, Header, Info, Num, needs, strip};
use vector::Vector;

/// A model that no code can be written for.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CodeError {
    /// The bytes are not a model.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The model gives no answer to test itself with.
    #[error("no self-test: {0}")]
    Run(#[from] nearmark::Error),
}

/// Files by name, ready to be written to one folder.
pub type Files = Vec<(String, Vec<u8>)>;

/// A Rust module: `NAME.nmk`, the model without provenance, and `NAME.rs` beside it.
///
/// `name` is usually the stem of the model file's name; NAME is what [`module_name`] makes of it.
///
/// # Errors
/// [`CodeError`] when the bytes are not a model, or the model cannot be run here.
pub fn rust(bytes: &[u8], name: &str) -> Result<Files, CodeError> {
    let facts = Facts::of(bytes, name)?;
    let source = rust::source(&facts).into_bytes();
    Ok(vec![(format!("{}.nmk", facts.name), facts.core.to_vec()), (format!("{}.rs", facts.name), source)])
}

/// A C project but for its library: `nearmark.h`, `NAME.h` and `NAME.c` with the model and its self-test, and `main.c`
/// to begin with.
///
/// [`c_features`] tells what the library needs.
///
/// # Errors
/// As [`rust`].
pub fn c(bytes: &[u8], name: &str, target: &Target) -> Result<Files, CodeError> {
    let facts = Facts::of(bytes, name)?;
    let files = [
        ("nearmark.h".to_owned(), NEARMARK_H.to_owned()),
        (format!("{}.h", facts.name), c::header(&facts, target)),
        (format!("{}.c", facts.name), c::source(&facts)),
        ("main.c".to_owned(), example::source(&facts, target)),
    ];
    Ok(files.map(|(name, text)| (name, text.into_bytes())).into())
}

/// The library's own header.
const NEARMARK_H: &str = include_str!("../../../runtime/c/include/nearmark.h");

/// The cargo features of `nearmark-c` that a model needs on a target.
///
/// # Errors
/// [`CodeError`] when the bytes are not a model.
pub fn c_features(bytes: &[u8], target: &Target) -> Result<Vec<&'static str>, CodeError> {
    let header = *Model::from_bytes(&AlignedBuf::from(bytes))?.layout().header();
    let mut features = vec!["panic-handler", "names"];
    features.extend(needs::features(header.needs.into()));
    if target.dsp() && features.contains(&"int") {
        features.push("dsp");
    }
    Ok(features)
}

/// The identifier that stands for a file's name: lower case, ASCII, no keyword.
#[must_use]
pub fn module_name(stem: &str) -> String {
    idents::module(stem)
}

/// What either language tells.
struct Facts {
    name: String,
    /// The model as it lies in flash.
    core: AlignedBuf,
    header: Header,
    input: Num,
    class_names: Vec<String>,
    dependency: String,
    /// Where the model comes from, in a line.
    origin: String,
    vector: Vector,
}

impl Facts {
    fn of(bytes: &[u8], name: &str) -> Result<Self, CodeError> {
        let info = Info::from_model(&AlignedBuf::from(bytes))?;
        let core = AlignedBuf::from(strip(bytes)?.as_slice());
        let model = Model::from_bytes(&core)?;
        let header = *model.layout().header();
        Ok(Self {
            name: idents::module(name),
            header,
            input: model.layout().meta().input(),
            class_names: evaluate::class_names(&model),
            dependency: dependency(header.needs.into()),
            origin: origin(info.as_ref()),
            vector: vector::choose(&core)?,
            core,
        })
    }

    /// The model in a line.
    fn summary(&self) -> String {
        let Header { inputs, dim, classes, core_len, scratch, .. } = self.header;
        let (class, value) = (if classes == 1 { "class" } else { "classes" }, self.input.name());
        let ram = 4 * scratch;
        format!(
            "{inputs} {value} values -> {dim} coordinates -> {classes} {class}; {core_len} bytes of flash, {ram} of RAM."
        )
    }

    /// What the self-test is worth.
    fn sensitivity(&self) -> String {
        let Vector { noticed, tried, .. } = self.vector;
        format!("This vector notices {noticed} of {tried} altered bytes; the id notices all.")
    }
}

/// Tool and method, all in printable ASCII: it ends up in a comment.
fn origin(info: Option<&Info>) -> String {
    let tool = concat!("nearmark ", env!("CARGO_PKG_VERSION"));
    let plain = |text: &str| text.chars().filter(|c| matches!(c, ' '..='~')).collect::<String>().replace("*/", "* /");
    match info {
        Some(Info { method, rows, .. }) => {
            format!("Written by {tool}; method {}, {rows} training rows.", plain(method))
        }
        None => format!("Written by {tool}."),
    }
}

/// Values of an array in either language, as many to a line as fit; both take the last comma.
fn wrapped(values: impl IntoIterator<Item = String>) -> String {
    let mut lines = vec![String::from("   ")];
    for value in values {
        match lines.last_mut() {
            Some(line) if line.len() + value.len() < 95 => line.extend([" ", &value, ","]),
            _ => lines.push(format!("    {value},")),
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests;
