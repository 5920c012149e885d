//! Why a run gave no model.

use crate::compile::ExportError;
use crate::compile::quantize::QuantizeError;
use crate::config::ConfigError;
use crate::error::{FitError, ParamError};
use crate::evaluate::EvalError;
use crate::methods::SettingError;
use crate::search::SearchError;

/// Why a run gave no model.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// The configuration itself is at fault.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The rows could not be fitted.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// The device cannot run the fit.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// Integers cannot express the fit.
    #[error(transparent)]
    Quantize(#[from] QuantizeError),
    /// There is no model within the limits.
    #[error("{0}")]
    Budget(SearchError),
    /// The finished model could not be evaluated.
    #[error(transparent)]
    Eval(#[from] EvalError),
}

impl From<SearchError> for TrainError {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Fit(error) => Self::Fit(error),
            SearchError::Export(error) => Self::Export(error),
            SearchError::Quantize(error) => Self::Quantize(error),
            SearchError::Eval(error) => Self::Eval(error),
            error @ SearchError::Budget { .. } => Self::Budget(error),
        }
    }
}

impl From<SettingError> for TrainError {
    fn from(error: SettingError) -> Self {
        Self::Config(error.into())
    }
}

impl From<ParamError> for TrainError {
    fn from(error: ParamError) -> Self {
        Self::Config(error.into())
    }
}
