//! Curves as CSV, JSON, a Markdown table and a chart.

use super::{Curve, CurvePoint, Curves, mean_and_error};
#[cfg(feature = "charts")]
use crate::chart::{self, LineChart, Point, Series};
use crate::escape::csv_field;
use serde_json::{Value, json};
use std::fmt::Write;

/// What is drawn against the number of dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quantity {
    /// The share of test rows whose class is found, in percent.
    #[default]
    Accuracy,
    /// The share that is not, in percent.
    Error,
    /// The subspace's Rayleigh quotient on the training rows.
    Rayleigh,
}

impl Quantity {
    /// Mean and standard error of a point.
    #[must_use]
    pub fn of(self, point: &CurvePoint) -> (f64, Option<f64>) {
        let percent = |(mean, error): (f64, Option<f64>)| (100.0 * mean, error.map(|error| 100.0 * error));
        match self {
            Self::Accuracy => percent(mean_and_error(&point.accuracy)),
            Self::Error => {
                let (mean, error) = percent(mean_and_error(&point.accuracy));
                (100.0 - mean, error)
            }
            Self::Rayleigh => mean_and_error(&point.rayleigh),
        }
    }

    /// What an axis calls it.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Accuracy => "accuracy, %",
            Self::Error => "error, %",
            Self::Rayleigh => "Rayleigh quotient",
        }
    }
}

impl Curves {
    /// What was measured, in a line.
    #[must_use]
    pub fn headline(&self) -> String {
        format!("{} rows, {} classes; {}, seed {}", self.rows, self.classes, self.protocol, self.seed)
    }

    /// What readers should know: methods fitted again for every dimension, and those that failed.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let note = |curve: &Curve| match &curve.failure {
            Some(why) => Some(format!("{} failed: {why}", curve.name)),
            None if curve.refitted => {
                Some(format!("{}: fitted again for every dimension, since its axes are not nested", curve.name))
            }
            None if curve.fixed => Some(format!("{} has no dimensions to choose", curve.name)),
            None => None,
        };
        self.curves.iter().filter_map(note).collect()
    }

    /// Every point: `method,dim,accuracy,accuracy_se,rayleigh,rayleigh_se,n,refitted`, accuracies in 0..=1.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut text = String::from("method,dim,accuracy,accuracy_se,rayleigh,rayleigh_se,n,refitted\n");
        let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
        for curve in &self.curves {
            let name = csv_field(&curve.name);
            for point in &curve.points {
                let ((a, a_se), (r, r_se)) = (mean_and_error(&point.accuracy), mean_and_error(&point.rayleigh));
                let (a_se, r_se) = (number(a_se), number(r_se));
                let (dim, n, refitted) = (point.dim, point.accuracy.len(), curve.refitted);
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{name},{dim},{a},{a_se},{r},{r_se},{n},{refitted}");
            }
        }
        text
    }

    /// A table with a line per dimension and a column per method, means in percent.
    #[must_use]
    pub fn to_markdown(&self, quantity: Quantity) -> String {
        let drawn: Vec<&Curve> = self.curves.iter().filter(|curve| curve.failure.is_none()).collect();
        let names: Vec<&str> = drawn.iter().map(|curve| curve.name.as_str()).collect();
        let mut text = format!("{}; {}.\n\n| dim | {} |\n", self.headline(), quantity.label(), names.join(" | "));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| ---: |{}", " ---: |".repeat(names.len()));
        let mut dims: Vec<usize> = drawn.iter().flat_map(|curve| curve.points.iter().map(|point| point.dim)).collect();
        dims.sort_unstable();
        dims.dedup();
        for dim in dims {
            let cell = |curve: &&Curve| {
                let point = curve.points.iter().find(|point| point.dim == dim).map(|point| quantity.of(point));
                let spread = |error: Option<f64>| error.map(|error| format!(" ± {error:.2}")).unwrap_or_default();
                point.map(|(mean, error)| format!("{mean:.2}{}", spread(error))).unwrap_or_default()
            };
            let _ = writeln!(text, "| {dim} | {} |", drawn.iter().map(cell).collect::<Vec<_>>().join(" | "));
        }
        for note in self.notes() {
            let _ = write!(text, "\n{note}.\n");
        }
        text
    }

    /// For tools.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let point = |point: &CurvePoint| {
            let ((accuracy, se), (rayleigh, rayleigh_se)) =
                (mean_and_error(&point.accuracy), mean_and_error(&point.rayleigh));
            let n = point.accuracy.len();
            json!({
                "dim": point.dim, "accuracy": accuracy, "se": se, "rayleigh": rayleigh, "rayleigh_se": rayleigh_se, "n": n
            })
        };
        let curve = |curve: &Curve| {
            json!({
                "method": curve.name,
                "refitted": curve.refitted,
                "best_dim": curve.best().map(|best| best.dim),
                "points": curve.points.iter().map(point).collect::<Vec<_>>(),
                "failure": curve.failure,
            })
        };
        self.curves.iter().map(curve).collect()
    }

    /// The chart of a quantity against the number of dimensions. A method without dimensions is a level line.
    #[cfg(feature = "charts")]
    #[must_use]
    pub fn chart(&self, title: &str, quantity: Quantity) -> LineChart {
        let chosen = self.curves.iter().filter(|curve| !curve.fixed).flat_map(|curve| &curve.points);
        let ends = chosen.fold(None, |ends: Option<(usize, usize)>, point| {
            ends.map_or(Some((point.dim, point.dim)), |(low, high)| Some((low.min(point.dim), high.max(point.dim))))
        });
        let series = |curve: &Curve| {
            let points = curve.points.iter().flat_map(|point| {
                let (y, error) = quantity.of(point);
                let at = |x: usize| Point { x: x as f64, y, error };
                match ends.filter(|_| curve.fixed) {
                    Some((low, high)) => vec![at(low), at(high)],
                    None => vec![at(point.dim)],
                }
            });
            Series::new(&curve.name, points.collect())
        };
        let standing = self.curves.iter().filter(|curve| curve.failure.is_none());
        chart::LineChart {
            title: title.to_owned(),
            x: "dimensions".to_owned(),
            y: quantity.label().to_owned(),
            series: standing.map(series).collect(),
        }
    }
}
