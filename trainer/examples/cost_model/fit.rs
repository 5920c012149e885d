//! Least squares of relative errors, with no cost below nothing.

use crate::{Measured, Outcome};
use nearmark_train::model::cost::{MEASURED, Shape, terms, terms::Term};
use std::fmt::Write;

/// Rounds over all costs; they settle long before.
const ROUNDS: usize = 20_000;

/// Costs per profile (floats, integers) and board.
pub(crate) struct Table {
    costs: [Vec<Vec<f64>>; 2],
}

/// Fits every board and profile.
pub(crate) fn table(measurements: &[Measured]) -> Outcome<Table> {
    let mut costs = [Vec::new(), Vec::new()];
    for (at, (_, dsp)) in MEASURED.into_iter().enumerate() {
        for int in [false, true] {
            if dsp && !int {
                continue;
            }
            let used = measurements.iter().filter(|(check, _, shape, _)| !check && shape.int == int);
            let rows: Vec<Vec<f64>> = used
                .filter_map(|(_, _, shape, found)| {
                    let count = found[at]? as f64;
                    Some(terms_of(shape).iter().map(|(_, term)| term / count).collect())
                })
                .collect();
            if rows.is_empty() {
                return Err("no measurements".into());
            }
            costs[usize::from(int)].push(solve(&rows));
        }
    }
    Ok(Table { costs })
}

/// The costs, none negative, whose sums come nearest to 1 in every row: by one cost at a time.
fn solve(rows: &[Vec<f64>]) -> Vec<f64> {
    let mut costs = vec![0.0; rows[0].len()];
    let mut gaps = vec![1.0; rows.len()];
    for _ in 0..ROUNDS {
        for (at, cost) in costs.iter_mut().enumerate() {
            let squares: f64 = rows.iter().map(|row| row[at] * row[at]).sum();
            if squares == 0.0 {
                continue;
            }
            let step: f64 = rows.iter().zip(&gaps).map(|(row, gap)| row[at] * gap).sum::<f64>() / squares;
            let better = f64::max(*cost + step, 0.0);
            rows.iter().zip(&mut gaps).for_each(|(row, gap)| *gap -= row[at] * (better - *cost));
            *cost = better;
        }
    }
    costs
}

impl Table {
    /// Relative errors on models that were kept from the fit, with their kinds.
    pub(crate) fn errors<'m>(&self, measurements: &'m [Measured], at: usize, int: bool) -> Vec<(f64, &'m str)> {
        let Some(costs) = self.costs[usize::from(int)].get(at) else { return Vec::new() };
        let kept = measurements.iter().filter(|(check, _, shape, _)| *check && shape.int == int);
        let error = |(_, kind, shape, found): &'m Measured| {
            let sum: f64 = terms_of(shape).iter().zip(costs).map(|((_, count), cost)| count * cost).sum();
            Some((sum / found[at]? as f64 - 1.0, kind.as_str()))
        };
        kept.filter_map(error).collect()
    }
}

/// The table as Rust.
pub(crate) fn source(table: &Table) -> String {
    let mut text = "//! Instructions per turn of each loop: a row per loop, a column per board. Written by `cargo xtask cost-model`.\n
use super::{MEASURED, terms};\n
/// Of float models, boards in the order of [`MEASURED`]; they have no DSP instructions.
#[rustfmt::skip]
pub(super) const FLOAT: [[f64; 4]; terms::FLOAT] = [\n"
        .to_owned();
    rows(&mut text, &terms::float(&Shape::default()), &table.costs[0]);
    text.push_str(
        "];\n
/// Of integer models.
#[rustfmt::skip]
pub(super) const INT: [[f64; MEASURED.len()]; terms::INT] = [\n",
    );
    rows(&mut text, &terms::int(&Shape::default()), &table.costs[1]);
    text.push_str("];\n");
    text
}

fn rows(text: &mut String, terms: &[Term], boards: &[Vec<f64>]) {
    for (at, (term, _)) in terms.iter().enumerate() {
        let costs: Vec<String> = boards.iter().map(|costs| format!("{:.3}", costs[at])).collect();
        let _ = writeln!(text, "    [{}], // {term}", costs.join(", "));
    }
}

/// The terms of a shape, whichever profile it has.
fn terms_of(shape: &Shape) -> Vec<Term> {
    if shape.int { terms::int(shape).to_vec() } else { terms::float(shape).to_vec() }
}
