//! The confusion matrix in 80 columns: complete if it fits, otherwise the most frequent errors.

use nearmark_train::evaluate::Evaluation;
use std::fmt::Write;

const WIDTH: usize = 80;
/// Errors listed if the matrix is too wide.
const LISTED: usize = 12;
/// Characters of a class name in a matrix or list.
const NAME: usize = 16;

pub(crate) fn text(evaluation: &Evaluation) -> String {
    matrix(evaluation).unwrap_or_else(|| list(evaluation))
}

/// A name of at most `width` characters.
fn short(name: &str, width: usize) -> String {
    let plain: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if plain.chars().count() <= width {
        return plain;
    }
    plain.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// Rows are true classes, columns predicted classes; `·` is zero. Nothing if the matrix is too wide.
fn matrix(evaluation: &Evaluation) -> Option<String> {
    let classes = evaluation.class_names.len();
    let digits = evaluation.confusion.iter().flatten().max()?.to_string().len();
    let head = evaluation.class_names.iter().map(|name| name.chars().count()).max()?.clamp(4, NAME);
    // Column names are cut to the width that the counts leave.
    let room = (WIDTH - head - 8).checked_div(classes)?;
    let longest = evaluation.class_names.iter().map(|name| name.chars().count()).max()?;
    let cell = (digits.max(longest.min(8)) + 1).min(room);
    if cell < digits + 1 || cell < 3 {
        return None;
    }
    let mut text = format!("{:head$}", "true");
    for name in &evaluation.class_names {
        let _ = write!(text, "{:>cell$}", short(name, cell - 1));
    }
    text.push_str("  recall\n");
    for (name, (counts, class)) in
        evaluation.class_names.iter().zip(evaluation.confusion.iter().zip(evaluation.per_class()))
    {
        let _ = write!(text, "{:head$}", short(name, head));
        for &count in counts {
            let shown = if count == 0 { "·".to_owned() } else { count.to_string() };
            let _ = write!(text, "{shown:>cell$}");
        }
        let recall = class.recall.map_or_else(|| "–".to_owned(), |recall| format!("{:.1}", 100.0 * recall));
        let _ = writeln!(text, "{recall:>8}");
    }
    Some(text)
}

/// The most frequent pairs of true and predicted class.
fn list(evaluation: &Evaluation) -> String {
    let mut errors: Vec<(usize, usize, usize)> = Vec::new();
    for (truth, counts) in evaluation.confusion.iter().enumerate() {
        let wrong = counts.iter().enumerate().filter(|&(found, &count)| found != truth && count > 0);
        errors.extend(wrong.map(|(found, &count)| (count, truth, found)));
    }
    errors.sort_by_key(|&(count, truth, found)| (std::cmp::Reverse(count), truth, found));
    let name = |class: usize| short(&evaluation.class_names[class], NAME);
    let wrong: usize = errors.iter().map(|(count, ..)| count).sum();
    if wrong == 0 {
        return format!("no errors among {} classes\n", evaluation.class_names.len());
    }
    let mut text = format!("{wrong} errors among {} classes; the most frequent:\n", evaluation.class_names.len());
    for &(count, truth, found) in errors.iter().take(LISTED) {
        let _ = writeln!(text, "{count:>8}  {:<NAME$} predicted as {}", name(truth), name(found));
    }
    let mut worst = evaluation.per_class();
    worst.retain(|class| class.recall.is_some());
    worst.sort_by(|a, b| a.recall.partial_cmp(&b.recall).unwrap_or(std::cmp::Ordering::Equal));
    text.push_str("classes with the lowest recall:\n");
    for class in worst.iter().take(LISTED / 2) {
        let recall = 100.0 * class.recall.unwrap_or(0.0);
        let _ = writeln!(text, "{recall:>7.1}%  {} ({} rows)", short(&class.name, NAME), class.rows);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluation(classes: usize, name: impl Fn(usize) -> String) -> Evaluation {
        let row = |truth: usize| (0..classes).map(|found| if found == truth { 990 } else { found % 3 }).collect();
        let confusion = (0..classes).map(row).collect();
        Evaluation { class_names: (0..classes).map(name).collect(), confusion, rejected: 0 }
    }

    #[test]
    fn no_line_is_longer_than_a_terminal() {
        for classes in [2, 10, 14, 26, 100] {
            for name in [|c: usize| c.to_string(), |c: usize| format!("a class with a very long name {c}")] {
                let text = text(&evaluation(classes, name));
                let widest = text.lines().map(|line| line.chars().count()).max();
                assert!(widest.is_some_and(|widest| widest <= WIDTH), "{classes} classes: {widest:?}\n{text}");
            }
        }
    }

    #[test]
    fn few_classes_get_a_matrix_and_many_a_list() {
        assert!(text(&evaluation(10, |c| c.to_string())).starts_with("true"));
        assert!(text(&evaluation(40, |c| c.to_string())).contains("predicted as"));
    }
}
