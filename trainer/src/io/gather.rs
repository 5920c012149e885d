//! Converts rows of narrow types to columns of f64, a block at a time.
//!
//! A table of 60 000 images is 47 MB as bytes and 376 MB as f64. Only a few hundred rows are ever held in both forms:
//! each block is converted while it lies in the processor's cache, and the large matrix is allocated as zero pages, which
//! take memory only as they are filled.

use super::error::ReadError;
use crate::linalg::Mat;

/// Rows converted at once: a block of 784 f64 columns stays within a second-level cache.
pub(super) const BLOCK: usize = 256;

/// A matrix of known size that is being filled.
#[derive(Debug)]
pub(super) struct Gather {
    values: Vec<f64>,
    rows: usize,
    columns: usize,
    filled: usize,
}

impl Gather {
    /// Room for `rows` rows of `columns` values.
    pub(super) fn new(rows: usize, columns: usize) -> Result<Self, ReadError> {
        let too_large = || ReadError::Invalid(format!("{rows} rows of {columns} values do not fit in memory"));
        let len = rows.checked_mul(columns).ok_or_else(too_large)?;
        // Tried first, because `vec!` would abort the program if the allocation failed.
        Vec::<f64>::new().try_reserve_exact(len).map_err(|_| too_large())?;
        Ok(Self { values: vec![0.0; len], rows, columns, filled: 0 })
    }

    /// Appends whole rows, given one after the other; rows beyond the matrix are ignored.
    pub(super) fn push<T: Copy>(&mut self, block: &[T], number: impl Fn(T) -> f64) {
        let columns = self.columns.max(1);
        let rows = (block.len() / columns).min(self.rows - self.filled);
        for (j, column) in self.values.chunks_exact_mut(self.rows.max(1)).enumerate() {
            let values = block.iter().skip(j).step_by(columns);
            for (to, from) in column[self.filled..][..rows].iter_mut().zip(values) {
                *to = number(*from);
            }
        }
        self.filled += rows;
    }

    pub(super) fn column_mut(&mut self, column: usize) -> &mut [f64] {
        &mut self.values[column * self.rows..][..self.rows]
    }

    pub(super) fn finish(self) -> Mat {
        Mat::from_vec(self.rows, self.columns, self.values)
    }
}

/// Joins blocks of rows whose number was not known in advance; each block is freed as it is copied.
pub(super) fn assemble(blocks: Vec<Vec<f64>>, columns: usize) -> Result<Mat, ReadError> {
    let values: usize = blocks.iter().map(Vec::len).sum();
    let mut gather = Gather::new(values / columns.max(1), columns)?;
    for block in blocks {
        gather.push(&block, |value| value);
    }
    Ok(gather.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_rows_become_one_matrix() -> Result<(), ReadError> {
        let mut gather = Gather::new(3, 2)?;
        gather.push(&[1_u8, 2, 3, 4], f64::from);
        gather.push(&[5_u8, 6, 7, 8], f64::from);
        let expected = Mat::from_row_slice(3, 2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(gather.finish(), expected);
        assert_eq!(assemble(vec![vec![1.0, 2.0], vec![3.0, 4.0, 5.0, 6.0]], 2)?, expected);
        Ok(())
    }

    #[test]
    fn a_matrix_beyond_all_memory_is_refused() {
        for (rows, columns) in [(usize::MAX / 4, 8), (1 << 40, 1 << 10)] {
            let message = Gather::new(rows, columns).map_err(|e| e.to_string()).err();
            assert_eq!(message, Some(format!("{rows} rows of {columns} values do not fit in memory")));
        }
    }
}
