//! A model as source code: a Rust module or a C project, with sizes as constants and a self-test.
//!
//! ```
//! use nearmark_train::{Method, codegen, compile, dataset::synthetic, methods::cmvda::Cmvda};
//!
//! let fitted = Cmvda::default().fit(&synthetic::moons(50, 0.1, 0))?;
//! let file = compile::model(&fitted)?.encode()?;
//! let files = codegen::rust(&file, "half-moons")?;
//! assert_eq!(files[0].0, "half_moons.nmk");
//! assert_eq!(files[1].0, "half_moons.rs"); // `mod half_moons;` beside it, and nothing else
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The self-test is one sample with the answer that this machine computed, to the bit. There are no data here, so the
//! sample is derived from the model itself: of many candidates the one whose answer changes for most of a number of
//! altered bytes.

mod c;
mod candidates;
mod example;
mod idents;
mod rust;
mod target;
mod vector;

pub use idents::module_name;
pub use target::Target;

use crate::dataset::{Categories, Coding, Preparation};
use crate::model::ModelFile;
use nearmark_format::{Header, Info, Tensor, needs};
use vector::Vector;

/// A model that no code can be written for: it gives no answer to test itself with.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("no self-test: {0}")]
pub struct CodeError(#[from] nearmark::Error);

/// Files by name, ready to be written to one folder.
pub type Files = Vec<(String, Vec<u8>)>;

/// A Rust module: `NAME.nmk`, the model without provenance, and `NAME.rs` beside it.
///
/// `name` is usually the stem of the model file's name; NAME is what [`module_name`] makes of it.
///
/// # Errors
/// [`CodeError`] when the model has no sample with a finite answer.
pub fn rust(file: &ModelFile, name: &str) -> Result<Files, CodeError> {
    let facts = Facts::of(file, name)?;
    let source = rust::source(&facts).into_bytes();
    Ok(vec![(format!("{}.nmk", facts.name), facts.core.bytes().to_vec()), (format!("{}.rs", facts.name), source)])
}

/// A C project but for its library: `nearmark.h`, `NAME.h` and `NAME.c` with the model and its self-test, and `main.c`
/// to begin with.
///
/// [`c_features`] lists what the library needs.
///
/// # Errors
/// As [`rust`].
pub fn c(file: &ModelFile, name: &str, target: &Target) -> Result<Files, CodeError> {
    let facts = Facts::of(file, name)?;
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
#[must_use]
pub fn c_features(file: &ModelFile, target: &Target) -> Vec<&'static str> {
    let mut features = vec!["panic-handler", "names"];
    features.extend(needs::features(file.header().needs.into()));
    if target.dsp() && features.contains(&"int") {
        features.push("dsp");
    }
    features
}

/// What the code of either language states.
struct Facts {
    name: String,
    /// The model as it lies in flash, with only those class names that it stores: who leaves names out wants none there.
    core: ModelFile,
    /// Where the model comes from, in a line.
    origin: String,
    vector: Vector,
    /// What the training rows' words and missing cells became.
    preparation: Preparation,
    /// The names of the inputs, as far as the training table had any.
    inputs: Vec<String>,
}

impl Facts {
    fn of(file: &ModelFile, name: &str) -> Result<Self, CodeError> {
        let core = file.core();
        let vector = vector::choose(&core)?;
        let preparation = file.info().map_or_else(Preparation::default, |info| Preparation::of(&info.params));
        Ok(Self {
            name: module_name(name),
            origin: origin(file.info()),
            vector,
            preparation,
            inputs: file.feature_names().to_vec(),
            core,
        })
    }

    fn summary(&self) -> String {
        let Header { inputs, dim, classes, core_len, scratch, .. } = *self.core.header();
        let (class, value) = (if classes == 1 { "class" } else { "classes" }, self.core.input().name());
        let ram = 4 * scratch;
        format!(
            "{inputs} {value} values -> {dim} coordinates -> {classes} {class}; {core_len} bytes of flash, {ram} of RAM."
        )
    }

    /// What stands for missing values, if the model was trained with it.
    fn fill(&self) -> Option<Tensor> {
        let fill = &self.preparation.fill;
        (fill.len() == self.core.header().inputs as usize).then(|| vector::exact(fill, self.core.input()))
    }

    /// A line for each column of words: which inputs it is, and what they are.
    fn words(&self) -> Vec<String> {
        let names = &self.inputs;
        let line = |categories: &Categories| {
            let first = match categories.coding {
                Coding::OneHot => categories.values.first().map(|value| format!("{}={value}", categories.column)),
                Coding::Codes => Some(categories.column.clone()),
            };
            let place = first.and_then(|first| names.iter().position(|name| *name == first));
            let place = place.map_or_else(String::new, |place| format!(" (input {place})"));
            let values = categories.values.iter().enumerate().map(|(code, value)| format!("{code} {}", plain(value)));
            let values = values.collect::<Vec<_>>().join(", ");
            let column = plain(&categories.column);
            match categories.coding {
                Coding::OneHot => format!("{column}{place}: 1 at the place of the word, 0 elsewhere: {values}"),
                Coding::Codes => format!("{column}{place}: the number of the word: {values}"),
            }
        };
        self.preparation.categories.iter().map(line).collect()
    }

    /// How much the self-test can detect.
    fn sensitivity(&self) -> String {
        let Vector { noticed, tried, .. } = self.vector;
        format!("This vector notices {noticed} of {tried} altered bytes; the id notices all.")
    }
}

/// Tool and method, all in printable ASCII: it ends up in a comment.
fn origin(info: Option<&Info>) -> String {
    let tool = concat!("nearmark ", env!("CARGO_PKG_VERSION"));
    match info {
        Some(Info { method, rows, .. }) => {
            format!("Written by {tool}; method {}, {rows} training rows.", plain(method))
        }
        None => format!("Written by {tool}."),
    }
}

/// Text for a comment of either language.
fn plain(text: &str) -> String {
    text.chars().filter(|c| matches!(c, ' '..='~')).collect::<String>().replace("*/", "* /")
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
