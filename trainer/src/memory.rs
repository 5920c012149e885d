//! Refusing, before any work, a fit whose matrices cannot be in memory at once.
//!
//! A kernel method holds matrices with an entry for every pair of rows. Twice the rows take four times the memory, and
//! a system that runs out of it kills the process without a word.

use crate::error::FitError;
use crate::methods::Method;

/// Bytes of so many matrices with an entry for every pair of rows.
pub(crate) fn matrices(count: u64, rows: usize) -> u64 {
    let rows = rows as u64;
    // Nobody has that much memory, so that too large a product may stay the largest number there is.
    rows.saturating_mul(rows).saturating_mul(8 * count)
}

/// Bytes that can be had without swapping, where the system states it.
pub(crate) fn available() -> Option<u64> {
    parse(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

/// The line `MemAvailable:  123 kB`.
fn parse(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// Refuses a method that needs more for these rows than is free.
pub(crate) fn check(method: &dyn Method, rows: usize, free: Option<u64>) -> Result<(), FitError> {
    let features = method.params().iter().any(|(name, _)| *name == "features");
    let advice = if features {
        "use features nystrom:1000, or fewer rows"
    } else {
        "use fewer rows, or a method that takes features nystrom:1000, like cmvda"
    };
    check_bytes(method.name(), rows, method.memory(rows), free, advice)
}

/// Refuses what needs so many bytes if fewer are free.
pub(crate) fn check_bytes(
    method: &'static str,
    rows: usize,
    needed: u64,
    free: Option<u64>,
    advice: &'static str,
) -> Result<(), FitError> {
    match free {
        Some(free) if needed > free => {
            Err(FitError::Memory { method, rows, needed: size(needed), free: size(free), advice })
        }
        _ => Ok(()),
    }
}

/// Fits that may run at once when each needs so much; at least one, which is checked for itself.
pub(crate) fn at_once(needed: u64, free: Option<u64>) -> usize {
    let fits = free.and_then(|free| free.checked_div(needed)).unwrap_or(u64::MAX);
    usize::try_from(fits).unwrap_or(usize::MAX).max(1)
}

/// Bytes in words.
fn size(bytes: u64) -> String {
    let megabytes = bytes as f64 / 1e6;
    if megabytes < 1000.0 { format!("{megabytes:.0} MB") } else { format!("{:.1} GB", megabytes / 1e3) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::{cmvda, nsse, with_defaults};

    #[test]
    fn what_is_free_is_read_from_the_systems_own_words() {
        let text = "MemTotal:       24681504 kB\nMemFree:         1 kB\nMemAvailable:   23767040 kB\n";
        assert_eq!(parse(text), Some(23_767_040 * 1024));
        assert_eq!(parse("MemTotal: 5 kB"), None);
        assert_eq!(parse("MemAvailable: many kB"), None);
    }

    #[test]
    fn a_fit_that_cannot_be_in_memory_is_refused_with_a_way_out() -> Result<(), crate::ParamError> {
        let refusal = |method: &dyn Method, rows, free| check(method, rows, free).map_err(|error| error.to_string());
        let exact = cmvda::Params { features: crate::methods::features::FeatureChoice::Exact, ..Default::default() };
        let (exact, nsse) = (cmvda::Cmvda::new(exact)?, nsse::Nsse::default());
        let expected = "cmvda on 60000 rows needs 28.8 GB of memory, but 800 MB are free: use features nystrom:1000, or fewer rows";
        assert_eq!(refusal(&exact, 60_000, Some(800_000_000)), Err(expected.to_owned()));
        assert!(matches!(refusal(&nsse, 20_000, Some(24_000_000_000)), Err(text) if text.contains("like cmvda")));
        // Where nothing is known of memory, nothing is refused.
        assert_eq!(refusal(&nsse, 1_000_000, None), Ok(()));
        assert_eq!(refusal(&nsse, 1000, Some(1_000_000_000)), Ok(()));
        assert!(refusal(&nsse, usize::MAX, Some(u64::MAX - 1)).is_err());
        Ok(())
    }

    #[test]
    fn automatic_features_and_linear_methods_do_not_grow_with_pairs() -> Result<(), crate::methods::SettingError> {
        let methods = with_defaults()?;
        let quadratic = |rows| methods.iter().filter(|method| method.memory(rows) > 0).map(|m| m.name()).collect();
        let small: Vec<&str> = quadratic(5000);
        let large: Vec<&str> = quadratic(5001);
        assert!(["cmvca", "cmvda", "cmvda-r", "kpca", "keca", "kda"].iter().all(|name| small.contains(name)));
        // CMVDA-R has up to 2000 axes, a number per row and axis.
        let expected =
            ["nsse", "cmvda-r", "ebek", "kdple", "klfda", "klde", "suplap", "nys", "spe", "isokrr", "mreg", "svm"];
        assert_eq!(large, expected);
        Ok(())
    }

    #[test]
    fn no_more_fits_run_at_once_than_there_is_memory_for() {
        assert_eq!(at_once(4, Some(17)), 4);
        assert_eq!(at_once(20, Some(17)), 1);
        assert_eq!(at_once(20, None), usize::MAX);
        assert_eq!(at_once(0, Some(17)), usize::MAX);
    }
}
