//! Distances between sparse rows.

use super::gram::{DISTANCE_ROWS, mean_over_pairs};
use crate::linalg::{Csr, evenly};

/// The mean Euclidean distance over all pairs of rows (of 4000, evenly spread, when there are more, as for dense rows).
pub(super) fn mean_distance(rows: &Csr, threads: usize) -> f64 {
    let all: Vec<usize> = (0..rows.nrows()).collect();
    let rows = rows.select(&evenly(&all, DISTANCE_ROWS));
    let lengths = rows.squared_lengths();
    mean_over_pairs(rows.nrows(), threads, |start, count| {
        let mut filled = vec![0.0; rows.ncols()];
        let mut sum = 0.0;
        for i in start..start + count {
            let (indices, values) = rows.row(i);
            indices.iter().zip(values).for_each(|(&index, value)| filled[index as usize] = *value);
            for j in i + 1..rows.nrows() {
                let (others, values) = rows.row(j);
                let product: f64 =
                    others.iter().zip(values).map(|(&index, value)| filled[index as usize] * value).sum();
                sum += (lengths[i] + lengths[j] - 2.0 * product).max(0.0).sqrt();
            }
            for &index in indices {
                filled[index as usize] = 0.0;
            }
        }
        sum
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::csr::tests::sparse;

    #[test]
    fn sparse_rows_are_as_far_apart_as_dense_ones() {
        // More rows than are looked at: the same ones have to be.
        for count in [300, DISTANCE_ROWS + 500] {
            let rows = sparse(count, 12, 0);
            let dense = rows.dense(&(0..count).collect::<Vec<_>>());
            let expected = super::super::mean_distance(&dense, 1);
            assert!((mean_distance(&rows, 1) / expected - 1.0).abs() < 1e-12, "{count} rows");
            assert_eq!(mean_distance(&rows, 1), mean_distance(&rows, 3));
        }
    }
}
