//! Compaction in closed form: no iteration beyond k-means, and no matrix of rows by rows.
//!
//! # Steps
//! 1. Directions of largest variance (PCA) or class separation (LDA), `u = P(x − mean)`, scaled so that a projected
//!    value has variance 1 on average.
//! 2. Centers `z_j`: k-means within every class.
//! 3. Readout over all rows: `A = (KᵀK + ridge)⁻¹ KᵀT`, K centered, in blocks of rows. T are the class indicators, which
//!    is CMVDA's regression in units in which every class mean is a unit vector; or what another method embeds rows as.
//! 4. Fewer coordinates than classes: the singular axes of the class means.

mod centers;
mod directions;
mod linear;

pub use linear::{linear, with_means};

use super::core::Core;
use super::memo::Memo;
use crate::dataset::{Dataset, class_means};
use crate::error::{DataError, FitError, ParamError};
use crate::kernel::{Kernel, cross};
use crate::linalg::{Mat, column_means, gram_tn, mul, mul_tn, scale_columns, shift_columns, solve_spd, thin_svd};
use crate::parallel;
use crate::preprocess::Projection;
use crate::run::Run;

/// Rows whose kernel values are in memory at a time.
const BLOCK: usize = 2048;

/// What the projection looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Directions {
    /// Variance.
    #[default]
    Pca,
    /// Class separation, then variance: there are fewer directions between classes than classes.
    Lda,
}

/// How centers are shared among the classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Allot {
    /// As many for every class.
    #[default]
    Equal,
    /// By the classes' rows.
    Proportional,
}

/// Where centers come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Origin {
    /// K-means within every class.
    #[default]
    Means,
    /// Random rows of every class.
    Landmarks,
    /// EBEK's exemplars, whatever their class.
    Exemplars,
}

/// How to compact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// What the projection looks for.
    pub directions: Directions,
    /// Projected values; fewer where rows do not vary in as many directions.
    pub projected: usize,
    /// Centers; fewer where a class has fewer rows.
    pub centers: usize,
    /// How centers are shared.
    pub allot: Allot,
    /// Where they come from.
    pub origin: Origin,
    /// Length of the embedding, at most the number of classes.
    pub dim: usize,
    /// The kernel's width, relative to the root mean square distance of projected rows.
    pub sigma: f64,
    /// Ridge, relative to the mean square of a center's kernel values.
    pub ridge: f64,
    /// Seed of k-means.
    pub seed: u64,
}

/// Compacts prepared rows. `targets` are another method's embedding of them, of at least `dim` coordinates.
///
/// # Errors
/// [`FitError`] for a parameter out of range, one class, equal rows, or a cancelled run.
pub fn fit(data: &Dataset, params: &Params, targets: Option<&Mat>, run: &Run<'_>) -> Result<Core, FitError> {
    fit_knowing(data, params, targets, &Memo::default(), run)
}

/// As [`fit`], with projections that are known.
pub(in crate::search) fn fit_knowing(
    data: &Dataset,
    params: &Params,
    targets: Option<&Mat>,
    memo: &Memo,
    run: &Run<'_>,
) -> Result<Core, FitError> {
    check(data, params, targets)?;
    run.step("projection", 0, 3)?;
    let key = (params.directions, params.projected);
    let projection = memo.projections.or_find(key, || directions::project(data, params, run))?;
    run.step("centers", 1, 3)?;
    let rows = projection.apply(data.rows(), run.thread_count());
    // Variances add up to p, so that the mean squared distance of two rows is 2p.
    let sigma = params.sigma * (2.0 * rows.ncols() as f64).sqrt();
    let gamma = 0.5 / (sigma * sigma);
    let centers = match params.origin {
        Origin::Exemplars => centers::exemplars(&rows, gamma, params)?,
        Origin::Means | Origin::Landmarks => centers::centers(data, &rows, params, run),
    };
    run.step("readout", 2, 3)?;
    readout(data, &rows, Start { projection, gamma, centers }, params, targets, run)
}

fn check(data: &Dataset, params: &Params, targets: Option<&Mat>) -> Result<(), FitError> {
    data.require_classes(1)?;
    ParamError::at_least_one("projected", params.projected)?;
    ParamError::at_least_one("centers", params.centers)?;
    ParamError::at_least_one("dim", params.dim)?;
    ParamError::positive("sigma", params.sigma)?;
    ParamError::not_negative("ridge", params.ridge)?;
    let most = targets.map_or(data.classes(), Mat::ncols);
    if params.dim > most {
        return Err(FitError::DimTooLarge { dim: params.dim, max: most });
    }
    match targets {
        Some(t) if t.nrows() != data.len() => Err(DataError::LabelCount { rows: data.len(), labels: t.nrows() }.into()),
        _ => Ok(()),
    }
}

/// What the readout is learned on.
struct Start {
    projection: Projection,
    gamma: f64,
    centers: Mat,
}

/// `A = (KᵀK + ridge)⁻¹ KᵀT` with K and T centered; the bias makes up for it.
fn readout(
    data: &Dataset,
    rows: &Mat,
    start: Start,
    params: &Params,
    targets: Option<&Mat>,
    run: &Run<'_>,
) -> Result<Core, FitError> {
    let Start { projection, gamma, centers } = start;
    let (threads, m, n) = (run.thread_count(), centers.nrows(), rows.nrows());
    let outputs = targets.map_or(data.classes(), Mat::ncols);
    let target = |i: usize, j: usize| match targets {
        Some(targets) => targets[(i, j)],
        None => f64::from(u8::from(data.labels()[i] == j)),
    };
    let (mut gram, mut right) = (Mat::zeros(m, m), Mat::zeros(m, outputs));
    let (mut sums, mut aims) = (vec![0.0; m], vec![0.0; outputs]);
    for (at, count) in parallel::blocks(n, BLOCK) {
        let k = cross(Kernel::Gaussian { gamma }, &rows.rows(at, count).into_owned(), &centers, threads);
        let t = Mat::from_fn(count, outputs, |i, j| target(at + i, j));
        gram += gram_tn(&k, threads);
        right += mul_tn(&k, &t, threads);
        sums.iter_mut().zip(k.column_iter()).for_each(|(sum, column)| *sum += column.sum());
        aims.iter_mut().zip(t.column_iter()).for_each(|(sum, column)| *sum += column.sum());
    }
    for j in 0..m {
        (0..m).for_each(|i| gram[(i, j)] -= sums[i] * sums[j] / n as f64);
    }
    for j in 0..outputs {
        (0..m).for_each(|i| right[(i, j)] -= sums[i] * aims[j] / n as f64);
    }
    let ridge = (gram.trace() / m as f64 * params.ridge).max(f64::MIN_POSITIVE);
    let (weights, _) = solve_spd(|| gram.clone(), ridge, &right).map_err(FitError::at("readout"))?;
    let bias: Vec<f64> = (0..outputs)
        .map(|j| (aims[j] - sums.iter().zip(weights.column(j).iter()).map(|(s, w)| s * w).sum::<f64>()) / n as f64)
        .collect();
    let means = Mat::identity(data.classes(), data.classes());
    let core = Core { projection, gamma, centers, weights, bias, means };
    if params.dim == data.classes() && targets.is_none() {
        return Ok(core);
    }
    turned(core, data, rows, params.dim, threads).map_err(FitError::at("axes of the class means"))
}

/// The model on the `dim` axes along which the class means differ most, with a bias of zero.
fn turned(
    core: Core,
    data: &Dataset,
    rows: &Mat,
    dim: usize,
    threads: usize,
) -> Result<Core, crate::linalg::LinalgError> {
    let z = core.map().apply(rows, threads);
    let means = class_means(&z, data.labels(), data.classes());
    let centered = shift_columns(means.clone(), &column_means(&means));
    let svd = thin_svd(&centered)?;
    let axes = if dim < means.ncols() { svd.v.columns(0, dim).into_owned() } else { Mat::identity(dim, dim) };
    // Distances do not see a shift of both points: the class points take the bias in.
    let means = mul(&shift_columns(means, &core.bias), &axes, 1);
    // One common unit of length, so that the class points are about as far from zero as unit vectors.
    let unit = (means.norm_squared() / means.nrows() as f64).sqrt().max(f64::MIN_POSITIVE);
    let weights = scale_columns(mul(&core.weights, &axes, 1), |_| 1.0 / unit);
    Ok(Core { weights, bias: vec![0.0; dim], means: means / unit, ..core })
}
