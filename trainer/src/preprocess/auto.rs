//! Automatic scaling: one scale for columns of one unit, a scale each for columns of different units.
//!
//! The choice is made by columns, and a few that differ from all others do not change it: pixels remain pixels when a
//! column of another kind is appended. Such columns are then kept from drowning the rest, or from being drowned in:
//! - among columns of one unit, one of another kind that varies more than nearly all others, or of the same kind that
//!   varies [`DOMINANT`] times more, is brought down to them;
//! - among columns of different units, one that hardly varies compared to the others, and whose variation tells nothing of
//!   the classes, is not blown up to their size. A small column that does is in a large unit.

use super::Scale;
use super::scale::{Scaling, to_unit_interval};
use crate::dataset::{Number, narrowest};
use crate::linalg::{Mat, column, column_means};

/// The share of columns that must be of one kind for the others not to matter.
const MOST: f64 = 0.8;
/// If there are others, those of one kind must also be of one unit: nine in ten vary at most so many times more than their
/// median. Pixels, spectra and letter features stay below 2.3; counts of different things in a table do not.
const ONE_UNIT: f64 = 4.0;
/// A column of the same kind that varies so many times more than most others is of another unit.
const DOMINANT: f64 = 8.0;
/// A column that varies less than this share of the median column may be almost constant. Of the tables at hand, in units
/// from kilograms to ratios, none has one below 0.036 (breast cancer; wine 0.15).
const ALMOST_CONSTANT: f64 = 1.0 / 200.0;
/// Variance between classes over variance within them, per degree of freedom, is one for noise; this many of its standard
/// deviations above is information.
const INFORMATIVE: f64 = 4.0;

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
        quantile(&self.sorted, share)
    }

    /// Whether all columns that vary pass, or most and these are of one unit; all must where none varies.
    fn most(&self, passed: &[bool]) -> bool {
        if self.sorted.is_empty() {
            return passed.iter().all(|&passed| passed);
        }
        let kind = self.spreads.iter().zip(passed).filter(|&(&spread, &passed)| spread > 0.0 && passed);
        let mut spreads: Vec<f64> = kind.map(|(&spread, _)| spread).collect();
        spreads.sort_unstable_by(f64::total_cmp);
        let below = |share| quantile(&spreads, share);
        spreads.len() == self.sorted.len()
            || spreads.len() as f64 >= MOST * self.sorted.len() as f64 && below(0.9) <= ONE_UNIT * below(0.5)
    }

    /// Whether a column drowns the others, which are of this kind.
    fn dominates(&self, j: usize, same_kind: &[bool]) -> bool {
        self.spreads[j] > if same_kind[j] { DOMINANT } else { 1.0 } * self.quantile(MOST)
    }
}

/// The value below which this share of the sorted values lie.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    sorted.get((share * last as f64) as usize).copied().unwrap_or(0.0)
}

/// Whether a column hardly varies compared to the others and tells nothing of the classes.
fn is_noise(columns: &Columns, j: usize, values: &[f64], labels: &[usize]) -> bool {
    let spread = columns.spreads[j];
    spread > 0.0 && spread < ALMOST_CONSTANT * columns.quantile(0.5) && !is_informative(values, labels)
}

/// Whether class means differ by more than chance: the F statistic of one column. Without two classes nothing is known,
/// and the column gets the benefit of the doubt.
fn is_informative(values: &[f64], labels: &[usize]) -> bool {
    let classes = labels.iter().max().map_or(0, |most| most + 1);
    let (mut sums, mut counts) = (vec![0.0; classes], vec![0.0; classes]);
    for (&value, &label) in values.iter().zip(labels) {
        sums[label] += value;
        counts[label] += 1.0;
    }
    let (n, mean) = (values.len() as f64, values.iter().sum::<f64>() / values.len() as f64);
    let present = counts.iter().filter(|&&count| count > 0.0).count() as f64;
    if present < 2.0 || n <= present {
        return true;
    }
    let total: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let parts = sums.iter().zip(&counts).filter(|&(_, &count)| count > 0.0);
    let between: f64 = parts.map(|(sum, count)| count * (sum / count - mean).powi(2)).sum();
    let freedom = present - 1.0;
    // F for noise has mean one and, with enough rows, the variance 2/freedom.
    let f = (between / freedom) / ((total - between).max(0.0) / (n - present)).max(f64::MIN_POSITIVE);
    f > 1.0 + INFORMATIVE * (2.0 / freedom).sqrt()
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
pub(super) fn fit(rows: &Mat, labels: &[usize]) -> Option<Scale> {
    let columns = Columns::of(rows);
    let (kind, same) = choose_for(rows, &columns);
    if kind == Scaling::Standard {
        let typical = columns.quantile(0.5);
        let factor = |j: usize| match columns.spreads[j] {
            _ if is_noise(&columns, j, column(rows, j), labels) => 1.0 / typical,
            spread if spread > 0.0 => 1.0 / spread,
            _ => 1.0,
        };
        let mul: Vec<f64> = (0..rows.ncols()).map(factor).collect();
        let add = mul.iter().zip(&columns.means).map(|(mul, mean)| -mean * mul).collect();
        return Some(Scale::Features { mul, add });
    }
    // A column of another unit counts as much as a typical one.
    let typical = columns.quantile(0.5);
    let dominant = |j: usize| columns.dominates(j, &same);
    let (mul, add) = if kind == Scaling::Range {
        unit_interval(rows, |j| same[j] && columns.spreads[j] > 0.0 && !dominant(j))
    } else {
        (1.0, 0.0)
    };
    if (0..rows.ncols()).any(dominant) {
        let of = |j: usize| {
            let own = mul * typical / columns.spreads[j];
            if dominant(j) { (own, -columns.means[j] * own) } else { (mul, add) }
        };
        let (mul, add) = (0..rows.ncols()).map(of).unzip();
        return Some(Scale::Features { mul, add });
    }
    (kind == Scaling::Range).then_some(Scale::Uniform { mul, add })
}

/// The affine map to 0..=1 of these columns.
fn unit_interval(rows: &Mat, among: impl Fn(usize) -> bool) -> (f64, f64) {
    let (low, high) = (0..rows.ncols())
        .filter(|&j| among(j))
        .flat_map(|j| column(rows, j))
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| (low.min(v), high.max(v)));
    // Constants alone have no unit.
    if low > high { (1.0, 0.0) } else { to_unit_interval(low, high) }
}

/// What the user should know of the automatic scaling of these rows.
pub(super) fn notes(rows: &Mat, labels: &[usize]) -> Vec<String> {
    let columns = Columns::of(rows);
    let (kind, same) = choose_for(rows, &columns);
    let mut notes = Vec::new();
    if kind == Scaling::Standard {
        let small = (0..rows.ncols()).filter(|&j| is_noise(&columns, j, column(rows, j), labels)).count();
        if small > 0 {
            notes.push(format!(
                "{small} columns hardly vary, and as noise does: they count for nothing; scale standard gives them weight"
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

    const ROWS: usize = 60;

    fn labels() -> Vec<usize> {
        (0..ROWS).map(|i| i % 3).collect()
    }

    /// Ten columns of integers or reals, and one more.
    fn rows(integer: bool, last: impl Fn(usize, f64) -> f64) -> Mat {
        let mut rng = Rng::new(1);
        Mat::from_fn(ROWS, 11, |i, j| {
            let value = 50.0 + 10.0 * rng.normal();
            let value = if integer { value.round() } else { value };
            if j == 10 { last(i, value) } else { value }
        })
    }

    fn spreads(rows: &Mat) -> Result<Vec<f64>, DataError> {
        let scaled = fit(rows, &labels()).map_or_else(|| Ok(rows.clone()), |scale| scale.apply(rows))?;
        Ok(Columns::of(&scaled).spreads)
    }

    #[test]
    fn one_odd_column_does_not_change_the_scaling_of_the_others() -> Result<(), DataError> {
        for integer in [true, false] {
            let plain = spreads(&rows(integer, |_, v| v))?;
            for factor in [1e-3, 1e3, 1e6] {
                let odd = spreads(&rows(integer, |_, v| v * factor + 0.1))?;
                for j in 0..10 {
                    assert!((plain[j] - odd[j]).abs() < 0.05 * plain[j], "{integer} {factor}: {plain:?} {odd:?}");
                }
                assert!(odd[10] < 2.0 * plain[0], "{integer} {factor}: {odd:?}");
            }
        }
        Ok(())
    }

    #[test]
    fn an_almost_constant_column_counts_only_if_it_tells_of_the_classes() -> Result<(), DataError> {
        let noise = spreads(&rows(false, |_, v| v * 1e-3))?;
        assert!(noise[10] < 0.01, "{noise:?}");
        let informative = spreads(&rows(false, |i, v| (v + 20.0 * (i % 3) as f64) * 1e-3))?;
        assert!((informative[10] - 1.0).abs() < 1e-9, "{informative:?}");
        // A tenth of the others is another unit, whatever it tells.
        let tenth = spreads(&rows(false, |_, v| v * 0.1))?;
        assert!((tenth[10] - 1.0).abs() < 1e-9, "{tenth:?}");
        Ok(())
    }

    #[test]
    fn counts_of_different_things_are_standardized_despite_being_integers() {
        // Units from one to a thousand, and one real column: no pixels.
        let mut rng = Rng::new(3);
        let table = Mat::from_fn(ROWS, 9, |_, j| {
            let value = [1.0, 3.0, 10.0, 300.0][j % 4] * 3.0 * rng.normal();
            if j == 8 { value } else { value.round() }
        });
        assert_eq!(choose(&table), Scaling::Standard);
    }

    #[test]
    fn constants_do_not_set_the_scale() -> Result<(), DataError> {
        let (plain, wide) = (rows(true, |_, v| v), rows(true, |_, _| 30_000.0));
        let (plain, wide) = (fit(&plain, &labels()), fit(&wide, &labels()));
        let mul = |scale: &Option<Scale>| if let Some(Scale::Uniform { mul, .. }) = scale { *mul } else { 0.0 };
        assert!(mul(&wide) >= mul(&plain) && mul(&plain) > 0.0, "{plain:?} {wide:?}");
        // Nothing but constants.
        let flat = Mat::from_element(ROWS, 3, 300.0);
        let scaled = fit(&flat, &labels()).map_or_else(|| Ok(flat.clone()), |scale| scale.apply(&flat))?;
        assert!(scaled.iter().all(|value| value.is_finite()));
        Ok(())
    }

    #[test]
    fn notes_name_the_columns_that_were_treated_differently() {
        let of = |rows: &Mat| notes(rows, &labels());
        assert!(of(&rows(true, |_, v| v)).is_empty() && of(&rows(false, |_, v| v)).is_empty());
        assert!(of(&rows(false, |_, v| v * 1e-3))[0].starts_with("1 columns hardly vary"));
        assert!(of(&rows(true, |_, v| v * 1e3))[0].starts_with("1 columns vary far more"));
    }
}
