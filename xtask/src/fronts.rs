//! `cargo xtask fronts`: the Pareto fronts of accuracy against flash and against instructions that `nearmark fit --flash`
//! reaches, every seed, beside the peers: tables, charts and raw results.
//!
//! Runs are long, so each result is written to `target/fronts/results.json` as it arrives; started again, the command
//! runs only what this binary has not measured yet.

mod labels;
mod measure;
mod peers;
mod plot;
mod results;
mod sets;
mod settings;
mod table;

use std::{fmt::Write, fs, path::PathBuf};

use anyhow::{Context, Result, bail};

use crate::{command::root, marked, qemu, targets};
use measure::Tool;
use results::{Results, Run};
use sets::Set;
use settings::Settings;

/// The usage of this command.
pub(crate) const USAGE: &str = settings::USAGE;

/// Measures what is missing and writes `docs/accuracy.md` with its charts and raw results.
pub(crate) fn run(args: &[&str]) -> Result<()> {
    let settings = Settings::parse(args)?;
    let folder = root().join("target/fronts");
    fs::create_dir_all(folder.join("models")).with_context(|| format!("making {}", folder.display()))?;
    let mut results = Results::open(&folder.join("results.json"))?;
    if settings.report {
        let mut runs = results.latest(&settings);
        if runs.is_empty() {
            // A fresh checkout has measured nothing, but carries the published results.
            runs = Results::open(&published())?.latest(&settings);
        }
        if runs.is_empty() {
            bail!("there are no results to report: run without --report first");
        }
        return report(&settings, &runs);
    }
    targets::ensure()?;
    qemu::ensure()?;
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

/// Prints the tables, and writes them with charts and raw results under `docs`.
fn report(settings: &Settings, runs: &[Run]) -> Result<()> {
    let charts = charts();
    fs::create_dir_all(&charts).with_context(|| format!("making {}", charts.display()))?;
    let page = page(&settings.sets, runs);
    println!("{page}");
    for (set, runs) in by_set(&settings.sets, runs) {
        for (axis, name) in plot::Axis::ALL.into_iter().zip(chart_names(set)) {
            if let Some(svg) = plot::svg(set, &runs, axis) {
                fs::write(charts.join(&name), svg).with_context(|| format!("writing {name}"))?;
            }
        }
    }
    let write =
        |path: PathBuf, text: &str| fs::write(&path, text).with_context(|| format!("writing {}", path.display()));
    write(root().join("docs/accuracy.md"), &page)?;
    let public: Vec<Run> = runs.iter().map(Run::public).collect();
    write(published(), &(serde_json::to_string_pretty(&public)? + "\n"))?;
    println!("written: docs/accuracy.md, docs/accuracy/*.svg, docs/accuracy/results.json");
    if Set::ALL.iter().all(|set| runs.iter().any(|run| run.set == set.name())) {
        marked::write(&root().join("README.md"), PART, &table::summary(runs))?;
    }
    Ok(())
}

/// The README's part with the means of every set.
const PART: &str = "accuracy";

/// Where the charts and the published results lie.
fn charts() -> PathBuf {
    root().join("docs/accuracy")
}

/// The results that the tables and charts under `docs` show.
fn published() -> PathBuf {
    charts().join("results.json")
}

/// The charts of a set: over flash and over instructions.
fn chart_names(set: Set) -> [String; 2] {
    [format!("{}.svg", set.name()), format!("{}-instructions.svg", set.name())]
}

/// `docs/accuracy.md`: a section for every set that was measured.
fn page(sets: &[Set], runs: &[Run]) -> String {
    let mut text = table::head();
    for (set, runs) in by_set(sets, runs) {
        text.push_str(&table::section(set, &runs));
        for (axis, name) in plot::Axis::ALL.into_iter().zip(chart_names(set)) {
            if plot::svg(set, &runs, axis).is_some() {
                let _ = writeln!(text, "\n![{}](accuracy/{name})", set.title());
            }
        }
    }
    text
}

/// The runs of each set; sets without runs are left out.
fn by_set(sets: &[Set], runs: &[Run]) -> Vec<(Set, Vec<Run>)> {
    let of = |set: &Set| runs.iter().filter(|run| run.set == set.name()).cloned().collect::<Vec<_>>();
    sets.iter().map(|set| (*set, of(set))).filter(|(_, runs)| !runs.is_empty()).collect()
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
    /// The largest model with its code.
    total: u64,
    /// The most instructions, if every run was on a board.
    instructions: Option<u64>,
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
        let total = outcomes().map(results::Outcome::total_bytes).max()?;
        let instructions = outcomes().map(results::Outcome::instructions).collect::<Option<Vec<_>>>();
        let instructions = instructions.and_then(|all| all.into_iter().max());
        Some(Point { budget, runs, accuracy, bytes, total, instructions })
    };
    budgets.into_iter().filter_map(point).collect()
}

/// Names of all sets, for messages.
fn names() -> String {
    Set::ALL.map(Set::name).join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_charts_show_the_published_results() -> Result<()> {
        let runs = Results::open(&published())?.latest(&Settings::parse(&[])?);
        let read = |path: PathBuf| fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()));
        let help = "out of date: cargo xtask fronts --report";
        assert!(read(root().join("docs/accuracy.md"))? == page(&Set::ALL, &runs), "docs/accuracy.md is {help}");
        for (set, runs) in by_set(&Set::ALL, &runs) {
            for (axis, chart) in plot::Axis::ALL.into_iter().zip(chart_names(set)) {
                if let Some(svg) = plot::svg(set, &runs, axis) {
                    assert!(read(charts().join(&chart))? == svg, "docs/accuracy/{chart} is {help}");
                }
            }
        }
        marked::check(&root().join("README.md"), PART, &table::summary(&runs), "cargo xtask fronts --report")
    }
}
