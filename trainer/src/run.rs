//! How a fit is run: on how many threads, who hears of its progress, and who may stop it.

use crate::error::FitError;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// One step of a fit, reported as it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// What is being computed, in a word or two.
    pub step: &'static str,
    /// Steps of this kind already done.
    pub done: usize,
    /// Steps of this kind in all, as far as known.
    pub total: usize,
}

/// Threads, progress and cancellation of one fit. The result never depends on it.
///
/// ```
/// use nearmark_train::Run;
/// use std::sync::atomic::AtomicBool;
///
/// let stop = AtomicBool::new(false);
/// let report = |p: nearmark_train::Progress| eprintln!("{} {}/{}", p.step, p.done, p.total);
/// let run = Run::default().threads(2).on_progress(&report).stop_when(&stop);
/// # let _ = run;
/// ```
#[derive(Clone, Copy)]
pub struct Run<'a> {
    threads: usize,
    progress: Option<&'a (dyn Fn(Progress) + Sync)>,
    stop: Option<&'a AtomicBool>,
}

impl Default for Run<'_> {
    /// All cores, nobody listening.
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self { threads, progress: None, stop: None }
    }
}

impl<'a> Run<'a> {
    /// Uses this many threads (at least one).
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// Reports every step to `callback`.
    #[must_use]
    pub fn on_progress(mut self, callback: &'a (dyn Fn(Progress) + Sync)) -> Self {
        self.progress = Some(callback);
        self
    }

    /// Gives up with [`FitError::Cancelled`] at the next step once `flag` is set.
    #[must_use]
    pub fn stop_when(mut self, flag: &'a AtomicBool) -> Self {
        self.stop = Some(flag);
        self
    }

    /// The same with nobody listening: for fits within a task that reports its own progress.
    #[must_use]
    pub fn quiet(mut self) -> Self {
        self.progress = None;
        self
    }

    /// The number of threads to use.
    #[must_use]
    pub fn thread_count(&self) -> usize {
        self.threads
    }

    /// Announces a step; methods call it between the expensive parts of a fit.
    ///
    /// # Errors
    /// [`FitError::Cancelled`] when the caller has asked to stop.
    pub fn step(&self, step: &'static str, done: usize, total: usize) -> Result<(), FitError> {
        if self.stop.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(FitError::Cancelled);
        }
        if let Some(callback) = self.progress {
            callback(Progress { step, done, total });
        }
        Ok(())
    }
}

/// Counts tasks that are done side by side.
pub(crate) struct Counter<'a> {
    run: &'a Run<'a>,
    step: &'static str,
    total: usize,
    done: Mutex<usize>,
}

impl<'a> Counter<'a> {
    /// Announces so many tasks.
    ///
    /// # Errors
    /// As [`Run::step`].
    pub(crate) fn new(run: &'a Run<'a>, step: &'static str, total: usize) -> Result<Self, FitError> {
        run.step(step, 0, total)?;
        Ok(Self { run, step, total, done: Mutex::new(0) })
    }

    /// One more is done. It is reported under the lock, so that the count never goes back; a request to stop is handled by
    /// the tasks themselves.
    pub(crate) fn one_done(&self) {
        if let Ok(mut done) = self.done.lock() {
            *done += 1;
            let _ = self.run.step(self.step, *done, self.total);
        }
    }
}

impl std::fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run").field("threads", &self.threads).finish_non_exhaustive()
    }
}
