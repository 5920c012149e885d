//! The command line: what to measure.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use super::results::Run;
use super::sets::{BUDGETS, Set};

pub(crate) const USAGE: &str = "\
usage: cargo xtask fronts [--sets digits,splits,letter,har,mnist,arrowhead,osuleaf,plaid,har-raw,watch]
                          [--budgets 1k,2k,4k,8k,16k] [--seeds 0..5] [--jobs 1] [--fresh] [--report]
                          [--binary NEARMARK]

  --jobs    runs in parallel
  --fresh   repeats runs that have a result
  --report  runs nothing: writes tables and charts from the newest results of any binary, or from the published ones
  --binary  measures this binary instead of building one
Each model is also run on an emulated Cortex-M4F with DSP instructions, for its instructions and the bytes of code.
Data sets other than the built-in digits are read from the folder NEARMARK_DATA; missing sets are skipped.";

/// What to measure and how.
#[derive(Debug, PartialEq)]
pub(crate) struct Settings {
    pub(crate) sets: Vec<Set>,
    /// In bytes.
    pub(crate) budgets: Vec<u64>,
    pub(crate) seeds: Vec<u64>,
    /// Runs in parallel.
    pub(crate) jobs: usize,
    pub(crate) fresh: bool,
    pub(crate) report: bool,
    pub(crate) binary: Option<PathBuf>,
}

impl Settings {
    pub(crate) fn parse(args: &[&str]) -> Result<Self> {
        let mut settings = Self {
            sets: Set::ALL.to_vec(),
            budgets: BUDGETS.to_vec(),
            seeds: (0..5).collect(),
            jobs: 1,
            fresh: false,
            report: false,
            binary: None,
        };
        let mut args = args.iter().copied();
        while let Some(flag) = args.next() {
            let mut value = || args.next().with_context(|| format!("{flag} needs a value\n{USAGE}"));
            match flag {
                "--sets" => settings.sets = list(value()?, set)?,
                "--budgets" => settings.budgets = list(value()?, bytes)?,
                "--seeds" => settings.seeds = seeds(value()?)?,
                "--jobs" => {
                    settings.jobs = value()?.parse().ok().filter(|jobs| *jobs > 0).context("--jobs: a number")?;
                }
                "--binary" => settings.binary = Some(value()?.into()),
                "--fresh" => settings.fresh = true,
                "--report" => settings.report = true,
                _ => bail!("no flag {flag}\n{USAGE}"),
            }
        }
        Ok(settings)
    }

    /// Every run of one set.
    pub(crate) fn runs(&self, set: Set) -> Vec<Run> {
        let of = |budget: &u64| self.seeds.iter().map(|seed| Run::new(set.name(), *budget, *seed)).collect::<Vec<_>>();
        self.budgets.iter().flat_map(of).collect()
    }
}

fn list<T>(text: &str, each: impl Fn(&str) -> Result<T>) -> Result<Vec<T>> {
    text.split(',').map(each).collect()
}

fn set(name: &str) -> Result<Set> {
    Set::ALL.into_iter().find(|set| set.name() == name).with_context(|| format!("no set {name}: {}", super::names()))
}

/// `2k` is 2048 bytes, as in the tool.
fn bytes(text: &str) -> Result<u64> {
    let (number, unit) = text.strip_suffix(['k', 'K']).map_or((text, 1), |number| (number, 1024));
    let bytes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(unit)).filter(|bytes| *bytes > 0);
    bytes.with_context(|| format!("no size {text}: expected bytes, or 2k for 2048"))
}

/// `0..5` are five seeds from 0, `0,3` are two.
fn seeds(text: &str) -> Result<Vec<u64>> {
    let wrong = || format!("no seeds {text}: expected 0..5 or 0,3");
    let seeds = match text.split_once("..") {
        Some((from, to)) => (from.parse().with_context(wrong)?..to.parse().with_context(wrong)?).collect(),
        None => list(text, |seed| seed.parse().with_context(wrong))?,
    };
    if seeds.is_empty() {
        bail!(wrong());
    }
    Ok(seeds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_seeds_and_sets_are_parsed() -> Result<()> {
        let settings = Settings::parse(&["--sets", "har,digits", "--budgets", "2k,500", "--seeds", "3..5", "--fresh"])?;
        assert_eq!(settings.sets, [Set::Har, Set::Digits]);
        assert_eq!((settings.budgets.as_slice(), settings.seeds.as_slice()), (&[2048, 500][..], &[3, 4][..]));
        assert!(settings.fresh && !settings.report);
        assert_eq!(settings.runs(Set::Har).len(), 4);
        assert_eq!(Settings::parse(&["--seeds", "0,7"])?.seeds, [0, 7]);
        Ok(())
    }

    #[test]
    fn wrong_flags_are_errors() {
        let error = |args: &[&str]| Settings::parse(args).map_err(|why| why.to_string()).err().unwrap_or_default();
        assert_eq!(
            error(&["--sets", "iris"]),
            "no set iris: digits,splits,letter,har,mnist,arrowhead,osuleaf,plaid,har-raw,watch"
        );
        assert_eq!(error(&["--budgets", "2q"]), "no size 2q: expected bytes, or 2k for 2048");
        assert_eq!(error(&["--seeds", "5..5"]), "no seeds 5..5: expected 0..5 or 0,3");
        assert!(error(&["--seeds"]).starts_with("--seeds needs a value"));
        assert!(error(&["--sizes"]).starts_with("no flag --sizes"));
    }
}
