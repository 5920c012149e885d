//! Means and how sure they are.

/// Mean, and the variance of a sample (with `n − 1`) where there are two values or more.
pub(crate) fn mean_and_variance(values: &[f64]) -> (f64, Option<f64>) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (values.len() > 1).then(|| squares / (count - 1.0)))
}

/// Mean, and its standard error where there are two values or more.
pub(crate) fn mean_and_error(values: &[f64]) -> (f64, Option<f64>) {
    let (mean, variance) = mean_and_variance(values);
    (mean, variance.map(|variance| (variance / values.len() as f64).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_values_have_a_mean_and_an_error_and_one_has_no_error() {
        assert_eq!(mean_and_variance(&[1.0, 3.0]), (2.0, Some(2.0)));
        assert_eq!(mean_and_error(&[1.0, 3.0]), (2.0, Some(1.0)));
        assert_eq!(mean_and_error(&[0.25]), (0.25, None));
    }
}
