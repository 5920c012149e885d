//! Distances between sparse rows.

use super::gram::{DISTANCE_ROWS, mean_over_pairs};
use crate::linalg::{Csr, Mat, evenly};

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

/// Squared distances of the rows of `among`, whose squared lengths are given, to `count` rows of `queries` from `start`
/// on: one column per query. Only these queries are filled in.
pub(crate) fn sparse_distances(among: &Csr, lengths: &[f64], queries: &Csr, start: usize, count: usize) -> Mat {
    let numbers: Vec<usize> = (start..start + count).collect();
    let own = queries.select(&numbers);
    let mut distances = among.weigh(&own.dense(&(0..count).collect::<Vec<_>>()), 1).transpose();
    for (mut column, own) in distances.column_iter_mut().zip(own.squared_lengths()) {
        column.iter_mut().zip(lengths).for_each(|(value, length)| *value = (length + own - 2.0 * *value).max(0.0));
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::csr::tests::sparse;

    #[test]
    fn distances_are_those_of_dense_rows_and_zero_between_equal_ones() {
        let rows = sparse(30, 8, 0);
        let dense = rows.dense(&(0..30).collect::<Vec<_>>());
        let found = sparse_distances(&rows, &rows.squared_lengths(), &rows, 10, 20);
        let expected = super::super::squared_distances(&dense, &dense.rows(10, 20).into_owned(), 1);
        assert!((&found - expected).amax() < 1e-12);
        assert!((0..20).all(|query| found[(query + 10, query)] == 0.0));
    }

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
