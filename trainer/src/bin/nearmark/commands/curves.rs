//! `nearmark compare --dims`

use super::compare::filled;
use crate::args::{CompareArgs, CurveArg, Usage};
use crate::output::{self, say};
use crate::setup::Console;
use anyhow::Result;
use nearmark_train::evaluate::compare::curves::{Curve, Curves, Quantity};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// A file of curves.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Format {
    Csv,
    Svg,
    Markdown,
}

/// How curves are written to a file of this name.
pub(crate) fn format_of(path: &Path) -> Result<Format, Usage> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("csv") => Ok(Format::Csv),
        Some("svg") => Ok(Format::Svg),
        Some("md" | "markdown") => Ok(Format::Markdown),
        _ => Err(Usage(format!("{}: curves are written as .csv, .svg or .md", path.display()))),
    }
}

impl From<CurveArg> for Quantity {
    fn from(curve: CurveArg) -> Self {
        match curve {
            CurveArg::Accuracy => Self::Accuracy,
            CurveArg::Error => Self::Error,
            CurveArg::Rayleigh => Self::Rayleigh,
        }
    }
}

/// Writes the files, then a table for people or an object for tools.
pub(crate) fn print(args: &CompareArgs, protocol: &Value, found: &Curves, console: &Console) -> Result<()> {
    let quantity = Quantity::from(args.curve);
    for path in &args.output {
        let text = match format_of(path)? {
            Format::Csv => found.to_csv(),
            Format::Svg => found.chart(&format!("{}: {}", args.data, found.protocol), quantity).svg()?,
            Format::Markdown => format!("{}: {}", args.data, found.to_markdown(quantity)),
        };
        output::bytes(path, text.as_bytes())?;
    }
    if console.json {
        return output::json(&json!({
            "data": args.data,
            "protocol": protocol,
            "seed": found.seed,
            "rows": found.rows,
            "classes": found.classes,
            "curves": found.to_json(),
            "notes": found.notes(),
        }));
    }
    say(&filled(&format!("{}: {}", args.data, found.headline())));
    found.notes().iter().for_each(|note| say(&filled(&format!("note: {note}"))));
    output::stdout(&table(found, quantity))
}

/// The most accurate length of every method, and the lengths at both ends.
fn table(found: &Curves, quantity: Quantity) -> String {
    let longest = found.curves.iter().map(|curve| curve.name.chars().count()).max().unwrap_or(0).max(6);
    let shown = quantity.label().trim_end_matches(", %");
    let mut text = format!("{:<longest$}  {:>4}  {shown} there   at the fewest … most dimensions\n", "method", "best");
    for curve in found.curves.iter().filter(|curve| curve.failure.is_none()) {
        let (Some(best), Some(first), Some(last)) = (best(curve, quantity), curve.points.first(), curve.points.last())
        else {
            continue;
        };
        let value = |(mean, error): (f64, Option<f64>)| {
            format!("{mean:.2}{}", error.map(|error| format!(" ± {error:.2}")).unwrap_or_default())
        };
        let (at, low, high) = (best.dim, value(quantity.of(first)), value(quantity.of(last)));
        let (fewest, most, at_best) = (first.dim, last.dim, value(quantity.of(best)));
        let ends = if fewest == most { String::new() } else { format!("{fewest}: {low} … {most}: {high}") };
        let line = format!("{:<longest$}  {at:>4}  {at_best:<16}  {ends}", curve.name);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// The point that a reader looks for: the highest accuracy or quotient, the lowest error.
fn best(curve: &Curve, quantity: Quantity) -> Option<&nearmark_train::evaluate::compare::curves::CurvePoint> {
    if quantity != Quantity::Rayleigh {
        return curve.best();
    }
    let value = |point| quantity.of(point).0;
    curve.points.iter().reduce(|best, point| if value(point) > value(best) { point } else { best })
}
