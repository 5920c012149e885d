//! Automatic scaling: one scale for columns of one unit, a scale each for columns of different units.
//!
//! The choice is made by columns, and a few that differ from all others do not change it: pixels remain pixels when a
//! column of another kind is appended. Such columns are then kept from drowning the rest, or from being drowned in:
//! - among columns of one unit, one of another kind that varies more than nearly all others, or of the same kind that
//!   varies [`DOMINANT`] times more, is brought down to them;
//! - among columns of different units, one that hardly varies compared to the others is not blown up to their size.

use super::Scale;
use super::scale::{Scaling, to_unit_interval};
use crate::dataset::{Number, narrowest};
use crate::linalg::{Mat, column, column_means};

/// The share of columns that must be of one unit for the others not to matter.
const MOST: f64 = 0.9;
/// An integer column that varies so many times more than 90 % of the others is of another unit. Pixels, spectra and letter
/// features stay below 2.3 times their median.
const DOMINANT: f64 = 30.0;
/// A column that varies less than this share of the median column is almost constant, and scaling it to the size of the
/// others would mostly scale up noise; it is scaled as if it had this share. Of the tables that this was chosen by, in
/// units from kilograms to ratios, none has a column below 0.036 (breast cancer; wine 0.15).
const ALMOST_CONSTANT: f64 = 1.0 / 200.0;

/// The columns that vary: their spread, and which they are.
struct Columns {
    means: Vec<f64>,
    /// Standard deviations; zero for constants.
    spreads: Vec<f64>,
    /// The spreads of those that vary, least first.
    sorted: Vec<f64>,
}

impl Columns {
    fn of(rows: &Mat) -> Self {
        let means = column_means(rows);
        let spread = |(j, mean): (usize, &f64)| spread(column(rows, j), *mean);
        let spreads: Vec<f64> = means.iter().enumerate().map(spread).collect();
        let mut sorted: Vec<f64> = spreads.iter().copied().filter(|&spread| spread > 0.0).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        Self { means, spreads, sorted }
    }

    /// The spread below which this share of those that vary lie.
    fn quantile(&self, share: f64) -> f64 {
        let last = self.sorted.len().saturating_sub(1);
        self.sorted.get((share * last as f64) as usize).copied().unwrap_or(0.0)
    }

    /// Whether nearly all columns that vary pass; all must where none varies.
    fn most(&self, passed: &[bool]) -> bool {
        if self.sorted.is_empty() {
            return passed.iter().all(|&passed| passed);
        }
        let count = self.spreads.iter().zip(passed).filter(|&(&spread, &passed)| spread > 0.0 && passed).count();
        count as f64 >= MOST * self.sorted.len() as f64
    }

    /// Whether a column drowns the others, which are of this kind.
    fn dominates(&self, j: usize, same_kind: &[bool]) -> bool {
        self.spreads[j] > if same_kind[j] { DOMINANT } else { 1.0 } * self.quantile(MOST)
    }
}

/// The standard deviation, zero where the column is constant but for rounding.
pub(super) fn spread(column: &[f64], mean: f64) -> f64 {
    let variance = column.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / column.len() as f64;
    if variance > (1e-12 * mean).powi(2) { variance.sqrt() } else { 0.0 }
}

/// `None` if nearly all columns lie in −1..=1, `Range` if they are integers, else `Standard`.
pub(super) fn choose(rows: &Mat) -> Scaling {
    choose_for(rows, &Columns::of(rows)).0
}

/// The choice, and which columns are of the kind that it was made for.
fn choose_for(rows: &Mat, columns: &Columns) -> (Scaling, Vec<bool>) {
    let all = |pass: &dyn Fn(usize) -> bool| (0..rows.ncols()).map(pass).collect::<Vec<bool>>();
    let small = all(&|j| rows.column(j).iter().all(|v| (-1.0..=1.0).contains(v)));
    if columns.most(&small) {
        return (Scaling::None, small);
    }
    let integers = all(&|j| narrowest(&rows.columns(j, 1).into_owned()) != Number::F32);
    if columns.most(&integers) { (Scaling::Range, integers) } else { (Scaling::Standard, Vec::new()) }
}

/// Learns the automatic scaling; `None` when nothing is to be done.
pub(super) fn fit(rows: &Mat) -> Option<Scale> {
    let columns = Columns::of(rows);
    let (kind, same) = choose_for(rows, &columns);
    if kind == Scaling::Standard {
        let floor = ALMOST_CONSTANT * columns.quantile(0.5);
        let factor = |&spread: &f64| if spread > 0.0 { 1.0 / spread.max(floor) } else { 1.0 };
        let mul: Vec<f64> = columns.spreads.iter().map(factor).collect();
        let add = mul.iter().zip(&columns.means).map(|(mul, mean)| -mean * mul).collect();
        return Some(Scale::Features { mul, add });
    }
    let common = columns.quantile(MOST);
    let dominant = |j: usize| columns.dominates(j, &same);
    let (mul, add) = if kind == Scaling::Range { unit_interval(rows, &dominant) } else { (1.0, 0.0) };
    if (0..rows.ncols()).any(dominant) {
        let of = |j: usize| {
            let own = mul * common / columns.spreads[j];
            if dominant(j) { (own, -columns.means[j] * own) } else { (mul, add) }
        };
        let (mul, add) = (0..rows.ncols()).map(of).unzip();
        return Some(Scale::Features { mul, add });
    }
    (kind == Scaling::Range).then_some(Scale::Uniform { mul, add })
}

/// The affine map to 0..=1 of all columns but the dominant ones.
fn unit_interval(rows: &Mat, dominant: &impl Fn(usize) -> bool) -> (f64, f64) {
    let others = (0..rows.ncols()).filter(|&j| !dominant(j));
    let (low, high) = others
        .flat_map(|j| column(rows, j))
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| (low.min(v), high.max(v)));
    to_unit_interval(low, high)
}

/// What the user should know of the automatic scaling of these rows.
pub(super) fn notes(rows: &Mat) -> Vec<String> {
    let columns = Columns::of(rows);
    let (kind, same) = choose_for(rows, &columns);
    let mut notes = Vec::new();
    if kind == Scaling::Standard {
        let least = ALMOST_CONSTANT * columns.quantile(0.5);
        let small = columns.sorted.iter().filter(|&&spread| spread < least).count();
        if small > 0 {
            notes.push(format!(
                "{small} columns hardly vary compared to the others and count for less; scale standard gives all the same weight"
            ));
        }
    } else {
        let large = (0..rows.ncols()).filter(|&j| columns.dominates(j, &same)).count();
        if large > 0 {
            notes.push(format!("{large} columns vary far more than the others and were scaled down to them"));
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DataError;
    use crate::Rng;

    /// Ten columns of integers or reals, and one more.
    fn rows(integer: bool, last: impl Fn(f64) -> f64) -> Mat {
        let mut rng = Rng::new(1);
        Mat::from_fn(50, 11, |_, j| {
            let value = 50.0 + 10.0 * rng.normal();
            let value = if integer { value.round() } else { value };
            if j == 10 { last(value) } else { value }
        })
    }

    fn spreads(rows: &Mat) -> Result<Vec<f64>, DataError> {
        let scaled = fit(rows).map_or_else(|| Ok(rows.clone()), |scale| scale.apply(rows))?;
        Ok(Columns::of(&scaled).spreads)
    }

    #[test]
    fn one_odd_column_does_not_change_the_scaling_of_the_others() -> Result<(), DataError> {
        for integer in [true, false] {
            let plain = spreads(&rows(integer, |v| v))?;
            for factor in [1e-3, 1e3, 1e6] {
                let odd = spreads(&rows(integer, |v| v * factor + 0.1))?;
                for j in 0..10 {
                    assert!((plain[j] - odd[j]).abs() < 0.05 * plain[j], "{integer} {factor}: {plain:?} {odd:?}");
                }
                assert!(odd[10] < 2.0 * plain[0], "{integer} {factor}: {odd:?}");
            }
        }
        Ok(())
    }

    #[test]
    fn an_almost_constant_column_is_not_blown_up() -> Result<(), DataError> {
        let found = spreads(&rows(false, |v| v * 1e-3))?;
        assert!(found[10] < 0.25, "{found:?}");
        // A unit a tenth of the others is no reason to count for less.
        let found = spreads(&rows(false, |v| v * 0.1))?;
        assert!(found[10] > 0.99, "{found:?}");
        Ok(())
    }

    #[test]
    fn notes_name_the_columns_that_were_treated_differently() {
        assert!(notes(&rows(true, |v| v)).is_empty() && notes(&rows(false, |v| v)).is_empty());
        assert!(notes(&rows(false, |v| v * 1e-3))[0].starts_with("1 columns hardly vary"));
        assert!(notes(&rows(true, |v| v * 1e3))[0].starts_with("1 columns vary far more"));
    }
}
