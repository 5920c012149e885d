use super::*;
use crate::evaluate::compare::curves::Quantity;
use std::collections::BTreeSet;

#[test]
fn names_are_unique_and_found() {
    let names: BTreeSet<&str> = EXPERIMENTS.iter().map(|experiment| experiment.name).collect();
    assert_eq!(names.len(), EXPERIMENTS.len());
    for name in ["mnist100", "coil20", "orl-nsse", "orl-dple", "ebek-coil20", "ebek-isolet", "yale", "text"] {
        assert_eq!(Experiment::find(name).map(|experiment| experiment.name), Some(name));
    }
    assert!(Experiment::find("cifar").is_none());
}

#[test]
fn every_experiment_says_where_its_files_come_from() {
    for experiment in EXPERIMENTS {
        assert!(!experiment.sources.is_empty() && experiment.protocol.len() > 200, "{}", experiment.name);
        assert_eq!(experiment.missing(None), experiment.sources, "without a folder all are missing");
        assert!(experiment.sources.iter().all(|source| source.from.contains("http")), "{}", experiment.name);
    }
}

#[test]
fn missing_files_are_named_before_any_work() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let orl = Experiment::find("orl-nsse").ok_or("it exists")?;
    std::fs::create_dir(folder.path().join("orl"))?;
    std::fs::write(folder.path().join("orl/y.npy"), "")?;
    let error = orl.run(folder.path(), true, &Run::default()).map(drop).map_err(|error| error.to_string());
    let message = error.err().ok_or("faces are missing")?;
    assert!(message.starts_with("missing orl/X_28x23.npy (400 faces of 28x23 pixels as u8; Samaria"), "{message}");
    assert!(!message.contains("y.npy"), "{message}");
    let json = orl.missing_json(&orl.missing(Some(folder.path())));
    assert_eq!((&json["rows"], &json["missing"][0]["path"]), (&serde_json::json!([]), &"orl/X_28x23.npy".into()));
    Ok(())
}

#[test]
fn a_table_has_every_line_or_says_why_not() -> Result<(), Box<dyn std::error::Error>> {
    use crate::dataset::synthetic::blobs;
    use crate::evaluate::compare::Protocol;
    use table::{Line, Table};
    let lines = [
        Line { what: "ours", entry: "lda", paper: &[90.0, 10.0] },
        Line { what: "broken", entry: "cmvda:features=nystrom:5000", paper: &[] },
    ];
    let folder = std::env::temp_dir();
    let run = Run::default();
    let bench = Bench { folder: &folder, quick: true, run: &run };
    let data = blobs(3, 20, 4, 0.2, 0);
    let mut report = Report::default();
    let protocol = Protocol::Folds { k: 2, repeats: bench.repeats(20) };
    let table = Table { lines: &lines, shared: "head=knn:1", quantity: Quantity::Error, seed: 3 };
    table.rows(&bench, &data, (1, ", 10 each", &protocol), &mut report)?;
    let [row] = &report.rows[..] else { return Err(format!("{report:?}").into()) };
    assert_eq!((row.what.as_str(), row.paper, row.n), ("ours, 10 each: error %", Some(10.0), 6));
    assert!(row.ours < 50.0 && row.lower_is_better);
    assert!(report.notes[0].starts_with("broken, 10 each failed: nystrom is 5000"), "{:?}", report.notes);
    let lines = [Line { what: "theirs", entry: "no-such-method", paper: &[] }];
    let refused = Table { lines: &lines, ..table }.rows(&bench, &data, (0, "", &protocol), &mut report);
    assert!(matches!(refused, Err(ReproError::Entry(error)) if error.to_string().contains("no-such-method")));
    Ok(())
}

#[test]
fn a_figure_of_a_budget_search_is_refused() {
    assert!(table::fixed("lda:scale=none").is_ok());
    let refused = table::fixed("lda:flash=4k").map(drop).map_err(|error| error.to_string());
    assert!(refused.as_ref().is_err_and(|why| why.contains("budget")), "{refused:?}");
}

#[test]
fn rows_may_be_a_file_of_scipy_and_labels_may_not() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let run = Run::default();
    let bench = Bench { folder: folder.path(), quick: true, run: &run };
    let source = |path| Source { path, content: "", from: "" };
    let (rows, labels) = (source("X.npy"), source("y.npy"));
    for name in ["X.npz", "y.npz"] {
        std::fs::write(folder.path().join(name), "")?;
    }
    assert_eq!(rows.file(folder.path()), Some(folder.path().join("X.npz")));
    // Named as missing, rather than read as text.
    let found = bench.arrays(rows, labels);
    assert!(matches!(&found, Err(ReproError::Missing(missing)) if missing == &[labels]), "{found:?}");
    Ok(())
}

#[test]
fn a_report_is_a_section_with_its_figures() {
    let row = Row { what: "x".into(), paper: None, ours: 1.234, se: Some(0.5), n: 3, lower_is_better: true };
    let figure = Figure { name: "trace", caption: "Rounds".into(), csv: String::new(), svg: String::new() };
    let report = Report { rows: vec![row], figures: vec![figure], notes: vec!["a note".into()] };
    let text = EXPERIMENTS[0].to_markdown(&report, Some("reproduction/coil20"));
    assert!(text.contains("| x |  | 1.23 ± 0.50 | 3 |"), "{text}");
    assert!(text.contains("![Rounds](reproduction/coil20/trace.svg)") && text.contains("- a note"), "{text}");
    assert!(!EXPERIMENTS[0].to_markdown(&report, None).contains("trace.svg"));
}
