//! How a fit is run: on how many threads, who hears of its progress, and who may stop it.

use crate::error::FitError;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

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

/// What a search will compare, stated before it begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchPlan {
    /// Candidates, about.
    pub candidates: usize,
    /// Ways to prepare rows.
    pub preprocessings: usize,
    /// Rows.
    pub rows: usize,
    /// Fits of every candidate.
    pub folds: usize,
    /// Whether smaller budgets are searched too, where they may win.
    pub smaller_budgets: bool,
    /// Multiplications, about.
    pub work: f64,
}

/// Multiplications per second and thread of trainings, for a first guess: measured on digits and MNIST with vectors of eight floats.
const SPEED: f64 = 2e10;

impl SearchPlan {
    /// How long it will take, in seconds, about.
    #[must_use]
    pub fn seconds(&self, threads: usize) -> f64 {
        self.work / (SPEED * threads.max(1) as f64)
    }
}

/// How much of a run's work is done, for whoever shows the time left; it may be read while the run goes on.
#[derive(Debug, Default)]
pub struct Workload {
    /// In millions of multiplications.
    planned: AtomicU64,
    done: AtomicU64,
}

impl Workload {
    /// The share that is done, from 0 to 1; none where nothing is known of the work.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        let (planned, done) = (self.planned.load(Ordering::Relaxed), self.done.load(Ordering::Relaxed));
        (planned > 0).then(|| (done as f64 / planned as f64).min(1.0))
    }

    /// So much is left, whatever was planned.
    fn left(&self, work: f64) {
        let done = self.done.load(Ordering::Relaxed);
        self.planned.store(done + millions(work), Ordering::Relaxed);
    }

    fn advance(&self, work: f64) {
        self.done.fetch_add(millions(work), Ordering::Relaxed);
    }
}

fn millions(work: f64) -> u64 {
    (work / 1e6).ceil() as u64
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
    plan: Option<&'a (dyn Fn(&SearchPlan) + Sync)>,
    workload: Option<&'a Workload>,
}

impl Default for Run<'_> {
    /// All cores, nobody listening.
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self { threads, progress: None, stop: None, plan: None, workload: None }
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

    /// Gives the plan of a search to `callback` before it begins.
    #[must_use]
    pub fn on_plan(mut self, callback: &'a (dyn Fn(&SearchPlan) + Sync)) -> Self {
        self.plan = Some(callback);
        self
    }

    /// Counts the work of a search.
    #[must_use]
    pub fn count(mut self, workload: &'a Workload) -> Self {
        self.workload = Some(workload);
        self
    }

    /// The same with nobody listening: for fits within a task that reports its own progress.
    #[must_use]
    pub fn quiet(self) -> Self {
        self.without_steps().uncounted()
    }

    /// The same without a plan and a count of work.
    pub(crate) fn uncounted(self) -> Self {
        Self { plan: None, workload: None, ..self }
    }

    /// The same without steps, while work still counts: for parts of a search.
    pub(crate) fn without_steps(mut self) -> Self {
        self.progress = None;
        self
    }

    /// States what will be done.
    pub(crate) fn announce(&self, plan: &SearchPlan) {
        if let Some(callback) = self.plan {
            callback(plan);
        }
    }

    /// So much work is left, about.
    pub(crate) fn left(&self, work: f64) {
        self.workload.iter().for_each(|workload| workload.left(work));
    }

    /// So much of it is done.
    pub(crate) fn advance(&self, work: f64) {
        self.workload.iter().for_each(|workload| workload.advance(work));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_turns_out_shorter_is_done_sooner() {
        let workload = Workload::default();
        let run = Run::default().count(&workload);
        run.advance(1e9);
        assert_eq!(workload.share(), None, "nothing was planned");
        run.left(3e9);
        assert_eq!(workload.share(), Some(0.25));
        run.advance(1e9);
        run.quiet().advance(1e9);
        assert_eq!(workload.share(), Some(0.5), "fits within other tasks do not count");
        run.without_steps().left(0.5e9);
        assert_eq!(workload.share(), Some(0.8));
        run.advance(1e9);
        assert_eq!(workload.share(), Some(1.0), "an estimate is not exceeded");
    }
}
