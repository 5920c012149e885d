//! What a run is: a fit with fixed settings, or a search for the best model within a budget.
//!
//! [`Parameters`] are what a user writes: one flat list of names, all of them optional, the same on the command line and
//! in a file. A [`Config`] is made of them once, and holds only what its kind of run uses; it describes a run and does
//! nothing. [`train`](crate::train()) runs it.
//!
//! ```
//! use nearmark_train::{Run, config::{Config, Parameters}, dataset::synthetic, evaluate, train};
//!
//! let data = synthetic::moons(50, 0.1, 0);
//! let parameters = Parameters { method: Some("kdple".to_owned()), ..Parameters::default() };
//! let trained = train(&Config::try_from(parameters)?, &data, &Run::default())?;
//! assert!(evaluate::evaluate(&trained.model, &data)?.accuracy() > 0.95);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod convert;
mod error;
mod parameters;
mod values;

pub use error::ConfigError;
pub use parameters::{Parameter, Parameters};
pub use values::{Bytes, ConvolutionChoice, Count, Numeric, Size, WindowChoice};

use crate::dataset::Dataset;
use crate::methods::{Method, MethodEntry, Registry, SettingError, Settings, ValueError};
use crate::model::head::HeadChoice;
use crate::preprocess::{Components, Pool, Scaling, Window};
use crate::search::Limits;
use crate::search::closed_form::Origin;

/// The name by which the method is left to cross-validation, or to the budget search.
pub const AUTO: &str = "auto";

/// A run: everything that determines a model, apart from the rows.
#[derive(Debug, Clone, PartialEq)]
pub enum Config {
    /// A method with its settings, fitted once.
    Fixed(FixedFit),
    /// The most accurate model within limits.
    Budget(BudgetSearch),
}

/// A method with its settings, fitted once.
#[derive(Debug, Clone, PartialEq)]
pub struct FixedFit {
    /// What both kinds of run have.
    pub common: Common,
    /// Principal axes before the method.
    pub pca: Option<Components>,
    /// What names the class; by default the method's own head.
    pub head: Option<HeadChoice>,
    /// Whether the model embeds exactly as the fit does, at the price of some bytes.
    pub keep_embedding: bool,
    /// Whether the method's settings are tuned before the fit.
    pub tune_params: bool,
}

/// A search for the most accurate model within limits. Projection, embedding and head are what it searches for.
#[derive(Debug, Clone, PartialEq)]
pub struct BudgetSearch {
    /// What both kinds of run have. The method is the one whose embedding the model learns.
    pub common: Common,
    /// What the device can spare.
    pub limits: Limits,
    /// Where kernel centers come from; by default the method's own choice.
    pub centers: Option<Origin>,
    /// Whether closed forms may be trained.
    pub refine: bool,
    /// Epochs of full training; by default by the number of rows.
    pub passes: Option<usize>,
    /// Convolutions of images.
    pub convolution: ConvolutionChoice,
    /// Whether to search coarsely.
    pub quick: bool,
}

/// What both kinds of run have.
#[derive(Debug, Clone, PartialEq)]
pub struct Common {
    /// What a row is, and how it is prepared.
    pub input: Input,
    /// Scaling of the inputs.
    pub scale: Scaling,
    /// The method.
    pub method: MethodChoice,
    /// In what numbers the device computes.
    pub numeric: Numeric,
    /// Whether class names are stored.
    pub names: bool,
    /// Seed of everything random.
    pub seed: u64,
}

/// What a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// Features in no particular order.
    Table,
    /// A sensor window.
    Series(Series),
    /// A gray image.
    Image(Image),
}

/// A sensor window, and what becomes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Series {
    /// Channels and time steps.
    pub size: Size,
    /// Whether a row holds its channels side by side, step by step, as a driver delivers them.
    pub interleaved: bool,
    /// Whether windows become statistics.
    pub window: WindowChoice,
    /// Segments per window that statistics are taken of.
    pub segments: usize,
}

/// An image, and what becomes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Image {
    /// Rows and columns.
    pub size: Size,
    /// Side of the blocks of pixels that are summed; 1 is none.
    pub pool: usize,
}

/// A method with its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodChoice {
    /// The method; `None` leaves it to cross-validation, or to the budget search.
    pub entry: Option<MethodEntry>,
    /// Its settings by name. Where the method is left open, those without them are not considered.
    pub settings: Settings,
}

impl Config {
    /// What both kinds of run have.
    #[must_use]
    pub fn common(&self) -> &Common {
        match self {
            Self::Fixed(fit) => &fit.common,
            Self::Budget(search) => &search.common,
        }
    }

    /// The limits of a budget search.
    #[must_use]
    pub fn limits(&self) -> Option<&Limits> {
        match self {
            Self::Fixed(_) => None,
            Self::Budget(search) => Some(&search.limits),
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self::Fixed(FixedFit::default())
    }
}

impl Default for FixedFit {
    /// CMVDA behind automatic scaling: good on everything tried, in closed form.
    fn default() -> Self {
        let method = MethodChoice { entry: Some(Registry::DEFAULT_METHOD), settings: Settings::new() };
        let common = Common { method, numeric: Numeric::F32, ..Common::default() };
        Self { common, pca: None, head: None, keep_embedding: false, tune_params: false }
    }
}

impl BudgetSearch {
    /// The best model of any kind within these limits.
    #[must_use]
    pub fn within(limits: Limits) -> Self {
        let (convolution, common) = (ConvolutionChoice::Auto, Common::default());
        Self { common, limits, centers: None, refine: true, passes: None, convolution, quick: false }
    }
}

impl Default for Common {
    /// Everything left open.
    fn default() -> Self {
        Self {
            input: Input::Table,
            scale: Scaling::Auto,
            method: MethodChoice { entry: None, settings: Settings::new() },
            numeric: Numeric::Auto,
            names: true,
            seed: 0,
        }
    }
}

impl Common {
    /// The method with its settings.
    ///
    /// # Errors
    /// [`SettingError`] when no method is named, or when it does not have a setting.
    pub fn build_method(&self) -> Result<Box<dyn Method>, SettingError> {
        let open = || SettingError::value("method", ValueError::new("a method by name", AUTO));
        self.method.entry.ok_or_else(open)?.build(&self.method.settings, self.seed)
    }

    /// What can be refused before any work is done, once the rows are known.
    pub(crate) fn check(&self, data: &Dataset) -> Result<(), ConfigError> {
        if data.sparse_rows().is_some() {
            self.check_sparse()?;
        }
        let (parameter, size) = match self.input {
            Input::Table => return Ok(()),
            Input::Series(series) => ("series", series.size),
            Input::Image(image) => ("image", image.size),
        };
        let (values, width) = (size.0 * size.1, data.width());
        if values == width {
            return Ok(());
        }
        Err(ConfigError::refused(parameter, format!("{size} makes {values} values, but rows have {width}")))
    }
}

impl Common {
    /// What sparse rows exclude: everything that would fill in their zeros.
    fn check_sparse(&self) -> Result<(), ConfigError> {
        if self.method.entry.is_none() {
            return Err(ConfigError::refused(
                "method",
                "sparse rows of this size need a method by name, like lda or pca",
            ));
        }
        match self.numeric {
            Numeric::F32 => Ok(()),
            Numeric::I8 | Numeric::Auto => {
                let reason = "integers are calibrated on rows with all their values; sparse rows of this size need f32";
                Err(ConfigError::refused("numeric", reason))
            }
        }
    }
}

impl MethodChoice {
    /// The method's name, or `auto`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.entry.map_or(AUTO, |entry| entry.name)
    }
}

impl Series {
    pub(crate) fn statistics(&self, segments: usize) -> Result<Window, SettingError> {
        let Size(channels, steps) = self.size;
        Ok(Window::new(channels, steps, segments, self.interleaved)?)
    }
}

impl Image {
    /// The pooling of this image, if there is any.
    pub(crate) fn pooling(&self) -> Result<Option<Pool>, SettingError> {
        let Size(rows, cols) = self.size;
        if self.pool == 1 { Ok(None) } else { Ok(Some(Pool::new(1, rows, cols, self.pool)?)) }
    }
}
