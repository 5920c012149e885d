//! A progress bar for work that takes longer than two seconds, on terminals only.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

/// Work that ends sooner shows no bar.
const PATIENCE: Duration = Duration::from_secs(2);

pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{elapsed:>4} {bar:24} {pos}/{len} {msg}") {
            bar.set_style(style);
        }
        if std::io::stderr().is_terminal() {
            let later = bar.clone();
            std::thread::spawn(move || {
                std::thread::sleep(PATIENCE);
                if !later.is_finished() {
                    later.set_draw_target(ProgressDrawTarget::stderr());
                    later.enable_steady_tick(Duration::from_millis(200));
                }
            });
        }
        Self { bar }
    }

    pub(crate) fn report(&self, step: nearmark_train::Progress) {
        self.bar.set_length(step.total as u64);
        self.bar.set_position(step.done as u64);
        self.bar.set_message(step.step);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
