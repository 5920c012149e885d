//! Systems that only retrieve: binary codes, and coordinates without a map for new rows.
//!
//! They are what EBEK is compared with (Elbagoury et al. 2016, Tables 1 and 2). None of them becomes a model: a device
//! compares real coordinates, not codes, and MDS and LLE have no formula for a new row. [`evaluate::recall`] measures
//! them beside every [method](crate::methods).
//!
//! A system is one file: parameters with defaults, `impl Embedder`, and a line in [`SYSTEMS`].
//!
//! [`evaluate::recall`]: crate::evaluate::recall

mod codes;
mod itq;
mod lle;
mod lsh;
mod mds;
mod pca_rr;
mod sklsh;

pub use codes::Codes;

use crate::error::FitError;
use crate::linalg::{Mat, column_means};
use crate::methods::{SettingError, Settings, SettingsParser};
use crate::run::Run;
use std::fmt::Debug;

/// The rows of a data set, and further rows that are looked up among them.
#[derive(Debug, Clone, PartialEq)]
pub enum Embedding {
    /// Real coordinates, compared by Euclidean distance.
    Real(Placed<Mat>),
    /// Binary codes, compared by Hamming distance.
    Bits(Placed<Codes>),
}

/// Rows and queries, both of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed<T> {
    /// The rows themselves.
    pub rows: T,
    /// The queries; `None` where the rows are looked up among each other.
    pub queries: Option<T>,
}

/// Embeds the rows of a data set for retrieval.
pub trait Embedder: Debug + Send + Sync {
    /// Whether it embeds the rows it was made from and no others.
    fn in_sample_only(&self) -> bool {
        false
    }

    /// Bytes for the matrices that it holds at once with an entry for every pair of rows.
    fn memory(&self, _rows: usize) -> u64 {
        0
    }

    /// Embeds `rows`, and `queries` by what was learned from `rows`. What is random follows from `seed`.
    ///
    /// # Errors
    /// [`FitError`] naming the parameter or step at fault.
    fn embed(&self, rows: &Mat, queries: Option<&Mat>, seed: u64, run: &Run<'_>) -> Result<Embedding, FitError>;
}

/// A system by name.
#[derive(Debug, Clone, Copy)]
pub struct SystemEntry {
    /// The name in a list of methods.
    pub name: &'static str,
    /// What it does, in a few words.
    pub description: &'static str,
    /// Why it cannot become a model.
    pub no_model: &'static str,
    /// Takes the settings that it has; the length is a default for `bits` or `dim`.
    from_settings: fn(usize, &mut SettingsParser) -> Box<dyn Embedder>,
}

const CODE: &str = "it makes a binary code, and a model compares real coordinates";
const IN_SAMPLE: &str = "it is in-sample only, without a map for a new row";

/// Every system.
pub const SYSTEMS: &[SystemEntry] = &[pca_rr::PCA_RR, itq::ITQ, lsh::LSH, sklsh::SKLSH, mds::MDS, lle::LLE];

/// The system of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static SystemEntry> {
    SYSTEMS.iter().find(|system| system.name == name)
}

impl SystemEntry {
    /// Whether it makes binary codes.
    #[must_use]
    pub fn is_code(&self) -> bool {
        self.no_model == CODE
    }

    /// The system with these settings; codes and coordinates are `length` long unless a setting states another length.
    ///
    /// # Errors
    /// [`SettingError`] naming the setting that does not exist or has a wrong value.
    pub fn build(&self, length: usize, settings: &Settings) -> Result<Box<dyn Embedder>, SettingError> {
        let mut parser = SettingsParser::new(settings.clone());
        let embedder = (self.from_settings)(length, &mut parser);
        parser.finish(self.name)?;
        Ok(embedder)
    }
}

/// Codes of rows and queries, bit `j` set where column `j` of `project` is above zero.
fn signs(rows: &Mat, queries: Option<&Mat>, project: impl Fn(&Mat) -> Mat) -> Embedding {
    let code = |rows: &Mat| Codes::positive(&project(rows));
    Embedding::Bits(Placed { rows: code(rows), queries: queries.map(code) })
}

/// The columns' means; an error where no row differs from another.
fn center(rows: &Mat) -> Result<Vec<f64>, FitError> {
    let mean = column_means(rows);
    let varies = rows.column_iter().any(|column| column.iter().any(|value| *value != column[0]));
    if varies { Ok(mean) } else { Err(FitError::AllRowsEqual { rows: rows.nrows() }) }
}

#[cfg(test)]
mod tests;
