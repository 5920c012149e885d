//! When a search has to stop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Two moments: when extra work ends, and when everything does that is not needed for a model.
#[derive(Debug)]
pub struct Deadline {
    extra: Instant,
    all: Instant,
    cut_short: AtomicBool,
}

impl Deadline {
    /// From `extra` on, nothing is tried that a plain fit would not try; from `all` on, only what is needed to have a
    /// model at all.
    #[must_use]
    pub fn new(extra: Instant, all: Instant) -> Self {
        Self { extra, all, cut_short: AtomicBool::new(false) }
    }

    /// Whether the time for more than a plain fit is over.
    #[must_use]
    pub fn is_extra_over(&self) -> bool {
        Instant::now() >= self.extra
    }

    /// Whether all time is over. The search that asks then leaves something out: see [`was_cut_short`](Self::was_cut_short).
    #[must_use]
    pub fn is_over(&self) -> bool {
        let over = Instant::now() >= self.all;
        if over {
            self.cut_short.store(true, Ordering::Relaxed);
        }
        over
    }

    /// Whether the search left out something that a plain fit would have tried.
    #[must_use]
    pub fn was_cut_short(&self) -> bool {
        self.cut_short.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_search_is_cut_short_when_it_asked_too_late() {
        let (now, later) = (Instant::now(), Instant::now() + Duration::from_secs(3600));
        let open = Deadline::new(later, later);
        assert!(!open.is_extra_over() && !open.is_over() && !open.was_cut_short());
        let extra = Deadline::new(now, later);
        assert!(extra.is_extra_over() && !extra.is_over() && !extra.was_cut_short());
        let over = Deadline::new(now, now);
        assert!(!over.was_cut_short(), "nobody has asked yet");
        assert!(over.is_over() && over.was_cut_short());
    }
}
