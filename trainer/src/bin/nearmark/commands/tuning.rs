//! Tuned settings, for people and for tools.

use crate::output::percent;
use nearmark_train::train::Trial;
use serde_json::{Value, json};

/// Every trial in a line, the settings that were chosen marked.
pub(crate) fn table(trials: &[Trial]) -> String {
    let settings =
        |trial: &Trial| trial.params.iter().map(|(key, value)| format!("{key} {value}")).collect::<Vec<_>>().join(", ");
    let width = trials.iter().map(|trial| settings(trial).chars().count()).max().unwrap_or(0);
    let line = |trial: &Trial| {
        let result = match trial.accuracy {
            Some(accuracy) => format!("{} ± {:.2}", percent(accuracy), 100.0 * trial.standard_error),
            None => format!("failed: {}", trial.failure.as_deref().unwrap_or("unknown reason")),
        };
        let mark = if trial.chosen { "  chosen" } else { "" };
        format!("  round {}  {:<width$}  {result}{mark}", trial.round, settings(trial))
    };
    trials.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A trial for tools.
pub(crate) fn object(trial: &Trial) -> Value {
    json!({
        "params": trial.params,
        "accuracy": trial.accuracy,
        "standard_error": trial.standard_error,
        "round": trial.round,
        "failure": trial.failure,
        "chosen": trial.chosen,
    })
}
