//! `nearmark check`

use crate::args::{CheckArgs, flagged, in_flags};
use crate::output::{self, grouped};
use crate::setup::Console;
use anyhow::{Context, Result};
use nearmark_train::check::{self, Finding, Report};
use nearmark_train::io::{ColumnSurvey, Loaded, Missing, Options, Role, Shape, Survey};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// Columns that are listed; of wider tables only those with findings.
const LISTED: usize = 40;
/// Classes that are listed.
const CLASSES: usize = 24;
/// The budget of the command that is proposed: all but the largest tasks fit, and every microcontroller has it.
const FLASH: &str = "4k";

pub(crate) fn run(args: &CheckArgs, console: &Console) -> Result<()> {
    let options = args.input.options();
    let found = console.with_progress(|run| check::check(&args.data, &options, run));
    let report = found.map_err(in_flags).with_context(|| format!("reading {}", args.data))?;
    let command = command(&args.data, &report);
    if console.json {
        return output::json(&object(&args.data, &report, command.as_deref()));
    }
    output::stdout(&text(&args.data, &report, command.as_deref()))
}

/// A finding in a line, its flag at the end.
pub(crate) fn line(finding: &Finding) -> String {
    let advice = finding.advice.as_ref().map_or_else(String::new, |advice| {
        let flag = flag(advice.option(), &advice.value());
        if finding.is_certain { format!(": {flag}") } else { format!("; if so, {flag}") }
    });
    format!("{}{advice}", printable(&flagged(&finding.text)))
}

fn flag(option: &str, value: &str) -> String {
    format!("--{} {}", option.replace('_', "-"), quoted(value))
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./:,=@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Text without control characters.
fn printable(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}

/// The flags of these options.
fn flags(options: &Options) -> Vec<String> {
    let mut flags = Vec::new();
    let mut add = |option: &str, value: Option<String>| flags.extend(value.map(|value| flag(option, &value)));
    add("label", options.label.as_ref().map(ToString::to_string));
    add("labels", options.labels.as_ref().map(|path| path.display().to_string()));
    add("group", options.group.as_ref().map(ToString::to_string));
    add("header", options.header.map(|header| if header { "yes" } else { "no" }.to_owned()));
    let drop: Vec<String> = options.drop.iter().map(ToString::to_string).collect();
    add("drop", (!drop.is_empty()).then(|| drop.join(",")));
    add("decimal", options.decimal_comma.then(|| ",".to_owned()));
    let missing = |missing: Missing| match missing {
        Missing::Error => "error",
        Missing::Drop => "drop",
        Missing::Median => "median",
    };
    add("missing", options.missing.map(|value| missing(value).to_owned()));
    add("label-na", options.label_na.then(|| "keep".to_owned()));
    for (flag, columns) in [("onehot", &options.onehot), ("codes", &options.codes)] {
        let columns: Vec<String> = columns.iter().map(ToString::to_string).collect();
        add(flag, (!columns.is_empty()).then(|| columns.join(",")));
    }
    add("window-rows", options.window_rows.map(|rows| rows.to_string()));
    add("step", options.step.map(|rows| rows.to_string()));
    add("time", options.time.as_ref().map(ToString::to_string));
    add("label-at", options.label_at_end.then(|| "end".to_owned()));
    add("layout", options.time_first.then(|| "ntc".to_owned()));
    add("image", options.image.map(|(rows, cols)| format!("{rows}x{cols}")));
    add("index-base", options.index_base.map(|base| base.to_string()));
    flags
}

/// The fit that follows; none where the rows cannot be read.
fn command(data: &str, report: &Report) -> Option<String> {
    let loaded = report.loaded.as_ref()?;
    let name = data.rsplit_once("builtin:").map_or(data, |(_, name)| name);
    let name = name.split(':').next().unwrap_or(name).trim_end_matches(".gz");
    let stem = Path::new(name).file_stem().map_or_else(|| "model".into(), |stem| stem.to_string_lossy().into_owned());
    let mut words = vec!["nearmark fit".to_owned(), quoted(data)];
    words.extend(flags(&report.options));
    // Large sparse rows take no budget.
    let size =
        if loaded.data.sparse_rows().is_some() { "--holdout 0.25".to_owned() } else { format!("--flash {FLASH}") };
    words.extend([size, format!("-o {}", quoted(&format!("{stem}.nmk")))]);
    Some(words.join(" "))
}

fn text(data: &str, report: &Report, command: Option<&str>) -> String {
    let mut text = String::new();
    if let Some(survey) = &report.survey {
        let header = if survey.header { "named in the first line" } else { "without a header" };
        let cut = survey.delimiter.map_or_else(String::new, |c| match c {
            '\t' => ", separated by tabs".to_owned(),
            c => format!(", separated by `{c}`"),
        });
        let (rows, count) = (grouped(survey.rows), survey.columns.len());
        let _ = writeln!(text, "{data}: {rows} rows, {count} columns {header}{cut}");
        text.push_str(&columns(survey, &report.findings));
    } else {
        let _ = writeln!(text, "{data}");
    }
    if let Some(loaded) = &report.loaded {
        text.push_str(&rows(loaded));
    }
    if let Some(survey) = report.survey.as_ref().filter(|_| report.loaded.is_none()) {
        text.push_str(&label_column(survey));
    }
    if let Some(failure) = &report.failure {
        let _ = writeln!(text, "cannot be read yet: {}", printable(&flagged(failure)));
    }
    if report.findings.is_empty() {
        text.push_str("nothing suspicious was found\n");
    }
    for finding in &report.findings {
        let _ = writeln!(text, "{:<8} {}", finding.severity.name(), line(finding));
    }
    if let Some(command) = command {
        let _ = writeln!(text, "\nnext\n  {command}");
    }
    text
}

/// A line for every column.
fn columns(survey: &Survey, findings: &[Finding]) -> String {
    let all = survey.columns.len() <= LISTED;
    let is_listed = |number: usize| all || findings.iter().any(|finding| finding.column == Some(number));
    let listed = survey.columns.iter().enumerate().filter(|(number, _)| is_listed(*number));
    let cells = listed.map(|(number, column)| {
        [
            number.to_string(),
            name(column),
            role(column.role).to_owned(),
            column.contents().name().to_owned(),
            range(column),
            column.missing.to_string(),
            column.distinct().map_or_else(|| "many".to_owned(), |count| count.to_string()),
        ]
    });
    let head = ["", "name", "use", "type", "range", "missing", "different"].map(str::to_owned);
    let lines: Vec<[String; 7]> = std::iter::once(head).chain(cells).collect();
    let mut text = if lines.len() > 1 { table(&lines) } else { String::new() };
    if !all {
        let _ = writeln!(text, "  {} columns without findings are not listed", survey.columns.len() + 1 - lines.len());
    }
    text
}

fn table(lines: &[[String; 7]]) -> String {
    let width = |cell: usize| lines.iter().map(|line| line[cell].chars().count()).max().unwrap_or(0);
    let widths: [usize; 7] = std::array::from_fn(width);
    let line = |line: &[String; 7]| {
        let cells = line.iter().zip(widths).enumerate().map(|(cell, (text, width))| match cell {
            0 | 5 | 6 => format!("{text:>width$}"),
            _ => format!("{text:<width$}"),
        });
        format!("  {}", cells.collect::<Vec<_>>().join("  ")).trim_end().to_owned() + "\n"
    };
    lines.iter().map(line).collect()
}

fn name(column: &ColumnSurvey) -> String {
    const LONGEST: usize = 24;
    let name = printable(&column.name);
    if name.chars().count() > LONGEST { name.chars().take(LONGEST).chain(['…']).collect() } else { name }
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Feature => "feature",
        Role::Category => "words",
        Role::Label => "label",
        Role::Group => "group",
        Role::Id => "id",
        Role::Time => "time",
        Role::Dropped => "dropped",
    }
}

fn range(column: &ColumnSurvey) -> String {
    column.range.map_or_else(String::new, |(least, most)| format!("{least} … {most}"))
}

/// Rows, their shape and their classes.
fn rows(loaded: &Loaded) -> String {
    let data = &loaded.data;
    let shape = shape(loaded.shape, data.width());
    let mut text = format!("rows     {} of {shape}, {:?} values", grouped(data.len()), data.number());
    if data.sparse_rows().is_none() {
        let _ = write!(text, " from {} to {}", data.rows().min(), data.rows().max());
    }
    text.push('\n');
    if data.is_labelled() {
        let counts: Vec<(String, usize)> = data.class_names().iter().cloned().zip(data.class_counts()).collect();
        text.push_str(&classes(&counts));
    } else {
        text.push_str("classes  none: there are no labels\n");
    }
    if let Some(groups) = data.group_count() {
        let _ = writeln!(text, "groups   {groups}, which hold-outs keep whole");
    }
    loaded.notes.iter().for_each(|note| _ = writeln!(text, "note     {}", printable(note)));
    text
}

/// What a row is.
fn shape(shape: Shape, width: usize) -> String {
    match shape {
        Shape::Flat => format!("{width} values"),
        Shape::Image { rows, cols } => format!("{rows} × {cols} pixels"),
        Shape::Series { channels, steps } => format!("{channels} channels × {steps} steps"),
    }
}

/// The classes of a table that cannot be read as a whole.
fn label_column(survey: &Survey) -> String {
    let label = survey.columns.iter().find(|column| column.role == Role::Label);
    label.map(|label| classes(&label.counts())).unwrap_or_default()
}

fn classes(counts: &[(String, usize)]) -> String {
    let shown = counts.iter().take(CLASSES).map(|(name, count)| format!("{} {}", printable(name), grouped(*count)));
    let shown: Vec<String> = shown.collect();
    let more = if counts.len() > CLASSES { ", …" } else { "" };
    format!("classes  {}: {}{more}\n", counts.len(), shown.join(", "))
}

fn object(data: &str, report: &Report, command: Option<&str>) -> Value {
    let column = |(number, column): (usize, &ColumnSurvey)| {
        json!({
            "index": number,
            "name": column.name,
            "use": role(column.role),
            "type": column.contents().name(),
            "min": column.range.map(|range| range.0),
            "max": column.range.map(|range| range.1),
            "missing": column.missing,
            "distinct": column.distinct(),
        })
    };
    let loaded = report.loaded.as_ref();
    let class = |(name, count): (&String, usize)| json!({ "name": name, "n": count });
    let labelled = loaded.filter(|loaded| loaded.data.is_labelled());
    json!({
        "data": data,
        "rows": loaded.map(|loaded| loaded.data.len()).or(report.survey.as_ref().map(|survey| survey.rows)),
        "inputs": loaded.map(|loaded| loaded.data.width()),
        "shape": loaded.map(|loaded| shape(loaded.shape, loaded.data.width())),
        "header": report.survey.as_ref().map(|survey| survey.header),
        "columns": report.survey.iter().flat_map(|survey| survey.columns.iter().enumerate()).map(column).collect::<Vec<_>>(),
        "classes": labelled.map(|loaded| {
            loaded.data.class_names().iter().zip(loaded.data.class_counts()).map(class).collect::<Vec<_>>()
        }),
        "groups": loaded.and_then(|loaded| loaded.data.group_count()),
        "failure": report.failure.as_deref().map(flagged),
        "findings": report.findings.iter().map(finding).collect::<Vec<_>>(),
        "notes": loaded.map(|loaded| &loaded.notes),
        "command": command,
    })
}

/// A finding for tools.
pub(crate) fn finding(finding: &Finding) -> Value {
    json!({
        "severity": finding.severity.name(),
        "kind": finding.kind,
        "column": finding.column,
        "text": flagged(&finding.text),
        "flag": finding.advice.as_ref().map(|advice| flag(advice.option(), &advice.value())),
        "certain": finding.is_certain,
    })
}

/// The same suspicions in short, for commands that fit.
pub(crate) fn warn(data: &Loaded) -> Vec<Finding> {
    let found = check::warnings(data);
    for finding in &found {
        output::say(&format!("{:<8}{}", finding.severity.name(), line(finding)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::DataArgs;

    #[test]
    fn words_are_quoted_where_a_shell_would_take_them_apart() {
        assert_eq!(quoted("a_b.csv"), "a_b.csv");
        assert_eq!(quoted("läuft normal"), "'läuft normal'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn flags_are_those_that_give_the_same_options() {
        let input = DataArgs {
            label: Some("kind".to_owned()),
            drop: vec!["0".to_owned(), "when".to_owned()],
            header: Some(true),
            ..DataArgs::default()
        };
        assert_eq!(flags(&input.options()), ["--label kind", "--header yes", "--drop 0,when"]);
    }
}
