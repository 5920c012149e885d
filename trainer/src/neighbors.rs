//! Nearest neighbors by blocked distance matrices.

use crate::dataset::{Dataset, filled_rows};
use crate::kernel::{sparse_distances, squared_distances};
use crate::linalg::{Mat, column};
use crate::parallel;

/// Query rows per distance matrix.
const BLOCK: usize = 512;

/// A neighbor: its row number and squared distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbor {
    /// Row number among those searched.
    pub row: usize,
    /// Squared Euclidean distance.
    pub distance_sq: f64,
}

/// The `k` nearest of `among` for every query, nearest first, the lower row number on a tie.
pub(crate) fn nearest(queries: &Mat, among: &Mat, k: usize, threads: usize) -> Vec<Vec<Neighbor>> {
    search(queries, among, k, threads, |_, _| true)
}

/// The `k` nearest other rows of every row.
#[must_use]
pub fn nearest_others(rows: &Mat, k: usize, threads: usize) -> Vec<Vec<Neighbor>> {
    search(rows, rows, k, threads, |query, row| query != row)
}

/// The `k` nearest rows for every row, among those that `keep(query, row)` allows.
pub(crate) fn search(
    queries: &Mat,
    among: &Mat,
    k: usize,
    threads: usize,
    keep: impl Fn(usize, usize) -> bool + Sync,
) -> Vec<Vec<Neighbor>> {
    let distances = |start, count| squared_distances(among, &queries.rows(start, count).into_owned(), 1);
    in_blocks(queries.nrows(), BLOCK, k, threads, distances, keep)
}

/// The rows nearest to every query, or where there are no queries the other rows nearest to every row, dense or sparse.
///
/// `None` where only one side is sparse.
pub(crate) fn nearest_rows(
    data: &Dataset,
    queries: Option<&Dataset>,
    k: usize,
    threads: usize,
) -> Option<Vec<Vec<Neighbor>>> {
    let keep = |query, row| queries.is_some() || query != row;
    let from = queries.unwrap_or(data);
    match (data.sparse_rows(), from.sparse_rows()) {
        (None, None) => Some(search(from.rows(), data.rows(), k, threads, keep)),
        (Some(among), Some(rows)) => {
            let lengths = among.squared_lengths();
            let distances = |start, count| sparse_distances(among, &lengths, rows, start, count);
            let block = filled_rows(rows.ncols()).min(BLOCK);
            Some(in_blocks(rows.nrows(), block, k, threads, distances, keep))
        }
        _ => None,
    }
}

/// The `k` nearest by blocks of queries; `distances(start, count)` has one column per query, so that each search reads
/// memory in order.
fn in_blocks(
    queries: usize,
    block: usize,
    k: usize,
    threads: usize,
    distances: impl Fn(usize, usize) -> Mat + Sync,
    keep: impl Fn(usize, usize) -> bool + Sync,
) -> Vec<Vec<Neighbor>> {
    let blocks: Vec<_> = parallel::blocks(queries, block).collect();
    let found = parallel::map(threads, blocks.len(), |b| {
        let (start, count) = blocks[b];
        let distances = distances(start, count);
        (0..count).map(|q| smallest(column(&distances, q), k, |row| keep(start + q, row))).collect::<Vec<_>>()
    });
    found.into_iter().flatten().collect()
}

fn smallest(distances: &[f64], k: usize, keep: impl Fn(usize) -> bool) -> Vec<Neighbor> {
    let by_distance = |a: &Neighbor, b: &Neighbor| a.distance_sq.total_cmp(&b.distance_sq).then(a.row.cmp(&b.row));
    let mut all: Vec<Neighbor> = distances
        .iter()
        .enumerate()
        .filter(|(row, _)| keep(*row))
        .map(|(row, &distance_sq)| Neighbor { row, distance_sq })
        .collect();
    if k < all.len() {
        all.select_nth_unstable_by(k, by_distance);
        all.truncate(k);
        // The room for every row, kept for every query, would be as large as a matrix of all distances.
        all.shrink_to_fit();
    }
    all.sort_unstable_by(by_distance);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_on_a_line_know_their_neighbors() {
        let rows = Mat::from_row_slice(4, 1, &[0.0, 1.0, 3.0, 3.5]);
        let rows_of = |found: &[Neighbor]| found.iter().map(|n| n.row).collect::<Vec<_>>();
        let others = nearest_others(&rows, 2, 1);
        assert_eq!(rows_of(&others[0]), [1, 2]);
        assert_eq!(rows_of(&others[2]), [3, 1]);
        let own = nearest(&rows, &rows, 1, 2);
        assert_eq!((own[3][0].row, own[3][0].distance_sq), (3, 0.0));
    }

    #[test]
    fn sparse_rows_have_the_neighbors_of_dense_ones() -> Result<(), Box<dyn std::error::Error>> {
        use crate::linalg::csr::tests::sparse;
        let (rows, queries) = (sparse(700, 9, 0), sparse(40, 9, 1));
        let all = |rows: &crate::linalg::Csr| Dataset::unlabelled(rows.dense(&(0..rows.nrows()).collect::<Vec<_>>()));
        let (dense, dense_queries) = (all(&rows)?, all(&queries)?);
        let (data, queries) = (Dataset::unlabelled_sparse(rows)?, Dataset::unlabelled_sparse(queries)?);
        let numbers = |data: &Dataset, queries: Option<&Dataset>| {
            let found = nearest_rows(data, queries, 7, 2);
            found.map(|all| all.iter().map(|list| list.iter().map(|near| near.row).collect()).collect::<Vec<Vec<_>>>())
        };
        assert!(numbers(&data, None).is_some());
        assert_eq!(numbers(&data, None), numbers(&dense, None));
        assert_eq!(numbers(&data, Some(&queries)), numbers(&dense, Some(&dense_queries)));
        assert_eq!(numbers(&data, Some(&dense_queries)), None);
        Ok(())
    }

    #[test]
    fn ties_go_to_the_lower_row() {
        let rows = Mat::from_row_slice(3, 1, &[1.0, -1.0, 1.0]);
        let found = nearest(&Mat::zeros(1, 1), &rows, 2, 1);
        assert_eq!(found[0].iter().map(|n| n.row).collect::<Vec<_>>(), [0, 1]);
    }
}
