//! Compact models in closed form: no iteration beyond k-means, and no matrix of rows by rows.
//!
//! # Steps
//! 1. Directions of largest variance (PCA) or class separation (LDA), `u = P(x − mean)`, scaled so that a projected
//!    value has variance 1 on average.
//! 2. Centers `z_j`: k-means within every class.
//! 3. Readout over all rows: `A = (KᵀK + ridge)⁻¹ KᵀT`, K centered, in blocks of rows. T are the class indicators, which
//!    is CMVDA's regression in units in which every class mean is a unit vector; or another method's embedding of the rows.
//! 4. Fewer coordinates than classes: the singular axes of the class means.

mod centers;
mod directions;
mod linear;

pub use linear::linear;
pub(super) use linear::with_means;

use super::CompactModel;
use super::known::Known;
use crate::dataset::{Dataset, class_means};
use crate::error::{DataError, FitError, ParamError};
use crate::kernel::{Kernel, cross};
use crate::linalg::{Mat, column_means, gram_tn, mul, mul_tn, scale_columns, shift_columns, solve_spd, thin_svd};
use crate::parallel;
use crate::preprocess::Projection;
use crate::run::Run;
use serde::Serialize;

/// Rows whose kernel values are in memory at a time: 16 MB per 1000 centers.
const BLOCK: usize = 2048;

/// What the directions of the projection are chosen by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Directions {
    /// Variance (PCA).
    #[default]
    Pca,
    /// Class separation (LDA), then variance: there are fewer directions between classes than classes.
    Lda,
}

/// How centers are allotted to the classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Allot {
    /// The same number to every class.
    #[default]
    Equal,
    /// In proportion to the classes' rows.
    Proportional,
}

/// Where centers come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// K-means within every class.
    #[default]
    Means,
    /// Random rows of every class.
    Landmarks,
    /// EBEK's exemplars, whatever their class.
    Exemplars,
}

/// Parameters of the closed form.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Params {
    /// What the directions of the projection are chosen by.
    pub directions: Directions,
    /// Projected values; fewer where rows do not vary in as many directions.
    pub projected: usize,
    /// Centers; fewer where a class has fewer rows.
    pub centers: usize,
    /// How centers are allotted to the classes.
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

/// Fits a kernel model to preprocessed rows. `targets` are another method's embedding of them, of at least `dim`
/// coordinates; class indicators by default.
///
/// # Errors
/// [`FitError`] for a parameter out of range, one class, equal rows, or a cancelled run.
pub fn fit(data: &Dataset, params: &Params, targets: Option<&Mat>, run: &Run<'_>) -> Result<CompactModel, FitError> {
    fit_knowing(data, params, targets, &Projections::default(), run)
}

/// Projections of the same rows, by kind and number of directions.
pub(in crate::search) type Projections = Known<(Directions, usize), Projection>;

/// As [`fit`], with projections that are known already.
pub(in crate::search) fn fit_knowing(
    data: &Dataset,
    params: &Params,
    targets: Option<&Mat>,
    known: &Projections,
    run: &Run<'_>,
) -> Result<CompactModel, FitError> {
    check(data, params, targets)?;
    run.step("projection", 0, 3)?;
    let key = (params.directions, params.projected);
    let projection = known.get_or_insert(key, || directions::project(data, params, run))?;
    run.step("centers", 1, 3)?;
    let rows = projection.apply(data.rows(), run.thread_count());
    // Variances add up to p, so that the mean squared distance of two rows is 2p.
    let sigma = params.sigma * (2.0 * rows.ncols() as f64).sqrt();
    let gamma = 0.5 / (sigma * sigma);
    let centers = match params.origin {
        Origin::Exemplars => centers::exemplars(&rows, gamma, params),
        Origin::Means | Origin::Landmarks => centers::centers(data, &rows, params, run),
    };
    run.step("readout", 2, 3)?;
    // `A = (KᵀK + ridge)⁻¹ KᵀT` with K and T centered; the bias restores the means.
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
    let model = CompactModel { projection, gamma, centers, weights, bias, means, steps: None };
    if params.dim == data.classes() && targets.is_none() {
        return Ok(model);
    }
    onto_class_axes(model, data, &rows, params.dim, threads).map_err(FitError::at("axes of the class means"))
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

/// The model on the `dim` axes along which the class means differ most, with a bias of zero.
fn onto_class_axes(
    model: CompactModel,
    data: &Dataset,
    rows: &Mat,
    dim: usize,
    threads: usize,
) -> Result<CompactModel, crate::linalg::LinalgError> {
    let z = model.map().apply(rows, threads);
    let means = class_means(&z, data.labels(), data.classes());
    let centered = shift_columns(means.clone(), &column_means(&means));
    let svd = thin_svd(&centered)?;
    let axes = if dim < means.ncols() { svd.v.columns(0, dim).into_owned() } else { Mat::identity(dim, dim) };
    // Distances do not change if both points are shifted: the class points absorb the bias.
    let means = mul(&shift_columns(means, &model.bias), &axes, 1);
    // One common unit of length, so that the class points are about as far from zero as unit vectors.
    let unit = (means.norm_squared() / means.nrows() as f64).sqrt().max(f64::MIN_POSITIVE);
    let weights = scale_columns(mul(&model.weights, &axes, 1), |_| 1.0 / unit);
    Ok(CompactModel { weights, bias: vec![0.0; dim], means: means / unit, ..model })
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) const PARAMS: Params = Params {
        directions: Directions::Pca,
        projected: 1,
        centers: 2,
        allot: Allot::Equal,
        origin: Origin::Means,
        dim: 2,
        sigma: 0.5,
        ridge: 1e-9,
        seed: 0,
    };

    /// Two classes at −1 and 1 on a line, after the projection as well; one center on each.
    fn two_points() -> Result<Dataset, DataError> {
        Dataset::from_ids(Mat::from_column_slice(4, 1, &[-1.0, -1.0, 1.0, 1.0]), &[0, 0, 1, 1])
    }

    #[test]
    fn width_centers_and_readout_are_those_by_hand() -> Result<(), Box<dyn std::error::Error>> {
        let data = two_points()?;
        let model = fit(&data, &PARAMS, None, &Run::default())?;
        // Rows are √2·1 apart in the root mean square, half of which is the width: γ = 1/(2·½).
        assert!((model.gamma - 1.0).abs() < 1e-12);
        assert!((model.centers[(0, 0)] + model.centers[(1, 0)]).abs() < 1e-12 && model.centers[(0, 0)].abs() == 1.0);
        // Kernel values are 1 and k = e⁻⁴. Indicators need a(1 − k) + ½ = 1 with weights a and −a.
        let a = 0.5 / (1.0 - libm::exp(-4.0));
        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let expected = if i == j { a } else { -a };
            assert!((model.weights[(i, j)] - expected).abs() < 1e-6, "{}", model.weights);
        }
        assert!(model.bias.iter().all(|b| (b - 0.5).abs() < 1e-6));
        let embedded = model.host().embed(data.rows(), 1)?;
        assert!((embedded[(0, 0)] - 1.0).abs() < 1e-6 && embedded[(0, 1)].abs() < 1e-6);
        Ok(())
    }

    #[test]
    fn one_coordinate_keeps_what_separates_two_classes() -> Result<(), Box<dyn std::error::Error>> {
        let data = two_points()?;
        let model = fit(&data, &Params { dim: 1, ..PARAMS }, None, &Run::default())?;
        assert_eq!((model.weights.ncols(), model.means.shape(), model.bias.as_slice()), (1, (2, 1), &[0.0][..]));
        assert_eq!(model.host().classify(data.rows(), 1)?, [0, 0, 1, 1]);
        let too_long = fit(&data, &Params { dim: 3, ..PARAMS }, None, &Run::default());
        assert_eq!(too_long, Err(FitError::DimTooLarge { dim: 3, max: 2 }));
        Ok(())
    }
}
