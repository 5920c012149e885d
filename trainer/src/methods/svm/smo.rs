//! Sequential minimal optimization with the working set of Fan, Chen and Lin 2005 (libsvm's).
//!
//! Two weights at a time, `i` the one that violates optimality most and `j` the one with which the objective falls most,
//! by its second-order expansion. Optimal within a tolerance of 1e-3, libsvm's: decision values are of order one.

use crate::error::FitError;
use crate::linalg::{Mat, column};
use crate::run::Run;

/// The largest violation that counts as optimal.
const TOLERANCE: f64 = 1e-3;
/// Stands for the curvature along a pair of equal rows, which is zero.
const FLAT: f64 = 1e-12;
/// Steps from one look at a request to stop to the next.
const STEPS_BETWEEN_CHECKS: usize = 1000;

/// A solved machine.
pub(super) struct Machine {
    /// `y_i α_i` of every row.
    pub(super) weights: Vec<f64>,
    /// `ρ`: the decision value is `Σ weights·k − ρ`.
    pub(super) offset: f64,
    /// Whether the tolerance was met.
    pub(super) settled: bool,
}

struct Problem<'a> {
    k: &'a Mat,
    signs: &'a [f64],
    cost: f64,
    alpha: Vec<f64>,
    /// Of the objective: `Qα − 1`.
    gradient: Vec<f64>,
}

/// The machine for rows with these signs.
pub(super) fn solve(k: &Mat, signs: &[f64], cost: f64, run: &Run<'_>) -> Result<Machine, FitError> {
    let rows = signs.len();
    let mut problem = Problem { k, signs, cost, alpha: vec![0.0; rows], gradient: vec![-1.0; rows] };
    // libsvm's limit is ten million; a hundred per row were never reached on scaled rows.
    let most = 10_000.max(100 * rows);
    let mut settled = false;
    for step in 0..most {
        if step % STEPS_BETWEEN_CHECKS == 0 {
            run.quiet().step("margins", 0, 1)?;
        }
        let Some((i, j)) = problem.pair() else {
            settled = true;
            break;
        };
        problem.improve(i, j);
    }
    let weights = problem.alpha.iter().zip(signs).map(|(alpha, sign)| alpha * sign).collect();
    Ok(Machine { weights, offset: problem.offset(), settled })
}

impl Problem<'_> {
    /// Whether `y α` of a row may grow.
    fn may_rise(&self, row: usize) -> bool {
        if self.signs[row] > 0.0 { self.alpha[row] < self.cost } else { self.alpha[row] > 0.0 }
    }

    /// Whether `y α` of a row may shrink.
    fn may_fall(&self, row: usize) -> bool {
        if self.signs[row] > 0.0 { self.alpha[row] > 0.0 } else { self.alpha[row] < self.cost }
    }

    /// The gain of the objective per unit of `y α`.
    fn slope(&self, row: usize) -> f64 {
        -self.signs[row] * self.gradient[row]
    }

    /// The pair to improve next; `None` once it is optimal.
    fn pair(&self) -> Option<(usize, usize)> {
        let rows = 0..self.signs.len();
        let rising = rows.clone().filter(|&row| self.may_rise(row));
        let i = rising.reduce(|best, row| if self.slope(row) > self.slope(best) { row } else { best })?;
        let (top, own) = (self.slope(i), column(self.k, i));
        let mut lowest = f64::INFINITY;
        let mut best: Option<(usize, f64)> = None;
        for j in rows.filter(|&row| self.may_fall(row)) {
            let slope = self.slope(j);
            lowest = lowest.min(slope);
            let gap = top - slope;
            if gap > 0.0 {
                let curvature = (own[i] + self.k[(j, j)] - 2.0 * own[j]).max(FLAT);
                let gain = gap * gap / curvature;
                if best.is_none_or(|(_, most)| gain > most) {
                    best = Some((j, gain));
                }
            }
        }
        if top - lowest < TOLERANCE { None } else { best.map(|(j, _)| (i, j)) }
    }

    /// Moves `y α` from row `j` to row `i` as far as is best within the box.
    fn improve(&mut self, i: usize, j: usize) {
        let (ki, kj) = (column(self.k, i), column(self.k, j));
        let curvature = (ki[i] + kj[j] - 2.0 * ki[j]).max(FLAT);
        let room = |alpha: f64, rises: bool| if rises { self.cost - alpha } else { alpha };
        let most = room(self.alpha[i], self.signs[i] > 0.0).min(room(self.alpha[j], self.signs[j] < 0.0));
        let amount = ((self.slope(i) - self.slope(j)) / curvature).min(most);
        for (row, change) in [(i, self.signs[i] * amount), (j, -self.signs[j] * amount)] {
            let moved = self.alpha[row] + change;
            // Onto the bound exactly: what is left of a rounding error would count as free.
            let near = self.cost * 1e-12;
            self.alpha[row] = if moved <= near {
                0.0
            } else if moved >= self.cost - near {
                self.cost
            } else {
                moved
            };
        }
        for (row, gradient) in self.gradient.iter_mut().enumerate() {
            *gradient += self.signs[row] * amount * (ki[row] - kj[row]);
        }
    }

    /// `ρ`: the mean over rows on the margin, or else the middle of where it may lie.
    fn offset(&self) -> f64 {
        let rows = 0..self.signs.len();
        let value = |row: usize| -self.slope(row);
        let free: Vec<f64> = rows.clone().filter(|&row| self.may_rise(row) && self.may_fall(row)).map(value).collect();
        if !free.is_empty() {
            return free.iter().sum::<f64>() / free.len() as f64;
        }
        let low = rows.clone().filter(|&row| self.may_rise(row)).map(value).fold(f64::INFINITY, f64::min);
        let high = rows.filter(|&row| self.may_fall(row)).map(value).fold(f64::NEG_INFINITY, f64::max);
        match (low.is_finite(), high.is_finite()) {
            (true, true) => f64::midpoint(low, high),
            (true, false) => low,
            (false, true) => high,
            (false, false) => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Kernel, gram};
    use crate::linalg::random;

    #[test]
    fn four_points_on_a_line_have_the_margin_done_by_hand() -> Result<(), FitError> {
        // At −2, −1 | 1, 3: the margin lies between −1 and 1, w = 1, with α = ½ each.
        let rows = Mat::from_row_slice(4, 1, &[-2.0, -1.0, 1.0, 3.0]);
        let machine = solve(&gram(Kernel::Linear, &rows, 1), &[-1.0, -1.0, 1.0, 1.0], 10.0, &Run::default())?;
        for (weight, expected) in machine.weights.iter().zip([0.0, -0.5, 0.5, 0.0]) {
            assert!((weight - expected).abs() < 1e-3, "{:?}", machine.weights);
        }
        assert!(machine.offset.abs() < 1e-3 && machine.settled, "{}", machine.offset);
        Ok(())
    }

    #[test]
    fn the_conditions_of_karush_kuhn_and_tucker_hold() -> Result<(), FitError> {
        let rows = random(60, 3, 0);
        let signs: Vec<f64> =
            (0..60).map(|i| if rows[(i, 0)] + 0.5 * rows[(i, 1)] > 0.3 { 1.0 } else { -1.0 }).collect();
        let k = gram(Kernel::Gaussian { gamma: 0.2 }, &rows, 1);
        let cost = 2.0;
        let machine = solve(&k, &signs, cost, &Run::default())?;
        assert!(machine.settled && machine.weights.iter().sum::<f64>().abs() < 1e-9);
        for i in 0..60 {
            let value: f64 = (0..60).map(|j| machine.weights[j] * k[(i, j)]).sum::<f64>() - machine.offset;
            let (margin, alpha) = (signs[i] * value, machine.weights[i] * signs[i]);
            assert!((0.0..=cost).contains(&alpha), "{alpha}");
            assert!(alpha > 0.0 || margin >= 1.0 - 2e-3, "row {i}: weight 0, margin {margin}");
            assert!(alpha < cost || margin <= 1.0 + 2e-3, "row {i}: full weight, margin {margin}");
            assert!(alpha == 0.0 || alpha == cost || (margin - 1.0).abs() < 2e-3, "row {i}: free, margin {margin}");
        }
        Ok(())
    }
}
