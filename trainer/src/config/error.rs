//! Parameters that make no run.

use crate::error::ParamError;
use crate::methods::SettingError;

/// Why parameters make no run. Messages name parameters; a tool has [`describe`](Self::describe) name its own flags.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", self.describe(&str::to_owned))]
#[non_exhaustive]
pub enum ConfigError {
    /// A method or one of its settings does not exist or has a wrong value.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A parameter that this run cannot have, or cannot have with this value.
    Refused {
        /// The parameter.
        parameter: &'static str,
        /// Why.
        reason: String,
    },
    /// A parameter means nothing without another.
    Needs {
        /// The parameter given.
        parameter: &'static str,
        /// The one missing.
        missing: &'static str,
        /// What that one is.
        what: &'static str,
    },
}

impl ConfigError {
    /// The message, with every parameter written as `name` gives it.
    #[must_use]
    pub fn describe(&self, name: &dyn Fn(&str) -> String) -> String {
        match self {
            Self::Setting(error) => error.describe(name),
            Self::Refused { parameter, reason } => format!("{}: {reason}", name(parameter)),
            Self::Needs { parameter, missing, what } => {
                format!("{} needs {}: {what}", name(parameter), name(missing))
            }
        }
    }

    pub(crate) fn refused(parameter: &'static str, reason: impl Into<String>) -> Self {
        Self::Refused { parameter, reason: reason.into() }
    }
}

impl From<ParamError> for ConfigError {
    fn from(error: ParamError) -> Self {
        Self::Setting(error.into())
    }
}
