//! Columns of numbers that no sensor delivers: indices, ids, times, and what was made from the label.

use super::advice::{Advice, Finding, Severity, titled, written};
use super::classes::shown;
use crate::dataset::Dataset;
use crate::io::Loaded;
use crate::linalg::column;

/// Rows that it takes to see an order in a column by chance in less than one table of a million.
const ROWS: usize = 20;
/// Rows that are looked at for what predicts the label.
const SAMPLE: usize = 4000;
/// Share of rows whose class a column has to predict to be suspicious. Petal widths of iris predict 95 %.
const PREDICTS: f64 = 0.98;

/// Names of numbers that identify a row, or say when it was taken.
const IDS: [&str; 12] =
    ["id", "index", "idx", "row", "rowid", "rownumber", "no", "nr", "number", "uuid", "unnamed0", "recordid"];
const TIMES: [&str; 9] = ["time", "timestamp", "date", "datetime", "ts", "epoch", "unixtime", "times", "timems"];
/// Names of what rows have in common that comes from one source.
const SOURCES: [&str; 16] = [
    "group",
    "groups",
    "subject",
    "subjectid",
    "person",
    "personid",
    "user",
    "userid",
    "participant",
    "patient",
    "patientid",
    "session",
    "sessionid",
    "recording",
    "speaker",
    "deviceid",
];

/// A name without case, spaces and punctuation.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

pub(super) fn names_an_id(name: &str) -> bool {
    let plain = plain(name);
    IDS.contains(&plain.as_str()) || name.to_lowercase().ends_with("_id")
}

pub(super) fn names_a_source(name: &str) -> bool {
    SOURCES.contains(&plain(name).as_str())
}

pub(super) fn findings(loaded: &Loaded) -> Vec<Finding> {
    let data = &loaded.data;
    if data.sparse_rows().is_some() {
        return Vec::new();
    }
    let name = |feature: usize| loaded.features.get(feature).map_or("", String::as_str);
    let number = |feature: usize| loaded.columns.get(feature).copied().unwrap_or(feature);
    let is_table = !loaded.columns.is_empty();
    let mut findings = Vec::new();
    let mut constant = Vec::new();
    for feature in 0..data.width() {
        let values = column(data.rows(), feature);
        let place = number(feature);
        let title = titled(place, name(feature));
        let written = written(place, name(feature), &loaded.features);
        let drop = |finding: Finding| if is_table { finding.advise(Advice::Drop(written.clone())) } else { finding };
        if values.iter().all(|value| *value == values[0]) {
            constant.push(title);
        } else if is_table && data.groups().is_none() && names_a_source(name(feature)) {
            let text = format!("{title} names what rows come from: no hold-out may split it, and it is no feature");
            let finding = Finding::new(Severity::Warning, "source", Some(place), text);
            findings.push(finding.advise(Advice::Group(written)));
        } else if let Some((kind, what)) = order(values, name(feature)) {
            let text = format!("{title} {what}: a model would learn the order of the rows");
            findings.push(drop(Finding::new(Severity::Warning, kind, Some(place), text)));
        } else if is_table && names_an_id(name(feature)) {
            let text = format!("{title} is named like an id");
            findings.push(drop(Finding::new(Severity::Warning, "id", Some(place), text)));
        } else if is_table && TIMES.contains(&plain(name(feature)).as_str()) {
            let text =
                format!("{title} is named like a time (of a log to be cut by option `window_rows`: option `time`)");
            findings.push(drop(Finding::new(Severity::Warning, "time", Some(place), text)));
        }
    }
    let suspected: Vec<Option<usize>> = findings.iter().map(|finding| finding.column).collect();
    let telling = (0..data.width()).filter(|&feature| !suspected.contains(&Some(number(feature))));
    findings.extend(predictive(data, &telling.collect::<Vec<_>>()).into_iter().map(|(feature, share)| {
        let title = titled(number(feature), name(feature));
        let share = 100.0 * share;
        let text = format!("{title} alone predicts {share:.1} % of the labels: is it made from the label?");
        let finding = Finding::new(Severity::Warning, "predicts", Some(number(feature)), text);
        let written = written(number(feature), name(feature), &loaded.features);
        if is_table { finding.perhaps(Advice::Drop(written)) } else { finding }
    }));
    if !constant.is_empty() {
        let text = format!("the same value in every row: {}", shown(&constant));
        findings.push(Finding::new(Severity::Note, "constant", None, text));
    }
    findings
}

/// What the order of a column's values gives away.
fn order(values: &[f64], name: &str) -> Option<(&'static str, &'static str)> {
    if values.len() < ROWS {
        return None;
    }
    let steps = || values.windows(2).map(|pair| pair[1] - pair[0]);
    let (least, most) = values.iter().fold((values[0], values[0]), |(l, m), v| (l.min(*v), m.max(*v)));
    let is_rising = steps().all(|step| step > 0.0);
    let is_whole = values.iter().all(|value| value.fract() == 0.0);
    if is_whole && steps().all(|step| step == 1.0) {
        return Some(("index", "is a running index"));
    }
    // Seconds, milliseconds, microseconds or nanoseconds between 2001 and 2036.
    let is_epoch = [1e9, 1e12, 1e15].iter().any(|unit| least >= *unit && most <= 2.1 * unit);
    if is_epoch {
        return Some(("time", "holds times, counted since 1970"));
    }
    if is_rising {
        let kind = if names_an_id(name) { "index" } else { "time" };
        return Some((kind, "rises from row to row, as an index or a clock"));
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let is_permuted = is_whole && sorted.windows(2).all(|pair| pair[1] - pair[0] == 1.0);
    is_permuted.then_some(("index", "numbers the rows, in another order"))
}

/// Columns that alone predict nearly every label, unless half of the columns do: then the task is easy.
fn predictive(data: &Dataset, features: &[usize]) -> Vec<(usize, f64)> {
    if !data.is_labelled() || data.classes() < 2 || data.len() < ROWS || features.len() < 2 {
        return Vec::new();
    }
    let most = data.class_counts().into_iter().max().unwrap_or(0);
    // One frequent class predicts itself.
    if most as f64 > 0.9 * data.len() as f64 {
        return Vec::new();
    }
    let count = data.len().min(SAMPLE);
    let rows: Vec<usize> = (0..count).map(|i| i * data.len() / count).collect();
    let shares = features.iter().map(|&feature| (feature, share(data, feature, &rows)));
    let found: Vec<(usize, f64)> = shares.filter(|(_, share)| *share >= PREDICTS).collect();
    if 2 * found.len() >= features.len() { Vec::new() } else { found }
}

/// The share of half of the rows whose label is that of the nearest value among the other half; of equal values, their most
/// frequent label.
fn share(data: &Dataset, feature: usize, rows: &[usize]) -> f64 {
    let values = column(data.rows(), feature);
    // Drawn by a hash: labels may alternate.
    let is_known = |i: usize| (i as u32).wrapping_mul(2_654_435_761) >> 31 == 0;
    let (known, tested): (Vec<(usize, &usize)>, Vec<_>) = rows.iter().enumerate().partition(|(i, _)| is_known(*i));
    let mut known: Vec<(f64, usize)> = known.iter().map(|(_, row)| (values[**row], data.labels()[**row])).collect();
    known.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut steps: Vec<(f64, usize)> = Vec::new();
    for equal in known.chunk_by(|a, b| a.0 == b.0) {
        let frequent = equal.chunk_by(|a, b| a.1 == b.1).max_by_key(|same| same.len());
        steps.extend(frequent.map(|same| same[0]));
    }
    if steps.is_empty() || tested.is_empty() {
        return 0.0;
    }
    let predicted = |value: f64| {
        let above = steps.partition_point(|step| step.0 < value).min(steps.len() - 1);
        let below = above.saturating_sub(1);
        let nearest = if value - steps[below].0 < steps[above].0 - value { below } else { above };
        steps[nearest].1
    };
    let right = tested.iter().filter(|(_, row)| predicted(values[**row]) == data.labels()[**row]).count();
    right as f64 / tested.len() as f64
}
