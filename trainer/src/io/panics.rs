//! Turns the panics of third-party decoders into errors.
//!
//! The parquet crate indexes beyond its buffers on some damaged files and panics. The file is at fault, so the panic
//! becomes an error of reading it, and nothing is printed.

use super::error::ReadError;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Set while this thread runs a decoder whose panics are expected.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs a decoder; a panic becomes an error.
pub(super) fn caught<T>(what: &str, read: impl FnOnce() -> Result<T, ReadError>) -> Result<T, ReadError> {
    static HOOK: Once = Once::new();
    // Every other panic, in this thread and in others, still goes to the previous hook.
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                before(info);
            }
        }));
    });
    let quiet = QUIET.replace(true);
    // Unwind safety: whatever state the decoder leaves behind is dropped with it.
    let result = panic::catch_unwind(AssertUnwindSafe(read));
    QUIET.set(quiet);
    result.unwrap_or_else(|_| {
        Err(ReadError::damaged(format!("not a complete {what}"), "its parts contradict each other"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panicking_decoder_is_an_error() {
        let broken = caught("Parquet file", || -> Result<(), _> { panic!("beyond the end") });
        let message = broken.map_err(|error| error.to_string());
        assert_eq!(message, Err("not a complete Parquet file: its parts contradict each other".into()));
        assert!(!QUIET.get());
        assert_eq!(caught("Parquet file", || Ok(7)).ok(), Some(7));
    }
}
