//! The training rows that a model is built on: exemplars of EBEK, landmarks of Nyström features.

use nearmark_train::Dataset;
use serde_json::{Value, json};

/// Exemplars that a text lists; `--json` lists all.
const LISTED: usize = 20;
/// Characters of a row's values in a text.
const WIDTH: usize = 48;

/// A model's exemplars, and the rows themselves where the data are at hand.
pub(crate) struct Exemplars<'a> {
    /// Number and class of every row.
    pub(crate) rows: &'a [(u64, u16)],
    /// None where rows have no labels.
    pub(crate) class_names: &'a [String],
    /// The training rows.
    pub(crate) data: Option<&'a Dataset>,
}

impl Exemplars<'_> {
    fn class(&self, class: u16) -> Option<&str> {
        self.class_names.get(usize::from(class)).map(String::as_str)
    }

    fn values(&self, row: u64) -> Option<Vec<f64>> {
        let data = self.data?;
        let row = usize::try_from(row).ok().filter(|row| *row < data.len())?;
        Some(data.row(row))
    }

    /// A line per exemplar, the first of them only.
    pub(crate) fn lines(&self) -> Vec<String> {
        let shown = self.rows.iter().take(LISTED);
        let width =
            shown.filter_map(|(_, class)| self.class(*class)).map(|name| name.chars().count()).max().unwrap_or(0);
        let line = |(row, class): &(u64, u16)| {
            let class = self.class(*class).map_or_else(String::new, |name| format!(" class {name:<width$}"));
            let values = self.values(*row).map_or_else(String::new, |values| format!("  {}", shortened(&values)));
            format!("row {row:<7}{class}{values}").trim_end().to_owned()
        };
        let mut lines: Vec<String> = self.rows.iter().take(LISTED).map(line).collect();
        let more = self.rows.len().saturating_sub(LISTED);
        if more > 0 {
            lines.push(format!("and {more} more, which --json lists"));
        }
        lines
    }

    /// All of them, with all their values.
    pub(crate) fn json(&self) -> Value {
        let object = |(row, class): &(u64, u16)| {
            let mut object = json!({ "row": row });
            if let Some(class) = self.class(*class) {
                object["class"] = json!(class);
            }
            if let Some(values) = self.values(*row) {
                object["values"] = json!(values);
            }
            object
        };
        self.rows.iter().map(object).collect()
    }
}

/// As many values as a line has room for.
fn shortened(values: &[f64]) -> String {
    let mut text = String::new();
    for value in values {
        let rounded = format!("{value:.4}");
        let word = if rounded.contains('.') { rounded.trim_end_matches('0').trim_end_matches('.') } else { &rounded };
        if text.chars().count() + word.chars().count() > WIDTH {
            text.push('…');
            break;
        }
        text.push_str(word);
        text.push(' ');
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearmark_train::linalg::Mat;

    #[test]
    fn a_text_lists_the_first_and_json_all_of_them() -> Result<(), Box<dyn std::error::Error>> {
        let data = Dataset::from_ids(Mat::from_fn(30, 40, |i, j| i as f64 + 0.25 * j as f64), &[0; 30])?;
        let rows: Vec<(u64, u16)> = (0..25).map(|row| (row, 0)).collect();
        let exemplars = Exemplars { rows: &rows, class_names: &["cat".to_owned()], data: Some(&data) };
        let lines = exemplars.lines();
        assert_eq!(lines.len(), 21);
        assert!(
            lines[3].starts_with("row 3       class cat  3 3.25 3.5 3.75 4 ") && lines[3].ends_with('…'),
            "{}",
            lines[3]
        );
        assert_eq!(lines[20], "and 5 more, which --json lists");
        let json = exemplars.json();
        assert_eq!(json.as_array().map(Vec::len), Some(25));
        assert_eq!(json[24]["values"].as_array().map(Vec::len), Some(40));
        let exemplars = Exemplars { data: None, ..exemplars };
        assert_eq!(exemplars.json()[1], json!({ "row": 1, "class": "cat" }));
        let unlabelled = Exemplars { class_names: &[], ..exemplars };
        assert_eq!((unlabelled.lines()[1].as_str(), &unlabelled.json()[1]), ("row 1", &json!({ "row": 1 })));
        Ok(())
    }
}
