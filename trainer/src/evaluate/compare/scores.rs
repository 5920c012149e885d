//! The few statistics of a comparison.

/// Mean, and the standard deviation of a sample where there are two values or more.
pub(super) fn mean_and_std(values: &[f64]) -> (f64, Option<f64>) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (values.len() > 1).then(|| (squares / (count - 1.0)).sqrt()))
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
    let (mean, std) = mean_and_std(&differences);
    (mean, std.map(|std| std / (differences.len() as f64).sqrt()))
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
