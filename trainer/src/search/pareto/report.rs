//! The Pareto front as a table and as JSON.

use super::{ParetoFront, Point};
use crate::search::{Numeric, Start};
use serde_json::{Value, json};
use std::fmt::Write;

impl Point {
    /// What the model is made of, in a few words.
    #[must_use]
    pub fn summary(&self) -> String {
        let Some(found) = &self.trained.budgeted else { return String::new() };
        let candidate = &found.evaluation.trial.candidate;
        let dimensions = &candidate.dimensions;
        let numbers = if candidate.numeric == Numeric::I8 { "i8" } else { "f32" };
        let kind = match candidate.start {
            Start::Linear(dim) => format!("linear to {dim}"),
            Start::Centers(_) => format!("{} centers of {}", dimensions.centers, dimensions.projected),
        };
        let trained = if candidate.training.is_some() { "trained" } else { "closed form" };
        let sparse = dimensions.nonzeros.map_or(String::new(), |count| format!(" by {count} weights"));
        format!("{kind} on {} of {} features{sparse}, {trained}, {numbers}", dimensions.kept, dimensions.features)
    }

    /// For tools.
    #[must_use]
    pub fn json(&self) -> Value {
        json!({
            "limit": self.limit.0,
            "flash_bytes": self.flash_bytes,
            "ram_bytes": self.ram_bytes,
            "accuracy": self.accuracy,
            "standard_error": self.error,
            "method": self.method,
            "model": self.summary(),
            "tried": self.trained.budgeted.as_ref().map(|found| found.tried),
            "seconds": self.seconds,
        })
    }
}

impl ParetoFront {
    /// A Markdown table.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = String::from(
            "| budget | flash B | RAM B | held-out accuracy % | method | model |\n|---|---|---|---|---|---|\n",
        );
        for (i, point) in self.points.iter().enumerate() {
            let mark = if i == self.best { "**" } else { "" };
            let (accuracy, error) = (100.0 * point.accuracy, 100.0 * point.error);
            let _ = writeln!(
                text,
                "| {} | {} | {} | {mark}{accuracy:.2}{mark} ± {error:.2} | {} | {} |",
                point.limit,
                point.flash_bytes,
                point.ram_bytes,
                point.method,
                point.summary()
            );
        }
        text
    }

    /// For tools; times are left out, so that the same search gives the same file.
    #[must_use]
    pub fn json(&self) -> Value {
        let points = self.points.iter().map(|point| {
            let mut value = point.json();
            value.as_object_mut().map(|object| object.remove("seconds"));
            value
        });
        json!({
            "points": points.collect::<Vec<_>>(),
            "best": self.best,
            "efficient": self.efficient(),
            "missing": self.missing.iter().map(|(limit, why)| json!({ "limit": limit.0, "why": why })).collect::<Vec<_>>(),
            "late": self.late.iter().map(|limit| limit.0).collect::<Vec<_>>(),
        })
    }
}
