//! `nearmark recall`

use crate::args::{DataArgs, RecallArgs, Usage};
use crate::output::{self, grouped, say};
use crate::setup::Console;
use anyhow::{Context, Result};
use comfy_table::{CellAlignment, Table, presets};
use nearmark_train::evaluate::recall::{DEFAULT_SYSTEMS, Options, Recall, Row, System, recall};
use serde_json::{Value, json};
use std::fmt::Write;

pub(crate) fn run(args: &RecallArgs, console: &Console) -> Result<()> {
    // Names are read before rows: a typing error should not cost the time to load them.
    let list = if args.methods.is_empty() { DEFAULT_SYSTEMS.to_owned() } else { args.methods.join(",") };
    let systems = System::list(&list, args.dim, args.bits.unwrap_or(args.dim));
    let systems = systems.map_err(|error| Usage(format!("--methods: {error}")))?;
    let input = DataArgs { unlabelled: args.unlabelled, ..args.input.clone() };
    let data = console.load(&args.data, &input)?.data;
    let queries =
        args.queries.as_ref().map(|queries| console.load_as_wide(queries, &input, data.width())).transpose()?;
    let queries = queries.as_ref().map(|loaded| &loaded.data);
    let options =
        Options { neighbors: args.neighbors.clone(), at: args.at.clone(), repeats: args.repeats, seed: args.seed };
    let measured = console.with_progress(|run| recall(&systems, &data, queries, &options, run));
    let found = measured.with_context(|| args.data.clone())?;
    for system in systems.iter().filter(|system| system.in_sample_only()) {
        say(&format!("note: {} is in-sample only: it has no map for other rows", system.name()));
    }
    for failure in &found.failed {
        say(&format!("note: {} failed: {}", failure.method, failure.why));
    }
    if console.json {
        return output::json(&object(args, &found));
    }
    let (queries, items) = (grouped(found.queries), grouped(found.items));
    say(&format!("{}: {queries} queries among {items} rows, seed {}", args.data, args.seed));
    output::stdout(&text(&found, &options))
}

/// A table of recall and one of precision for every number of true neighbors, in percent.
fn text(found: &Recall, options: &Options) -> String {
    let mut text = String::new();
    for &neighbors in &options.neighbors {
        let recall = table(found, options, neighbors, |row| (row.recall, row.ci95));
        let precision = table(found, options, neighbors, |row| {
            let share = row.neighbors as f64 / row.at as f64;
            (row.precision, row.ci95 * share)
        });
        let gap = if text.is_empty() { "" } else { "\n" };
        let one = if neighbors == 1 { "neighbor" } else { "neighbors" };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{gap}{neighbors} true {one}, recall %\n{recall}\n");
        let _ = writeln!(text, "{neighbors} true {one}, precision %\n{precision}");
    }
    text
}

/// One line per method, one column per number of candidates.
fn table(found: &Recall, options: &Options, neighbors: usize, value: impl Fn(&Row) -> (f64, f64)) -> String {
    let mut table = Table::new();
    // Without a terminal's width, so that what is piped into a file looks the same from every terminal.
    table.load_style(presets::NOTHING).force_no_tty();
    let numbers = options.at.iter().map(|at| format!("at {at}"));
    table.set_header(["method".to_owned()].into_iter().chain(numbers).chain(["seconds".to_owned()]));
    let own: Vec<&Row> = found.rows.iter().filter(|row| row.neighbors == neighbors).collect();
    for rows in own.chunks(options.at.len()) {
        let cell = |row: &&Row| {
            let (share, half) = value(row);
            format!("{:.1} ± {:.1}", 100.0 * share, 100.0 * half)
        };
        let seconds = format!("{:.3}", rows[0].seconds);
        table.add_row([rows[0].method.clone()].into_iter().chain(rows.iter().map(cell)).chain([seconds]));
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if index > 0 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt()
}

fn object(args: &RecallArgs, found: &Recall) -> Value {
    json!({
        "data": args.data,
        "queries_data": args.queries,
        "items": found.items,
        "queries": found.queries,
        "dim": args.dim,
        "bits": args.bits.unwrap_or(args.dim),
        "repeats": args.repeats,
        "seed": args.seed,
        "rows": found.rows,
        "failed": found.failed,
    })
}
