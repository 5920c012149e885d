//! Results that several candidates on the same rows share.

use std::sync::Mutex;

/// Results by what they depend on.
#[derive(Debug)]
pub(super) struct Known<K, V>(Mutex<Vec<(K, V)>>);

impl<K, V> Default for Known<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: PartialEq, V: Clone> Known<K, V> {
    /// The known result, or the one computed now. Two threads may compute the same at once.
    pub(super) fn get_or_insert<E>(&self, key: K, compute: impl FnOnce() -> Result<V, E>) -> Result<V, E> {
        let known = |list: &Vec<(K, V)>| list.iter().find(|(own, _)| *own == key).map(|(_, value)| value.clone());
        if let Some(value) = self.0.lock().ok().and_then(|list| known(&list)) {
            return Ok(value);
        }
        let value = compute()?;
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
    fn a_result_is_computed_once_and_a_failure_is_not_kept() {
        let known = Known::default();
        assert!(known.get_or_insert(1, || Err("not now")).is_err());
        assert_eq!(known.get_or_insert(1, || Ok::<_, &str>("one")), Ok("one"));
        assert_eq!(known.get_or_insert(1, || Ok::<_, &str>("another")), Ok("one"));
        assert_eq!(known.get_or_insert(2, || Ok::<_, &str>("two")), Ok("two"));
    }
}
