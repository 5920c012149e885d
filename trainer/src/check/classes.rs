//! Labels that are hardly classes.

use super::advice::{Finding, Severity};
use crate::dataset::Dataset;
use std::collections::BTreeMap;

/// Rows of a class below which neither hold-outs nor cross-validation say much about it.
const FEW: usize = 5;
/// Classes named in one sentence.
const SHOWN: usize = 6;

pub(super) fn findings(data: &Dataset) -> Vec<Finding> {
    if !data.is_labelled() {
        return Vec::new();
    }
    let mut findings = alike(data.class_names());
    let counts = data.class_counts();
    if data.classes() < 2 {
        let text = format!("every row is of class `{}`: at least two classes are needed", data.class_names()[0]);
        findings.push(Finding::new(Severity::Problem, "one-class", None, text));
    } else if 2 * data.classes() > data.len() {
        let text = format!("{} classes for {} rows: is this the right label column?", data.classes(), data.len());
        findings.push(Finding::new(Severity::Warning, "many-classes", None, text));
    } else {
        let few: Vec<String> = (data.class_names().iter().zip(&counts))
            .filter(|(_, count)| (1..FEW).contains(*count))
            .map(|(name, count)| format!("`{}` {count}", crate::io::shorten(name)))
            .collect();
        if !few.is_empty() {
            let text = format!("classes with fewer than {FEW} rows: {}", shown(&few));
            findings.push(Finding::new(Severity::Warning, "few-rows", None, text));
        }
    }
    findings
}

/// Names that differ only in case, spaces, hyphens and underscores.
fn alike(names: &[String]) -> Vec<Finding> {
    let mut plain: BTreeMap<String, Vec<&String>> = BTreeMap::new();
    for name in names {
        let key = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        plain.entry(key).or_default().push(name);
    }
    let several = plain.into_iter().filter(|(key, names)| names.len() > 1 && !key.is_empty());
    let text = |names: Vec<&String>| {
        let names: Vec<String> = names.into_iter().map(|name| format!("`{}`", crate::io::shorten(name))).collect();
        format!("labels {} differ only in case or spaces: write them alike", shown(&names))
    };
    several.map(|(_, names)| Finding::new(Severity::Warning, "alike-labels", None, text(names))).collect()
}

pub(super) fn shown(items: &[String]) -> String {
    let more = if items.len() > SHOWN { format!(", … ({} in all)", items.len()) } else { String::new() };
    format!("{}{more}", items[..items.len().min(SHOWN)].join(", "))
}
