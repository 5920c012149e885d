//! `nearmark compare`

use super::curves;
use crate::args::{CompareArgs, Usage};
use crate::output::{self, grouped, say};
use crate::setup::Console;
use anyhow::{Context, Result};
use comfy_table::ColumnConstraint::{ContentWidth, LowerBoundary};
use comfy_table::Width::Fixed;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use nearmark_train::Run;
use nearmark_train::config::Parameters;
use nearmark_train::evaluate::compare::curves::curves;
use nearmark_train::evaluate::compare::{Comparison, DEFAULT_METHODS, Entry, Protocol, compare};
use serde_json::{Value, json};
use std::path::Path;

/// Columns of a terminal.
const WIDTH: usize = 80;
/// Columns that a name gets before it is broken.
const NAME: usize = 26;

pub(crate) fn run(args: &CompareArgs, console: &Console) -> Result<()> {
    let mut taken = vec![Path::new(&args.data)];
    for path in &args.output {
        if args.dims.is_some() { curves::format_of(path).map(drop) } else { format_of(path).map(drop) }?;
        output::check(path, &taken)?;
        taken.push(path);
    }
    let mut shared = args.model.over(Parameters::default(), args.input.image);
    // Names are read before rows: a typing error should not cost the time to load them.
    let methods = methods(args, &shared)?;
    let data = console.load_for(&args.data, &args.input, &mut shared)?.data;
    let protocol = protocol(args, console, &mut shared)?;
    let entries = Entry::list(&methods, &shared).map_err(|error| Usage(format!("--methods: {error}")))?;
    let seed = shared.seed.unwrap_or(0);
    if let Some(dims) = &args.dims {
        let find = |run: &Run<'_>| curves(&entries, &data, &protocol, dims, seed, run);
        let found = console.with_progress(find).with_context(|| args.data.clone())?;
        return curves::print(args, &protocol_object(args, &protocol), &found, console);
    }
    let compared = console.with_progress(|run| compare(&entries, &data, &protocol, seed, run));
    let comparison = compared.with_context(|| args.data.clone())?;
    for path in &args.output {
        output::bytes(path, format_of(path)?(&comparison, &args.data).as_bytes())?;
    }
    if console.json {
        return output::json(&object(args, &protocol, &comparison));
    }
    say(&filled(&format!("{}: {}", args.data, comparison.headline())));
    output::stdout(&format!("{}\n", table(&comparison)))
}

/// How the table of a data set is written to a file of this name.
fn format_of(path: &Path) -> Result<fn(&Comparison, &str) -> String, Usage> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("md" | "markdown") => Ok(|comparison, data| format!("{data}: {}", comparison.to_markdown())),
        Some("html" | "htm") => Ok(Comparison::to_html),
        _ => Err(Usage(format!("{}: a table is written as .md or .html", path.display()))),
    }
}

/// What to compare, each method with its share of what is set for all.
fn methods(args: &CompareArgs, shared: &Parameters) -> Result<String, Usage> {
    if args.model.parameters.method.is_some() {
        return Err(Usage("compare takes several methods: --methods cmvda,lda".to_owned()));
    }
    let list = if args.methods.is_empty() { DEFAULT_METHODS.to_owned() } else { args.methods.join(",") };
    let entries = list.split(',').map(|entry| Entry::parameters(entry, shared)).collect::<Result<Vec<_>, _>>();
    let entries = entries.map_err(|error| Usage(format!("--methods: {error}")))?;
    // Shared settings are for those that have them; one that no method has is a typing error.
    match shared.set.keys().find(|key| entries.iter().all(|entry| !entry.set.contains_key(*key))) {
        Some(key) => Err(Usage(format!("--set {key}: none of the methods takes {key}"))),
        None => Ok(list),
    }
}

fn protocol(args: &CompareArgs, console: &Console, shared: &mut Parameters) -> Result<Protocol> {
    let repeats = args.repeats as usize;
    Ok(match (&args.test, args.train_per_class) {
        (Some(test), _) => Protocol::Fixed(console.load_test(test, &args.input, shared)?.data),
        (None, Some(count)) => Protocol::PerClass { count: count as usize, repeats },
        (None, None) => Protocol::Folds { k: args.cv.unwrap_or(5) as usize, repeats },
    })
}

/// The comparison as a table for a terminal of 80 columns.
pub(crate) fn table(comparison: &Comparison) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    // Fixed, so that what is piped into a file looks the same from every terminal.
    table.force_no_tty().set_width(WIDTH as u16);
    table.set_header(["method", "accuracy %", "mean rank", "fit s", "flash B"]);
    for row in comparison.ranking() {
        let [accuracy, rank, seconds, _] = row.cells();
        table.add_row([row.method, accuracy, rank, seconds, row.flash_bytes.map(grouped).unwrap_or_default()]);
    }
    let longest = comparison.entries.iter().map(|entry| entry.name.chars().count()).max().unwrap_or(0);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        match index {
            // Reasons are sentences and break well; names are not.
            0 => drop(column.set_constraint(LowerBoundary(Fixed(longest.min(NAME) as u16 + 2)))),
            1 => {}
            _ => {
                column.set_constraint(ContentWidth);
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
    }
    let caveat = comparison.caveat().map(|caveat| format!("\n\n{}", filled(&caveat)));
    table.trim_fmt() + &caveat.unwrap_or_default()
}

/// Words in lines of 80 columns.
pub(crate) fn filled(text: &str) -> String {
    output::wrapped(text.split(' '), " ", "", WIDTH).join("\n")
}

fn protocol_object(args: &CompareArgs, protocol: &Protocol) -> Value {
    let text = protocol.to_string();
    match protocol {
        Protocol::Folds { k, repeats } => json!({ "kind": "cv", "k": k, "repeats": repeats, "text": text }),
        Protocol::PerClass { count, repeats } => {
            json!({ "kind": "train-per-class", "count": count, "repeats": repeats, "text": text })
        }
        Protocol::Fixed(_) => json!({ "kind": "test", "data": args.test, "text": text }),
    }
}

fn object(args: &CompareArgs, protocol: &Protocol, comparison: &Comparison) -> Value {
    json!({
        "data": args.data,
        "protocol": protocol_object(args, protocol),
        "seed": comparison.seed,
        "rows": comparison.rows,
        "classes": comparison.classes,
        "splits": comparison.splits(),
        "test_rows": comparison.test_rows,
        "methods": comparison.ranking(),
        "ties": comparison.ties(),
        "caveat": comparison.caveat(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearmark_train::config::Config;
    use nearmark_train::evaluate::compare::Outcome;

    #[test]
    fn no_line_of_a_table_is_longer_than_a_terminal() {
        let long = "cmvda:features=nystrom:1000:kernel=polynomial:2:ridge=0.0001:sigma=0.71x";
        let why = "nystrom is 1000, but there are only 120 rows, which is far from enough for anything at all";
        let outcome = |accuracy| Ok(Outcome { accuracy, seconds: 1234.5, flash_bytes: 123_456_789, tuned: None });
        let methods = [long, "lda", "a method without a space in its name that would be a place to cut", "broken"];
        let comparison = Comparison {
            entries: methods.map(|name| Entry { name: name.to_owned(), config: Config::default() }).to_vec(),
            outcomes: vec![
                vec![outcome(0.9), outcome(1.0)],
                vec![outcome(1.0), outcome(0.9)],
                vec![outcome(0.9), outcome(0.9)],
                vec![Err(why.to_owned()), Err(why.to_owned())],
            ],
            protocol: "2-fold cross-validation".to_owned(),
            seed: 0,
            rows: 10,
            classes: 2,
            test_rows: 20,
        };
        let text = table(&comparison);
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest.is_some_and(|widest| widest <= WIDTH), "{text}");
        assert!(text.contains("failed:") && text.contains("123 456 789"), "{text}");
    }
}
