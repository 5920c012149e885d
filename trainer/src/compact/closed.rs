//! Compaction in closed form: no iteration beyond k-means, and no matrix of rows by rows.
//!
//! # Steps
//! 1. Directions of largest variance (PCA) or class separation (LDA), `u = P(x − mean)`, scaled so that a projected
//!    value has variance 1 on average.
//! 2. Centers `z_j`: k-means within every class.
//! 3. Readout over all rows: `A = (KᵀK + ridge)⁻¹ KᵀT`, K centered, in blocks of rows. T are the class indicators, which
//!    is CMVDA's regression in units in which every class mean is a unit vector; or what another method embeds rows as.
//! 4. Fewer coordinates than classes: the singular axes of the class means.

use super::core::Core;
use crate::data::{Dataset, class_means};
use crate::error::{DataError, FitError, ParamError};
use crate::kernel::{Kernel, cross};
use crate::kmeans::kmeans;
use crate::linalg::{
    Mat, column_means, gram_tn, mul, mul_tn, scale_columns, shift_columns, solve_spd, sym_geneig, thin_svd,
};
use crate::methods::ebek;
use crate::par;
use crate::rng::Rng;
use crate::run::Run;
use crate::stages::{Components, Projection, principal_axes};

/// Rows whose kernel values are in memory at a time.
const BLOCK: usize = 2048;
/// Rows of a class that k-means looks at; more move no center by much.
const ROWS: usize = 4000;
/// Added to the scatter within classes, relative to its mean diagonal.
const SHRINKAGE: f64 = 0.003;

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
    check(data, params, targets)?;
    run.step("projection", 0, 3)?;
    let projection = project(data, params, run)?;
    run.step("centers", 1, 3)?;
    let rows = projection.apply(data.rows(), run.thread_count());
    // Variances add up to p, so that the mean squared distance of two rows is 2p.
    let sigma = params.sigma * (2.0 * rows.ncols() as f64).sqrt();
    let gamma = 0.5 / (sigma * sigma);
    let centers = match params.origin {
        Origin::Exemplars => exemplars(&rows, gamma, params)?,
        Origin::Means | Origin::Landmarks => centers(data, &rows, params, run),
    };
    run.step("readout", 2, 3)?;
    readout(data, &rows, Start { projection, gamma, centers }, params, targets, run)
}

/// LDA as a compact model without centers: `dim` directions between the classes on `keep` features, and the class means.
///
/// Features go a fifth at a time, those first that move the projected values least, and the directions are found again
/// on the others.
///
/// # Errors
/// [`FitError`] for one class, more directions than there are between classes, or a cancelled run.
pub fn linear(data: &Dataset, dim: usize, keep: usize, run: &Run<'_>) -> Result<Core, FitError> {
    data.require_classes(2)?;
    ParamError::at_least_one("dim", dim)?;
    ParamError::at_least_one("keep", keep)?;
    let scatter = Scatter::new(data, run.thread_count());
    let varies = |j: &usize| data.rows().column(*j).iter().any(|v| *v != data.rows()[(0, *j)]);
    let mut kept: Vec<usize> = (0..data.width()).filter(varies).collect();
    let variances: Vec<f64> = data.rows().column_iter().map(|column| column.variance()).collect();
    let keep = keep.max(dim);
    let axes = loop {
        run.step("directions", data.width() - kept.len(), data.width() - keep.min(kept.len()))?;
        let axes = scatter.directions(&kept)?;
        if dim > axes.ncols() {
            return Err(FitError::DimTooLarge { dim, max: axes.ncols() });
        }
        let axes = axes.columns(0, dim).into_owned();
        if kept.len() <= keep {
            break axes;
        }
        let worth = |i: usize| axes.row(i).norm_squared() * variances[kept[i]];
        let mut order: Vec<usize> = (0..kept.len()).collect();
        order.sort_by(|&a, &b| worth(b).total_cmp(&worth(a)).then(a.cmp(&b)));
        order.truncate(keep.max(kept.len() * 4 / 5));
        order.sort_unstable();
        kept = order.into_iter().map(|i| kept[i]).collect();
    };
    let mut weights = Mat::zeros(dim, data.width());
    for (i, &j) in kept.iter().enumerate() {
        weights.set_column(j, &axes.row(i).transpose());
    }
    let mean = nalgebra::DVector::from_vec(column_means(data.rows()));
    let bias = (&weights * mean).iter().map(|b| -b).collect();
    Ok(with_means(Projection { weights, bias }, data, run.thread_count()))
}

/// A compact model without centers from any linear map.
#[must_use]
pub fn with_means(projection: Projection, data: &Dataset, threads: usize) -> Core {
    let means = data.class_means(&projection.apply(data.rows(), threads));
    let dim = means.ncols();
    Core {
        gamma: 1.0,
        centers: Mat::zeros(0, dim),
        weights: Mat::zeros(0, dim),
        bias: vec![0.0; dim],
        projection,
        means,
    }
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

/// `u = P(x − mean)`, with features that never vary left out exactly.
fn project(data: &Dataset, params: &Params, run: &Run<'_>) -> Result<Projection, FitError> {
    let (rows, threads) = (data.rows(), run.thread_count());
    let count = params.projected.min(rows.ncols()).min(rows.nrows());
    let pca = |count| match principal_axes(rows, Components::Count(count), threads) {
        Err(FitError::DimTooLarge { max, .. }) => principal_axes(rows, Components::Count(max), threads),
        found => found,
    };
    let pca = pca(count)?;
    let mut axes = match params.directions {
        Directions::Pca => pca.axes,
        Directions::Lda => {
            let all: Vec<usize> = (0..data.width()).collect();
            let between = Scatter::new(data, threads).directions(&all)?;
            let between = between.columns(0, between.ncols().min(pca.axes.ncols())).into_owned();
            // The directions that LDA cannot tell apart are filled up by variance, the first of it as long as a
            // direction within the classes.
            let rest = pca.axes.columns(0, pca.axes.ncols() - between.ncols()) / pca.variances[0].sqrt();
            Mat::from_fn(between.nrows(), between.ncols() + rest.ncols(), |i, j| {
                if j < between.ncols() { between[(i, j)] } else { rest[(i, j - between.ncols())] }
            })
        }
    };
    leave_out_constants(&mut axes, rows);
    let variances = mul(rows, &axes, threads).column_iter().map(|column| column.variance()).sum::<f64>();
    let variance = variances / axes.ncols() as f64;
    let weights = axes.transpose() / variance.sqrt();
    let bias = &weights * nalgebra::DVector::from_column_slice(&pca.mean);
    Ok(Projection { weights, bias: bias.iter().map(|b| -b).collect() })
}

/// Weights of zero for features that never vary.
fn leave_out_constants(axes: &mut Mat, rows: &Mat) {
    for (j, column) in rows.column_iter().enumerate() {
        if column.iter().all(|v| *v == column[0]) {
            axes.row_mut(j).fill(0.0);
        }
    }
}

/// How rows scatter within classes and between them.
struct Scatter {
    within: Mat,
    between: Mat,
    directions: usize,
}

impl Scatter {
    fn new(data: &Dataset, threads: usize) -> Self {
        let means = data.class_means(data.rows());
        let mut rows = data.rows().clone();
        for (mut row, &label) in rows.row_iter_mut().zip(data.labels()) {
            row -= means.row(label);
        }
        let within = gram_tn(&rows, threads) / data.len() as f64;
        let shares: Vec<f64> = data.class_counts().iter().map(|&n| (n as f64 / data.len() as f64).sqrt()).collect();
        let between = crate::linalg::scale_rows(shift_columns(means, &column_means(data.rows())), &shares);
        Self { within, between: gram_tn(&between, threads), directions: data.classes() - 1 }
    }

    /// LDA's directions on some features: `S_b v = λ (S_w + shrinkage) v`, as many as classes less one.
    fn directions(&self, kept: &[usize]) -> Result<Mat, FitError> {
        let part = |m: &Mat| Mat::from_fn(kept.len(), kept.len(), |i, j| m[(kept[i], kept[j])]);
        let mut within = part(&self.within);
        let level = (within.trace() / kept.len().max(1) as f64 * SHRINKAGE).max(f64::MIN_POSITIVE);
        within.iter_mut().step_by(kept.len() + 1).for_each(|d| *d += level);
        let found = sym_geneig(&part(&self.between), within).map_err(FitError::at("discriminant directions"))?;
        Ok(found.truncated(self.directions.min(kept.len())).vectors)
    }
}

/// K-means within every class, each with a stream of its own.
fn centers(data: &Dataset, rows: &Mat, params: &Params, run: &Run<'_>) -> Mat {
    let classes = data.class_rows();
    let shares = shares(&data.class_counts(), params);
    let parts = par::map(run.thread_count(), classes.len(), |class| {
        let own = &classes[class];
        let count = own.len().min(ROWS);
        let evenly: Vec<usize> = (0..count).map(|i| own[i * own.len() / count]).collect();
        let mut rng = Rng::new(params.seed.wrapping_mul(0x9e37_79b9).wrapping_add(class as u64));
        if evenly.is_empty() || shares[class] == 0 {
            return Mat::zeros(0, rows.ncols());
        }
        if params.origin == Origin::Landmarks {
            let mut drawn = own.clone();
            rng.shuffle(&mut drawn);
            return rows.select_rows(&drawn[..shares[class].min(own.len())]);
        }
        kmeans(&rows.select_rows(&evenly), shares[class], &mut rng)
    });
    let mut all = Mat::zeros(parts.iter().map(Mat::nrows).sum(), rows.ncols());
    let mut at = 0;
    for part in parts {
        all.rows_mut(at, part.nrows()).copy_from(&part);
        at += part.nrows();
    }
    all
}

/// The rows that a kernel matrix is best told by, of at most [`ROWS`].
fn exemplars(rows: &Mat, gamma: f64, params: &Params) -> Result<Mat, FitError> {
    let count = rows.nrows().min(ROWS);
    let evenly: Vec<usize> = (0..count).map(|i| i * rows.nrows() / count).collect();
    let looked = rows.select_rows(&evenly);
    let kernel = Kernel::Gaussian { gamma };
    let choose = |exemplars: usize| {
        let params = ebek::Params { exemplars, ..ebek::Params::default() };
        ebek::choose_exemplars(kernel, &looked, &params, &mut Vec::new())
    };
    let chosen = match choose(params.centers.min(count)) {
        // The others say nothing new.
        Err(FitError::DimTooLarge { max, .. }) => choose(max)?,
        found => found?,
    };
    Ok(looked.select_rows(&chosen))
}

/// Centers per class, which add up to the number asked for: the largest remainders take what rounding leaves.
fn shares(counts: &[usize], params: &Params) -> Vec<usize> {
    let total: usize = counts.iter().sum();
    let exact = |n: usize| match params.allot {
        Allot::Equal => params.centers as f64 / counts.len() as f64,
        Allot::Proportional => params.centers as f64 * n as f64 / total as f64,
    };
    let mut shares: Vec<usize> = counts.iter().map(|&n| exact(n) as usize).collect();
    let left = params.centers - shares.iter().sum::<usize>();
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by(|&a, &b| exact(counts[b]).fract().total_cmp(&exact(counts[a]).fract()));
    order.into_iter().cycle().take(left).for_each(|class| shares[class] += 1);
    shares
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
    for (at, count) in par::blocks(n, BLOCK) {
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
