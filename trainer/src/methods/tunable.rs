//! Settings that can be tuned, and the values to try.

/// A setting of a method, and the values that tuning tries for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tunable {
    /// The setting.
    pub key: &'static str,
    /// Its values as text, as a user would give them.
    pub values: Vec<String>,
}

impl Tunable {
    /// A setting with these values.
    #[must_use]
    pub fn new(key: &'static str, values: &[&str]) -> Self {
        Self { key, values: values.iter().map(|&value| value.to_owned()).collect() }
    }

    /// A setting with those of these counts that are at least one and below `limit`.
    #[must_use]
    pub fn counts(key: &'static str, counts: &[usize], limit: usize) -> Self {
        let mut values: Vec<String> = Vec::new();
        for count in counts.iter().filter(|&&count| (1..limit).contains(&count)) {
            if !values.contains(&count.to_string()) {
                values.push(count.to_string());
            }
        }
        Self { key, values }
    }

    /// The kernel's width: half to twice the mean distance, in steps of √2.
    #[must_use]
    pub fn sigma() -> Self {
        Self::new("sigma", &["0.5x", "0.71x", "mean", "1.41x", "2x"])
    }
}
