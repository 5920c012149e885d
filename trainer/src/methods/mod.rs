//! The methods: one file per family, each the paper in miniature.
//!
//! `docs/ARCHITECTURE.md` has the steps by which a new method is added. In its file:
//! - `settings` names every parameter once, for settings, checks and provenance. A kernel is called `kernel` and its width
//!   `sigma`: a method with neither counts as linear.
//! - `fit` checks the data (`require_classes`), announces its expensive steps with [`Run::step`] (which is also where it
//!   can be cancelled), and returns a [`Fitted`] made by [`Fitted::new`] or [`Fitted::from_map`], with spectrum, trace,
//!   exemplars and notes where it has them. The [`Map`](crate::Map) is all that the device learns of a method.
//! - Shared mathematics sinks to [`linalg`](crate::linalg), [`kernel`](crate::kernel), [`graph`](crate::graph) or
//!   [`features`].
//! - [`MethodParams::memory`], if it holds a matrix with an entry for every pair of rows.
//! - [`MethodParams::tunable`], if more than the width of its kernel is worth tuning.
//!
//! A method outside of this crate joins by [`Registry::with`].

pub mod cmvca;
pub mod cmvda;
mod discriminant;
pub mod dple;
pub mod ebek;
pub mod features;
mod holdout;
pub mod isokrr;
pub mod kda;
pub(crate) mod keywords;
pub mod knn;
pub mod lda;
pub mod lde;
pub mod lfda;
pub mod lpp;
pub mod mreg;
pub mod nsse;
pub mod nys;
mod pairwise;
pub mod pca;
pub mod registry;
mod settings;
pub mod spe;
pub mod suplap;
pub mod svm;
mod tunable;

pub(crate) use keywords::expecting;
pub use keywords::{KernelName, ValueError};
pub use registry::{MethodEntry, Registry, with_defaults};
pub use settings::{SettingError, Settings, SettingsParser};
pub use tunable::Tunable;

use crate::dataset::Dataset;
use crate::error::{FitError, ParamError};
use crate::linalg::Mat;
use crate::model::Fitted;
use crate::run::Run;

/// A way to learn an embedding from rows, most of them from labelled ones.
pub trait Method: Send + Sync + std::fmt::Debug {
    /// The name on the command line and in a model's provenance.
    fn name(&self) -> &'static str;

    /// Every parameter by name, as text, for provenance.
    fn params(&self) -> Vec<(&'static str, String)>;

    /// The seed of what is random in it; `None` where nothing is.
    fn seed(&self) -> Option<u64> {
        None
    }

    /// Whether another seed may give another fit of so many rows.
    fn is_random(&self, _rows: usize) -> bool {
        self.seed().is_some()
    }

    /// Whether it learns from labels; one that does not takes rows without any.
    fn needs_labels(&self) -> bool {
        true
    }

    /// Bytes for the matrices that a fit holds at once with an entry for every pair of rows; zero if it holds none.
    fn memory(&self, rows: usize) -> u64;

    /// The settings that can be tuned on so many classes and rows, with the values to try; which settings these are does
    /// not depend on the rows.
    fn tunable(&self, _classes: usize, _rows: usize) -> Vec<Tunable> {
        Vec::new()
    }

    /// Fits with the given threads, progress and cancellation. The result does not depend on them.
    ///
    /// # Errors
    /// [`FitError`] naming the class, parameter or step at fault.
    fn fit_with(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError>;

    /// How an embedding by `fitted`, a fit of this method, becomes that of a fit with only `dim` axes: by a product with
    /// this matrix from the right. `None` where only another fit has the answer.
    fn nested_axes(&self, _fitted: &Fitted, _dim: usize) -> Option<Mat> {
        None
    }

    /// Fits with all cores and nobody watching.
    ///
    /// # Errors
    /// As [`fit_with`](Self::fit_with).
    fn fit(&self, data: &Dataset) -> Result<Fitted, FitError> {
        self.fit_with(data, &Run::default())
    }
}

impl dyn Method {
    /// Whether some of its settings can be tuned.
    pub(crate) fn is_tunable(&self) -> bool {
        // Which settings these are does not depend on the rows.
        !self.tunable(2, 100).is_empty()
    }

    /// Whether its map is linear: it has no kernel, and no width of one.
    pub(crate) fn is_linear(&self) -> bool {
        !self.params().iter().any(|(name, value)| *name == "sigma" || (*name == "kernel" && value != "none"))
    }
}

/// The parameters of a method, and the method itself: what its file implements.
pub trait MethodParams: Clone + Send + Sync + std::fmt::Debug + 'static {
    /// As [`Method::name`].
    fn name(&self) -> &'static str;

    /// Hands every parameter to the parser, which sets it, checks it and records its value.
    fn settings(&mut self, settings: &mut SettingsParser);

    /// Whether the seed, of a method that has one, matters for so many rows with these parameters.
    fn uses_seed(&self, _rows: usize) -> bool {
        true
    }

    /// As [`Method::needs_labels`].
    fn needs_labels(&self) -> bool {
        true
    }

    /// As [`Method::memory`]; matrices are counted by the measured peak of a fit of 2400 rows in ten classes.
    fn memory(&self, _rows: usize) -> u64 {
        0
    }

    /// Whether `fit` takes [sparse](Dataset::sparse_rows) rows, with these parameters.
    fn takes_sparse(&self) -> bool {
        false
    }

    /// Whether `fit` takes [similarities](Dataset::are_similarities) instead of rows, with these parameters.
    fn takes_similarities(&self) -> bool {
        false
    }

    /// As [`Method::tunable`]; where it is empty, the width of the kernel can be tuned if there is one.
    fn tunable(&self, _classes: usize, _rows: usize) -> Vec<Tunable> {
        Vec::new()
    }

    /// As [`Method::fit_with`].
    ///
    /// # Errors
    /// As [`Method::fit_with`].
    fn fit(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError>;

    /// As [`Method::nested_axes`]. A method whose first axes do not depend on how many follow returns
    /// [`Fitted::first_axes`].
    fn nested_axes(&self, _fitted: &Fitted, _dim: usize) -> Option<Mat> {
        None
    }
}

/// A method whose parameters were checked.
#[derive(Debug, Clone, Default)]
pub struct Checked<P> {
    params: P,
}

impl<P: MethodParams> Checked<P> {
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`ParamError`] naming the first that is out of range.
    pub fn new(params: P) -> Result<Self, ParamError> {
        let method = Self { params };
        method.parsed().out_of_range.map_or(Ok(method), Err)
    }

    /// What a parser finds in the parameters as they are.
    fn parsed(&self) -> SettingsParser {
        let mut parser = SettingsParser::default();
        self.params.clone().settings(&mut parser);
        parser
    }
}

impl<P: MethodParams> Method for Checked<P> {
    fn name(&self) -> &'static str {
        self.params.name()
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        self.parsed().values.into_iter().collect()
    }

    fn seed(&self) -> Option<u64> {
        self.parsed().seed
    }

    fn is_random(&self, rows: usize) -> bool {
        self.seed().is_some() && self.params.uses_seed(rows)
    }

    fn needs_labels(&self) -> bool {
        self.params.needs_labels()
    }

    fn memory(&self, rows: usize) -> u64 {
        self.params.memory(rows)
    }

    fn tunable(&self, classes: usize, rows: usize) -> Vec<Tunable> {
        let own = self.params.tunable(classes, rows);
        let width = |(name, value): &(&str, String)| {
            *name == "sigma" || (*name == "kernel" && !["none", "linear"].contains(&value.as_str()))
        };
        if own.is_empty() && self.params().iter().any(width) { vec![Tunable::sigma()] } else { own }
    }

    fn fit_with(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError> {
        if data.sparse_rows().is_some() && !self.params.takes_sparse() {
            let (rows, columns) = (data.len(), data.width());
            return Err(FitError::Sparse { method: self.params.name(), rows, columns });
        }
        if data.are_similarities() != self.params.takes_similarities() {
            return Err(FitError::Similarities { method: self.params.name() });
        }
        let fitted = self.params.fit(data, run)?;
        Ok(if data.are_similarities() { fitted.of_similarities() } else { fitted })
    }

    fn nested_axes(&self, fitted: &Fitted, dim: usize) -> Option<Mat> {
        self.params.nested_axes(fitted, dim)
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
    pub(crate) fn check(self) -> Result<(), ParamError> {
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

/// Axes of an embedding that is learned without classes: enough for the neighbors of most data (EBEK's paper keeps ten),
/// few enough to store every row.
const UNLABELLED_DIM: usize = 10;

/// The axes that an unsupervised method recommends: twice the number of classes, or a fixed number without labels.
fn unsupervised_dim(data: &Dataset) -> usize {
    if data.is_labelled() { 2 * data.classes() } else { UNLABELLED_DIM }
}

/// What to say about that number.
fn unsupervised_note(dim: Dim, data: &Dataset) -> Option<String> {
    let chosen = dim == Dim::Auto && !data.is_labelled();
    chosen.then(|| format!("no classes to go by: at most {UNLABELLED_DIM} axes; set dim for another number"))
}

/// What to report where `what` was solved with a larger ridge than asked for.
fn raised_ridge(what: &str, asked: f64, used: f64) -> Option<String> {
    // Every digit of a ridge that a factorization happened to need would be noise.
    (used > asked).then(|| format!("{what} is singular (duplicate rows or columns?): ridge raised to {used:.0e}"))
}

/// Neighbors to use: as asked, or `auto` of them but no more than there are other rows.
fn neighbor_count(asked: Option<usize>, auto: usize, rows: usize) -> Result<usize, FitError> {
    match asked {
        Some(k) if k >= rows => Err(FitError::TooFewRows { name: "k", needed: k, rows }),
        Some(k) => Ok(k),
        None => Ok(auto.min(rows.saturating_sub(1))),
    }
}
