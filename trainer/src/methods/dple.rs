//! DPLE and KDPLE: neighbors of the same class together, neighbors of different classes apart.
//!
//! # Idea
//! Only pairs that are neighbors matter for a nearest-neighbor decision. Of the edges of the k-NN graph, those
//! between classes are stretched and those within a class are shortened, all relative to the spread of the
//! graph itself (Bozas and Izquierdo, "Discriminant pairwise local embeddings").
//!
//! # Steps
//! 1. `A_ij = exp(−r²/2σ²)` on the symmetric k-NN graph; `Aˢ`, `Aᵈ` its same-class and different-class parts, with
//!    Laplacians `Lˢ`, `Lᵈ`; `D` the row sums of `A`.
//! 2. `Xᵀ(Lᵈ − γLˢ)X w = λ XᵀDX w`, the largest eigenvalues (equation 7 with its missing `γ`). With `B = XᵀDX` and `τ = 2γ`
//!    this is solved as `(Xᵀ(Lᵈ − γLˢ)X + τB) w = λ′ (B + ρI) w`, where `λ′ = λ + τ ≥ 0` because `Lˢ ≤ 2D`.
//! 3. Axis `j` of `p` is weighed by `√(λ′_j − λ′_p + 0.001 (λ′_1 − λ′_p))`.
//! 4. KDPLE: the same in the coordinates of kernel PCA.
//!
//! # Model shape
//! DPLE is a linear map; KDPLE a kernel expansion with one center per training row.
//!
//! # Where we differ from the paper
//! Equation 7 drops `γ` by mistake, and with `γ = 1` ORL falls from 98 to 85 %. `XᵀDX` is regularized. With `γ = 100` every
//! genuine `λ` is negative, while a direction in which rows hardly vary has `λ ≈ 0` once there is a ridge on the right: it
//! would come first (wine with eight constant columns: 27 %). The shift `τ` leaves the order of genuine axes alone
//! and sends empty ones to the end. It also gives a meaning to equation 8, which weighs axes by `√λ`: `sqrt` takes `√λ′`,
//! and `shifted` counts from the last axis, which the offset keeps alive. KDPLE does better with the ridge alone (UCI HAR
//! 95.0 against 84–94 %), so its shift is zero unless set. A same-class graph that falls apart ruins KDPLE (96 to 20 % on
//! MNIST), so `k` is raised until every class hangs together, and a note says so.

use super::pairwise::{self, Coordinates};
use super::{Checked, Dataset, Dim, FitError, Fitted, MethodEntry, MethodParams, Run, SettingsParser, Tunable};
use crate::ParamError;
use crate::graph::Graph;
use crate::kernel::{KernelChoice, Sigma, mean_distance};
use crate::linalg::{Mat, scale_columns, scale_rows};
use crate::neighbors::nearest_others;

/// The squared weight that `shifted` leaves the last axis, relative to the first: small, yet not lost in rounding.
const LAST_AXIS: f64 = 1e-3;

/// How axes are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AxisScale {
    /// Not at all.
    None,
    /// By the root of the distance from the last eigenvalue kept: helps when there are more axes than classes.
    Shifted,
    /// By `√λ′`, the paper's form; needs a shift of at least two, or roots do not exist.
    Sqrt,
}

impl AxisScale {
    /// The factor of axis `j`, given the eigenvalues of all axes kept, largest first.
    fn weight(self, values: &[f64], j: usize) -> f64 {
        let (first, last) = (values.first().copied().unwrap_or(0.0), values.last().copied().unwrap_or(0.0));
        match self {
            Self::None => 1.0,
            Self::Sqrt => values[j].max(0.0).sqrt(),
            // A single axis, or equal ones, have nothing to be weighed against.
            Self::Shifted if first - last <= 1e-12 * first.abs() => 1.0,
            Self::Shifted => (values[j] - last + LAST_AXIS * (first - last)).sqrt(),
        }
    }
}

/// Parameters of DPLE and KDPLE.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// Number of axes; by default twice the number of classes for DPLE, one less than classes for KDPLE.
    pub dim: Dim,
    /// Neighbors in the graph; by default 20 for DPLE, 100 for KDPLE, or as many as there are.
    pub neighbors: Option<usize>,
    /// `γ`, how much same-class edges weigh against different-class ones.
    pub balance: f64,
    /// Width of the edges' weights; `None` makes them 0 or 1.
    pub heat: Option<Sigma>,
    /// Regularization: relative to a typical column's diagonal entry for DPLE, to the mean of `D` for KDPLE.
    pub ridge: f64,
    /// `τ/γ`, how far eigenvalues are shifted before the ridge acts: two keep empty directions last, zero is no shift.
    pub axis_shift: f64,
    /// How axes are scaled.
    pub axis_scale: AxisScale,
    /// The kernel of KDPLE; `None` is DPLE.
    pub kernel: Option<KernelChoice>,
}

impl Default for Params {
    /// DPLE.
    fn default() -> Self {
        Self {
            dim: Dim::Auto,
            neighbors: None,
            balance: 100.0,
            heat: Some(Sigma::Mean),
            ridge: 1e-2,
            axis_shift: 2.0,
            axis_scale: AxisScale::Shifted,
            kernel: None,
        }
    }
}

impl Params {
    /// The defaults of KDPLE: Gaussian kernel with `σ = σ̄`.
    #[must_use]
    pub fn kernel() -> Self {
        let kernel = Some(KernelChoice::Gaussian(Sigma::Mean));
        Self { ridge: 0.1, axis_shift: 0.0, axis_scale: AxisScale::None, kernel, ..Self::default() }
    }

    /// `k` nearest neighbors, or more of them where a class would fall into islands.
    fn graph(&self, data: &Dataset, run: &Run<'_>, notes: &mut Vec<String>) -> Result<Graph, FitError> {
        let threads = run.thread_count();
        let most = data.len() - 1;
        let asked = super::neighbor_count(self.neighbors, if self.kernel.is_some() { 100 } else { 20 }, data.len())?;
        let mean = || mean_distance(data.rows(), threads);
        let heat = self.heat.map_or(f64::INFINITY, |heat| heat.resolve(mean));
        if heat <= 0.0 {
            return Err(FitError::AllRowsEqual { rows: data.len() });
        }
        let weight = |_, _, distance_sq: f64| libm::exp(-distance_sq / (2.0 * heat * heat));
        run.step("neighbor graph", 0, 1)?;
        // Neighbors are searched once, with room for raising k.
        let room = if self.kernel.is_some() { most.min(8 * asked) } else { asked };
        let lists = nearest_others(data.rows(), room, threads);
        let with = |k: usize| {
            let cut: Vec<_> = lists.iter().map(|list| list[..k.min(list.len())].to_vec()).collect();
            Graph::from_neighbors(&cut, weight)
        };
        if self.kernel.is_none() {
            return Ok(with(asked));
        }
        let labels = data.labels();
        let classes = data.class_rows();
        let apart = |graph: &Graph| classes.iter().filter(|rows| graph.islands(rows) > 1).count();
        let mut k = asked;
        let mut graph = with(k);
        while apart(&graph) > 0 && k < room {
            k = room.min(2 * k);
            graph = with(k);
        }
        if k > asked {
            notes.push(format!("k raised from {asked} to {k}: a class fell into islands"));
        }
        let left = apart(&graph);
        if left > 0 {
            notes.push(format!("{left} classes still fall into islands: all their rows were linked"));
            let split: Vec<bool> = classes.iter().map(|rows| graph.islands(rows) > 1).collect();
            let linked = |i: usize, j: usize| labels[i] == labels[j] && split[labels[i]];
            graph = graph.union(&Graph::among(data.rows(), data.len(), threads, weight, linked));
        }
        Ok(graph)
    }
}

/// DPLE, or KDPLE.
pub type Dple = Checked<Params>;

impl Dple {
    /// KDPLE with default parameters.
    #[must_use]
    pub fn kdple() -> Self {
        Self { params: Params::kernel() }
    }
}

pub(super) const DPLE: MethodEntry =
    MethodEntry::of::<Params>("dple", "discriminant pairwise local embedding: a linear map");

pub(super) const KDPLE: MethodEntry =
    MethodEntry::new("kdple", "dple with a kernel", |settings| settings.method(Params::kernel()));

impl MethodParams for Params {
    fn name(&self) -> &'static str {
        if self.kernel.is_some() { KDPLE.name } else { DPLE.name }
    }

    fn settings(&mut self, settings: &mut SettingsParser) {
        settings.dim(&mut self.dim);
        settings.neighbors("auto", &mut self.neighbors);
        settings.not_negative("balance", &mut self.balance);
        settings.not_negative("ridge", &mut self.ridge);
        let heat = |text: &str| if text == "binary" { Ok(None) } else { text.parse().map(Some) };
        self.heat = settings.take("heat", heat).unwrap_or(self.heat);
        settings.check(self.heat.map_or(Ok(()), Sigma::check));
        settings.record("heat", self.heat.map_or_else(|| "binary".to_owned(), |sigma| sigma.to_string()));
        settings.optional_kernel(&mut self.kernel);
        settings.not_negative("axis_shift", &mut self.axis_shift);
        let scales = [("none", AxisScale::None), ("shifted", AxisScale::Shifted), ("sqrt", AxisScale::Sqrt)];
        settings.choice("axis_scale", "none, shifted or sqrt", &scales, &mut self.axis_scale);
        let roots = self.axis_scale != AxisScale::Sqrt || self.axis_shift >= 2.0;
        settings.check(ParamError::check(roots, "axis_shift", "at least 2 where axis_scale is sqrt", self.axis_shift));
    }

    fn memory(&self, rows: usize) -> u64 {
        pairwise::memory(self.kernel, rows)
    }

    fn tunable(&self, classes: usize, rows: usize) -> Vec<Tunable> {
        let counts: &[usize] = if self.kernel.is_some() { &[20, 50, 100, 200] } else { &[5, 10, 20, 40, 60] };
        // A hold-out leaves two thirds of the rows.
        let most = rows * 2 / 3;
        let mut all = vec![
            Tunable::counts("k", counts, most),
            Tunable::new("balance", &["1", "10", "100", "1000"]),
            Tunable::new("heat", &["0.5x", "mean", "2x", "binary"]),
            Tunable::counts("dim", &[classes / 2, classes - 1, classes, 2 * classes], most),
        ];
        if self.kernel.is_some_and(|kernel| kernel != KernelChoice::Linear) {
            all.push(Tunable::sigma());
        }
        all
    }

    fn fit(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError> {
        let threads = run.thread_count();
        data.require_classes(2)?;
        let mut notes = Vec::new();
        let graph = self.graph(data, run, &mut notes)?;
        let labels = data.labels();
        let same = graph.restricted(|i, j| labels[i] == labels[j]);
        let different = graph.restricted(|i, j| labels[i] != labels[j]);
        if different.has_no_edges() {
            notes.push("no row has a neighbor of another class: k may be too small".to_owned());
        }
        let degrees = graph.degrees();

        let mut space = Coordinates::new(self.kernel, data, run)?;
        let phi = &space.phi;
        let b_phi = scale_rows(phi.clone(), &degrees);
        let a_phi = different.laplacian_mul(phi, threads) - same.laplacian_mul(phi, threads) * self.balance
            + &b_phi * (self.axis_shift * self.balance);
        let mean_degree = degrees.iter().sum::<f64>() / degrees.len() as f64;
        let auto = if self.kernel.is_some() { data.classes() - 1 } else { 2 * data.classes() };
        let dim = self.dim.resolve(auto, space.len())?;
        let eig = space.axes(&a_phi, &b_phi, self.ridge, mean_degree, run)?.truncated(dim);
        let v = scale_columns(eig.vectors, |j| self.axis_scale.weight(&eig.values, j));
        Ok(space.fitted(data, &v, eig.values, threads).with_notes(notes))
    }

    fn nested_axes(&self, fitted: &Fitted, dim: usize) -> Option<Mat> {
        // Weights count from the last axis that is kept, which is another one here.
        let (all, kept) = (fitted.spectrum(), fitted.spectrum().get(..dim)?);
        let factor = |j: usize| self.axis_scale.weight(kept, j) / self.axis_scale.weight(all, j);
        Some(scale_columns(fitted.first_axes(dim), factor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::synthetic::{blobs, moons};
    use crate::linalg::Mat;
    use crate::methods::Method;

    #[test]
    fn both_forms_tell_classes_apart_and_repeat_their_embedding() -> Result<(), Box<dyn std::error::Error>> {
        let (data, new) = (blobs(3, 30, 6, 0.5, 0), blobs(3, 30, 6, 0.5, 0));
        for method in [Dple::default(), Dple::kdple()] {
            let fitted = method.fit(&data)?;
            assert!((fitted.embed(data.rows())? - fitted.embedding()).amax() < 1e-8, "{}", method.name());
            assert!(fitted.accuracy(&new)? > 0.95, "{}", method.name());
        }
        Ok(())
    }

    #[test]
    fn a_class_in_islands_raises_k_with_a_note() -> Result<(), Box<dyn std::error::Error>> {
        // Each class lies in two clumps, far from each other, with the other class between.
        let rows = Mat::from_fn(40, 1, |i, _| (i / 10) as f64 * 100.0 + (i % 10) as f64);
        let labels: Vec<usize> = (0..40).map(|i| i / 10 % 2).collect();
        let data = Dataset::from_ids(rows, &labels)?;
        let params = Params { neighbors: Some(3), ..Params::kernel() };
        let fitted = Dple::new(params)?.fit(&data)?;
        assert!(fitted.notes().iter().any(|note| note.contains("k raised from 3")), "{:?}", fitted.notes());
        Ok(())
    }

    #[test]
    fn with_no_regularization_the_spectrum_does_not_depend_on_the_kernel() -> Result<(), Box<dyn std::error::Error>> {
        let data = moons(20, 0.3, 0);
        let spectrum = |kernel| -> Result<Vec<f64>, Box<dyn std::error::Error>> {
            let params = Params {
                ridge: 0.0,
                kernel: Some(kernel),
                neighbors: Some(12),
                dim: Dim::Count(3),
                ..Params::kernel()
            };
            Ok(Dple::new(params)?.fit(&data)?.spectrum().to_vec())
        };
        let a = spectrum(KernelChoice::Laplacian(Sigma::Factor(0.3)))?;
        let b = spectrum(KernelChoice::Laplacian(Sigma::Factor(0.6)))?;
        for (a, b) in a.iter().zip(&b) {
            assert!((a - b).abs() < 1e-6 * a.abs().max(1.0), "{a} {b}");
        }
        Ok(())
    }

    #[test]
    fn more_neighbors_than_rows_are_refused() -> Result<(), ParamError> {
        let data = moons(5, 0.1, 0);
        let error = Dple::new(Params { neighbors: Some(10), ..Params::default() })?.fit(&data);
        assert_eq!(error.err(), Some(FitError::TooFewRows { name: "k", needed: 10, rows: 10 }));
        Ok(())
    }

    /// Rows of three classes that lie apart along two of four columns.
    fn three_blobs(seed: u64) -> Dataset {
        blobs(3, 25, 4, 0.6, seed)
    }

    #[test]
    fn empty_directions_come_last() -> Result<(), Box<dyn std::error::Error>> {
        // Constant columns, and ones that hardly vary, were the first axes as long as genuine eigenvalues were negative.
        let (data, new) = (three_blobs(0), three_blobs(0));
        let mut rng = crate::Rng::new(3);
        for spread in [0.0, 1e-6, 1e-3] {
            let mut wide = |data: &Dataset| {
                let mut rows = data.rows().clone().resize_horizontally(12, 5.0);
                rows.columns_mut(4, 8).apply(|value| *value += spread * rng.normal());
                data.with_rows(rows)
            };
            let (train, test) = (wide(&data)?, wide(&new)?);
            let accuracy = Dple::default().fit(&train)?.accuracy(&test)?;
            assert!(accuracy >= 0.97, "{spread}: {accuracy}");
        }
        Ok(())
    }

    #[test]
    fn one_axis_still_tells_classes_apart() -> Result<(), Box<dyn std::error::Error>> {
        let data = three_blobs(1);
        for axis_scale in [AxisScale::None, AxisScale::Shifted, AxisScale::Sqrt] {
            let params = Params { dim: Dim::Count(1), axis_scale, ..Params::default() };
            let mut found = Dple::new(params)?.fit(&data)?.classify(data.rows())?;
            found.sort_unstable();
            found.dedup();
            assert!(found.len() > 1, "{axis_scale:?}: every row is of class {found:?}");
        }
        Ok(())
    }

    #[test]
    fn the_last_axis_stays_alive() -> Result<(), Box<dyn std::error::Error>> {
        let z = Dple::default().fit(&three_blobs(2))?.embedding().clone();
        let norms: Vec<f64> = z.column_iter().map(|column| column.norm()).collect();
        assert!(norms[norms.len() - 1] > 0.01 * norms[0], "{norms:?}");
        Ok(())
    }

    #[test]
    fn the_shift_keeps_the_order_of_genuine_axes() -> Result<(), Box<dyn std::error::Error>> {
        // Without a ridge, eigenvectors do not depend on the shift, and eigenvalues move by it.
        let data = three_blobs(3);
        let fit = |axis_shift| {
            let params = Params { axis_shift, ridge: 0.0, axis_scale: AxisScale::None, ..Params::default() };
            Dple::new(params)?.fit(&data)
        };
        let (plain, shifted) = (fit(0.0)?, fit(2.0)?);
        assert!((plain.embedding() - shifted.embedding()).amax() < 1e-6 * plain.embedding().amax());
        assert!(plain.spectrum()[0] < 0.0);
        for (a, b) in plain.spectrum().iter().zip(shifted.spectrum()) {
            assert!((a + 200.0 - b).abs() < 1e-6, "{a} {b}");
        }
        Ok(())
    }

    #[test]
    fn roots_of_negative_eigenvalues_are_refused() {
        let error = Dple::new(Params { axis_scale: AxisScale::Sqrt, ..Params::kernel() }).err();
        assert_eq!(error.map(|error| error.name), Some("axis_shift"));
    }
}
