//! `nearmark repro`

use super::compare::filled;
use crate::args::{ReproArgs, Usage};
use crate::output::{self, say};
use crate::setup::Console;
use anyhow::{Context, Result, bail};
use nearmark_train::Run;
use nearmark_train::repro::{EXPERIMENTS, Experiment, Report, ReproError, Row};
use std::path::{Path, PathBuf};

/// The variable that names the folder of data sets.
const FOLDER: &str = "NEARMARK_DATA";

pub(crate) fn run(args: &ReproArgs, console: &Console) -> Result<()> {
    let experiment = find(&args.name)?;
    let folder = std::env::var_os(FOLDER).map(PathBuf::from);
    let missing = experiment.missing(folder.as_deref());
    let Some(folder) = folder.filter(|_| missing.is_empty()) else {
        console.object(|| experiment.missing_json(&missing))?;
        let why = if std::env::var_os(FOLDER).is_none() { "is not set" } else { "lacks files" };
        bail!("repro {}: {FOLDER} {why}: {}", experiment.name, ReproError::Missing(missing));
    };
    let page = args.output.as_deref().filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    if let Some(page) = page {
        output::check(page, &[])?;
    }
    let figures = args.output.as_deref().map(|path| page.map_or_else(|| path.to_owned(), beside));
    if !console.json {
        say(&filled(&format!("{}: {}. {}", experiment.name, experiment.paper, experiment.protocol)));
    }
    let measure = |run: &Run<'_>| experiment.run(&folder, args.quick, run);
    let report = console.with_progress(measure).with_context(|| format!("repro {}", experiment.name))?;
    if let Some(figures) = &figures {
        write(experiment, &report, figures, page, args.quick)?;
    }
    if console.json {
        return output::json(&experiment.to_json(&report, args.quick));
    }
    report.notes.iter().for_each(|note| say(&filled(&format!("note: {note}"))));
    if let Some(figures) = &figures {
        report.figures.iter().for_each(|figure| say(&wrote(figures, figure.name)));
    }
    output::stdout(&table(&report))
}

fn find(name: &str) -> Result<&'static Experiment, Usage> {
    let known = || EXPERIMENTS.iter().map(|experiment| experiment.name).collect::<Vec<_>>().join(", ");
    Experiment::find(name).ok_or_else(|| Usage(format!("there is no experiment {name:?}; there are {}", known())))
}

/// The folder of a page's figures: `r.md` has them in `r`.
fn beside(page: &Path) -> PathBuf {
    page.with_extension("")
}

fn wrote(folder: &Path, name: &str) -> String {
    format!("wrote {} and .csv", folder.join(format!("{name}.svg")).display())
}

/// Every figure as CSV and SVG, and the section of a page: `README.md` in the folder unless another name was given.
fn write(experiment: &Experiment, report: &Report, folder: &Path, page: Option<&Path>, quick: bool) -> Result<()> {
    output::folder(folder)?;
    let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    for figure in &report.figures {
        files.push((folder.join(format!("{}.csv", figure.name)), figure.csv.clone().into_bytes()));
        files.push((folder.join(format!("{}.svg", figure.name)), figure.svg.clone().into_bytes()));
    }
    let linked = page.map_or_else(|| ".".into(), |_| folder.file_name().unwrap_or_default().to_string_lossy());
    let flag = if quick { " --quick" } else { "" };
    let section = experiment.to_markdown(report, Some(&linked));
    let text =
        format!("{section}\n`nearmark repro {}{flag}`, version {}.\n", experiment.name, env!("CARGO_PKG_VERSION"));
    files.push((page.map_or_else(|| folder.join("README.md"), Path::to_owned), text.into_bytes()));
    output::files(&files)
}

/// Ours beside the paper's, in columns.
fn table(report: &Report) -> String {
    let head = ["", "paper", "ours", "splits"].map(str::to_owned);
    let lines: Vec<[String; 4]> = std::iter::once(head).chain(report.rows.iter().map(Row::cells)).collect();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let [what, paper, ours, n] = [0, 1, 2, 3].map(width);
    let line = |[a, b, c, d]: &[String; 4]| format!("{a:<what$}  {b:>paper$}  {c:>ours$}  {d:>n$}\n");
    lines.iter().map(line).collect()
}
