//! Decoders of others, kept from taking the program down.
//!
//! The parquet crate indexes beyond its buffers on some damaged files and panics. That is a fault of the file, so it
//! becomes an error of reading it, and nothing is printed on the way.

use super::error::SourceError;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Set while this thread runs a decoder whose panics are expected.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs a decoder; its panic is an error.
pub(super) fn decode<T>(what: &str, read: impl FnOnce() -> Result<T, SourceError>) -> Result<T, SourceError> {
    static HOOK: Once = Once::new();
    // The hook of before is asked for every other panic, in this thread and in all others.
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                before(info);
            }
        }));
    });
    let quiet = QUIET.replace(true);
    // What the decoder left half done is dropped with it: nothing of it outlives this call.
    let result = panic::catch_unwind(AssertUnwindSafe(read));
    QUIET.set(quiet);
    result
        .unwrap_or_else(|_| Err(SourceError::damaged(format!("not a whole {what}"), "its parts contradict each other")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panicking_decoder_is_an_error() {
        let broken = decode("Parquet file", || -> Result<(), _> { panic!("beyond the end") });
        let message = broken.map_err(|error| error.to_string());
        assert_eq!(message, Err("not a whole Parquet file: its parts contradict each other".into()));
        assert!(!QUIET.get());
        assert_eq!(decode("Parquet file", || Ok(7)).ok(), Some(7));
    }
}
