//! What closed forms on the same rows have in common, found once.

use super::candidate::Start;
use super::closed_form::Directions;
use super::core::Core;
use crate::error::FitError;
use crate::preprocess::Projection;
use std::sync::Mutex;

/// Results by what they depend on, beside the rows.
#[derive(Debug, Default)]
pub(super) struct Memo {
    /// By what directions look for, and how many they are.
    pub(super) projections: Known<(Directions, usize), Projection>,
    /// By start, kept features and guide.
    pub(super) cores: Known<(Start, usize, usize), Core>,
}

/// A short list of results.
#[derive(Debug)]
pub(super) struct Known<K, V>(Mutex<Vec<(K, V)>>);

impl<K, V> Default for Known<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: PartialEq, V: Clone> Known<K, V> {
    /// The result that is known, or the one that is found now. Two threads may find the same at once.
    pub(super) fn or_find(&self, key: K, find: impl FnOnce() -> Result<V, FitError>) -> Result<V, FitError> {
        let known = |list: &Vec<(K, V)>| list.iter().find(|(own, _)| *own == key).map(|(_, value)| value.clone());
        if let Some(value) = self.0.lock().ok().and_then(|list| known(&list)) {
            return Ok(value);
        }
        let value = find()?;
        if let Ok(mut list) = self.0.lock() {
            list.push((key, value.clone()));
        }
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_found_once_and_a_failure_is_not_kept() {
        let known = Known::default();
        assert!(known.or_find(1, || Err(FitError::Cancelled)).is_err());
        assert_eq!(known.or_find(1, || Ok("one")), Ok("one"));
        assert_eq!(known.or_find(1, || Ok("another")), Ok("one"));
        assert_eq!(known.or_find(2, || Ok("two")), Ok("two"));
    }
}
