//! Neighbor graphs, their Laplacians and their connected components.

use crate::dataset::Dataset;
use crate::linalg::{Mat, column};
use crate::neighbors::{Neighbor, search};
use crate::parallel;

/// An undirected weighted graph over rows: for each its neighbors and the weights, in ascending order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Graph {
    adjacent: Vec<Vec<(usize, f64)>>,
}

impl Graph {
    /// Joins every row to those listed for it, in both directions ("or"); `weight(i, j, d²)`.
    pub(crate) fn from_neighbors(lists: &[Vec<Neighbor>], weight: impl Fn(usize, usize, f64) -> f64) -> Self {
        let mut adjacent = vec![Vec::new(); lists.len()];
        for (i, list) in lists.iter().enumerate() {
            for n in list {
                let w = weight(i, n.row, n.distance_sq);
                adjacent[i].push((n.row, w));
                adjacent[n.row].push((i, w));
            }
        }
        // A pair listed from both sides differs at most by rounding; the larger weight stands for both.
        adjacent.iter_mut().for_each(keep_largest);
        Self { adjacent }
    }

    /// The symmetric graph of the `k` nearest other rows.
    pub(crate) fn nearest(rows: &Mat, k: usize, threads: usize, weight: impl Fn(usize, usize, f64) -> f64) -> Self {
        Self::among(rows, k, threads, weight, |_, _| true)
    }

    /// The symmetric graph of the `k` nearest other rows among those that `keep(i, j)` allows.
    pub(crate) fn among(
        rows: &Mat,
        k: usize,
        threads: usize,
        weight: impl Fn(usize, usize, f64) -> f64,
        keep: impl Fn(usize, usize) -> bool + Sync,
    ) -> Self {
        Self::from_neighbors(&search(rows, rows, k, threads, |i, j| i != j && keep(i, j)), weight)
    }

    /// The edges that `keep(i, j)` allows.
    pub(crate) fn restricted(&self, keep: impl Fn(usize, usize) -> bool) -> Self {
        let kept = |(i, list): (usize, &Vec<(usize, f64)>)| list.iter().copied().filter(|&(j, _)| keep(i, j)).collect();
        Self { adjacent: self.adjacent.iter().enumerate().map(kept).collect() }
    }

    pub(crate) fn has_no_edges(&self) -> bool {
        self.adjacent.iter().all(Vec::is_empty)
    }

    /// The sum of each row's weights.
    pub(crate) fn degrees(&self) -> Vec<f64> {
        self.adjacent.iter().map(|list| list.iter().map(|(_, w)| w).sum()).collect()
    }

    /// `W m`, where `W` is the matrix of weights.
    pub(crate) fn adjacency_mul(&self, m: &Mat, threads: usize) -> Mat {
        self.columns(m, threads, |_, _, sum| sum)
    }

    /// `(D − W) m`, the Laplacian times `m`.
    pub(crate) fn laplacian_mul(&self, m: &Mat, threads: usize) -> Mat {
        let degrees = self.degrees();
        self.columns(m, threads, |i, own, sum| degrees[i] * own - sum)
    }

    /// Combines each entry with the weighted sum over its neighbors, column by column.
    fn columns(&self, m: &Mat, threads: usize, f: impl Fn(usize, f64, f64) -> f64 + Sync) -> Mat {
        let n = self.adjacent.len();
        let mut out = Mat::zeros(n, m.ncols());
        parallel::each(threads, out.as_mut_slice().chunks_mut((n * 16).max(1)).collect(), |block, chunk| {
            for (c, target) in chunk.chunks_mut(n).enumerate() {
                let entries = column(m, block * 16 + c);
                for (i, (value, list)) in target.iter_mut().zip(&self.adjacent).enumerate() {
                    *value = f(i, entries[i], list.iter().map(|&(j, w)| w * entries[j]).sum());
                }
            }
        });
        out
    }

    /// The union of two graphs; where both have an edge, the larger weight.
    pub(crate) fn union(mut self, other: &Self) -> Self {
        for (list, more) in self.adjacent.iter_mut().zip(&other.adjacent) {
            list.extend_from_slice(more);
            keep_largest(list);
        }
        self
    }

    /// The number of connected components that the given rows fall into, counting only edges among them.
    pub(crate) fn components(&self, rows: &[usize]) -> usize {
        let mut open = vec![false; self.adjacent.len()];
        for &row in rows {
            open[row] = true;
        }
        let mut count = 0;
        let mut stack = Vec::new();
        for &row in rows {
            if !open[row] {
                continue;
            }
            count += 1;
            open[row] = false;
            stack.push(row);
            while let Some(at) = stack.pop() {
                for &(next, _) in &self.adjacent[at] {
                    if open[next] {
                        open[next] = false;
                        stack.push(next);
                    }
                }
            }
        }
        count
    }
}

/// Orders neighbors by row and keeps the largest weight of each.
fn keep_largest(list: &mut Vec<(usize, f64)>) {
    list.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    list.dedup_by_key(|(row, _)| *row);
}

/// The Laplacian of the graph that joins all pairs of different classes with weight one, times `m`.
///
/// `L_b = diag(N − N_c) − 11ᵀ + Σ_c 1_c1_cᵀ` needs no list of edges.
pub(crate) fn between_classes_mul(data: &Dataset, m: &Mat) -> Mat {
    let (labels, counts) = (data.labels(), data.class_counts());
    let n = data.len() as f64;
    let mut out = m.clone();
    for mut column in out.column_iter_mut() {
        let mut sums = vec![0.0; counts.len()];
        for (value, &label) in column.iter().zip(labels) {
            sums[label] += value;
        }
        let total: f64 = sums.iter().sum();
        for (value, &label) in column.iter_mut().zip(labels) {
            *value = (n - counts[label] as f64) * *value - (total - sums[label]);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> Mat {
        Mat::from_row_slice(4, 1, &[0.0, 1.0, 3.0, 3.5])
    }

    #[test]
    fn one_neighbor_each_makes_two_components_on_a_line() {
        let graph = Graph::nearest(&line(), 1, 1, |_, _, _| 1.0);
        assert_eq!(graph.degrees(), [1.0, 1.0, 1.0, 1.0]);
        assert_eq!(graph.components(&[0, 1, 2, 3]), 2);
        assert_eq!(graph.components(&[0, 2]), 2);
        assert_eq!(Graph::nearest(&line(), 2, 1, |_, _, _| 1.0).components(&[0, 1, 2, 3]), 1);
    }

    #[test]
    fn the_laplacian_is_half_the_sum_of_squared_differences() {
        let graph = Graph::nearest(&line(), 2, 1, |_, _, d| 1.0 / (1.0 + d));
        let y = Mat::from_row_slice(4, 1, &[1.0, -2.0, 0.5, 3.0]);
        let quadratic = y.tr_mul(&graph.laplacian_mul(&y, 2))[(0, 0)];
        let mut sum = 0.0;
        for (i, list) in graph.adjacent.iter().enumerate() {
            sum += list.iter().map(|&(j, w)| w * (y[i] - y[j]).powi(2)).sum::<f64>();
        }
        assert!((quadratic - sum / 2.0).abs() < 1e-12);
        let ones = Mat::from_element(4, 1, 1.0);
        assert!(graph.laplacian_mul(&ones, 1).amax() < 1e-15);
    }

    #[test]
    fn restricting_removes_edges_both_ways() {
        let graph = Graph::nearest(&line(), 3, 1, |_, _, _| 1.0).restricted(|i, j| (i < 2) == (j < 2));
        assert_eq!(graph.degrees(), [1.0, 1.0, 1.0, 1.0]);
        assert_eq!(graph.adjacency_mul(&line(), 1), Mat::from_row_slice(4, 1, &[1.0, 0.0, 3.5, 3.0]));
    }
}
