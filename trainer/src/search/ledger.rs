//! A memory for what was measured, so that a long search can be taken up again, and a clock to end it by.

use std::fmt::Debug;

/// Remembers counts by name and knows when no more should be tried.
pub trait Ledger: Sync + Debug {
    /// What was measured under this name before.
    fn known(&self, name: &str) -> Option<[usize; 2]>;

    /// Remembers it.
    fn note(&self, name: &str, counts: [usize; 2]);

    /// Whether the time for this size is up: then no more is tried than a plain fit would.
    fn is_over(&self) -> bool;

    /// Whether all time is up: then only what decides is still measured.
    fn is_late(&self) -> bool;
}
