//! ISOKRR: supervised Isomap, carried to new rows by kernel ridge regression.
//!
//! # Idea
//! Distances along a graph that knows the labels, coordinates that keep them, and a regression from rows to coordinates
//! (Orsenigo and Vercellis 2012).
//!
//! # Steps
//! 1. Dissimilarity that shrinks within classes and grows between them (Geng, Zhan and Zhou 2005, eq. 2): `√(1 − e^{−d²/β})`, or
//!    `√(e^{d²/β}) − α` for rows of different classes.
//! 2. Each row is joined to its k nearest by dissimilarity; components are joined, nearest first, until there is one.
//! 3. Shortest paths between all rows, and classical scaling: coordinates `VΛ^½` of `−½ H D² H`.
//! 4. `A = (K + ridge·I)⁻¹Y` with a Gaussian kernel.
//!
//! # Model shape
//! Gaussian kernel expansion without a bias, one center per training row.
//!
//! # Where we differ from the paper
//! `β` is the mean squared distance and `α` one half, Geng's choices but free of units. Joining components nearest first is our
//! reading of "agglomerative".

use super::{Checked, Dataset, Dim, FitError, Fitted, MethodEntry, MethodParams, Run, SettingsParser, raised_ridge};
use crate::kernel::{KernelChoice, Sigma, gram_lower, squared_distances};
use crate::linalg::{Mat, center_both, scale_columns, solve_spd, sym_eig};
use crate::memory::matrices;
use crate::model::map::{Basis, Map};
use crate::parallel;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Beyond this exponent no path takes an edge: it is 7·10¹⁰ times as long as a short one.
const LONGEST: f64 = 50.0;
/// 5-fold on wine, iris, 500 digits: 98.3, 95.3, 93.4 % with 5, 98.9, 96.7, 94.8 with 10, 100, 96.0, 96.2 with 20.
const AUTO_NEIGHBORS: usize = 20;
/// `α` of step 1.
const GAP: f64 = 0.5;
/// Eigenvalues below this share of the largest are rounding noise.
const NOISE: f64 = 1e-10;

/// Parameters of ISOKRR.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// Number of axes; by default one less than classes.
    pub dim: Dim,
    /// Neighbors in the graph; by default 20, or as many as there are.
    pub neighbors: Option<usize>,
    /// The kernel of the regression; by default Gaussian with `σ = σ̄`.
    pub kernel: KernelChoice,
    /// Added to the kernel matrix's diagonal.
    pub ridge: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self { dim: Dim::Auto, neighbors: None, kernel: KernelChoice::Gaussian(Sigma::Mean), ridge: 1e-2 }
    }
}

/// Supervised Isomap with kernel ridge regression.
pub type Isokrr = Checked<Params>;

pub(super) const ISOKRR: MethodEntry =
    MethodEntry::of::<Params>("isokrr", "supervised Isomap with kernel ridge regression");

impl MethodParams for Params {
    fn name(&self) -> &'static str {
        ISOKRR.name
    }

    fn settings(&mut self, settings: &mut SettingsParser) {
        settings.dim(&mut self.dim);
        settings.neighbors("auto", &mut self.neighbors);
        settings.kernel(&mut self.kernel);
        settings.not_negative("ridge", &mut self.ridge);
    }

    fn memory(&self, rows: usize) -> u64 {
        // Paths, their inner products, and the decomposition of these: eigenvectors and the solver's memory.
        matrices(5, rows)
    }

    fn fit(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError> {
        let threads = run.thread_count();
        data.require_classes(1)?;
        let k = super::neighbor_count(self.neighbors, AUTO_NEIGHBORS, data.len())?;
        run.step("neighbor graph", 0, 1)?;
        let edges = joined(&dissimilarities(data, threads)?, k);
        run.step("shortest paths", 0, 1)?;
        let paths = parallel::map(threads, data.len(), |from| shortest(&edges, from));
        run.step("scaling", 0, 1)?;
        let y = scaling(&paths, self.dim, data.classes() - 1)?;
        let kernel = self.kernel.resolve(data.rows(), threads)?;
        run.step("kernel regression", 0, 1)?;
        let (weights, ridge) = solve_spd(|| gram_lower(kernel, data.rows(), threads), self.ridge, &y)
            .map_err(FitError::at("kernel regression"))?;
        let embedding = &y - &weights * ridge;
        let notes = raised_ridge("the kernel matrix", self.ridge, ridge);
        let map = Map::mapped(Basis::Centers { kernel, centers: data.rows().clone() }, weights);
        Ok(Fitted::new(data, map, embedding).with_notes(notes))
    }

    fn nested_axes(&self, fitted: &Fitted, dim: usize) -> Option<Mat> {
        Some(fitted.first_axes(dim))
    }
}

/// Step 1.
fn dissimilarities(data: &Dataset, threads: usize) -> Result<Mat, FitError> {
    let mut d = squared_distances(data.rows(), data.rows(), threads);
    let beta = d.mean();
    if beta <= 0.0 {
        return Err(FitError::AllRowsEqual { rows: data.len() });
    }
    let labels = data.labels();
    for j in 0..d.ncols() {
        for i in 0..d.nrows() {
            let exponent = d[(i, j)] / beta;
            d[(i, j)] = if labels[i] == labels[j] {
                (-libm::expm1(-exponent)).sqrt()
            } else {
                libm::exp(0.5 * exponent.min(LONGEST)) - GAP
            };
        }
    }
    Ok(d)
}

/// Neighbors with the lengths of their edges.
type Edges = Vec<Vec<(usize, f64)>>;

/// Step 2: the k nearest of every row, both ways, and the nearest links between components.
fn joined(d: &Mat, k: usize) -> Edges {
    let n = d.ncols();
    let mut edges: Edges = vec![Vec::new(); n];
    let mut components = Components((0..n).collect());
    let mut link = |i: usize, j: usize, components: &mut Components| {
        edges[i].push((j, d[(i, j)]));
        edges[j].push((i, d[(i, j)]));
        components.join(i, j);
    };
    for i in 0..n {
        let mut others: Vec<usize> = (0..n).filter(|&j| j != i).collect();
        others.sort_unstable_by(|&a, &b| d[(a, i)].total_cmp(&d[(b, i)]).then(a.cmp(&b)));
        others[..k].iter().for_each(|&j| link(i.max(j), i.min(j), &mut components));
    }
    if components.count() > 1 {
        let mut pairs: Vec<(usize, usize)> = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
        pairs.retain(|&(i, j)| components.root(i) != components.root(j));
        pairs.sort_unstable_by(|a, b| d[*a].total_cmp(&d[*b]).then(a.cmp(b)));
        for (i, j) in pairs {
            if components.root(i) != components.root(j) {
                link(i, j, &mut components);
            }
        }
    }
    edges
}

/// Disjoint sets of rows.
struct Components(Vec<usize>);

impl Components {
    fn root(&self, mut row: usize) -> usize {
        while self.0[row] != row {
            row = self.0[row];
        }
        row
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }

    fn count(&self) -> usize {
        self.0.iter().enumerate().filter(|(row, root)| row == *root).count()
    }
}

/// A row on the way, the nearest first.
#[derive(PartialEq)]
struct Reached(f64, usize);

impl Eq for Reached {}

impl PartialOrd for Reached {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Reached {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.total_cmp(&self.0).then(other.1.cmp(&self.1))
    }
}

/// Lengths of the shortest paths from a row (Dijkstra).
fn shortest(edges: &Edges, from: usize) -> Vec<f64> {
    let mut lengths = vec![f64::INFINITY; edges.len()];
    lengths[from] = 0.0;
    let mut open = BinaryHeap::from([Reached(0.0, from)]);
    while let Some(Reached(length, at)) = open.pop() {
        if length > lengths[at] {
            continue;
        }
        for &(next, step) in &edges[at] {
            if length + step < lengths[next] {
                lengths[next] = length + step;
                open.push(Reached(length + step, next));
            }
        }
    }
    lengths
}

/// Step 3: classical scaling of path lengths, which come row by row.
fn scaling(paths: &[Vec<f64>], dim: Dim, auto: usize) -> Result<Mat, FitError> {
    let n = paths.len();
    // The same path adds up differently from its two ends, in the last bits.
    let mut products = Mat::from_fn(n, n, |i, j| -0.25 * (paths[i][j].powi(2) + paths[j][i].powi(2)));
    center_both(&mut products);
    // Paths are no Euclidean distances: the matrix is indefinite, and only the full solver is made for that.
    let eig = sym_eig(&products).map_err(FitError::at("scaling"))?.above(NOISE);
    let count = dim.resolve(auto, eig.len())?;
    let eig = eig.truncated(count);
    Ok(scale_columns(eig.vectors, |j| eig.values[j].sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::synthetic::{blobs, moons};
    use crate::methods::Method;

    #[test]
    fn paths_go_along_the_graph() {
        // 0 – 1 – 2 in a row, and a long edge from 0 to 2.
        let edges = vec![vec![(1, 1.0), (2, 5.0)], vec![(0, 1.0), (2, 1.5)], vec![(0, 5.0), (1, 1.5)]];
        assert_eq!(shortest(&edges, 0), [0.0, 1.0, 2.5]);
    }

    #[test]
    fn components_are_joined_by_their_nearest_pair() {
        // Two pairs on a line: one neighbor each leaves two components, joined from 1 to 4.
        let x = [0.0_f64, 1.0, 4.0, 5.0];
        let d = Mat::from_fn(4, 4, |i, j| (x[i] - x[j]).abs());
        let paths = shortest(&joined(&d, 1), 0);
        assert_eq!(paths, [0.0, 1.0, 4.0, 5.0]);
    }

    #[test]
    fn scaling_of_distances_on_a_line_gives_the_line() -> Result<(), FitError> {
        let x = [0.0_f64, 1.0, 4.0, 5.0];
        let paths: Vec<Vec<f64>> = x.iter().map(|a| x.iter().map(|b| (a - b).abs()).collect()).collect();
        let y = scaling(&paths, Dim::Count(1), 1)?;
        for (i, j) in [(0, 1), (0, 3), (1, 2)] {
            assert!(((y[i] - y[j]).abs() - (x[i] - x[j]).abs()).abs() < 1e-9);
        }
        let error = scaling(&paths, Dim::Count(2), 1).map(|_| ());
        assert_eq!(error, Err(FitError::DimTooLarge { dim: 2, max: 1 }));
        Ok(())
    }

    #[test]
    fn classes_stay_apart_for_new_rows() -> Result<(), Box<dyn std::error::Error>> {
        for (data, new) in [(blobs(3, 40, 6, 0.3, 0), blobs(3, 60, 6, 0.3, 0)), (moons(60, 0.1, 0), moons(80, 0.1, 1))]
        {
            // Paths along a moon are kept too: one axis would follow the moons instead of parting them.
            let (dim, kernel) = (Dim::Count(4), KernelChoice::Gaussian(Sigma::Factor(0.5)));
            let fitted = Isokrr::new(Params { dim, kernel, ..Params::default() })?.fit(&data)?;
            let fitted = fitted.with_head(crate::HeadChoice::Neighbors(1))?;
            assert!(fitted.accuracy(&new)? > 0.9, "{}", fitted.accuracy(&new)?);
        }
        Ok(())
    }
}
