//! Selection: the features that a model looks at.

use super::check_width;
use crate::error::DataError;
use crate::linalg::Mat;

/// Which features are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Select {
    mask: Vec<bool>,
    kept: Vec<usize>,
}

impl Select {
    /// A flag per feature.
    pub(crate) fn new(mask: Vec<bool>) -> Self {
        let kept = (0..mask.len()).filter(|&j| mask[j]).collect();
        Self { mask, kept }
    }

    pub(crate) fn mask(&self) -> &[bool] {
        &self.mask
    }

    /// The features kept, in ascending order.
    pub(crate) fn kept(&self) -> &[usize] {
        &self.kept
    }

    /// The kept columns.
    pub(crate) fn apply(&self, rows: &Mat) -> Result<Mat, DataError> {
        check_width(rows, self.mask.len())?;
        Ok(rows.select_columns(&self.kept))
    }
}
