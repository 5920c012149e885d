//! What a table holds that is no number, or no label.

use super::advice::{Advice, Finding, Severity, column_of, title};
use super::columns::{names_a_source, names_an_id};
use crate::io::{Column, ColumnSurvey, Contents, Missing, Options, Role, Survey};

/// Usual names of a label column.
const LABELS: [&str; 9] = ["label", "labels", "class", "target", "y", "species", "activity", "gesture", "category"];
/// The most classes that a column is taken for a label by its contents.
const CLASSES: usize = 50;

/// Different words that become a column each; more would cost more inputs than they are worth.
const ONEHOT: usize = 12;
/// Missing cells in a row, on average, up to which rows with any are left out: a twentieth of the rows is no loss.
const FEW_MISSING: f64 = 0.05;

/// Whether another column than the one in use is the label.
pub(super) fn label(survey: &Survey, options: &Options) -> Option<Finding> {
    if options.label.is_some() || options.unlabelled {
        return None;
    }
    let current = survey.columns.iter().position(|column| column.role == Role::Label)?;
    let is_named = |column: &ColumnSurvey| LABELS.iter().any(|name| column.name.eq_ignore_ascii_case(name));
    if is_named(&survey.columns[current]) {
        return None;
    }
    let of = |wanted: &dyn Fn(&ColumnSurvey) -> bool| {
        let mut found = (0..survey.columns.len())
            .filter(|&column| survey.columns[column].role == Role::Feature && wanted(&survey.columns[column]));
        found.next().filter(|_| found.next().is_none())
    };
    let is_measured = survey.columns[current].reals + survey.columns[current].decimal_commas > 0;
    let is_classes = |column: &ColumnSurvey| {
        let few = column.distinct().is_some_and(|count| (2..=CLASSES.min(survey.rows / 2)).contains(&count));
        column.contents() == Contents::Text && few
    };
    let found = of(&is_named).or_else(|| is_measured.then(|| of(&is_classes)).flatten());
    let last = title(current, &survey.columns[current]);
    match found {
        Some(column) => {
            let text = format!("{} looks like the label, not the last column", title(column, &survey.columns[column]));
            let finding = Finding::new(Severity::Warning, "label", Some(column), text);
            Some(finding.advise(Advice::Label(column_of(survey, column))))
        }
        None if is_measured => {
            let text = format!("{last} is taken as the label, but holds measured values: name the label column");
            Some(Finding::new(Severity::Problem, "label", Some(current), text))
        }
        None => None,
    }
}

/// What reading would refuse, and columns to leave out.
pub(super) fn findings(survey: &Survey, options: &Options) -> Vec<Finding> {
    let mut findings = Vec::new();
    let missing = Advice::Missing(policy(survey));
    if let Some((line, cells)) = survey.first_ragged {
        let (count, width) = (survey.ragged, survey.columns.len());
        let text = format!("{count} rows have another number of cells than {width}: line {line} has {cells}");
        findings.push(Finding::new(Severity::Problem, "ragged", None, text));
    }
    for (number, column) in survey.columns.iter().enumerate() {
        match column.role {
            Role::Feature => findings.extend(feature(survey, options, number, &missing)),
            Role::Label | Role::Group | Role::Id if column.missing > 0 && options.missing != Some(Missing::Drop) => {
                let what = match column.role {
                    Role::Label => "label",
                    Role::Group => "group",
                    _ => "id",
                };
                let text = format!("{}: {} rows have no {what}", title(number, column), column.missing);
                findings.push(
                    Finding::new(Severity::Problem, "missing", Some(number), text)
                        .advise(Advice::Missing(Missing::Drop)),
                );
            }
            _ => {}
        }
    }
    findings
}

/// What to do about missing cells: rows are left out where few have any, and always where labels are missing.
fn policy(survey: &Survey) -> Missing {
    let is_used = |column: &&ColumnSurvey| column.role != Role::Dropped && column.contents() != Contents::Nothing;
    let cells: usize = survey.columns.iter().filter(is_used).map(|column| column.missing).sum();
    let is_named =
        |column: &ColumnSurvey| matches!(column.role, Role::Label | Role::Group | Role::Id) && column.missing > 0;
    let few = cells as f64 <= FEW_MISSING * survey.rows as f64;
    if few || survey.columns.iter().any(is_named) { Missing::Drop } else { Missing::Median }
}

fn feature(survey: &Survey, options: &Options, number: usize, missing: &Advice) -> Vec<Finding> {
    let column = &survey.columns[number];
    let (title, written) = (title(number, column), column_of(survey, number));
    let problem = |kind, text: String| Finding::new(Severity::Problem, kind, Some(number), text);
    let drop = || Advice::Drop(written.clone());
    let mut findings = Vec::new();
    match column.contents() {
        Contents::Nothing => {
            findings.push(problem("empty", format!("{title} is empty")).advise(drop()));
            return findings;
        }
        Contents::Dates => {
            let text = format!("{title} holds dates or times, which are no numbers");
            findings.push(problem("date", text).advise(drop()));
            return findings;
        }
        Contents::Text if options.group.is_none() && names_a_source(&column.name) => {
            let text = format!("{title} names what rows come from: no hold-out may split it, and it is no feature");
            findings.push(problem("source", text).advise(Advice::Group(written)));
            return findings;
        }
        Contents::Text => findings.push(text(survey, number, written)),
        Contents::Mixed => {
            let (line, word) = column.first_word.clone().unwrap_or_default();
            let (words, cells) = (column.words + column.dates, survey.rows);
            let text = format!("{title}: {words} of {cells} cells are no numbers, such as `{word}` in line {line}");
            findings.push(problem("mixed", text).advise(drop()));
            return findings;
        }
        Contents::DecimalCommas if !options.decimal_comma => {
            let text = format!("{title}: {} cells have a decimal comma", column.decimal_commas);
            findings.push(problem("decimal", text).advise(Advice::DecimalComma));
        }
        Contents::Integers | Contents::Numbers | Contents::DecimalCommas => {}
    }
    // What is left out anyway lacks nothing.
    let is_dropped = findings.iter().any(|finding: &Finding| matches!(finding.advice, Some(Advice::Drop(_))));
    if column.missing > 0 && !is_dropped && options.missing.is_none() {
        let text = format!("{title}: {} of {} cells are missing", column.missing, survey.rows);
        findings.push(problem("missing", text).advise(missing.clone()));
    }
    findings
}

/// A column of words.
fn text(survey: &Survey, number: usize, written: Column) -> Finding {
    let column = &survey.columns[number];
    let title = title(number, column);
    let (text, advice) = match column.distinct() {
        Some(1) => (format!("{title} holds the same word in every row"), Advice::Drop(written)),
        Some(count) if 2 * count <= survey.rows && !names_an_id(&column.name) => {
            let advice = if count <= ONEHOT { Advice::OneHot(written) } else { Advice::Codes(written) };
            (format!("{title} holds {count} different words"), advice)
        }
        _ => (format!("{title} holds words, nearly all different: an id or free text"), Advice::Drop(written)),
    };
    Finding::new(Severity::Problem, "text", Some(number), text).advise(advice)
}
