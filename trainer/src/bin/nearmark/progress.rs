//! The plan of a search before it begins, and a progress bar with the time left.

use crate::output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use nearmark_train::{SearchPlan, Workload};
use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;

/// Work that ends sooner shows no bar.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often the bar is drawn.
const TICK: Duration = Duration::from_millis(200);
/// Positions of a bar that shows the share of all work.
const WHOLE: u64 = 1000;

/// A progress bar on terminals: of the steps, or of all work where that is known.
pub(crate) fn bar(workload: &Arc<Workload>) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
    if let Ok(style) = ProgressStyle::with_template("{elapsed:>4} {bar:24} {left} {msg}") {
        let own = Arc::clone(workload);
        let left = move |state: &ProgressState, to: &mut dyn std::fmt::Write| {
            let steps = || format!("{}/{}", state.pos(), state.len().unwrap_or(0));
            let _ = to.write_str(&own.share().map_or_else(steps, |share| time_left(share, state.elapsed())));
        };
        bar.set_style(style.with_key("left", left));
    }
    if std::io::stderr().is_terminal() {
        let (later, workload) = (bar.clone(), Arc::clone(workload));
        std::thread::spawn(move || {
            std::thread::sleep(PATIENCE);
            if !later.is_finished() {
                later.set_draw_target(ProgressDrawTarget::stderr());
                later.enable_steady_tick(TICK);
            }
            while !later.is_finished() {
                if let Some(share) = workload.share() {
                    later.set_length(WHOLE);
                    later.set_position((share * WHOLE as f64) as u64);
                }
                std::thread::sleep(TICK);
            }
        });
    }
    bar
}

/// Shares below which the time left is a guess that would jump.
const FIRST_SHARE: f64 = 0.02;

/// The time left of all work.
fn time_left(share: f64, elapsed: Duration) -> String {
    if share < FIRST_SHARE {
        return "measuring".to_owned();
    }
    format!("{} left", duration(elapsed.as_secs_f64() * (1.0 - share) / share))
}

/// `40 s`, `3 min`.
fn duration(seconds: f64) -> String {
    if seconds < 90.0 { format!("{seconds:.0} s") } else { format!("{:.0} min", seconds / 60.0) }
}

/// What a search will compare; none if that takes no time worth a word.
pub(crate) fn plan(plan: &SearchPlan, threads: usize) -> Option<String> {
    let seconds = plan.seconds(threads);
    if seconds < PATIENCE.as_secs_f64() {
        return None;
    }
    let (rows, threads) = (output::grouped(plan.rows), count(threads, "thread"));
    let splits = if plan.folds == 1 { "one hold-out".to_owned() } else { count(plan.folds, "fold") };
    let preprocessing = match plan.preprocessings {
        1 => String::new(),
        several => format!(" behind {several} preprocessings"),
    };
    let smaller = if plan.smaller_budgets { ", smaller budgets where these may win" } else { "" };
    let (candidates, time) = (plan.candidates, duration(seconds));
    Some(format!(
        "plan    about {candidates} candidates{preprocessing}, each on {splits} of {rows} rows{smaller};\n        \
         about {time} on {threads}"
    ))
}

fn count(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_stated_where_it_takes_time() {
        let plan =
            SearchPlan { candidates: 70, preprocessings: 2, rows: 1257, folds: 5, smaller_budgets: true, work: 1e6 };
        assert_eq!(super::plan(&plan, 2), None);
        let long = SearchPlan { work: 1e12, ..plan };
        let text = super::plan(&long, 2).unwrap_or_default();
        let told =
            "plan    about 70 candidates behind 2 preprocessings, each on 5 folds of 1 257 rows, smaller budgets";
        assert!(text.starts_with(told) && text.contains("min on 2 threads"), "{text}");
        let plain = SearchPlan { preprocessings: 1, folds: 1, smaller_budgets: false, ..long };
        let text = super::plan(&plain, 1).unwrap_or_default();
        assert!(text.starts_with("plan    about 70 candidates, each on one hold-out of 1 257 rows;"), "{text}");
    }

    #[test]
    fn the_time_left_follows_from_the_share_done() {
        assert_eq!(time_left(0.001, Duration::from_secs(10)), "measuring");
        assert_eq!(time_left(0.25, Duration::from_secs(10)), "30 s left");
        assert_eq!(time_left(0.5, Duration::from_secs(180)), "3 min left");
    }
}
