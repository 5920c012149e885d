//! Which rows train and which test.

use super::CompareError;
use crate::dataset::Dataset;
use crate::dataset::split::{self, Split};
use crate::error::{DataError, ParamError};
use crate::evaluate::EvalError;
use std::borrow::Cow;
use std::fmt::{self, Display};

/// How rows are divided into those to train on and those to test on.
#[derive(Debug, Clone, PartialEq)]
pub enum Protocol {
    /// Cross-validation: every row is tested once per repeat. Repeat `r` shuffles with the seed plus `r`.
    Folds {
        /// Number of folds.
        k: usize,
        /// How often.
        repeats: usize,
    },
    /// So many random rows of every class train, the others test. Repeat `r` draws with the seed plus `r`.
    PerClass {
        /// Rows per class to train on.
        count: usize,
        /// How often.
        repeats: usize,
    },
    /// All rows train, and these test.
    Fixed(Dataset),
}

impl Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (text, repeats) = match self {
            Self::Folds { k, repeats } => (format!("{k}-fold cross-validation"), *repeats),
            Self::PerClass { count, repeats } => {
                let rows = if *count == 1 { "row" } else { "rows" };
                (format!("{count} training {rows} per class"), *repeats)
            }
            Self::Fixed(test) => (format!("a test set of {} rows", test.len()), 1),
        };
        f.write_str(&text)?;
        if repeats > 1 { write!(f, ", {repeats} times") } else { Ok(()) }
    }
}

/// The splits that a protocol makes of some rows.
pub(super) struct Splits<'a> {
    /// Rows to train on and to test on.
    pub(super) parts: Vec<Split>,
    /// What to test on, if that is another data set.
    against: Option<&'a Dataset>,
}

impl Protocol {
    /// The splits of these rows.
    pub(super) fn splits(&self, data: &Dataset, seed: u64) -> Result<Splits<'_>, CompareError> {
        let seeds = |repeats: usize| (0..repeats as u64).map(move |repeat| seed.wrapping_add(repeat));
        let parts = match *self {
            Self::Folds { k, repeats } => {
                // More folds than rows would leave some without a row to test.
                let rule = "at least 2 and at most the number of rows";
                ParamError::check((2..=data.len()).contains(&k), "cv", rule, k as f64)?;
                ParamError::at_least_one("repeats", repeats)?;
                if let Some(groups) = data.group_count().filter(|groups| *groups < k) {
                    return Err(DataError::TooFewGroups { groups, needed: k }.into());
                }
                let folds = seeds(repeats).map(|seed| split::folds(data, k, seed)).collect::<Result<Vec<_>, _>>()?;
                folds.into_iter().flatten().collect()
            }
            Self::PerClass { count, repeats } => {
                ParamError::at_least_one("train-per-class", count)?;
                ParamError::at_least_one("repeats", repeats)?;
                seeds(repeats).map(|seed| split::per_class(data, count, seed)).collect::<Result<_, _>>()?
            }
            Self::Fixed(ref test) => {
                if test.width() != data.width() {
                    return Err(DataError::Width { expected: data.width(), got: test.width() }.into());
                }
                // Reported once, rather than by every method after its fit.
                if let Some(class) = test.class_names().iter().find(|name| !data.class_names().contains(name)) {
                    return Err(CompareError::Test(EvalError::UnknownClass { class: class.clone() }));
                }
                let parts = vec![Split { train: (0..data.len()).collect(), test: (0..test.len()).collect() }];
                return Ok(Splits { parts, against: Some(test) });
            }
        };
        Ok(Splits { parts, against: None })
    }
}

impl Splits<'_> {
    /// The rows to train on and to test on.
    pub(super) fn rows<'a>(&'a self, data: &'a Dataset, index: usize) -> (Cow<'a, Dataset>, Cow<'a, Dataset>) {
        if let Some(test) = self.against {
            return (Cow::Borrowed(data), Cow::Borrowed(test));
        }
        let (train, test) = self.parts[index].apply(data);
        (Cow::Owned(train), Cow::Owned(test))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::synthetic::blobs;

    #[test]
    fn folds_are_those_of_consecutive_seeds() -> Result<(), CompareError> {
        let data = blobs(3, 10, 2, 1.0, 0);
        let protocol = Protocol::Folds { k: 5, repeats: 2 };
        let splits = protocol.splits(&data, 7)?.parts;
        assert_eq!(splits[..5], split::folds(&data, 5, 7)?);
        assert_eq!(splits[5..], split::folds(&data, 5, 8)?);
        assert_eq!(protocol.to_string(), "5-fold cross-validation, 2 times");
        Ok(())
    }

    #[test]
    fn draws_are_those_of_consecutive_seeds() -> Result<(), CompareError> {
        let data = blobs(3, 10, 2, 1.0, 0);
        let splits = Protocol::PerClass { count: 4, repeats: 3 }.splits(&data, 1)?;
        assert_eq!(splits.parts[2], split::per_class(&data, 4, 3)?);
        Ok(())
    }

    #[test]
    fn what_rows_do_not_allow_is_refused_by_name() -> Result<(), DataError> {
        let data = blobs(2, 3, 2, 1.0, 0);
        let refusal =
            |data: &Dataset, protocol: &Protocol| protocol.splits(data, 0).map(|_| ()).map_err(|e| e.to_string());
        let message = |protocol: &Protocol| refusal(&data, protocol);
        let refused = |text: &str| Err(text.to_owned());
        let cv = |k, repeats| message(&Protocol::Folds { k, repeats });
        assert_eq!(cv(7, 1), refused("cv must be at least 2 and at most the number of rows, got 7"));
        assert_eq!(cv(1, 1), refused("cv must be at least 2 and at most the number of rows, got 1"));
        assert_eq!(cv(2, 0), refused("repeats must be at least 1, got 0"));
        let draw = |count| message(&Protocol::PerClass { count, repeats: 1 });
        assert_eq!(draw(3), refused("class 0 has 3 rows, 4 are needed"));
        assert_eq!(draw(0), refused("train-per-class must be at least 1, got 0"));
        assert_eq!(message(&Protocol::Fixed(blobs(2, 3, 4, 1.0, 0))), refused("model takes 2 input values, got 4"));
        let groups: Vec<String> = data.labels().iter().enumerate().map(|(row, _)| (row % 3).to_string()).collect();
        let grouped = data.clone().with_groups(&groups)?;
        let folds = refusal(&grouped, &Protocol::Folds { k: 4, repeats: 1 });
        assert_eq!(folds, refused("3 groups, at least 4 are needed: a group is never split"));
        let drawn = refusal(&grouped, &Protocol::PerClass { count: 1, repeats: 1 });
        assert_eq!(drawn, refused("rows drawn per class would split groups: use folds, or leave the groups out"));
        let strangers = Protocol::Fixed(blobs(3, 3, 2, 1.0, 0));
        assert_eq!(message(&strangers), refused("test rows: label '2' is not a class of the model"));
        Ok(())
    }
}
