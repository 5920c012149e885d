//! Rows, labelled or not: finite, rectangular and counted by construction, so that no method checks again.

mod groups;
mod number;
mod runs;
mod similarities;
mod sparse;
pub mod split;
pub mod synthetic;

pub use nearmark_format::Num as Number;
pub(crate) use number::narrowest;
pub use runs::{Evidence, Runs};
pub(crate) use sparse::{FILLED, check_sparse, filled_rows};

use crate::error::{DataError, FitError};
use crate::linalg::{Csr, Mat};

/// Rows with a class each, or without any: then all are of one class that means nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    /// Without columns where the rows are sparse.
    rows: Mat,
    sparse: Option<Box<Csr>>,
    /// Whether the rows are a kernel matrix.
    similarities: bool,
    labels: Vec<usize>,
    class_names: Vec<String>,
    number: Number,
    groups: Option<Vec<usize>>,
    group_names: Vec<String>,
    labelled: bool,
    ids: Option<Vec<u32>>,
}

impl Dataset {
    /// Rows and their labels as text. Classes are ordered by number if all labels are integers, else by bytes.
    ///
    /// # Errors
    /// [`DataError`] naming the first value that is not finite, or what is missing.
    pub fn new<S: AsRef<str>>(rows: Mat, labels: &[S]) -> Result<Self, DataError> {
        let (ids, class_names) = Self::classes_of(labels);
        Self::with_classes(rows, ids, class_names)
    }

    /// Every label's class, and the classes' names in order.
    fn classes_of<S: AsRef<str>>(labels: &[S]) -> (Vec<usize>, Vec<String>) {
        let mut names: Vec<&str> = labels.iter().map(AsRef::as_ref).collect();
        let integer = |s: &str| s.parse::<i64>().ok();
        if names.iter().all(|s| integer(s).is_some()) {
            names.sort_by_key(|s| (integer(s), *s));
        } else {
            names.sort_unstable();
        }
        names.dedup();
        let position: std::collections::HashMap<&str, usize> =
            names.iter().enumerate().map(|(i, name)| (*name, i)).collect();
        let ids = labels.iter().map(|s| position[s.as_ref()]).collect();
        (ids, names.into_iter().map(str::to_owned).collect())
    }

    /// Rows and their labels as numbers.
    ///
    /// # Errors
    /// As [`Dataset::new`].
    pub fn from_ids(rows: Mat, labels: &[usize]) -> Result<Self, DataError> {
        let labels: Vec<String> = labels.iter().map(ToString::to_string).collect();
        Self::new(rows, &labels)
    }

    /// Rows given one by one.
    ///
    /// # Errors
    /// As [`Dataset::new`], and [`DataError::Ragged`] naming the first row of another length.
    pub fn from_rows<R: AsRef<[f64]>, S: AsRef<str>>(rows: &[R], labels: &[S]) -> Result<Self, DataError> {
        let width = rows.first().ok_or(DataError::NoRows)?.as_ref().len();
        if let Some((row, values)) = rows.iter().enumerate().find(|(_, r)| r.as_ref().len() != width) {
            return Err(DataError::Ragged { row, expected: width, got: values.as_ref().len() });
        }
        Self::new(Mat::from_fn(rows.len(), width, |i, j| rows[i].as_ref()[j]), labels)
    }

    /// Rows without labels, for methods that need none.
    ///
    /// # Errors
    /// As [`Dataset::new`].
    pub fn unlabelled(rows: Mat) -> Result<Self, DataError> {
        let labels = vec![0; rows.nrows()];
        Ok(Self { labelled: false, ..Self::with_classes(rows, labels, vec!["0".to_owned()])? })
    }

    fn with_classes(rows: Mat, labels: Vec<usize>, class_names: Vec<String>) -> Result<Self, DataError> {
        if rows.nrows() == 0 {
            return Err(DataError::NoRows);
        }
        if rows.ncols() == 0 {
            return Err(DataError::NoColumns);
        }
        if rows.nrows() != labels.len() {
            return Err(DataError::LabelCount { rows: rows.nrows(), labels: labels.len() });
        }
        check_finite(&rows)?;
        let number = narrowest(&rows);
        let (groups, group_names) = (None, Vec::new());
        Ok(Self {
            rows,
            sparse: None,
            similarities: false,
            labels,
            class_names,
            number,
            groups,
            group_names,
            labelled: true,
            ids: None,
        })
    }

    /// The same rows with ids of their own, by which a model that holds them as items names them.
    ///
    /// # Errors
    /// [`DataError::IdCount`] unless there is an id for every row.
    pub fn with_ids(mut self, ids: Vec<u32>) -> Result<Self, DataError> {
        if ids.len() != self.len() {
            return Err(DataError::IdCount { rows: self.len(), ids: ids.len() });
        }
        self.ids = Some(ids);
        Ok(self)
    }

    /// Each row's id, if the rows have ids other than their numbers.
    #[must_use]
    pub fn ids(&self) -> Option<&[u32]> {
        self.ids.as_deref()
    }

    /// Whether the rows have labels; without, all are of one class.
    #[must_use]
    pub fn is_labelled(&self) -> bool {
        self.labelled
    }

    /// The same rows, those of one group (a person, a recording) never to be split between fit and hold-out.
    ///
    /// # Errors
    /// [`DataError::GroupCount`] unless there is a group for every row.
    pub fn with_groups<S: AsRef<str>>(mut self, names: &[S]) -> Result<Self, DataError> {
        if names.len() != self.len() {
            return Err(DataError::GroupCount { rows: self.len(), groups: names.len() });
        }
        let mut ids = std::collections::HashMap::new();
        let mut groups = Vec::with_capacity(names.len());
        self.group_names = Vec::new();
        for name in names {
            let name = name.as_ref();
            let id = *ids.entry(name).or_insert(self.group_names.len());
            if id == self.group_names.len() {
                self.group_names.push(name.to_owned());
            }
            groups.push(id);
        }
        self.groups = Some(groups);
        Ok(self)
    }

    /// Each row's group, if groups are known: equal numbers stay together in every [`split`].
    #[must_use]
    pub fn groups(&self) -> Option<&[usize]> {
        self.groups.as_deref()
    }

    /// The groups' names, in the order of their numbers.
    #[must_use]
    pub fn group_names(&self) -> &[String] {
        &self.group_names
    }

    /// The rows, one sample each; those of [sparse](Self::sparse_rows) data are never filled in, so that these have no
    /// columns.
    #[must_use]
    pub fn rows(&self) -> &Mat {
        &self.rows
    }

    /// Each row's class, an index into [`class_names`](Self::class_names).
    #[must_use]
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// The classes' names, in the order of their indices.
    #[must_use]
    pub fn class_names(&self) -> &[String] {
        &self.class_names
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Never true: a data set without rows is refused when it is made.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Values per row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.sparse_rows().map_or(self.rows.ncols(), Csr::ncols)
    }

    /// Number of classes.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.class_names.len()
    }

    /// The narrowest type that holds every value.
    #[must_use]
    pub fn number(&self) -> Number {
        self.number
    }

    /// Rows per class.
    #[must_use]
    pub fn class_counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.classes()];
        for &label in &self.labels {
            counts[label] += 1;
        }
        counts
    }

    /// Row numbers of each class.
    #[must_use]
    pub fn class_rows(&self) -> Vec<Vec<usize>> {
        let mut rows = vec![Vec::new(); self.classes()];
        for (i, &label) in self.labels.iter().enumerate() {
            rows[label].push(i);
        }
        rows
    }

    /// These rows only, in this order, under the same class names. Indices beyond the end are a bug and panic.
    #[must_use]
    pub fn select(&self, indices: &[usize]) -> Self {
        Self {
            rows: self.selected(indices),
            sparse: self.sparse_rows().map(|rows| Box::new(rows.select(indices))),
            similarities: self.similarities,
            labels: indices.iter().map(|&i| self.labels[i]).collect(),
            class_names: self.class_names.clone(),
            number: self.number,
            groups: self.groups.as_ref().map(|groups| indices.iter().map(|&i| groups[i]).collect()),
            group_names: self.group_names.clone(),
            labelled: self.labelled,
            ids: self.ids.as_ref().map(|ids| indices.iter().map(|&i| ids[i]).collect()),
        }
    }

    /// The same rows with classes numbered as they first appear in them, whatever their names.
    pub(crate) fn with_classes_as_they_appear(&self) -> Self {
        let mut order: Vec<usize> = Vec::with_capacity(self.classes());
        let mut number = vec![None; self.classes()];
        for label in self.labels.iter().copied().chain(0..self.classes()) {
            if number[label].is_none() {
                number[label] = Some(order.len());
                order.push(label);
            }
        }
        Self {
            labels: self.labels.iter().map(|&label| number[label].unwrap_or(0)).collect(),
            class_names: order.iter().map(|&label| self.class_names[label].clone()).collect(),
            ..self.clone()
        }
    }

    /// The same labels, groups and ids over other rows: what a stage makes of them.
    ///
    /// # Errors
    /// As [`Dataset::new`].
    pub fn with_rows(&self, rows: Mat) -> Result<Self, DataError> {
        let data = Self::with_classes(rows, self.labels.clone(), self.class_names.clone())?;
        let (groups, group_names) = (self.groups.clone(), self.group_names.clone());
        Ok(Self { groups, group_names, labelled: self.labelled, ids: self.ids.clone(), ..data })
    }

    /// Refuses data that a supervised method cannot use: one class, or a class of fewer than `rows` rows.
    ///
    /// # Errors
    /// [`FitError`] with the class or the number of classes.
    pub fn require_classes(&self, rows: usize) -> Result<(), FitError> {
        if !self.labelled {
            return Err(FitError::NoLabels);
        }
        if self.classes() < 2 {
            return Err(FitError::OneClass { class: self.class_names[0].clone() });
        }
        if self.classes() > MAX_CLASSES {
            return Err(FitError::TooManyClasses { classes: self.classes() });
        }
        match self.class_counts().iter().enumerate().find(|(_, count)| **count < rows) {
            Some((class, &got)) => {
                Err(FitError::SmallClass { class: self.class_names[class].clone(), rows: got, needed: rows })
            }
            None => Ok(()),
        }
    }

    /// As [`require_classes`](Self::require_classes), for a method that does without labels where there are none.
    ///
    /// # Errors
    /// [`FitError`] with the number of classes.
    pub fn require_any_classes(&self) -> Result<(), FitError> {
        if self.labelled { self.require_classes(1) } else { Ok(()) }
    }

    /// The mean of `values`' rows over each class, one row per class.
    pub(crate) fn class_means(&self, values: &Mat) -> Mat {
        class_means(values, &self.labels, self.classes())
    }
}

/// The mean of the rows of each class, one row per class; a class without rows has mean zero.
pub(crate) fn class_means(values: &Mat, labels: &[usize], classes: usize) -> Mat {
    let mut counts = vec![0.0_f64; classes];
    for &label in labels {
        counts[label] += 1.0;
    }
    let mut means = Mat::zeros(classes, values.ncols());
    for (values, mut means) in values.column_iter().zip(means.column_iter_mut()) {
        for (value, &label) in values.iter().zip(labels) {
            means[label] += value;
        }
        means.iter_mut().zip(&counts).for_each(|(mean, count)| *mean /= count.max(1.0));
    }
    means
}

/// Classes that a model file can hold: class means are stored in groups of four and counted in 16 bits.
const MAX_CLASSES: usize = 65532;

/// The largest value: squared and summed it must stay within the single precision of a device.
pub const LARGEST: f64 = 1e17;

/// Whether a device can compute with this value; NaN it cannot.
pub(crate) fn is_usable(value: f64) -> bool {
    value.abs() <= LARGEST
}

/// Finds the first value that is NaN, infinite or too large, row by row.
pub(crate) fn check_finite(rows: &Mat) -> Result<(), DataError> {
    if rows.iter().all(|&v| is_usable(v)) {
        return Ok(());
    }
    let cells = (0..rows.nrows()).flat_map(|row| (0..rows.ncols()).map(move |column| (row, column)));
    match cells.map(|cell| (cell, rows[cell])).find(|(_, v)| !is_usable(*v)) {
        Some(((row, column), value)) if value.is_finite() => Err(DataError::TooLarge { row, column, value }),
        Some(((row, column), value)) => Err(DataError::NotFinite { row, column, value }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numeric_labels_are_ordered_by_number_and_others_by_bytes() -> Result<(), DataError> {
        let rows = Mat::from_element(3, 1, 0.0);
        assert_eq!(Dataset::new(rows.clone(), &["10", "9", "10"])?.class_names(), ["9", "10"]);
        assert_eq!(Dataset::new(rows, &["10", "9", "x"])?.class_names(), ["10", "9", "x"]);
        Ok(())
    }

    #[test]
    fn bad_tables_are_refused_with_their_position() {
        let nan = Dataset::from_ids(Mat::from_row_slice(2, 2, &[1.0, 2.0, 3.0, f64::NAN]), &[0, 1]);
        assert!(matches!(nan, Err(DataError::NotFinite { row: 1, column: 1, .. })));
        let ragged = Dataset::from_rows(&[vec![1.0, 2.0], vec![3.0]], &["a", "b"]);
        assert_eq!(ragged, Err(DataError::Ragged { row: 1, expected: 2, got: 1 }));
        assert_eq!(Dataset::from_ids(Mat::zeros(0, 3), &[]), Err(DataError::NoRows));
        assert_eq!(Dataset::from_ids(Mat::zeros(2, 0), &[0, 1]), Err(DataError::NoColumns));
        let labels = Dataset::from_ids(Mat::zeros(2, 1), &[0]);
        assert_eq!(labels, Err(DataError::LabelCount { rows: 2, labels: 1 }));
    }
}
