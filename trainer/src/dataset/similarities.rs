//! Data that are given by a kernel matrix: how similar every row is to every other.

use super::Dataset;
use crate::error::DataError;
use crate::linalg::Mat;

/// How far a kernel matrix may be from symmetric, relative to its largest value: what single precision leaves.
const ASYMMETRY: f64 = 1e-5;

impl Dataset {
    /// The same data, its rows taken as a kernel matrix: value `j` of row `i` is the similarity of rows `i` and `j`.
    ///
    /// # Errors
    /// [`DataError`] unless the rows are square and symmetric.
    pub fn into_similarities(mut self) -> Result<Self, DataError> {
        let (rows, columns) = (self.len(), self.width());
        if rows != columns || self.sparse.is_some() {
            return Err(DataError::NotSquare { rows, columns });
        }
        let most = ASYMMETRY * self.rows.amax();
        for column in 0..columns {
            for row in column + 1..rows {
                let (value, mirrored) = (self.rows[(row, column)], self.rows[(column, row)]);
                if (value - mirrored).abs() > most {
                    return Err(DataError::NotSymmetric { row, column, value, mirrored });
                }
            }
        }
        self.rows = (&self.rows + self.rows.transpose()) * 0.5;
        self.similarities = true;
        Ok(self)
    }

    /// Whether the rows are a kernel matrix, as [`into_similarities`](Self::into_similarities) takes them.
    #[must_use]
    pub fn are_similarities(&self) -> bool {
        self.similarities
    }

    /// These rows; of a kernel matrix also these columns, in the same order.
    pub(super) fn selected(&self, indices: &[usize]) -> Mat {
        let rows = self.rows.select_rows(indices);
        if self.similarities { rows.select_columns(indices) } else { rows }
    }

    /// Rows to test on beside those to train on: of a kernel matrix, their similarities to the latter.
    pub(super) fn select_beside(&self, test: &[usize], train: &[usize]) -> Self {
        if !self.similarities {
            return self.select(test);
        }
        let rows = self.rows.select_rows(test).select_columns(train);
        Self { rows, similarities: false, ..self.select(test) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::split::Split;

    #[test]
    fn a_kernel_matrix_is_split_by_rows_and_columns() -> Result<(), DataError> {
        let k = Mat::from_fn(4, 4, |i, j| (1 + i.min(j)) as f64);
        let data = Dataset::from_ids(k, &[0, 1, 0, 1])?.into_similarities()?;
        let (train, test) = Split { train: vec![0, 3], test: vec![1, 2] }.apply(&data);
        assert_eq!(train.rows(), &Mat::from_row_slice(2, 2, &[1.0, 1.0, 1.0, 4.0]));
        assert_eq!(test.rows(), &Mat::from_row_slice(2, 2, &[1.0, 2.0, 1.0, 3.0]));
        assert!(train.are_similarities() && !test.are_similarities());
        Ok(())
    }

    #[test]
    fn what_is_no_kernel_matrix_is_refused() {
        let of = |rows: Mat| Dataset::from_ids(rows, &[0, 1])?.into_similarities();
        assert_eq!(of(Mat::zeros(2, 3)).err(), Some(DataError::NotSquare { rows: 2, columns: 3 }));
        let error = of(Mat::from_row_slice(2, 2, &[1.0, 0.5, 0.4, 1.0])).err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some("row 1, column 0: a kernel matrix is symmetric, got 0.4 and 0.5"));
    }
}
