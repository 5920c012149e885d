//! A compact model's numbers, and the fitted model that they make.

use super::space::size::{Numeric, Shape};
use crate::dataset::Dataset;
use crate::kernel::Kernel;
use crate::linalg::Mat;
use crate::model::Fitted;
use crate::model::HostModel;
use crate::model::head::Head;
use crate::model::map::{Basis, Map};
use crate::preprocess::{Projection, Stage};
use nearmark_format::{FeatureMap, ModelBuf, Scale, Tensor};

/// Projection, centers, width, readout and class points. Without centers the projection is the embedding.
#[derive(Debug, Clone, PartialEq)]
pub struct Core {
    /// `u = P x + b`; a feature that is not used has a column of zeros.
    pub projection: Projection,
    /// `γ` of the Gaussian.
    pub gamma: f64,
    /// One center per row.
    pub centers: Mat,
    /// Centers × dim.
    pub weights: Mat,
    /// One value per coordinate of the embedding.
    pub bias: Vec<f64>,
    /// One point per class; the unit vectors where the embedding has a coordinate per class.
    pub means: Mat,
}

impl Core {
    /// The sizes; a feature counts as kept where any weight of it is not zero.
    #[must_use]
    pub fn shape(&self) -> Shape {
        Shape {
            features: self.projection.weights.ncols(),
            kept: self.projection.weights.column_iter().filter(|w| w.amax() > 0.0).count(),
            nonzeros: None,
            projected: self.projection.weights.nrows(),
            centers: self.centers.nrows(),
            dim: self.means.ncols(),
            classes: self.means.nrows(),
            unit: self.means.is_square() && self.means == Mat::identity(self.means.nrows(), self.means.nrows()),
            door: false,
        }
    }

    /// Whether there are no centers.
    #[must_use]
    pub fn is_linear(&self) -> bool {
        self.centers.is_empty()
    }

    /// The map behind the projection, or the projection itself where it is all.
    #[must_use]
    pub fn map(&self) -> Map {
        if self.is_linear() {
            return Map::Linear(self.projection.clone());
        }
        let kernel = Kernel::Gaussian { gamma: self.gamma };
        Map::Mapped {
            basis: Basis::Centers { kernel, centers: self.centers.clone() },
            weights: self.weights.clone(),
            bias: self.bias.clone(),
        }
    }

    /// The model in f64 over prepared rows.
    #[must_use]
    pub fn host(&self) -> HostModel {
        let projection = (!self.is_linear()).then(|| Stage::Project(self.projection.clone()));
        HostModel { stages: projection.into_iter().collect(), map: self.map(), head: Head::Means(self.means.clone()) }
    }

    /// The model of these numbers behind fitted stages; `data` are the rows that go into the first of those.
    ///
    /// The class points are learned, not means of training rows: they are what the fitted model knows as its embedding,
    /// with one row per class.
    #[must_use]
    pub fn fitted(&self, stages: &[Stage], data: &Dataset) -> Fitted {
        let firsts: Vec<usize> = data.class_rows().iter().map(|rows| rows.first().copied().unwrap_or(0)).collect();
        let projection = (!self.is_linear()).then(|| Stage::Project(self.projection.clone()));
        let stages = stages.iter().cloned().chain(projection).collect();
        Fitted::new(&data.select(&firsts), self.map(), self.means.clone()).behind(stages, data)
    }
}

/// Leaves out the features of a float model that its projection does not look at, where that saves bytes in the form in
/// which it will be stored.
pub fn drop_unused(model: &mut ModelBuf, numeric: Numeric) {
    let (width, dim) = (model.features(), model.dim);
    let (None, Scale::None) = (&model.select, &model.scale) else { return };
    let linear = model.project.is_none();
    let projection = model.project.as_mut().map(|project| (project.outputs, &mut project.values));
    let readout = model.readout.as_mut().filter(|_| linear && model.feature_map == FeatureMap::None);
    let Some((outputs, Tensor::F32(values))) = projection.or(readout.map(|r| (dim, &mut r.weights))) else { return };
    // A projection lies output by output, a readout feature by feature.
    let feature = |i: usize| if linear { i / dim } else { i % width };
    let mut used = vec![false; width];
    values.iter().enumerate().filter(|(_, w)| **w != 0.0).for_each(|(i, _)| used[feature(i)] = true);
    let kept = used.iter().filter(|used| **used).count();
    // Only the side of the features counts: the rest is the same either way.
    let centers = usize::from(!linear);
    let (features, projected, classes) = (width, outputs, 1);
    let shape = Shape { features, kept, nonzeros: None, projected, centers, dim, classes, unit: true, door: false };
    if kept > 0 && shape.drops(numeric) {
        let left = values.iter().enumerate().filter(|(i, _)| used[feature(*i)]).map(|(_, w)| *w).collect();
        *values = left;
        model.select = Some(used);
    }
}
