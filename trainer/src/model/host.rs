//! The host's model: typed stages in f64 and the one forward pass over them.
//!
//! A fit embeds its rows with it, the quantizer calibrates by it, certified radii start from it, and the search
//! evaluates candidates with it. Whatever the runtime computes is compared with this.

use super::map::seeded;
use super::tensor::{matrix, or_zeros};
use super::{Basis, Head, Map};
use crate::compile::quantize::convolution::WIDTHS;
use crate::error::{DataError, ParamError};
use crate::kernel::Kernel;
use crate::linalg::Mat;
use crate::preprocess::convolution::{Geometry, TAPS, WHITE};
use crate::preprocess::counts::Samples;
use crate::preprocess::{Convolution, Counts, Filters, Pool, Projection, Scale, Select, Stage, Window};
use nearmark_format::{self as format, FeatureMap, ModelBuf};
use std::borrow::Cow;
use std::f64::consts::TAU;

/// Statistics that window statistics can have, in the order in which they are computed.
const STATISTICS: usize = 5;

/// Why a decoded model has no form in f64.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// The model computes in integers, which have scales of their own.
    #[error("a model of integers has no form in f64")]
    Integer,
    /// Its geometry is none that a stage can have.
    #[error(transparent)]
    Geometry(#[from] ParamError),
}

/// Preprocessing, the map to the embedding, and the head.
#[derive(Debug, Clone, PartialEq)]
pub struct HostModel {
    /// What happens to a row before the map, in order.
    pub(crate) stages: Vec<Stage>,
    /// The map from a prepared row to its embedding.
    pub(crate) map: Map,
    /// What names the class.
    pub(crate) head: Head,
}

impl HostModel {
    /// The stages of a decoded model of the F32 profile.
    pub(crate) fn of(model: &ModelBuf) -> Result<Self, HostError> {
        if model.int.is_some() {
            return Err(HostError::Integer);
        }
        let mut stages = geometry(model)?;
        let width = model.features();
        let scale = match &model.scale {
            format::Scale::None => None,
            format::Scale::Uniform { mul, add } => Some(Scale::Uniform { mul: (*mul).into(), add: (*add).into() }),
            format::Scale::Features { mul, add } => {
                Some(Scale::Features { mul: or_zeros(mul, width), add: or_zeros(add, width) })
            }
            format::Scale::Unit => Some(Scale::Unit),
            format::Scale::IntFeatures { .. } => return Err(HostError::Integer),
        };
        stages.extend(scale.map(Stage::Scale));
        let mut prepared = width;
        if let Some(project) = &model.project {
            prepared = project.outputs;
            let bias = or_zeros(&project.bias, project.outputs);
            stages.push(Stage::Project(Projection { weights: matrix(&project.values, width), bias }));
        }
        Ok(Self { stages, map: map(model, prepared), head: head(model, 1.0) })
    }

    pub(crate) fn embed(&self, rows: &Mat, threads: usize) -> Result<Mat, DataError> {
        Ok(self.map.apply(self.prepare(rows, threads)?.as_ref(), threads))
    }

    /// Rows behind all preprocessing.
    pub(crate) fn prepare<'a>(&self, rows: &'a Mat, threads: usize) -> Result<Cow<'a, Mat>, DataError> {
        let mut rows = Cow::Borrowed(rows);
        for stage in &self.stages {
            rows = Cow::Owned(stage.apply(&rows, threads)?);
        }
        Ok(rows)
    }

    /// The class of every row.
    ///
    /// # Errors
    /// [`DataError`] when rows have another width than the first stage takes.
    pub fn classify(&self, rows: &Mat, threads: usize) -> Result<Vec<usize>, DataError> {
        Ok(self.head.classify(&self.embed(rows, threads)?))
    }
}

/// Window statistics or pooling, then the features kept.
fn geometry(model: &ModelBuf) -> Result<Vec<Stage>, HostError> {
    let mut stages = Vec::new();
    if let (Some(shape), Some(series)) = (model.shape, &model.series) {
        stages.push(Stage::Counts(Counts::of(shape, series, Samples::Floats)));
    } else if let (Some(shape), Some(window)) = (model.shape, model.window) {
        let (channels, steps) = (shape.channels as usize, shape.cols as usize);
        let stage = Window::new(channels, steps, usize::from(window.segments), window.interleaved)?;
        let all = channels * usize::from(window.segments) * STATISTICS;
        let asked: Vec<bool> = (0..all).map(|j| window.stats >> (j % STATISTICS) & 1 == 1).collect();
        stages.push(Stage::Window(stage));
        if asked.contains(&false) {
            stages.push(Stage::Select(Select::new(asked)));
        }
    } else if let (Some(geometry), Some(convolution)) = (convolution_geometry(model), &model.convolution) {
        stages.push(Stage::Convolution(convolution_stage(geometry, convolution)));
    } else {
        stages.extend(pool(model)?.map(Stage::Pool));
    }
    stages.extend(model.select.clone().map(|mask| Stage::Select(Select::new(mask))));
    Ok(stages)
}

/// How samples are images, if the model has convolutions.
pub(crate) fn convolution_geometry(model: &ModelBuf) -> Option<Geometry> {
    let (shape, convolution) = (model.shape?, model.convolution.as_ref()?);
    Some(Geometry {
        images: (shape.channels as usize, shape.rows as usize, shape.cols as usize),
        block: (convolution.block.rows.into(), convolution.block.cols.into()),
        interleaved: convolution.interleaved,
        pooling: convolution.pooling,
    })
}

/// The filters of a model in floats.
fn convolution_stage(geometry: Geometry, convolution: &format::Convolution) -> Convolution {
    let layer = |filters: &format::Filters, channels: usize, white: f64, width| Filters {
        weights: matrix(&filters.values, channels * TAPS) * white,
        bias: filters.bias.iter().map(|b| f64::from(*b)).collect(),
        steps: Vec::new(),
        width,
    };
    let first = layer(&convolution.first, geometry.images.0, WHITE, WIDTHS[0]);
    let second = convolution.second.as_ref().map(|own| layer(own, convolution.first.outputs, 1.0, WIDTHS[1]));
    Convolution::new(geometry, [first].into_iter().chain(second).collect())
}

/// Pooling, if the model has it.
pub(crate) fn pool(model: &ModelBuf) -> Result<Option<Pool>, HostError> {
    let (Some(shape), Some(pool)) = (model.shape, model.pool) else { return Ok(None) };
    let (channels, rows, cols) = (shape.channels as usize, shape.rows as usize, shape.cols as usize);
    Ok(Some(Pool::by(channels, rows, cols, (usize::from(pool.rows), usize::from(pool.cols)))?))
}

fn map(model: &ModelBuf, width: usize) -> Map {
    let basis = match &model.feature_map {
        FeatureMap::None => {
            return match &model.readout {
                None => Map::Identity { width },
                Some(readout) => Map::Linear(Projection {
                    weights: matrix(&readout.weights, model.dim).transpose(),
                    bias: or_zeros(&readout.bias, model.dim),
                }),
            };
        }
        FeatureMap::Centers { kernel, values } => {
            Basis::Centers { kernel: kernel_of(*kernel), centers: matrix(values, width) }
        }
        FeatureMap::Random { gamma, weights, phases, .. } => Basis::Random {
            weights: matrix(weights, width) * (TAU * f64::from(*gamma)),
            phases: phases.iter().map(|&p| TAU * f64::from(p)).collect(),
            seeded: None,
        },
        FeatureMap::Seeded { gamma, count, seed, law } => {
            let seeded = seeded::Seeded { seed: *seed, law: *law };
            let (weights, phases) = seeded::features(seeded, *count as usize, width);
            let phases = phases.into_iter().map(|p| TAU * p).collect();
            Basis::Random { weights: weights * (TAU * f64::from(*gamma)), phases, seeded: Some(seeded) }
        }
    };
    let (weights, bias) = match &model.readout {
        // The mapped values are the embedding.
        None => (Mat::identity(model.dim, model.dim), vec![0.0; model.dim]),
        Some(readout) => (matrix(&readout.weights, model.dim), or_zeros(&readout.bias, model.dim)),
    };
    Map::Mapped { basis, weights, bias }
}

fn kernel_of(kernel: format::Kernel) -> Kernel {
    match kernel {
        format::Kernel::Gaussian { gamma } => Kernel::Gaussian { gamma: gamma.into() },
        format::Kernel::Laplacian { gamma } => Kernel::Laplacian { gamma: gamma.into() },
        format::Kernel::Polynomial { gamma, offset, degree } => {
            Kernel::Polynomial { gamma: gamma.into(), offset: offset.into(), degree: degree.into() }
        }
    }
}

/// The head of a decoded model over coordinates in which a unit vector has the length `one`.
pub(crate) fn head(model: &ModelBuf, one: f64) -> Head {
    match &model.head {
        format::Head::Unit => Head::Means(Mat::identity(model.classes, model.dim) * one),
        format::Head::Means(values) => Head::Means(matrix(values, model.dim)),
        format::Head::Prototypes { k, values, counts } => Head::Prototypes {
            values: matrix(values, model.dim),
            counts: counts.iter().map(|&c| c.into()).collect(),
            k: usize::from(*k),
            // Whoever looks for items has the file.
            ids: Vec::new(),
        },
    }
}
