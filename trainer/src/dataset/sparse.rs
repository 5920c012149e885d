//! Data whose rows are mostly zeros, and too many to be filled in.

use super::number::narrowest_of;
use super::{Dataset, is_usable};
use crate::error::DataError;
use crate::linalg::{Csr, Mat};
use std::borrow::Cow;

impl Dataset {
    /// Sparse rows and their labels as text. They are never filled in: [`rows`](Self::rows) has no columns, and only methods
    /// that work on sparse rows take them.
    ///
    /// # Errors
    /// As [`Dataset::new`].
    pub fn from_sparse<S: AsRef<str>>(rows: Csr, labels: &[S]) -> Result<Self, DataError> {
        let (labels, class_names) = Self::classes_of(labels);
        if rows.nrows() == 0 {
            return Err(DataError::NoRows);
        }
        if rows.nrows() != labels.len() {
            return Err(DataError::LabelCount { rows: rows.nrows(), labels: labels.len() });
        }
        check_sparse(&rows)?;
        let number = narrowest_of(rows.values());
        let empty = Mat::zeros(rows.nrows(), 0);
        let (groups, group_names) = (None, Vec::new());
        Ok(Self {
            rows: empty,
            sparse: Some(Box::new(rows)),
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

    /// Sparse rows without labels.
    ///
    /// # Errors
    /// As [`Dataset::new`].
    pub fn unlabelled_sparse(rows: Csr) -> Result<Self, DataError> {
        let labels = vec!["0"; rows.nrows()];
        Ok(Self { labelled: false, ..Self::from_sparse(rows, &labels)? })
    }

    /// The rows of sparse data.
    #[must_use]
    pub fn sparse_rows(&self) -> Option<&Csr> {
        self.sparse.as_deref()
    }

    /// The same labels and groups over other sparse rows.
    pub(crate) fn with_sparse(&self, rows: Csr) -> Self {
        Self { sparse: Some(Box::new(rows)), ..self.clone() }
    }

    /// These rows, zeros and all.
    #[must_use]
    pub fn dense_rows(&self, rows: &[usize]) -> Mat {
        self.sparse_rows().map_or_else(|| self.rows.select_rows(rows), |sparse| sparse.dense(rows))
    }

    /// The values of one row.
    #[must_use]
    pub fn row(&self, i: usize) -> Vec<f64> {
        self.dense_rows(&[i]).iter().copied().collect()
    }

    /// Rows in blocks, each with the number of its first: all at once, or as many sparse rows as can be filled in at a time.
    pub fn blocks(&self) -> impl Iterator<Item = (usize, Cow<'_, Mat>)> {
        let size = if self.sparse.is_some() { filled_rows(self.width()) } else { self.len() };
        crate::parallel::blocks(self.len(), size).map(move |(first, count)| match self.sparse_rows() {
            Some(rows) => (first, Cow::Owned(rows.dense(&(first..first + count).collect::<Vec<_>>()))),
            None => (first, Cow::Borrowed(&self.rows)),
        })
    }
}

/// Sparse rows that are filled in at a time: 64 MB of them, and at least one.
pub(crate) fn filled_rows(width: usize) -> usize {
    (FILLED / (8 * width.max(1))).clamp(1, 1024)
}

/// Bytes up to which sparse rows may be filled in.
pub(crate) const FILLED: usize = 64 << 20;

/// Finds the first value that is NaN, infinite or too large.
pub(crate) fn check_sparse(rows: &Csr) -> Result<(), DataError> {
    for row in 0..rows.nrows() {
        let (indices, values) = rows.row(row);
        if let Some((&column, &value)) = indices.iter().zip(values).find(|(_, value)| !is_usable(**value)) {
            let column = column as usize;
            return Err(if value.is_finite() {
                DataError::TooLarge { row, column, value }
            } else {
                DataError::NotFinite { row, column, value }
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::csr::tests::sparse;

    #[test]
    fn sparse_data_keep_shape_labels_and_values() -> Result<(), DataError> {
        let rows = sparse(6, 4, 0);
        let dense = rows.dense(&[0, 1, 2, 3, 4, 5]);
        let data = Dataset::from_sparse(rows, &["b", "a", "b", "a", "b", "a"])?;
        assert_eq!((data.len(), data.width(), data.class_counts()), (6, 4, vec![3, 3]));
        assert_eq!(data.rows().ncols(), 0);
        let some = data.select(&[5, 1]);
        assert_eq!(some.row(1), dense.row(1).iter().copied().collect::<Vec<_>>());
        let blocks: Vec<_> = data.blocks().collect();
        assert_eq!((blocks.len(), blocks[0].1.as_ref()), (1, &dense));
        let filled = data.with_rows(dense)?;
        assert!(filled.sparse_rows().is_none() && filled.width() == 4);
        Ok(())
    }

    #[test]
    fn values_that_are_no_numbers_are_refused_with_their_position() -> Result<(), crate::linalg::CsrError> {
        let rows = Csr::new(9, vec![0, 1, 2], vec![0, 7], vec![1.0, f64::NAN])?;
        let error = Dataset::from_sparse(rows, &["a", "b"]).err();
        assert!(matches!(error, Some(DataError::NotFinite { row: 1, column: 7, .. })), "{error:?}");
        Ok(())
    }
}
