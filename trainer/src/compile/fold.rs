//! Everything before the map, folded into as few stages as the device can have.

use super::{ExportError, limited, write};
use crate::linalg::{Mat, mul, scale_rows};
use crate::preprocess::convolution::{Geometry, WHITE};
use crate::preprocess::{Projection, Scale, Stage};
use nearmark_format::{Convolution, Filters, Pool, Series, Shape, Window, meta::code};

/// An affine map of the features: the composition of scalings and projections, in the narrowest form that holds it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Affine {
    /// `x`.
    Identity,
    /// `x·mul + add`.
    Uniform { mul: f64, add: f64 },
    /// `x·mul + add` per feature.
    Features { mul: Vec<f64>, add: Vec<f64> },
    /// `W x + b`.
    Dense(Projection),
}

impl Affine {
    /// This map, then a scaling.
    fn then_scale(self, scale: &Affine) -> Self {
        match (self, scale) {
            (before, Self::Identity | Self::Dense(_)) => before,
            (Self::Identity, scale) => scale.clone(),
            (Self::Uniform { mul, add }, Self::Uniform { mul: m, add: a }) => {
                Self::Uniform { mul: mul * m, add: add * m + a }
            }
            (Self::Dense(p), scale) => {
                let (mul, add) = scale.per_feature(p.bias.len());
                let bias = p.bias.iter().zip(&mul).zip(&add).map(|((b, m), a)| b * m + a).collect();
                Self::Dense(Projection { weights: scale_rows(p.weights, &mul), bias })
            }
            (before, scale) => {
                let features = |affine: &Self| if let Self::Features { mul, .. } = affine { mul.len() } else { 0 };
                let width = features(&before).max(features(scale));
                let ((mul, add), (m, a)) = (before.per_feature(width), scale.per_feature(width));
                let add = add.iter().zip(&m).zip(&a).map(|((add, m), a)| add * m + a).collect();
                Self::Features { mul: mul.iter().zip(&m).map(|(x, y)| x * y).collect(), add }
            }
        }
    }

    /// This map, then a linear one.
    pub(super) fn then_project(self, after: &Projection) -> Projection {
        let moved = |add: &[f64], bias: &[f64]| -> Vec<f64> {
            let shift = &after.weights * nalgebra::DVector::from_column_slice(add);
            shift.iter().zip(bias).map(|(s, b)| s + b).collect()
        };
        match self {
            Self::Identity => after.clone(),
            Self::Dense(p) => {
                Projection { bias: moved(&p.bias, &after.bias), weights: mul(&after.weights, &p.weights, 1) }
            }
            scale => {
                let (mul, add) = scale.per_feature(after.weights.ncols());
                let weights = crate::linalg::scale_columns(after.weights.clone(), |j| mul[j]);
                Projection { bias: moved(&add, &after.bias), weights }
            }
        }
    }

    /// Multipliers and offsets of a scaling, one pair per feature.
    pub(super) fn per_feature(&self, width: usize) -> (Vec<f64>, Vec<f64>) {
        match self {
            Self::Identity | Self::Dense(_) => (vec![1.0; width], vec![0.0; width]),
            Self::Uniform { mul, add } => (vec![*mul; width], vec![*add; width]),
            Self::Features { mul, add } => (mul.clone(), add.clone()),
        }
    }

    /// The one multiplier of a scaling that treats all features alike.
    pub(super) fn uniform_mul(&self) -> Option<f64> {
        match self {
            Self::Identity => Some(1.0),
            Self::Uniform { mul, .. } => Some(*mul),
            Self::Features { mul, .. } => mul.first().copied().filter(|first| mul.iter().all(|m| m == first)),
            Self::Dense(_) => None,
        }
    }

    /// Whether zero goes to zero.
    pub(super) fn keeps_zero(&self) -> bool {
        match self {
            Self::Identity => true,
            Self::Uniform { add, .. } => *add == 0.0,
            Self::Features { add, .. } => add.iter().all(|a| *a == 0.0),
            Self::Dense(p) => p.bias.iter().all(|b| *b == 0.0),
        }
    }
}

/// The stages before the map: geometry, then unit length, then one affine map.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Preprocessing {
    pub(super) shape: Option<Shape>,
    pub(super) window: Option<Window>,
    pub(super) series: Option<Series>,
    pub(super) pool: Option<Pool>,
    pub(super) convolution: Option<Convolution>,
    /// Features kept.
    pub(super) select: Option<Vec<bool>>,
    /// Whether rows are divided by their length before the affine map.
    pub(super) unit: bool,
    pub(super) affine: Affine,
}

impl Preprocessing {
    /// Folds fitted stages, in their order.
    pub(super) fn fold(stages: &[Stage]) -> Result<Self, ExportError> {
        let (shape, window, series, pool, convolution, select) = (None, None, None, None, None, None);
        let affine = Affine::Identity;
        let mut folded = Self { shape, window, series, pool, convolution, select, unit: false, affine };
        for stage in stages {
            folded.push(stage)?;
        }
        Ok(folded)
    }

    fn push(&mut self, stage: &Stage) -> Result<(), ExportError> {
        let untouched = self.affine == Affine::Identity && !self.unit;
        let fresh = untouched && self.shape.is_none() && self.select.is_none();
        let affine = std::mem::replace(&mut self.affine, Affine::Identity);
        match stage {
            Stage::Window(window) if fresh => {
                self.shape = Some(shape(window.channels(), 1, window.steps())?);
                let segments = limited("segments", 255, window.segments())?;
                self.window = Some(Window { segments, stats: code::STAT_ALL, interleaved: window.is_interleaved() });
            }
            Stage::Convolution(own) if fresh => {
                let (channels, rows, cols) = own.geometry.images;
                self.shape = Some(shape(channels, rows, cols)?);
                self.convolution = Some(filters_of(own)?);
            }
            Stage::Counts(counts) if fresh => {
                let window = counts.window();
                self.shape = Some(shape(window.channels, 1, window.steps)?);
                // Models in integers are made of models in floats.
                let entries = counts.in_floats().entries().to_vec();
                self.series = Some(Series { interleaved: window.interleaved, entries });
            }
            Stage::Pool(pool) if fresh => {
                let (channels, rows, cols) = pool.shape();
                self.shape = Some(shape(channels, rows, cols)?);
                let rows = limited("pool", 255, pool.block().0)?;
                let cols = limited("pool", 255, pool.block().1)?;
                // Blocks of one pixel sum nothing; the shape is still stored.
                self.pool = (rows > 1 || cols > 1).then_some(Pool { rows, cols });
            }
            Stage::Select(select) if untouched && self.select.is_none() => self.select = Some(select.mask().to_vec()),
            Stage::Scale(Scale::Unit) if untouched => self.unit = true,
            Stage::Scale(Scale::Uniform { mul, add }) => {
                self.affine = affine.then_scale(&Affine::Uniform { mul: *mul, add: *add });
            }
            Stage::Scale(Scale::Features { mul, add }) => {
                self.affine = affine.then_scale(&Affine::Features { mul: mul.clone(), add: add.clone() });
            }
            Stage::Project(projection) => self.affine = Affine::Dense(affine.then_project(projection)),
            Stage::Window(_) => return Err(ExportError::Order("window")),
            Stage::Convolution(_) => return Err(ExportError::Order("convolution")),
            Stage::Counts(_) => return Err(ExportError::Order("counts")),
            Stage::Pool(_) => return Err(ExportError::Order("pool")),
            Stage::Select(_) => return Err(ExportError::Order("selection")),
            Stage::Scale(Scale::Unit) => return Err(ExportError::Order("unit length")),
            // Quantization does its own rounding; a model with rounding stages is for evaluation only.
            Stage::Round(_) => return Err(ExportError::Order("rounding")),
        }
        Ok(())
    }
}

/// The filters over pixels as the device has them, from 0 to 255.
fn filters_of(stage: &crate::preprocess::Convolution) -> Result<Convolution, ExportError> {
    let layer = |filters: &crate::preprocess::Filters, factor: f64| -> Result<Filters, ExportError> {
        Ok(Filters {
            outputs: filters.bias.len(),
            values: write::matrix("filters", &(&filters.weights * factor))?,
            bias: write::values("filter biases", &filters.bias)?,
            ..Filters::default()
        })
    };
    let (Geometry { block, interleaved, pooling, .. }, layers) = (stage.geometry, &stage.layers);
    let Some(first) = layers.first() else { return Err(ExportError::Order("convolution without filters")) };
    Ok(Convolution {
        block: Pool { rows: limited("pool", 255, block.0)?, cols: limited("pool", 255, block.1)? },
        interleaved,
        first: layer(first, 1.0 / WHITE)?,
        second: layers.get(1).map(|filters| layer(filters, 1.0)).transpose()?,
        pooling,
    })
}

fn shape(channels: usize, rows: usize, cols: usize) -> Result<Shape, ExportError> {
    let size = |got: usize| limited("rows or columns", u32::MAX as usize, got);
    Ok(Shape { channels: size(channels)?, rows: size(rows)?, cols: size(cols)? })
}

/// `(m − add)/mul`, column by column: points pulled back through a scaling.
pub(super) fn pull_back(points: &Mat, scale: &Affine) -> Mat {
    let (mul, add) = scale.per_feature(points.ncols());
    Mat::from_fn(points.nrows(), points.ncols(), |i, j| (points[(i, j)] - add[j]) / mul[j])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> Projection {
        Projection { weights: Mat::from_row_slice(2, 3, &[1.0, 2.0, 3.0, -1.0, 0.5, 0.0]), bias: vec![0.25, -4.0] }
    }

    #[test]
    fn any_chain_of_scalings_and_projections_folds_to_one_map() -> Result<(), Box<dyn std::error::Error>> {
        let uniform = Stage::Scale(Scale::Uniform { mul: 0.5, add: -1.0 });
        let features = |n: usize| {
            let at = |k: f64| (0..n).map(|j| k + j as f64).collect();
            Stage::Scale(Scale::Features { mul: at(1.5), add: at(-0.5) })
        };
        let narrow = Projection { weights: Mat::from_row_slice(1, 2, &[2.0, -3.0]), bias: vec![1.0] };
        let chains: [Vec<Stage>; 6] = [
            vec![uniform.clone(), uniform.clone()],
            vec![uniform.clone(), features(3), uniform.clone()],
            vec![features(3), features(3)],
            vec![uniform.clone(), Stage::Project(project())],
            vec![features(3), Stage::Project(project()), features(2), uniform.clone()],
            vec![Stage::Project(project()), uniform, Stage::Project(narrow)],
        ];
        let rows = Mat::from_row_slice(2, 3, &[1.0, 2.0, 3.0, -4.0, 0.5, 7.0]);
        for stages in chains {
            let mut truth = rows.clone();
            for stage in &stages {
                truth = stage.apply(&truth, 1)?;
            }
            let folded = Preprocessing::fold(&stages)?.affine;
            let identity = Projection { weights: Mat::identity(3, 3), bias: vec![0.0; 3] };
            let folded = match folded {
                Affine::Dense(p) => p,
                scale => scale.then_scale(&Affine::Identity).then_project(&identity),
            };
            assert!((folded.apply(&rows, 1) - truth).amax() < 1e-12, "{stages:?}");
        }
        Ok(())
    }

    #[test]
    fn stages_in_an_order_that_the_device_lacks_are_refused() -> Result<(), Box<dyn std::error::Error>> {
        let pool = Stage::Pool(crate::preprocess::Pool::new(1, 2, 2, 2)?);
        let late = [Stage::Scale(Scale::Uniform { mul: 2.0, add: 0.0 }), pool];
        assert_eq!(Preprocessing::fold(&late), Err(ExportError::Order("pool")));
        let late = [Stage::Project(project()), Stage::Scale(Scale::Unit)];
        assert_eq!(Preprocessing::fold(&late), Err(ExportError::Order("unit length")));
        Ok(())
    }
}
