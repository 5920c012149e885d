//! Phases of the test command: each is timed, none stops the next, the last line counts them.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// The phases that have run.
#[derive(Default)]
pub(crate) struct Phases {
    done: Vec<Phase>,
}

struct Phase {
    name: &'static str,
    took: Duration,
    failure: Option<anyhow::Error>,
}

impl Phases {
    /// Runs a phase and records its result.
    pub(crate) fn run(&mut self, name: &'static str, phase: impl FnOnce() -> Result<()>) {
        println!("\n=== {name}");
        let start = Instant::now();
        let failure = phase().err();
        let took = start.elapsed();
        if let Some(why) = &failure {
            println!("FAILED: {why:#}");
        }
        self.done.push(Phase { name, took, failure });
    }

    /// Prints the summary; an error if a phase failed.
    pub(crate) fn finish(self) -> Result<()> {
        println!();
        for Phase { name, took, failure } in &self.done {
            let mark = if failure.is_some() { "FAILED" } else { "ok" };
            println!("{:>8.1} s  {mark:6}  {name}", took.as_secs_f64());
        }
        let total: Duration = self.done.iter().map(|phase| phase.took).sum();
        println!("{:>8.1} s  in all", total.as_secs_f64());
        let failed = self.done.iter().filter(|phase| phase.failure.is_some()).count();
        println!("{} passed, {failed} failed", self.done.len() - failed);
        if failed > 0 {
            bail!("{failed} phases failed");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_phase_does_not_stop_the_next_but_fails_the_whole() {
        let mut phases = Phases::default();
        let mut reached = false;
        phases.run("fails", || bail!("on purpose"));
        phases.run("passes", || {
            reached = true;
            Ok(())
        });
        assert!(reached);
        assert!(phases.finish().is_err());
    }
}
