//! Why there is no model within the limits.

use super::limits::Limits;
use crate::error::FitError;
use crate::eval::EvalError;
use crate::export::ExportError;
use crate::quantize::QuantizeError;

/// Why rows could not be compacted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CompactError {
    /// No model keeps the limits.
    #[error("{}", too_small(*limits, *smallest))]
    Budget {
        /// What was asked.
        limits: Limits,
        /// Bytes of flash and of scratch that the smallest model of these rows takes.
        smallest: (usize, usize),
    },
    /// The rows could not be fitted.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// The device cannot run it.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// Integers cannot express it.
    #[error(transparent)]
    Quantize(#[from] QuantizeError),
    /// A finished model could not be measured.
    #[error(transparent)]
    Eval(#[from] EvalError),
}

fn too_small(limits: Limits, (flash, ram): (usize, usize)) -> String {
    let mut parts = Vec::new();
    if let Some(most) = limits.flash.filter(|most| *most < flash) {
        parts.push(format!("{most} bytes of flash are too few: the smallest model of these rows takes {flash}"));
    }
    if let Some(most) = limits.ram.filter(|most| *most < ram) {
        parts.push(format!("{most} bytes of RAM are too few: the smallest model of these rows takes {ram}"));
    }
    if parts.is_empty() {
        parts.push(format!(
            "no model keeps all limits at once; alone, the smallest takes {flash} bytes of flash and {ram} of RAM"
        ));
    }
    parts.join("; ")
}
