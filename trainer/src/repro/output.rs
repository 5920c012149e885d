//! A report as text: a table for people, Markdown for the documentation, an object for tools.

use super::{Experiment, Report, Row, Source};
use serde_json::{Value, json};
use std::fmt::Write;

impl Row {
    /// The columns of a table: what, the paper's, ours, splits.
    #[must_use]
    pub fn cells(&self) -> [String; 4] {
        let paper = self.paper.map(|paper| format!("{paper:.2}")).unwrap_or_default();
        let se = self.se.map(|se| format!(" ± {se:.2}")).unwrap_or_default();
        [self.what.clone(), paper, format!("{:.2}{se}", self.ours), self.n.to_string()]
    }
}

impl Experiment {
    /// The report as a section of a page; figures are linked below `folder`, if they were written.
    #[must_use]
    pub fn to_markdown(&self, report: &Report, folder: Option<&str>) -> String {
        let mut text = format!("## {}: {}\n\n{}. {}\n\n", self.name, self.title, self.paper, self.protocol);
        text += "| | paper | ours ± standard error | splits |\n| --- | ---: | ---: | ---: |\n";
        for row in &report.rows {
            let [what, paper, ours, n] = row.cells();
            // Writing to a string cannot fail.
            let _ = writeln!(text, "| {what} | {paper} | {ours} | {n} |");
        }
        if !report.notes.is_empty() {
            text.push('\n');
        }
        for note in &report.notes {
            let _ = writeln!(text, "- {note}");
        }
        for (figure, folder) in report.figures.iter().filter_map(|figure| Some((figure, folder?))) {
            let (name, caption) = (figure.name, &figure.caption);
            let _ =
                write!(text, "\n![{caption}]({folder}/{name}.svg)\n\n{caption} ([numbers]({folder}/{name}.csv)).\n");
        }
        text
    }

    /// The report for tools.
    #[must_use]
    pub fn to_json(&self, report: &Report, quick: bool) -> Value {
        let row = |row: &Row| json!({ "what": row.what, "paper": row.paper, "ours": row.ours, "se": row.se, "n": row.n, "met": row.met() });
        json!({
            "name": self.name,
            "title": self.title,
            "paper": self.paper,
            "protocol": self.protocol,
            "quick": quick,
            "rows": report.rows.iter().map(row).collect::<Vec<_>>(),
            "notes": report.notes,
            "figures": report.figures.iter().map(|figure| figure.name).collect::<Vec<_>>(),
            "missing": [],
        })
    }

    /// What tools learn if files are missing: no rows, and which files.
    #[must_use]
    pub fn missing_json(&self, missing: &[Source]) -> Value {
        let file = |file: &Source| json!({ "path": file.path, "content": file.content, "from": file.from });
        json!({
            "name": self.name,
            "title": self.title,
            "paper": self.paper,
            "protocol": self.protocol,
            "rows": [],
            "missing": missing.iter().map(file).collect::<Vec<_>>(),
        })
    }
}
