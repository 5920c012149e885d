//! What `nearmark fit --flash` reaches at each size, every seed, beside the peers: tables, plots and raw results.
//!
//! Runs are long, so each result is kept in `target/fronts/results.json` as it arrives; whoever starts the command again
//! runs only what is missing for this very binary.

mod measure;
mod peers;
mod plot;
mod results;
mod sets;
mod settings;
mod table;

use std::{fmt::Write, fs};

use anyhow::{Context, Result, bail};

use crate::{command::root, marked};
use measure::Tool;
use results::{Results, Run};
use sets::Set;
use settings::Settings;

/// The usage of this command.
pub(crate) const USAGE: &str = settings::USAGE;

/// Measures what is missing and writes `docs/fronts.md` with all that belongs to it.
pub(crate) fn run(args: &[&str]) -> Result<()> {
    let settings = Settings::parse(args)?;
    let folder = root().join("target/fronts");
    fs::create_dir_all(folder.join("models")).with_context(|| format!("making {}", folder.display()))?;
    let mut results = Results::open(&folder.join("results.json"))?;
    if settings.report {
        let runs = results.latest(&settings);
        if runs.is_empty() {
            bail!("no results to report yet: run without --report first");
        }
        return report(&settings, &runs);
    }
    let tool = Tool::new(settings.binary.as_deref(), &folder)?;
    if settings.fresh {
        results.forget(&settings, tool.id())?;
    }
    let mut sets = Vec::new();
    for set in settings.sets.iter().copied() {
        match set.missing() {
            Some(why) => println!("skipped: {}: {why}", set.name()),
            None => sets.push(set),
        }
    }
    let wanted: Vec<Run> = sets.iter().flat_map(|set| settings.runs(*set)).collect();
    let missing: Vec<Run> = wanted.iter().filter(|run| results.find(run, tool.id()).is_none()).cloned().collect();
    println!("{} of {} runs to do, by {}", missing.len(), wanted.len(), tool.id());
    let failures = tool.measure_all(&missing, settings.jobs, &mut results)?;
    let runs = results.of(&wanted, tool.id());
    if !runs.is_empty() {
        report(&settings, &runs)?;
    }
    match failures.len() {
        0 => Ok(()),
        count => bail!("{count} of {} runs failed:\n{}", missing.len(), failures.join("\n")),
    }
}

/// Prints the tables, and writes them with plots and raw results under `docs`.
fn report(settings: &Settings, runs: &[Run]) -> Result<()> {
    let docs = root().join("docs");
    let plots = docs.join("fronts");
    fs::create_dir_all(&plots).with_context(|| format!("making {}", plots.display()))?;
    let mut text = table::head();
    for set in settings.sets.iter().copied() {
        let runs: Vec<Run> = runs.iter().filter(|run| run.set == set.name()).cloned().collect();
        if runs.is_empty() {
            continue;
        }
        let section = table::section(set, &runs);
        println!("{section}");
        text.push_str(&section);
        let name = format!("{}.svg", set.name());
        plot::write(set, &runs, &plots.join(&name))?;
        let _ = writeln!(text, "\n![{}](fronts/{name})", set.title());
    }
    let write = |path: std::path::PathBuf, text: &str| {
        fs::write(&path, text).with_context(|| format!("writing {}", path.display()))
    };
    write(docs.join("fronts.md"), &text)?;
    let public: Vec<Run> = runs.iter().map(Run::public).collect();
    write(plots.join("results.json"), &(serde_json::to_string_pretty(&public)? + "\n"))?;
    println!("written: docs/fronts.md, docs/fronts/*.svg, docs/fronts/results.json");
    if Set::ALL.iter().all(|set| runs.iter().any(|run| run.set == set.name())) {
        marked::write(&root().join("README.md"), "fronts", &table::summary(runs))?;
    }
    Ok(())
}

/// Mean of some values.
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// What the runs of one budget come to.
struct Point {
    /// The budget in bytes.
    budget: u64,
    runs: Vec<Run>,
    /// Mean accuracy in percent.
    accuracy: f64,
    /// The largest model.
    bytes: u64,
}

/// The runs of a set, budget by budget, with their seeds in order.
fn points(runs: &[Run]) -> Vec<Point> {
    let mut budgets: Vec<u64> = runs.iter().map(|run| run.budget).collect();
    budgets.sort_unstable();
    budgets.dedup();
    let point = |budget| {
        let mut runs: Vec<Run> = runs.iter().filter(|run| run.budget == budget).cloned().collect();
        runs.sort_by_key(|run| run.seed);
        let outcomes = || runs.iter().filter_map(|run| run.outcome.as_ref());
        let accuracy = 100.0 * mean(outcomes().map(|outcome| outcome.accuracy))?;
        let bytes = outcomes().map(|outcome| outcome.flash_bytes).max()?;
        Some(Point { budget, runs, accuracy, bytes })
    };
    budgets.into_iter().filter_map(point).collect()
}

/// Names of all sets, for messages.
fn names() -> String {
    Set::ALL.map(Set::name).join(",")
}
