//! The host's model: typed stages in f64 and the one forward pass over them.
//!
//! A fit embeds its rows with it, the quantizer calibrates by it, certified radii start from it, and the search
//! evaluates candidates with it. Whatever the runtime computes is compared with this.

use super::map::seeded;
use super::tensor::{matrix, or_zeros};
use super::{Basis, Head, Map};
use crate::error::{DataError, ParamError};
use crate::kernel::Kernel;
use crate::linalg::Mat;
use crate::preprocess::{Pool, Projection, Scale, Select, Stage, Window};
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
    pub stages: Vec<Stage>,
    /// The map from a prepared row to its embedding.
    pub map: Map,
    /// What names the class.
    pub head: Head,
}

/// Rows at the points of the forward pass that somebody looks at.
#[derive(Debug, Clone, PartialEq)]
pub struct Activations {
    /// Behind window statistics, pooling and selection.
    pub features: Mat,
    /// Behind all preprocessing: what the map takes.
    pub prepared: Mat,
    /// The embedding.
    pub z: Mat,
}

impl HostModel {
    /// The stages of a decoded model of the F32 profile.
    ///
    /// # Errors
    /// [`HostError`] for integer models and for a geometry that no stage has.
    pub fn of(model: &ModelBuf) -> Result<Self, HostError> {
        if model.int.is_some() {
            return Err(HostError::Integer);
        }
        let mut stages = geometry(model)?;
        let width = model.features();
        stages.extend(match &model.scale {
            format::Scale::None => None,
            format::Scale::Uniform { mul, add } => {
                Some(Stage::Scale(Scale::Uniform { mul: (*mul).into(), add: (*add).into() }))
            }
            format::Scale::Features { mul, add } => {
                Some(Stage::Scale(Scale::Features { mul: or_zeros(mul, width), add: or_zeros(add, width) }))
            }
            format::Scale::Unit => Some(Stage::Scale(Scale::Unit)),
            format::Scale::IntFeatures { .. } => return Err(HostError::Integer),
        });
        let mut prepared = width;
        if let Some(project) = &model.project {
            prepared = project.outputs;
            let bias = or_zeros(&project.bias, project.outputs);
            stages.push(Stage::Project(Projection { weights: matrix(&project.values, width), bias }));
        }
        Ok(Self { stages, map: map(model, prepared), head: head(model, 1.0) })
    }

    /// Runs rows through all stages and the map.
    ///
    /// # Errors
    /// [`DataError`] when rows have another width than the first stage takes.
    pub fn forward(&self, rows: &Mat, threads: usize) -> Result<Activations, DataError> {
        let (first, rest) = self.stages.split_at(self.stages.iter().take_while(|s| s.is_geometry()).count());
        let features = apply(first, Cow::Borrowed(rows), threads)?;
        let prepared = apply(rest, Cow::Borrowed(&features), threads)?.into_owned();
        let z = self.map.apply(&prepared, threads);
        Ok(Activations { features: features.into_owned(), prepared, z })
    }

    /// Embeds rows.
    ///
    /// # Errors
    /// As [`forward`](Self::forward).
    pub fn embed(&self, rows: &Mat, threads: usize) -> Result<Mat, DataError> {
        Ok(self.map.apply(self.prepare(rows, threads)?.as_ref(), threads))
    }

    /// Rows behind all preprocessing.
    ///
    /// # Errors
    /// As [`forward`](Self::forward).
    pub fn prepare<'a>(&self, rows: &'a Mat, threads: usize) -> Result<Cow<'a, Mat>, DataError> {
        apply(&self.stages, Cow::Borrowed(rows), threads)
    }

    /// The class of every row.
    ///
    /// # Errors
    /// As [`forward`](Self::forward).
    pub fn classify(&self, rows: &Mat, threads: usize) -> Result<Vec<usize>, DataError> {
        Ok(self.head.classify(&self.embed(rows, threads)?))
    }
}

/// Stages one after the other.
pub(crate) fn apply<'a>(stages: &[Stage], rows: Cow<'a, Mat>, threads: usize) -> Result<Cow<'a, Mat>, DataError> {
    let mut rows = rows;
    for stage in stages {
        rows = Cow::Owned(stage.apply(&rows, threads)?);
    }
    Ok(rows)
}

/// Window statistics or pooling, then the features kept.
pub(crate) fn geometry(model: &ModelBuf) -> Result<Vec<Stage>, ParamError> {
    let mut stages = Vec::new();
    if let (Some(shape), Some(window)) = (model.shape, model.window) {
        let (channels, steps) = (shape.channels as usize, shape.cols as usize);
        let stage = Window::new(channels, steps, usize::from(window.segments), window.interleaved)?;
        let all = channels * usize::from(window.segments) * STATISTICS;
        let asked: Vec<bool> = (0..all).map(|j| window.stats >> (j % STATISTICS) & 1 == 1).collect();
        stages.push(Stage::Window(stage));
        if asked.contains(&false) {
            stages.push(Stage::Select(Select::new(asked)));
        }
    } else {
        stages.extend(pool(model)?.map(Stage::Pool));
    }
    stages.extend(model.select.clone().map(|mask| Stage::Select(Select::new(mask))));
    Ok(stages)
}

/// Pooling, if the model has it.
pub(crate) fn pool(model: &ModelBuf) -> Result<Option<Pool>, ParamError> {
    let (Some(shape), Some(pool)) = (model.shape, model.pool) else { return Ok(None) };
    let (channels, rows, cols) = (shape.channels as usize, shape.rows as usize, shape.cols as usize);
    Pool::by(channels, rows, cols, (usize::from(pool.rows), usize::from(pool.cols))).map(Some)
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
    match &model.readout {
        // The mapped values are the embedding.
        None => Map::Mapped { basis, weights: Mat::identity(model.dim, model.dim), bias: vec![0.0; model.dim] },
        Some(readout) => Map::Mapped {
            basis,
            weights: matrix(&readout.weights, model.dim),
            bias: or_zeros(&readout.bias, model.dim),
        },
    }
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
        },
    }
}
