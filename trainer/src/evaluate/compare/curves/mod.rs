//! Accuracy against the number of dimensions, every dimension from one fit per split.
//!
//! A method whose axes are nested ([`Method::nested_axes`]) is fitted once, with the most dimensions asked for; the first
//! `d` of its axes are then the fit with `d` dimensions, and only the head is learned again. Other methods are fitted
//! again for every dimension, and [`Curve::refitted`] tells so. Accuracies are those of the fit in f64.
//!
//! Beside its accuracy a subspace has a Rayleigh quotient, `tr((WᵀS_T W)⁻¹ WᵀS_B W)`: the share of the scatter of the
//! training rows along its axes that lies between classes, summed over the axes. `S_T = Σ_i (z_i − m)(z_i − m)ᵀ` is the
//! total scatter about the mean `m` of all training rows, `S_B = Σ_c N_c (m_c − m)(m_c − m)ᵀ` that of the class means. It
//! depends on the subspace alone, not on its basis or scale, and lies between 0 and the lesser of `d` and `C − 1`.
//! Directions in which no row varies are left out.

mod dims;
mod output;

pub use dims::Dims;
pub use output::Quantity;

use super::scores::{self, mean_and_std};
use super::{CompareError, Entry, Protocol, each_fit, splits};
use crate::config::{Config, ConfigError, FixedFit};
use crate::dataset::{Dataset, class_means};
use crate::error::FitError;
use crate::linalg::{Mat, column_means, shift_columns, thin_svd};
use crate::methods::{Method, SettingError};
use crate::model::Fitted;
use crate::model::head::{Head, HeadChoice};
use crate::run::Run;
use crate::search::auto;
use crate::train::TrainError;

/// Singular values below this share of the largest are rounding noise: their direction means nothing.
const NOISE: f64 = 1e-10;

/// One method's subspaces.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// The entry's name.
    pub name: String,
    /// Whether the method was fitted again for every dimension.
    pub refitted: bool,
    /// Whether the method has no number of dimensions to choose; it then has a single point.
    pub fixed: bool,
    /// From the fewest dimensions to the most that every split allows.
    pub points: Vec<CurvePoint>,
    /// Why it has no points.
    pub failure: Option<String>,
}

/// What a number of dimensions is worth, on every split.
#[derive(Debug, Clone, PartialEq)]
pub struct CurvePoint {
    /// Number of dimensions.
    pub dim: usize,
    /// The share of test rows whose class is found.
    pub accuracy: Vec<f64>,
    /// The subspace's Rayleigh quotient on the training rows.
    pub rayleigh: Vec<f64>,
}

/// Every method's curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Curves {
    /// One curve per entry, in the order given.
    pub curves: Vec<Curve>,
    /// The protocol in words.
    pub protocol: String,
    /// Seed of the splits.
    pub seed: u64,
    /// Rows given.
    pub rows: usize,
    /// Their classes.
    pub classes: usize,
}

/// Mean and standard error over the splits; a single one has no error.
#[must_use]
pub fn mean_and_error(values: &[f64]) -> (f64, Option<f64>) {
    scores::mean_and_error(values)
}

impl Curve {
    /// The point of highest mean accuracy; of equals the one with the fewest dimensions.
    #[must_use]
    pub fn best(&self) -> Option<&CurvePoint> {
        let mean = |point: &CurvePoint| mean_and_std(&point.accuracy).0;
        self.points.iter().reduce(|best, point| if mean(point) > mean(best) { point } else { best })
    }
}

/// Fits every method on every split and measures all its dimensions.
///
/// # Errors
/// [`CompareError`] when the rows do not allow the protocol, when every method fails, or when the caller asks to stop.
pub fn curves(
    entries: &[Entry],
    data: &Dataset,
    protocol: &Protocol,
    dims: &Dims,
    seed: u64,
    run: &Run<'_>,
) -> Result<Curves, CompareError> {
    let splits = splits(entries, data, protocol, seed)?;
    let measure =
        |config: &Config, train: &Dataset, test: &Dataset, run: &Run<'_>| on_split(config, train, test, dims, run);
    let outcomes = each_fit(entries, data, &splits, run, measure)?;
    let curves: Vec<Curve> =
        entries.iter().zip(outcomes).map(|(entry, outcomes)| joined(&entry.name, dims, outcomes)).collect();
    let failures: Option<Vec<&String>> = curves.iter().map(|curve| curve.failure.as_ref()).collect();
    if let Some(why) = failures.and_then(|all| all.first().map(|why| (*why).clone())) {
        return Err(CompareError::AllFailed { method: curves[0].name.clone(), why });
    }
    let (protocol, rows, classes) = (protocol.to_string(), data.len(), data.classes());
    Ok(Curves { curves, protocol, seed, rows, classes })
}

/// A method's subspaces on one split: dimension, accuracy, Rayleigh quotient.
struct Measured {
    refitted: bool,
    fixed: bool,
    points: Vec<(usize, f64, f64)>,
}

/// Puts the splits together: the dimensions that all of them have.
fn joined(name: &str, dims: &Dims, outcomes: Vec<Result<Measured, String>>) -> Curve {
    let name = name.to_owned();
    let splits: Vec<Measured> = match outcomes.into_iter().collect() {
        Ok(splits) => splits,
        Err(why) => return Curve { name, refitted: false, fixed: false, points: Vec::new(), failure: Some(why) },
    };
    let first = splits.first().map(|split| split.points.iter().map(|point| point.0).collect::<Vec<_>>());
    let fixed = splits.iter().any(|split| split.fixed);
    let point = |dim: usize| -> Option<CurvePoint> {
        // What has no dimensions to choose may still differ in length, behind principal axes of a share of the variance.
        let of_dim = |split: &&(usize, f64, f64)| fixed || split.0 == dim;
        let found = |split: &Measured| split.points.iter().find(of_dim).map(|point| (point.1, point.2));
        let (accuracy, rayleigh) = splits.iter().map(found).collect::<Option<Vec<_>>>()?.into_iter().unzip();
        Some(CurvePoint { dim, accuracy, rayleigh })
    };
    let points: Vec<CurvePoint> = first.unwrap_or_default().into_iter().filter_map(point).collect();
    let failure = points.is_empty().then(|| format!("no split allows {} dimensions", dims.least()));
    Curve { name, refitted: splits.iter().any(|split| split.refitted), fixed, points, failure }
}

fn on_split(
    config: &Config,
    train: &Dataset,
    test: &Dataset,
    dims: &Dims,
    run: &Run<'_>,
) -> Result<Measured, TrainError> {
    // Most requests to stop are met here, between fits.
    run.step("fit", 0, 1)?;
    let Config::Fixed(fit) = config else {
        let why = "a budget search chooses the length of the embedding itself; leave the budget out";
        return Err(ConfigError::refused("dims", why.to_owned()).into());
    };
    let fit = auto::decide(fit, train, run)?.fit;
    let Some((method, fitted)) = widest(&fit, train, dims.most(), run)? else {
        let fitted = fit.pipeline(fit.common.build_method()?.as_ref())?.fit_with(train, run)?;
        let (accuracy, rayleigh) = (fitted.accuracy(test).map_err(FitError::from)?, of_rows(&fitted, None)?);
        return Ok(Measured { refitted: false, fixed: true, points: vec![(fitted.dim(), accuracy, rayleigh)] });
    };
    let embedded = fitted.embed_all(test).map_err(FitError::from)?;
    let (mut points, mut refitted) = (Vec::new(), false);
    for dim in dims.iter().filter(|&dim| dim <= fitted.dim()) {
        let (accuracy, rayleigh) = if let Some(axes) = method.nested_axes(&fitted, dim) {
            (accuracy(&fitted, fit.head, &axes, &embedded, test)?, of_rows(&fitted, Some(&axes))?)
        } else if dim == fitted.dim() {
            (fitted.accuracy(test).map_err(FitError::from)?, of_rows(&fitted, None)?)
        } else {
            refitted = true;
            let Some((_, fitted)) = widest(&fit, train, dim, run)? else { continue };
            (fitted.accuracy(test).map_err(FitError::from)?, of_rows(&fitted, None)?)
        };
        points.push((dim, accuracy, rayleigh));
    }
    Ok(Measured { refitted, fixed: false, points })
}

/// A method, and its fit.
type MethodAndFit = (Box<dyn Method>, Fitted);

/// A fit with so many dimensions, or as many as there are; `None` if the method has no number of dimensions.
fn widest(fit: &FixedFit, data: &Dataset, dim: usize, run: &Run<'_>) -> Result<Option<MethodAndFit>, TrainError> {
    let mut fit = fit.clone();
    let mut with = |dim: usize| -> Result<Option<MethodAndFit>, TrainError> {
        fit.common.method.settings.insert("dim".to_owned(), dim.to_string());
        let method = match fit.common.build_method() {
            Err(SettingError::Unknown { key, .. }) if key == "dim" => return Ok(None),
            other => other?,
        };
        let fitted = fit.pipeline(method.as_ref())?.fit_with(data, run)?;
        Ok(Some((method, fitted)))
    };
    match with(dim) {
        Err(TrainError::Fit(FitError::DimTooLarge { max, .. })) if max > 0 => with(max),
        other => other,
    }
}

/// The accuracy of a head learned on these axes.
fn accuracy(
    fitted: &Fitted,
    head: Option<HeadChoice>,
    axes: &Mat,
    embedded: &Mat,
    test: &Dataset,
) -> Result<f64, FitError> {
    let names = fitted.class_names();
    let head = Head::fit(head.unwrap_or_default(), &(fitted.embedding() * axes), fitted.labels(), names.len())?;
    let found = head.classify(&(embedded * axes));
    let right = found.iter().zip(test.labels()).filter(|(found, label)| names[**found] == test.class_names()[**label]);
    Ok(right.count() as f64 / test.len() as f64)
}

/// The Rayleigh quotient of the training rows' embedding, or of these axes of it.
fn of_rows(fitted: &Fitted, axes: Option<&Mat>) -> Result<f64, FitError> {
    let embedding = fitted.embedding();
    let z = axes.map_or_else(|| embedding.clone(), |axes| embedding * axes);
    rayleigh(&z, fitted.labels(), fitted.class_names().len())
}

/// `tr(S_T⁻¹ S_B)` of some rows, without directions in which none varies.
///
/// # Errors
/// [`FitError`] if the singular value decomposition does not converge.
pub fn rayleigh(z: &Mat, labels: &[usize], classes: usize) -> Result<f64, FitError> {
    // With the centered rows U S Vᵀ, S_T = V S² Vᵀ, and the class means of U are those of the rows in a basis where the
    // scatter is one in every direction.
    let svd = thin_svd(&shift_columns(z.clone(), &column_means(z))).map_err(FitError::at("Rayleigh quotient"))?;
    let floor = NOISE * svd.s.first().copied().unwrap_or(0.0);
    let rank = svd.s.iter().take_while(|&&value| value > floor).count();
    let means = class_means(&svd.u.columns(0, rank).into_owned(), labels, classes);
    let mut counts = vec![0.0; classes];
    for &label in labels {
        counts[label] += 1.0;
    }
    Ok(means.row_iter().zip(&counts).map(|(mean, count)| count * mean.norm_squared()).sum())
}

#[cfg(test)]
mod tests;
