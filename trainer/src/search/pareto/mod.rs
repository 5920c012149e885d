//! The Pareto front of accuracy and size, as a table and as JSON.

mod plot;

use super::explore::Budgeted;
use super::{Numeric, Start};
use crate::config::Bytes;
use crate::train::Trained;
use serde_json::{Value, json};
use std::fmt::Write;

/// The best model of one size.
#[derive(Debug, Clone)]
pub struct Point {
    /// Bytes of flash that it may take.
    pub limit: Bytes,
    /// The model.
    pub trained: Trained,
    /// How it was found.
    pub found: Budgeted,
    /// Seconds that the search took.
    pub seconds: f64,
}

/// The best models of several sizes, from the smallest to the largest.
#[derive(Debug, Clone)]
pub struct ParetoFront {
    /// The best model of every size that has one.
    pub points: Vec<Point>,
    /// The most accurate of them; the smallest among equals.
    pub best: usize,
    /// Sizes that no model keeps, with the reason.
    pub missing: Vec<(Bytes, String)>,
    /// Sizes that were not begun when time was over, or whose search was cut short.
    pub late: Vec<Bytes>,
}

impl Point {
    /// Bytes of flash that the model takes.
    #[must_use]
    pub fn flash_bytes(&self) -> usize {
        self.trained.model.core_len()
    }

    /// Accuracy of its candidate on held-out rows, as a model file.
    #[must_use]
    pub fn accuracy(&self) -> f64 {
        self.found.evaluation.trial.accuracy
    }

    /// What the model is made of, in a few words.
    #[must_use]
    pub fn summary(&self) -> String {
        let candidate = &self.found.evaluation.trial.candidate;
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
            "flash_bytes": self.flash_bytes(),
            "ram_bytes": self.trained.model.scratch_bytes(),
            "accuracy": self.accuracy(),
            "standard_error": self.found.evaluation.standard_error(),
            "method": self.found.method,
            "model": self.summary(),
            "tried": self.found.tried,
            "seconds": self.seconds,
        })
    }
}

impl ParetoFront {
    /// From the smallest model to the largest.
    pub(super) fn new(points: Vec<Point>, missing: Vec<(Bytes, String)>, late: Vec<Bytes>) -> Self {
        let accuracies: Vec<f64> = points.iter().map(Point::accuracy).collect();
        Self { best: most_accurate(&accuracies), points, missing, late }
    }

    /// Indices of the points that no smaller or equally large point is as accurate as.
    #[must_use]
    pub fn efficient(&self) -> Vec<usize> {
        let sizes: Vec<(usize, f64)> =
            self.points.iter().map(|point| (point.flash_bytes(), point.accuracy())).collect();
        undominated(&sizes)
    }

    /// A Markdown table.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = String::from(
            "| budget | flash B | RAM B | held-out accuracy % | method | model |\n|---|---|---|---|---|---|\n",
        );
        for (i, point) in self.points.iter().enumerate() {
            let mark = if i == self.best { "**" } else { "" };
            let (limit, flash, ram) = (point.limit, point.flash_bytes(), point.trained.model.scratch_bytes());
            let (accuracy, error) = (100.0 * point.accuracy(), 100.0 * point.found.evaluation.standard_error());
            let (method, model) = (&point.found.method, point.summary());
            let _ = writeln!(
                text,
                "| {limit} | {flash} | {ram} | {mark}{accuracy:.2}{mark} ± {error:.2} | {method} | {model} |"
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

/// The place of the highest accuracy; the first of equals.
fn most_accurate(accuracies: &[f64]) -> usize {
    (0..accuracies.len()).rev().max_by(|a, b| accuracies[*a].total_cmp(&accuracies[*b])).unwrap_or(0)
}

/// Places of the pairs of bytes and accuracy that no other pair dominates: as good in both and better in one. Of equal
/// pairs the first stays.
fn undominated(points: &[(usize, f64)]) -> Vec<usize> {
    let dominates = |a: usize, b: usize| {
        let ((bytes, accuracy), (own_bytes, own_accuracy)) = (points[a], points[b]);
        let as_good = bytes <= own_bytes && accuracy >= own_accuracy;
        as_good && (bytes < own_bytes || accuracy > own_accuracy || a < b)
    };
    (0..points.len()).filter(|&b| !(0..points.len()).any(|a| a != b && dominates(a, b))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_most_accurate_is_the_best() {
        assert_eq!(most_accurate(&[0.5, 0.9, 0.9, 0.7]), 1);
        assert_eq!(most_accurate(&[]), 0);
    }

    #[test]
    fn dominated_points_are_not_efficient() {
        assert_eq!(undominated(&[(100, 0.8), (200, 0.7), (300, 0.9)]), [0, 2], "larger and worse");
        assert_eq!(undominated(&[(100, 0.8), (100, 0.8), (100, 0.9)]), [2], "as large and better");
        assert_eq!(undominated(&[(100, 0.8), (100, 0.8)]), [0], "the first of equals");
        assert_eq!(undominated(&[(200, 0.8), (100, 0.8)]), [1], "smaller and as good");
    }
}
