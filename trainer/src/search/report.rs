//! The front as a table and as JSON.

use super::tune::{Front, Point};
use crate::search::{Numeric, Start};
use serde_json::{Value, json};
use std::fmt::Write;

impl Point {
    /// What the model is made of, in a few words.
    #[must_use]
    pub fn shape(&self) -> String {
        let Some(found) = &self.trained.budgeted else { return String::new() };
        let setting = &found.verdict.trial.setting;
        let shape = &setting.shape;
        let numbers = if setting.numeric == Numeric::I8 { "i8" } else { "f32" };
        let kind = match setting.start {
            Start::Linear(dim) => format!("linear to {dim}"),
            Start::Centers(_) => format!("{} centers of {}", shape.centers, shape.projected),
        };
        let refined = if setting.refine.is_some() { "refined" } else { "closed form" };
        let sparse = shape.nonzeros.map_or(String::new(), |count| format!(" by {count} weights"));
        format!("{kind} on {} of {} features{sparse}, {refined}, {numbers}", shape.kept, shape.features)
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
            "model": self.shape(),
            "tried": self.trained.budgeted.as_ref().map(|found| found.tried),
            "seconds": self.seconds,
        })
    }
}

impl Front {
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
                point.shape()
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
            "missing": self.missing.iter().map(|(limit, why)| json!({ "limit": limit.0, "why": why })).collect::<Vec<_>>(),
            "late": self.late.iter().map(|limit| limit.0).collect::<Vec<_>>(),
        })
    }
}
