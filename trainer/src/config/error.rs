//! Why a recipe gave no model.

use super::SettingError;
use crate::compile::ExportError;
use crate::compile::quantize::QuantizeError;
use crate::error::FitError;
use crate::evaluate::EvalError;
use crate::search::SearchError;

/// Why a recipe gave no model.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RecipeError {
    /// The recipe itself is at fault.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// Two parts of it contradict each other, or need a third.
    #[error("{0}")]
    Contradiction(String),
    /// The rows could not be fitted.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// The fit does not fit the device.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// Integers cannot express the fit.
    #[error(transparent)]
    Quantize(#[from] QuantizeError),
    /// There is no model within the limits.
    #[error("{0}")]
    Budget(SearchError),
    /// The finished model could not be measured.
    #[error(transparent)]
    Eval(#[from] EvalError),
}

impl From<SearchError> for RecipeError {
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

impl From<crate::error::ParamError> for RecipeError {
    fn from(error: crate::error::ParamError) -> Self {
        Self::Setting(error.into())
    }
}
