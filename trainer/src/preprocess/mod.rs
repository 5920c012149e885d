//! What happens to a row before a method sees it, learned on training rows only.
//!
//! The order is the device's: window statistics or counts, pooling, selection, scaling, projection.

mod auto;
pub(crate) mod convolution;
pub(crate) mod counts;
mod grid;
mod pca;
mod pool;
mod scale;
mod select;
mod window;

pub use convolution::{Convolution, Filters};
pub use counts::Counts;
pub use grid::Grid;
pub use pca::Components;
pub(crate) use pca::{principal_axes, sparse_axes};
pub use pool::Pool;
pub use scale::{Scale, Scaling};
pub use select::Select;
pub use window::{Window, interleave};

use crate::error::DataError;
use crate::linalg::{Mat, mul_nt};

/// A fitted stage.
#[derive(Debug, Clone, PartialEq)]
pub enum Stage {
    /// Statistics of a sensor window.
    Window(Window),
    /// Learned filters of an image.
    Convolution(Convolution),
    /// Counts of fixed convolutions of a sensor window.
    Counts(Counts),
    /// Sums over blocks of an image.
    Pool(Pool),
    /// The features kept.
    Select(Select),
    /// An affine map of every feature, or division by the row's length.
    Scale(Scale),
    /// A linear map to fewer features.
    Project(Projection),
    /// Every value as a byte would hold it: fake quantization of what comes before.
    Round(Grid),
}

/// `x ↦ weights · x + bias`.
#[derive(Debug, Clone, PartialEq)]
pub struct Projection {
    /// Outputs × inputs.
    pub weights: Mat,
    /// One value per output.
    pub bias: Vec<f64>,
}

impl Projection {
    /// Applies the map to every row.
    #[must_use]
    pub fn apply(&self, rows: &Mat, threads: usize) -> Mat {
        let mut out = mul_nt(rows, &self.weights, threads);
        for (mut column, b) in out.column_iter_mut().zip(&self.bias) {
            column.add_scalar_mut(*b);
        }
        out
    }
}

impl Stage {
    /// What this stage makes of the rows.
    ///
    /// # Errors
    /// [`DataError`] when the rows have another width than those it was fitted on.
    pub fn apply(&self, rows: &Mat, threads: usize) -> Result<Mat, DataError> {
        match self {
            Self::Window(window) => window.apply(rows),
            Self::Convolution(convolution) => convolution.apply(rows, threads),
            Self::Counts(counts) => counts.apply(rows, threads),
            Self::Pool(pool) => pool.apply(rows),
            Self::Select(select) => select.apply(rows),
            Self::Scale(scale) => scale.apply(rows),
            Self::Round(grid) => check_width(rows, grid.step.len()).map(|()| grid.apply(rows)),
            Self::Project(projection) => {
                check_width(rows, projection.weights.ncols()).map(|()| projection.apply(rows, threads))
            }
        }
    }
}

/// Refuses rows of another width than those a stage was fitted on.
fn check_width(rows: &Mat, expected: usize) -> Result<(), DataError> {
    let got = rows.ncols();
    if got == expected { Ok(()) } else { Err(DataError::Width { expected, got }) }
}
