//! The few statistics of a comparison.

use crate::statistics::mean_and_variance;

/// Mean, and the standard deviation of a sample where there are two values or more.
pub(super) fn mean_and_std(values: &[f64]) -> (f64, Option<f64>) {
    let (mean, variance) = mean_and_variance(values);
    (mean, variance.map(f64::sqrt))
}

/// Mean, and its standard error where there are two values or more: from the deviation, so that the last digits of files
/// of curves stay as they were published.
pub(super) fn mean_and_error(values: &[f64]) -> (f64, Option<f64>) {
    let (mean, std) = mean_and_std(values);
    (mean, std.map(|std| std / (values.len() as f64).sqrt()))
}

/// Ranks from 1, the highest value first; equal values share the mean of their ranks.
pub(super) fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let above = values.iter().filter(|other| *other > value).count();
        let equal = values.iter().filter(|other| *other == value).count();
        above as f64 + f64::midpoint(equal as f64, 1.0)
    };
    values.iter().map(rank).collect()
}

/// The mean of `a − b` and its standard error, pair by pair.
pub(super) fn paired(a: &[f64], b: &[f64]) -> (f64, Option<f64>) {
    let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    mean_and_error(&differences)
}

/// The standard error of the difference between two shares of so many rows, each row counted as an independent draw.
pub(super) fn binomial(a: f64, b: f64, rows: usize) -> f64 {
    ((a * (1.0 - a) + b * (1.0 - b)) / rows as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_their_ranks() {
        assert_eq!(ranks(&[0.5, 0.9, 0.5, 0.7]), [3.5, 1.0, 3.5, 2.0]);
        assert_eq!(ranks(&[0.8, 0.8, 0.8]), [2.0, 2.0, 2.0]);
        assert_eq!(ranks(&[0.1]), [1.0]);
    }

    #[test]
    fn mean_and_deviation_are_those_done_by_hand() {
        assert_eq!(mean_and_std(&[1.0, 3.0]), (2.0, Some(2.0_f64.sqrt())));
        assert_eq!(mean_and_std(&[0.25]), (0.25, None));
    }

    #[test]
    fn pairs_cancel_what_both_have_in_common() {
        // Hard and easy splits move both alike: the difference is the same in each.
        assert_eq!(paired(&[1.0, 0.5, 0.75], &[0.75, 0.25, 0.5]), (0.25, Some(0.0)));
        // Differences 0 and 1: mean ½, deviation √½, error ½.
        let (mean, error) = paired(&[1.0, 1.0], &[1.0, 0.0]);
        assert!(mean == 0.5 && error.is_some_and(|error| (error - 0.5).abs() < 1e-15));
        assert_eq!(paired(&[0.9], &[0.8]).1, None);
        assert_eq!(binomial(0.5, 0.5, 200), 0.05);
    }
}
