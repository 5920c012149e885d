//! Sparse rows: only the values that are not zero are held, and nothing here ever fills in the others.
//!
//! A type of our own: products must give the same bits for any number of threads, where sparse crates run sequentially or
//! leave the order of sums open, and files of others are checked with the position of what is wrong in them.

use super::{Mat, Operator};
use crate::parallel;

/// Rows of a product that one piece of work computes.
const BLOCK: usize = 256;
/// Columns at most: beyond, the means of all columns alone would take more memory than they are worth (128 MB).
pub(crate) const MAX_COLUMNS: usize = 1 << 24;

/// A matrix in compressed sparse row format.
#[derive(Debug, Clone, PartialEq)]
pub struct Csr {
    columns: usize,
    /// Where each row's values begin, and where the last one's end.
    starts: Vec<usize>,
    /// The column of every value, ascending within a row.
    indices: Vec<u32>,
    values: Vec<f64>,
}

/// Why arrays are no sparse matrix.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CsrError {
    /// More columns than can be computed with, or none.
    #[error("{0} columns, expected 1 to {MAX_COLUMNS}")]
    Columns(usize),
    /// Rows do not begin where the row before ends.
    #[error("row {0}: it does not begin where the row before it ends")]
    Starts(usize),
    /// Arrays of different lengths.
    #[error("{indices} indices, but {values} values and rows that end at {end}")]
    Lengths {
        /// Length of the indices.
        indices: usize,
        /// Number of values.
        values: usize,
        /// Where the last row ends.
        end: usize,
    },
    /// A column that does not exist.
    #[error("row {row}: there is no column {index} among {columns}")]
    Index {
        /// The row.
        row: usize,
        /// The column.
        index: u64,
        /// Columns there are.
        columns: usize,
    },
    /// Columns out of order, or twice the same.
    #[error("row {row}: column {index} comes twice or after a later one")]
    Order {
        /// The row.
        row: usize,
        /// The column.
        index: u32,
    },
}

impl Csr {
    /// The matrix of these arrays, checked.
    ///
    /// # Errors
    /// [`CsrError`] naming the first row at fault.
    pub fn new(columns: usize, starts: Vec<usize>, indices: Vec<u32>, values: Vec<f64>) -> Result<Self, CsrError> {
        if !(1..=MAX_COLUMNS).contains(&columns) {
            return Err(CsrError::Columns(columns));
        }
        let end = starts.last().copied().unwrap_or(usize::MAX);
        if end != indices.len() || indices.len() != values.len() {
            return Err(CsrError::Lengths { indices: indices.len(), values: values.len(), end });
        }
        for (row, pair) in starts.windows(2).enumerate() {
            if (row == 0 && pair[0] != 0) || pair[1] < pair[0] || pair[1] > end {
                return Err(CsrError::Starts(row));
            }
            let within = &indices[pair[0]..pair[1]];
            if let Some(&index) = within.iter().find(|index| **index as usize >= columns) {
                return Err(CsrError::Index { row, index: index.into(), columns });
            }
            if let Some(pair) = within.windows(2).find(|pair| pair[1] <= pair[0]) {
                return Err(CsrError::Order { row, index: pair[1] });
            }
        }
        Ok(Self { columns, starts, indices, values })
    }

    /// Number of rows.
    #[must_use]
    pub fn nrows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of columns.
    #[must_use]
    pub fn ncols(&self) -> usize {
        self.columns
    }

    /// The values held, row by row; the others are zero.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Columns and values of row `i`.
    #[must_use]
    pub fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.starts[i]..self.starts[i + 1];
        (&self.indices[range.clone()], &self.values[range])
    }

    /// These rows, in this order.
    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        let mut chosen = Self { columns: self.columns, starts: vec![0], indices: Vec::new(), values: Vec::new() };
        for &row in rows {
            let (indices, values) = self.row(row);
            chosen.indices.extend_from_slice(indices);
            chosen.values.extend_from_slice(values);
            chosen.starts.push(chosen.values.len());
        }
        chosen
    }

    /// The same matrix with as many columns, none of which may hold a value if they are fewer.
    pub(crate) fn with_columns(self, columns: usize) -> Result<Self, CsrError> {
        if columns >= self.columns && columns <= MAX_COLUMNS {
            return Ok(Self { columns, ..self });
        }
        Self::new(columns, self.starts, self.indices, self.values)
    }

    /// The same matrix with every value replaced by `f(row, column, value)`.
    pub(crate) fn map(mut self, f: impl Fn(usize, usize, f64) -> f64) -> Self {
        for (row, pair) in self.starts.windows(2).enumerate() {
            for at in pair[0]..pair[1] {
                self.values[at] = f(row, self.indices[at] as usize, self.values[at]);
            }
        }
        self
    }

    /// These rows with their zeros.
    pub(crate) fn dense(&self, rows: &[usize]) -> Mat {
        let mut dense = Mat::zeros(rows.len(), self.columns);
        for (i, &row) in rows.iter().enumerate() {
            let (indices, values) = self.row(row);
            for (index, value) in indices.iter().zip(values) {
                dense[(i, *index as usize)] = *value;
            }
        }
        dense
    }

    /// The matrix with rows and columns exchanged.
    pub(crate) fn transposed(&self) -> Self {
        let mut starts = vec![0; self.columns + 1];
        for &index in &self.indices {
            starts[index as usize + 1] += 1;
        }
        for at in 0..self.columns {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let (mut indices, mut values) = (vec![0; self.indices.len()], vec![0.0; self.values.len()]);
        for row in 0..self.nrows() {
            let (columns, entries) = self.row(row);
            for (&column, &value) in columns.iter().zip(entries) {
                let at = next[column as usize];
                next[column as usize] += 1;
                (indices[at], values[at]) = (row as u32, value);
            }
        }
        Self { columns: self.nrows(), starts, indices, values }
    }

    /// The mean of every column, zeros included.
    pub(crate) fn column_means(&self) -> Vec<f64> {
        let mut means = vec![0.0; self.columns];
        for (&index, value) in self.indices.iter().zip(&self.values) {
            means[index as usize] += value;
        }
        for mean in &mut means {
            *mean /= self.nrows() as f64;
        }
        means
    }

    /// The sum of squared differences from these means, for every column, zeros included.
    pub(crate) fn column_scatter(&self, means: &[f64]) -> Vec<f64> {
        let mut zeros = vec![self.nrows(); self.columns];
        let mut sums = vec![0.0; self.columns];
        for (&index, value) in self.indices.iter().zip(&self.values) {
            let index = index as usize;
            sums[index] += (value - means[index]).powi(2);
            zeros[index] -= 1;
        }
        for ((sum, mean), zeros) in sums.iter_mut().zip(means).zip(zeros) {
            *sum += zeros as f64 * mean * mean;
        }
        sums
    }

    /// The squared length of every row.
    pub(crate) fn squared_lengths(&self) -> Vec<f64> {
        (0..self.nrows()).map(|i| self.row(i).1.iter().map(|v| v * v).sum()).collect()
    }

    /// `xᵀ · Aᵀ` for `x` given by its transpose: column `i` is the sum of the columns of `x` that row `i` names, weighed.
    pub(crate) fn weigh(&self, x: &Mat, threads: usize) -> Mat {
        let width = x.nrows();
        let mut out = Mat::zeros(width, self.nrows());
        let pieces = out.as_mut_slice().chunks_mut((width * BLOCK).max(1)).collect();
        parallel::each(threads, pieces, |piece, chunk: &mut [f64]| {
            for (i, sum) in chunk.chunks_mut(width).enumerate() {
                let (indices, values) = self.row(piece * BLOCK + i);
                for (&index, value) in indices.iter().zip(values) {
                    let from = &x.as_slice()[index as usize * width..][..width];
                    sum.iter_mut().zip(from).for_each(|(sum, from)| *sum += value * from);
                }
            }
        });
        out
    }
}

/// Sparse rows that can be multiplied from both sides.
#[derive(Debug)]
pub(crate) struct SparseOperator<'a> {
    rows: &'a Csr,
    columns: Csr,
}

impl<'a> SparseOperator<'a> {
    pub(crate) fn new(rows: &'a Csr) -> Self {
        Self { rows, columns: rows.transposed() }
    }

    /// The rows.
    pub(crate) fn rows(&self) -> &Csr {
        self.rows
    }
}

impl Operator for SparseOperator<'_> {
    fn shape(&self) -> (usize, usize) {
        (self.rows.nrows(), self.rows.ncols())
    }

    fn times(&self, x: &Mat, threads: usize) -> Mat {
        self.rows.weigh(&x.transpose(), threads).transpose()
    }

    fn transposed_times(&self, y: &Mat, threads: usize) -> Mat {
        self.columns.weigh(&y.transpose(), threads).transpose()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::linalg::{column_means, random};

    /// Random rows of which about a third of the values are not zero.
    pub(crate) fn sparse(rows: usize, columns: usize, seed: u64) -> Csr {
        of(&random(rows, columns, seed).map(|v| if v > 0.4 { v } else { 0.0 }))
    }

    /// The values of a dense matrix that are not zero.
    pub(crate) fn of(dense: &Mat) -> Csr {
        let mut csr = Csr { columns: dense.ncols(), starts: vec![0], indices: Vec::new(), values: Vec::new() };
        for row in dense.row_iter() {
            for (j, &value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                csr.indices.push(j as u32);
                csr.values.push(value);
            }
            csr.starts.push(csr.values.len());
        }
        csr
    }

    #[test]
    fn products_are_those_of_the_dense_matrix_for_any_number_of_threads() {
        let rows = sparse(700, 30, 0);
        let dense = rows.dense(&(0..700).collect::<Vec<_>>());
        let operator = SparseOperator::new(&rows);
        let (x, y) = (random(30, 5, 1), random(700, 5, 2));
        assert!((operator.times(&x, 2) - &dense * &x).amax() < 1e-12);
        assert!((operator.transposed_times(&y, 2) - dense.transpose() * &y).amax() < 1e-12);
        assert_eq!(operator.times(&x, 1), operator.times(&x, 3));
        assert_eq!(operator.transposed_times(&y, 1), operator.transposed_times(&y, 3));
        assert_eq!(rows.transposed().transposed(), rows);
        let gap = rows.column_means().iter().zip(column_means(&dense)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(gap < 1e-12);
        assert_eq!(rows.select(&[3, 0]).dense(&[0, 1]), dense.select_rows(&[3, 0]));
    }

    #[test]
    fn arrays_that_contradict_each_other_are_refused() {
        let new = |columns, starts: &[usize], indices: &[u32]| {
            Csr::new(columns, starts.to_vec(), indices.to_vec(), vec![1.0; indices.len()]).err()
        };
        assert_eq!(new(3, &[0, 2, 3], &[0, 2, 1]), None);
        assert_eq!(new(0, &[0, 0], &[]), Some(CsrError::Columns(0)));
        assert_eq!(new(MAX_COLUMNS + 1, &[0, 0], &[]), Some(CsrError::Columns(MAX_COLUMNS + 1)));
        assert_eq!(new(3, &[0, 2, 1, 3], &[0, 2, 1]), Some(CsrError::Starts(1)));
        assert_eq!(new(3, &[1, 3], &[0, 2, 1]), Some(CsrError::Starts(0)));
        assert_eq!(new(3, &[0, 9, 3], &[0, 2, 1]), Some(CsrError::Starts(0)));
        assert_eq!(new(2, &[0, 2, 3], &[0, 2, 1]), Some(CsrError::Index { row: 0, index: 2, columns: 2 }));
        assert_eq!(new(3, &[0, 2], &[1, 1]), Some(CsrError::Order { row: 0, index: 1 }));
        assert_eq!(new(3, &[0, 2], &[2, 1]), Some(CsrError::Order { row: 0, index: 1 }));
        assert!(matches!(new(3, &[0, 2], &[1]), Some(CsrError::Lengths { end: 2, .. })));
        assert!(matches!(new(3, &[], &[]), Some(CsrError::Lengths { .. })));
    }
}
