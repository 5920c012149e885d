//! The tables of `docs/accuracy.md`.

use std::{collections::BTreeSet, fmt::Write};

use super::peers::{RUNTIME, Size};
use super::sets::Set;
use super::{Point, points};
use crate::measured::grouped;

/// The text above all tables.
pub(crate) fn head() -> String {
    format!(
        "# Accuracy and size

`cargo xtask fronts` measures accuracy against flash and against instructions on ten data sets and writes this page, its charts
and the [raw results](accuracy/results.json). `cargo xtask fronts --report` writes them again from the results.

- A row of a table is one budget: `nearmark fit TRAIN --flash BUDGET --seed SEED` for every seed.
- Accuracy is measured by `nearmark eval` on test rows that the fit never used. It runs the encoded model file with the
  runtime crate, the same code as on the device.
- Model bytes are the model in flash (class names included, provenance not). \"With code\" adds the runtime with exactly the
  stages of that model, on a Cortex-M4F; the charts show this sum. Instructions are those of one classification there, with
  DSP instructions, under QEMU. Results of older tools have no measurement on a board: there the code counts {RUNTIME} bytes, those
  of integer models with Gaussian centers.
- Goals are the project's own targets for the mean.
- Peers were measured on the same split, compiled by gcc -O2 for a Cortex-M4F, in bytes above an empty program (\"with
  code\"); \"of model\" are sizes from the peer's publication. \"Dominated by\" names the smallest budget whose mean
  accuracy is no lower in no more bytes, with the runtime's code counted wherever the peer's code is.
"
    )
}

/// The tables of one set.
pub(crate) fn section(set: Set, runs: &[super::Run]) -> String {
    let points = points(runs);
    // Searches change from version to version: readers must know whose figures these are.
    let tools: BTreeSet<&str> = runs.iter().filter_map(|run| Some(run.outcome.as_ref()?.tool.as_str())).collect();
    let tools: Vec<&str> = tools.into_iter().collect();
    let mut text = format!("\n## {}\n\nMeasured by {}.\n\n", set.title(), tools.join(" and "));
    let mut seeds: Vec<u64> = runs.iter().map(|run| run.seed).collect();
    seeds.sort_unstable();
    seeds.dedup();
    let listed = seeds.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    text.push_str("| budget | goal % | mean % | seeds ");
    let _ = writeln!(
        text,
        "{listed} | model bytes | with code | instructions | seconds |\n|---:|---:|---:|---|---:|---:|---:|---:|"
    );
    for point in &points {
        text.push_str(&row(set, point, &seeds));
    }
    if !set.peers().is_empty() {
        text.push_str("\n| peer | accuracy % | bytes | dominated by |\n|---|---:|---:|---|\n");
    }
    for peer in set.peers() {
        let bytes = match peer.size {
            Size::Program(bytes) => format!("{} with code", grouped(bytes)),
            Size::Model(bytes) => format!("{} of model", grouped(bytes)),
            Size::None => "not for devices".to_owned(),
        };
        let by = match peer.dominated_by(&points) {
            Some(point) => format!("{}: {:.2} %", size(point.budget), point.accuracy),
            None => "–".to_owned(),
        };
        let _ = writeln!(text, "| {} | {:.2} | {bytes} | {by} |", peer.name, peer.accuracy);
    }
    text
}

/// The means of all sets, for the README.
pub(crate) fn summary(runs: &[super::Run]) -> String {
    let of = |set: Set| runs.iter().filter(|run| run.set == set.name()).cloned().collect::<Vec<_>>();
    let mut budgets: Vec<u64> = runs.iter().map(|run| run.budget).collect();
    budgets.sort_unstable();
    budgets.dedup();
    let cells = |cell: &dyn Fn(u64) -> String| budgets.iter().map(|b| cell(*b)).collect::<Vec<_>>().join(" | ");
    let mut text = format!("| mean test accuracy, % | {} | seeds |\n|---|", cells(&size));
    let _ = writeln!(text, "{}---|", "---:|".repeat(budgets.len()));
    for (set, runs) in Set::ALL.map(|set| (set, of(set))).into_iter().filter(|(_, runs)| !runs.is_empty()) {
        let points = points(&runs);
        let mean = |budget| points.iter().find(|point| point.budget == budget);
        let mean = |budget| mean(budget).map_or_else(|| "–".to_owned(), |point| format!("{:.2}", point.accuracy));
        let mut seeds: Vec<u64> = runs.iter().map(|run| run.seed).collect();
        seeds.sort_unstable();
        seeds.dedup();
        let seeds: Vec<String> = seeds.iter().map(ToString::to_string).collect();
        let _ = writeln!(text, "| {} | {} | {} |", set.title(), cells(&mean), seeds.join(" "));
    }
    text
}

fn row(set: Set, point: &Point, seeds: &[u64]) -> String {
    let outcomes: Vec<_> = point.runs.iter().filter_map(|run| run.outcome.as_ref()).collect();
    let accuracy = |seed: &u64| {
        let run = point.runs.iter().find(|run| run.seed == *seed).and_then(|run| run.outcome.as_ref());
        run.map_or_else(|| "–".to_owned(), |outcome| format!("{:.2}", 100.0 * outcome.accuracy))
    };
    let seeds: Vec<String> = seeds.iter().map(accuracy).collect();
    let span = |values: Vec<u64>| match (values.iter().min(), values.iter().max()) {
        (Some(low), Some(high)) if low < high => format!("{}–{}", grouped(*low), grouped(*high)),
        (_, high) => high.map_or_else(String::new, |high| grouped(*high)),
    };
    let (goal, mark) = match set.goal(point.budget) {
        Some(goal) if point.accuracy >= goal => (format!("{goal:.1}"), " ✓"),
        Some(goal) => (format!("{goal:.1}"), " ✗"),
        None => ("–".to_owned(), ""),
    };
    format!(
        "| {} | {goal} | **{:.2}**{mark} | {} | {} | {} | {} | {} |\n",
        size(point.budget),
        point.accuracy,
        seeds.join(" "),
        span(outcomes.iter().map(|outcome| outcome.flash_bytes).collect()),
        span(outcomes.iter().map(|outcome| outcome.total_bytes()).collect()),
        point.instructions.map_or_else(
            || "–".to_owned(),
            |_| span(outcomes.iter().filter_map(|outcome| outcome.instructions()).collect())
        ),
        span(outcomes.iter().map(|outcome| outcome.seconds.round() as u64).collect()),
    )
}

/// `2 kB` for 2048.
fn size(bytes: u64) -> String {
    if bytes.is_multiple_of(1024) { format!("{} kB", bytes / 1024) } else { format!("{} B", grouped(bytes)) }
}

#[cfg(test)]
mod tests {
    use super::super::results::{Board, Outcome, Run};
    use super::*;

    #[test]
    fn every_seed_is_listed_beside_mean_and_goal() {
        let run = |budget, seed, accuracy, flash_bytes| {
            let fit = serde_json::Value::Null;
            let board = (seed == 0).then_some(Board { code_bytes: 5000, instructions: 9000 });
            let outcome =
                Outcome { tool: "nearmark 0.1.0".to_owned(), accuracy, flash_bytes, seconds: 12.4, board, fit };
            Run { outcome: Some(outcome), ..Run::new("har", budget, seed) }
        };
        let runs = [
            run(4096, 1, 0.98, 4000),
            run(4096, 0, 0.97, 4090),
            run(2048, 0, 0.96, 2048),
            run(2048, 1, 0.961, 2048),
            run(8192, 1, 0.99, 8000),
        ];
        let means = summary(&runs);
        assert!(
            means.starts_with("| mean test accuracy, % | 2 kB | 4 kB | 8 kB | seeds |\n|---|---:|---:|---:|---|\n"),
            "{means}"
        );
        assert!(means.contains(" | 96.05 | 97.50 | 99.00 | 0 1 |\n"), "{means}");
        assert_eq!(means.lines().count(), 3, "sets without a run are left out: {means}");
        let text = section(Set::Har, &runs);
        assert!(text.contains("seeds 0, 1"), "{text}");
        assert!(text.contains("| 2 kB | 97.0 | **96.05** ✗ | 96.00 96.10 | 2 048 | 7 048–7 304 | – | 12 |"), "{text}");
        assert!(
            text.contains("| 4 kB | 97.4 | **97.50** ✓ | 97.00 98.00 | 4 000–4 090 | 9 090–9 256 | – | 12 |"),
            "{text}"
        );
        // A seed that failed leaves its place empty.
        assert!(text.contains("| 8 kB | 97.6 | **99.00** ✓ | – 99.00 | 8 000 | 13 256 | – | 12 |"), "{text}");
        assert!(text.contains("| ProtoNN sparse | 97.70 | 18 200 with code | 8 kB: 99.00 % |"), "{text}");
    }
}
