//! Why a run gave no model.

use super::Limits;
use crate::compile::ExportError;
use crate::compile::quantize::QuantizeError;
use crate::config::ConfigError;
use crate::error::{FitError, ParamError};
use crate::evaluate::EvalError;
use crate::methods::SettingError;

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
    /// No model keeps the limits.
    #[error("{}", too_small(limits, *smallest))]
    Budget {
        /// The limits asked for.
        limits: Box<Limits>,
        /// What the smallest models for these rows take.
        smallest: Smallest,
    },
    /// The finished model could not be evaluated.
    #[error(transparent)]
    Eval(#[from] EvalError),
}

impl TrainError {
    pub(crate) fn is_cancelled(&self) -> bool {
        *self == Self::Fit(FitError::Cancelled)
    }

    /// There was not a single candidate to choose from.
    pub(super) fn no_candidates() -> Self {
        FitError::TooFewRows { name: "candidates", needed: 1, rows: 0 }.into()
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

/// What the smallest models take, each resource separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Smallest {
    /// Bytes of flash.
    pub flash: usize,
    /// Bytes of scratch.
    pub ram: usize,
    /// Instructions on the board asked about; zero if none was.
    pub instructions: u64,
}

fn too_small(limits: &Limits, smallest: Smallest) -> String {
    let mut parts = Vec::new();
    let mut add = |most: u64, least: u64, what: &str| {
        if most < least {
            parts.push(format!("{most} {what} are too few: the smallest model of these rows takes {least}"));
        }
    };
    limits.flash.into_iter().for_each(|most| add(most as u64, smallest.flash as u64, "bytes of flash"));
    limits.ram.into_iter().for_each(|most| add(most as u64, smallest.ram as u64, "bytes of RAM"));
    if let Some((most, board)) = limits.instructions {
        add(most, smallest.instructions, &format!("instructions on {}", board.title));
    }
    if parts.is_empty() {
        let Smallest { flash, ram, .. } = smallest;
        parts.push(format!(
            "no model keeps all limits at once; alone, the smallest takes {flash} bytes of flash and {ram} of RAM"
        ));
    }
    parts.join("; ")
}
