//! Matching columns by name: a table may have its columns in another order than the training rows.

use nearmark_train::linalg::Mat;

/// How a table's columns correspond to a model's inputs.
#[derive(Debug, PartialEq)]
pub(crate) enum Order {
    /// The same order, or there are no names to compare.
    Same,
    /// Take these columns, in this order.
    Moved(Vec<usize>),
    /// Other names; the first pair that differs: trained on, found.
    Renamed(String, String),
}

impl Order {
    /// Compares the names that a model was trained on with those of a table; either may be missing.
    pub(crate) fn of(trained: &[String], found: &[String]) -> Self {
        if trained.is_empty() || trained.len() != found.len() || trained == found {
            return Self::Same;
        }
        let place = |name: &String| {
            let mut places = (0..found.len()).filter(|&place| found[place] == *name);
            places.next().filter(|_| places.next().is_none())
        };
        if let Some(places) = trained.iter().map(place).collect::<Option<Vec<usize>>>() {
            return Self::Moved(places);
        }
        let differ = trained.iter().zip(found).find(|(trained, found)| trained != found);
        differ.map_or(Self::Same, |(trained, found)| Self::Renamed(trained.clone(), found.clone()))
    }

    pub(crate) fn note(&self) -> Option<String> {
        match self {
            Self::Same => None,
            Self::Moved(_) => {
                Some("note: columns are matched by name; their order differs from the training data".to_owned())
            }
            Self::Renamed(trained, found) => Some(format!(
                "note: column names differ from the training data ({found} instead of {trained}); columns are taken in their order"
            )),
        }
    }

    pub(crate) fn apply(&self, rows: Mat) -> Mat {
        if let Self::Moved(places) = self { rows.select_columns(places) } else { rows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn columns_are_matched_by_name_where_every_name_is_found_once() {
        let trained = names(&["a", "b", "c"]);
        assert_eq!(Order::of(&trained, &trained), Order::Same);
        assert_eq!(Order::of(&trained, &[]), Order::Same);
        assert_eq!(Order::of(&trained, &names(&["c", "a", "b"])), Order::Moved(vec![1, 2, 0]));
        let renamed = Order::Renamed("b".to_owned(), "x".to_owned());
        assert_eq!(Order::of(&trained, &names(&["a", "x", "c"])), renamed);
        let rows = Mat::from_row_slice(1, 3, &[3.0, 1.0, 2.0]);
        assert_eq!(Order::Moved(vec![1, 2, 0]).apply(rows), Mat::from_row_slice(1, 3, &[1.0, 2.0, 3.0]));
    }
}
