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
//! and `shifted` counts from the last axis that is not empty, which the offset keeps alive. A kernel matrix of full rank
//! has directions along which classes are flat and apart, with `λ > 0`, and KDPLE does better without the shift there (UCI
//! HAR 95.0 against 84–94 %). Rows of few columns have too few of them: iris has one, raw breast cancer none, and what came
//! next was empty, down to axes that `f32` cannot follow. So KDPLE shifts only there, and a note says so. A same-class
//! graph that falls apart ruins KDPLE (96 to 20 % on MNIST), so `k` is raised until every class hangs together, and a note
//! says so. DPLE first brings columns in another unit, by a variance far above that of most others, down to it.

use super::pairwise::{self, Coordinates};
use super::{
    Checked, Dataset, Dim, FitError, Fitted, MethodEntry, MethodParams, Run, SettingsParser, Tunable, expecting,
};
use crate::ParamError;
use crate::graph::Graph;
use crate::kernel::{KernelChoice, Sigma, mean_distance};
use crate::linalg::{Eig, Mat, scale_columns, scale_rows};
use crate::neighbors::nearest_others;

/// Eigenvalues below this share of `γ` count as zero, which is what empty directions have without a shift. The last that
/// tells classes apart has 1e-4 on UCI HAR and letter, 4e-3 on digits; empty ones have less than 1e-9 (iris, raw breast
/// cancer).
const ZERO: f64 = 1e-5;

/// Axes below this share of the first eigenvalue are empty, where eigenvalues are shifted: genuine ones lie between about
/// half and twice `γ`. With more axes than directions in which rows vary, the weights of `shifted` would otherwise be
/// measured from an empty one, and change with every column appended.
const EMPTY: f64 = 0.01;

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
    /// The factor of the axis with this eigenvalue, given those of all axes that are not empty, largest first.
    fn weight(self, values: &[f64], own: f64) -> f64 {
        let (first, last) = (values.first().copied().unwrap_or(0.0), values.last().copied().unwrap_or(0.0));
        match self {
            Self::None => 1.0,
            Self::Sqrt => own.max(0.0).sqrt(),
            // A single axis, or equal ones, have nothing to be weighed against.
            Self::Shifted if first - last <= 1e-12 * first.abs() => 1.0,
            Self::Shifted => ((own - last).max(0.0) + LAST_AXIS * (first - last)).sqrt(),
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
    /// Regularization: relative to the mean diagonal of the columns that vary for DPLE, to the mean of `D` for KDPLE.
    pub ridge: f64,
    /// `τ/γ`, how far eigenvalues are shifted before the ridge acts: two keep empty directions last, zero is no shift. `None`
    /// shifts by two only where fewer axes than asked for have a positive eigenvalue.
    pub axis_shift: Option<f64>,
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
            axis_shift: Some(2.0),
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
        Self { ridge: 0.1, axis_shift: None, axis_scale: AxisScale::None, kernel, ..Self::default() }
    }

    /// `k` nearest neighbors, or more of them where a class would fall into separate components.
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
        let apart = |graph: &Graph| classes.iter().filter(|rows| graph.components(rows) > 1).count();
        let mut k = asked;
        let mut graph = with(k);
        while apart(&graph) > 0 && k < room {
            k = room.min(2 * k);
            graph = with(k);
        }
        if k > asked {
            notes.push(format!("k raised from {asked} to {k}: a class fell into separate components"));
        }
        let left = apart(&graph);
        if left > 0 {
            notes.push(format!("{left} classes still fall into separate components: all their rows were linked"));
            let split: Vec<bool> = classes.iter().map(|rows| graph.components(rows) > 1).collect();
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
        let shift = |text: &str| if text == "auto" { Ok(None) } else { expecting("a number or auto")(text).map(Some) };
        self.axis_shift = settings.take("axis_shift", shift).unwrap_or(self.axis_shift);
        let shift = self.axis_shift.unwrap_or(0.0);
        settings.check(ParamError::not_negative("axis_shift", shift));
        settings.record("axis_shift", self.axis_shift.map_or_else(|| "auto".to_owned(), |shift| shift.to_string()));
        let scales = [("none", AxisScale::None), ("shifted", AxisScale::Shifted), ("sqrt", AxisScale::Sqrt)];
        settings.choice("axis_scale", "none, shifted or sqrt", &scales, &mut self.axis_scale);
        let roots = self.axis_scale != AxisScale::Sqrt || shift >= 2.0;
        settings.check(ParamError::check(roots, "axis_shift", "at least 2 where axis_scale is sqrt", shift));
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
        let a_phi = different.laplacian_mul(phi, threads) - same.laplacian_mul(phi, threads) * self.balance;
        let mean_degree = degrees.iter().sum::<f64>() / degrees.len() as f64;
        let auto = if self.kernel.is_some() { data.classes() - 1 } else { 2 * data.classes() };
        let dim = self.dim.resolve(auto, space.len())?;
        let mut solve = |shift: f64| -> Result<Eig, FitError> {
            let a_phi = &a_phi + &b_phi * (shift * self.balance);
            Ok(space.axes(&a_phi, &b_phi, self.ridge, mean_degree, run)?.truncated(dim))
        };
        let mut shift = self.axis_shift.unwrap_or(0.0);
        let mut eig = solve(shift)?;
        let positive = eig.values.iter().filter(|&&value| value > ZERO * self.balance).count();
        if self.axis_shift.is_none() && positive < dim {
            notes.push(format!("eigenvalues shifted: only {positive} of {dim} axes tell classes apart by themselves"));
            shift = 2.0;
            eig = solve(shift)?;
        }
        if self.dim == Dim::Auto {
            let filled = filled(&eig.values, shift).len();
            eig = eig.truncated(filled);
        }
        let v = scale_columns(eig.vectors, |j| self.axis_scale.weight(filled(&eig.values, shift), eig.values[j]));
        Ok(space.fitted(data, &v, eig.values, threads).with_spectrum_shift(shift).with_notes(notes))
    }

    fn nested_axes(&self, fitted: &Fitted, dim: usize) -> Option<Mat> {
        let (all, kept) = (fitted.spectrum(), fitted.spectrum().get(..dim)?);
        let shift = fitted.spectrum_shift();
        if self.axis_shift.is_none() && shift > 0.0 {
            // Fewer axes may do without.
            return None;
        }
        // Weights count from the last axis that is kept, which is another one here.
        let (before, after) = (filled(all, shift), filled(kept, shift));
        let factor = |j: usize| match self.axis_scale.weight(before, all[j]) {
            // An empty axis under `sqrt` is all zeros, and stays so.
            0.0 => 0.0,
            weight => self.axis_scale.weight(after, all[j]) / weight,
        };
        Some(scale_columns(fitted.first_axes(dim), factor))
    }
}

/// The eigenvalues of axes that are not empty, at least the first; without the shift these cannot be told.
fn filled(values: &[f64], shift: f64) -> &[f64] {
    let first = values.first().copied().unwrap_or(0.0);
    let count = if shift < 2.0 { values.len() } else { values.partition_point(|&value| value > EMPTY * first) };
    &values[..count.max(1).min(values.len())]
}

#[cfg(test)]
mod tests;
