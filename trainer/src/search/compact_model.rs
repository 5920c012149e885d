//! The numbers of a compact model in f64, and the fitted model that they make.

use super::Dimensions;
use crate::compile::quantize::learned::LearnedSteps;
use crate::dataset::Dataset;
use crate::kernel::Kernel;
use crate::linalg::Mat;
use crate::model::head::Head;
use crate::model::map::{Basis, Map};
use crate::model::{Fitted, HostModel};
use crate::preprocess::{Projection, Stage};
use nearmark_format::{FeatureMap, ModelBuf, Scale, Tensor};

/// Projection, kernel centers, readout and class points. Without centers the projection is the embedding.
#[derive(Debug, Clone, PartialEq)]
pub struct CompactModel {
    /// `u = P x + b`; a feature that is not used has a column of zeros.
    pub projection: Projection,
    /// `γ` of the Gaussian kernel.
    pub gamma: f64,
    /// One center per row.
    pub centers: Mat,
    /// Readout weights, centers × dim.
    pub weights: Mat,
    /// Readout bias, one value per coordinate of the embedding.
    pub bias: Vec<f64>,
    /// One point per class; the unit vectors where the embedding has one coordinate per class.
    pub means: Mat,
    /// The units of its integers, where training learned them.
    pub steps: Option<LearnedSteps>,
}

impl CompactModel {
    /// The dimensions; a feature counts as kept if any of its weights is not zero.
    #[must_use]
    pub fn dimensions(&self) -> Dimensions {
        let weights = &self.projection.weights;
        let ((projected, features), (classes, dim)) = (weights.shape(), self.means.shape());
        Dimensions {
            kept: weights.column_iter().filter(|w| w.amax() > 0.0).count(),
            unit: self.means == Mat::identity(classes, dim) && classes == dim,
            ..Dimensions::dense(features, projected, self.centers.nrows(), dim, classes)
        }
    }

    /// The map after the projection; the projection itself if there are no centers.
    pub(super) fn map(&self) -> Map {
        if self.centers.is_empty() {
            return Map::Linear(self.projection.clone());
        }
        let kernel = Kernel::Gaussian { gamma: self.gamma };
        Map::Mapped {
            basis: Basis::Centers { kernel, centers: self.centers.clone() },
            weights: self.weights.clone(),
            bias: self.bias.clone(),
        }
    }

    /// The projection in front of the centers, if there are any.
    fn projection_stage(&self) -> Option<Stage> {
        (!self.centers.is_empty()).then(|| Stage::Project(self.projection.clone()))
    }

    /// The same as a model over preprocessed rows, with the host's forward pass.
    #[must_use]
    pub fn host(&self) -> HostModel {
        HostModel {
            stages: self.projection_stage().into_iter().collect(),
            map: self.map(),
            head: Head::Means(self.means.clone()),
        }
    }

    /// The fitted model with preprocessing in front; `data` are the rows before preprocessing.
    ///
    /// The class points are trained parameters, not means of training rows. [`Fitted`] takes them as an embedding with
    /// one row per class.
    #[must_use]
    pub fn fitted(&self, preprocessing: &[Stage], data: &Dataset) -> Fitted {
        let firsts: Vec<usize> = data.class_rows().iter().map(|rows| rows.first().copied().unwrap_or(0)).collect();
        let stages = preprocessing.iter().cloned().chain(self.projection_stage()).collect();
        Fitted::new(&data.select(&firsts), self.map(), self.means.clone()).behind(stages, data)
    }
}

/// Removes the features that an F32 model's projection does not use; a mask takes their place.
pub fn drop_unused(model: &mut ModelBuf) {
    let (features, dim) = (model.features(), model.dim);
    let (None, Scale::None) = (&model.select, &model.scale) else { return };
    let linear = model.project.is_none();
    let projection = model.project.as_mut().map(|project| &mut project.values);
    let readout = model.readout.as_mut().filter(|_| linear && model.feature_map == FeatureMap::None);
    let Some(Tensor::F32(values)) = projection.or(readout.map(|readout| &mut readout.weights)) else { return };
    // A projection is stored output by output, a readout feature by feature.
    let feature = |i: usize| if linear { i / dim } else { i % features };
    let mut used = vec![false; features];
    values.iter().enumerate().filter(|(_, w)| **w != 0.0).for_each(|(i, _)| used[feature(i)] = true);
    if used.contains(&true) {
        *values = values.iter().enumerate().filter(|(i, _)| used[feature(*i)]).map(|(_, w)| *w).collect();
        model.select = Some(used);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two centers at −1 and 1 on a line; each answers with its own coordinate of the embedding.
    fn two_centers() -> CompactModel {
        CompactModel {
            projection: Projection { weights: Mat::from_row_slice(1, 2, &[1.0, 0.0]), bias: vec![0.5] },
            gamma: 1.0,
            centers: Mat::from_column_slice(2, 1, &[-1.0, 1.0]),
            weights: Mat::identity(2, 2),
            bias: vec![0.0; 2],
            means: Mat::identity(2, 2),
            steps: None,
        }
    }

    #[test]
    fn the_embedding_is_the_kernel_values_by_hand() -> Result<(), crate::DataError> {
        // x = 0.5 projects to 1: at distance 2 from the first center and on the second.
        let embedded = two_centers().host().embed(&Mat::from_row_slice(1, 2, &[0.5, 7.0]), 1)?;
        assert!((embedded[(0, 0)] - libm::exp(-4.0)).abs() < 1e-12 && (embedded[(0, 1)] - 1.0).abs() < 1e-12);
        assert_eq!(two_centers().host().classify(&Mat::from_row_slice(2, 2, &[0.5, 7.0, -1.5, 7.0]), 1)?, [1, 0]);
        Ok(())
    }

    #[test]
    fn dimensions_are_those_of_the_matrices() {
        let found = two_centers().dimensions();
        assert_eq!((found.features, found.kept, found.projected), (2, 1, 1), "the second feature has no weight");
        assert_eq!((found.centers, found.dim, found.classes, found.unit), (2, 2, 2, true));
    }
}
