//! How cells that are no numbers became numbers: kept with a model, so that rows to come are read alike.

use serde::{Deserialize, Serialize};

/// The parameters of the provenance that hold it.
const CATEGORIES: &str = "categories";
const FILL: &str = "fill";

/// How words become numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Coding {
    /// A column for each word, 1 where it stands and 0 elsewhere.
    OneHot,
    /// The number of the word in the table.
    Codes,
}

/// The words of a column, in the order of their numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Categories {
    /// The column's name, or its number where the table has no header.
    pub column: String,
    /// How they become numbers.
    pub coding: Coding,
    /// The words of the training rows.
    pub values: Vec<String>,
}

impl Categories {
    /// Values that a row has for this column.
    #[must_use]
    pub fn width(&self) -> usize {
        match self.coding {
            Coding::OneHot => self.values.len(),
            Coding::Codes => 1,
        }
    }

    /// The names of these values.
    pub(crate) fn names(&self) -> Vec<String> {
        match self.coding {
            Coding::OneHot => self.values.iter().map(|value| format!("{}={value}", self.column)).collect(),
            Coding::Codes => vec![self.column.clone()],
        }
    }

    /// Appends what stands for the word of this number.
    pub(crate) fn push(&self, code: usize, values: &mut Vec<f64>) {
        match self.coding {
            Coding::OneHot => values.extend((0..self.values.len()).map(|other| f64::from(u8::from(other == code)))),
            Coding::Codes => values.push(code as f64),
        }
    }
}

/// What reading made of words and of missing cells.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Preparation {
    /// Columns of words.
    pub categories: Vec<Categories>,
    /// For every value of a row, what stands for it where it is missing; empty if missing cells are refused.
    pub fill: Vec<f64>,
}

impl Preparation {
    /// As parameters of a model's provenance; none where nothing was prepared.
    #[must_use]
    pub fn params(&self) -> Vec<(String, String)> {
        let json = |name: &str, value: serde_json::Value| (name.to_owned(), value.to_string());
        let categories = (!self.categories.is_empty()).then(|| json(CATEGORIES, serde_json::json!(self.categories)));
        let fill = (!self.fill.is_empty()).then(|| json(FILL, serde_json::json!(self.fill)));
        categories.into_iter().chain(fill).collect()
    }

    /// Out of the parameters of a provenance.
    #[must_use]
    pub fn of(params: &[(String, String)]) -> Self {
        let value = |name: &str| params.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str());
        Self {
            categories: value(CATEGORIES).and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default(),
            fill: value(FILL).and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default(),
        }
    }

    /// Whether a parameter is part of it: a table rather than a setting.
    #[must_use]
    pub fn is_param(name: &str) -> bool {
        [CATEGORIES, FILL].contains(&name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_hold_all_of_it() {
        let values = ["blue", "red \"1\""].map(str::to_owned).to_vec();
        let color = Categories { column: "color".to_owned(), coding: Coding::OneHot, values };
        let preparation = Preparation { categories: vec![color], fill: vec![0.1, 1e-7, 3.0] };
        assert_eq!(Preparation::of(&preparation.params()), preparation);
        assert_eq!(Preparation::default().params(), []);
        assert_eq!(preparation.categories[0].names(), ["color=blue", "color=red \"1\""]);
    }
}
