//! The methods: one file per family, each the paper in miniature.
//!
//! # How a new method is added
//! 1. One file here. Its head says Idea, Steps, Model shape, Where we differ from the paper.
//! 2. A `Params` struct with a `Default` that works untuned, and a type that only `new(params)` makes, after
//!    checking each parameter with [`ParamError`].
//! 3. `impl Method`: `fit_with` checks the data (`require_classes`), announces its expensive steps with
//!    [`Run::step`] (which is also where it can be cancelled), and returns a [`Fitted`] made by
//!    [`Fitted::new`] or [`Fitted::from_map`], with spectrum, trace, exemplars and notes where it has them.
//! 4. Shared mathematics sinks to [`linalg`](crate::linalg), [`kernel`](crate::kernel), [`graph`](crate::graph)
//!    or [`features`]. The method always ends in a [`Map`](crate::Map): the device
//!    learns nothing of it.
//! 5. [`Method::memory`], if it holds a matrix with an entry for every pair of rows.
//! 6. A [`MethodEntry`] in the same file: the name, a description, and the constructor that takes its settings from a
//!    [`SettingsParser`]; and a line in [`registry`], which tests, parity and the command line run through.
//!
//! A method outside of this crate joins by [`Registry::with`].

pub mod cmvca;
pub mod cmvda;
mod discriminant;
pub mod dple;
pub mod ebek;
pub mod features;
pub mod kda;
pub(crate) mod keywords;
pub mod knn;
pub mod lda;
pub mod lde;
pub mod lfda;
pub mod lpp;
pub mod nsse;
mod pairwise;
pub mod pca;
pub mod registry;
mod settings;
pub mod suplap;

pub use keywords::{KernelName, ValueError};
pub use registry::{Constructor, MethodEntry, Registry, with_defaults};
pub use settings::{SettingError, Settings, SettingsParser};

use crate::dataset::Dataset;
use crate::error::{FitError, ParamError};
use crate::model::Fitted;
use crate::run::Run;

/// A way to learn an embedding from labelled rows.
pub trait Method: Send + Sync + std::fmt::Debug {
    /// The name on the command line and in a model's provenance.
    fn name(&self) -> &'static str;

    /// Every parameter by name, as text, for provenance.
    fn params(&self) -> Vec<(&'static str, String)>;

    /// Bytes for the matrices that a fit holds at once with an entry for every pair of rows; zero if it holds none.
    ///
    /// Implementations count them by the measured peak of a fit of 2400 rows in ten classes.
    fn memory(&self, _rows: usize) -> u64 {
        0
    }

    /// Fits with the given threads, progress and cancellation. The result does not depend on them.
    ///
    /// # Errors
    /// [`FitError`] naming the class, parameter or step at fault.
    fn fit_with(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError>;

    /// Fits with all cores and nobody watching.
    ///
    /// # Errors
    /// As [`fit_with`](Self::fit_with).
    fn fit(&self, data: &Dataset) -> Result<Fitted, FitError> {
        self.fit_with(data, &Run::default())
    }
}

/// How long an embedding is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dim {
    /// What the method recommends for this data.
    #[default]
    Auto,
    /// Just so many.
    Count(usize),
    /// As many as the data give.
    All,
}

impl Dim {
    /// Refuses a count of zero.
    ///
    /// # Errors
    /// [`ParamError`] naming `dim`.
    pub fn check(self) -> Result<(), ParamError> {
        if let Self::Count(count) = self { ParamError::at_least_one("dim", count) } else { Ok(()) }
    }

    /// The number of axes, when `auto` are recommended and `max` exist.
    fn resolve(self, auto: usize, max: usize) -> Result<usize, FitError> {
        match self {
            Self::Auto => Ok(auto.min(max)),
            Self::All => Ok(max),
            Self::Count(dim) if dim > max => Err(FitError::DimTooLarge { dim, max }),
            Self::Count(dim) => Ok(dim),
        }
    }
}

impl std::fmt::Display for Dim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Auto => write!(f, "auto"),
            Self::Count(count) => write!(f, "{count}"),
            Self::All => write!(f, "all"),
        }
    }
}

/// Neighbors to use: as asked, or `auto` of them but no more than there are other rows.
fn neighbor_count(asked: Option<usize>, auto: usize, rows: usize) -> Result<usize, FitError> {
    match asked {
        Some(k) if k >= rows => Err(FitError::TooFewRows { name: "k", needed: k, rows }),
        Some(k) => Ok(k),
        None => Ok(auto.min(rows.saturating_sub(1))),
    }
}
