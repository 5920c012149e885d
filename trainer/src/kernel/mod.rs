//! Kernels in f64: which ones there are, how wide they are, and their Gram matrices.

mod exp;
mod gram;
mod sparse;

pub use gram::gram;
pub(crate) use gram::{
    cross, gaussian_in_place, gram_lower, mean_distance, squared_distances, squared_distances_lower,
};
pub(crate) use sparse::sparse_distances;

use crate::dataset::Dataset;
use crate::error::{DataError, FitError, ParamError};
use crate::linalg::Mat;
use std::borrow::Cow;

/// A kernel function with its constants.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kernel {
    /// `exp(-gamma ‖u − v‖²)`
    Gaussian {
        /// Inverse squared width.
        gamma: f64,
    },
    /// `exp(-gamma ‖u − v‖₁)`
    Laplacian {
        /// Inverse width.
        gamma: f64,
    },
    /// `(gamma uᵀv + offset)^degree`
    Polynomial {
        /// Factor of the inner product.
        gamma: f64,
        /// Added before the power is taken.
        offset: f64,
        /// The power, 1 to 8.
        degree: u32,
    },
    /// `uᵀv`; models built on it fold into one linear map.
    Linear,
    /// Given as a matrix: a row holds its kernel values with the centers already. Models fold into one linear map of them.
    Given,
}

impl Kernel {
    /// What the kernel looks at to compare rows with those of these numbers: of given values, their columns.
    pub(crate) fn against<'a>(self, rows: &'a Mat, centers: &[usize]) -> Cow<'a, Mat> {
        if self == Self::Given { Cow::Owned(rows.select_columns(centers)) } else { Cow::Borrowed(rows) }
    }
}

/// How wide a kernel is, relative to the training rows or absolutely.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sigma {
    /// The mean pairwise distance of the training rows, `σ̄`.
    Mean,
    /// This many times `σ̄`.
    Factor(f64),
    /// Just this.
    Value(f64),
}

impl Sigma {
    /// Refuses widths that are not positive.
    pub(crate) fn check(self) -> Result<(), ParamError> {
        match self {
            Self::Mean => Ok(()),
            Self::Factor(value) | Self::Value(value) => ParamError::positive("sigma", value),
        }
    }

    /// So many times as wide.
    pub(crate) fn times(self, factor: f64) -> Self {
        match self {
            Self::Mean if factor == 1.0 => Self::Mean,
            Self::Mean => Self::Factor(factor),
            Self::Factor(own) => Self::Factor(own * factor),
            Self::Value(own) => Self::Value(own * factor),
        }
    }

    /// The width, given the mean distance.
    pub(crate) fn resolve(self, mean: impl FnOnce() -> f64) -> f64 {
        match self {
            Self::Mean => mean(),
            Self::Factor(factor) => factor * mean(),
            Self::Value(value) => value,
        }
    }
}

/// A kernel as the user asks for it; [`KernelChoice::resolve`] looks at the rows and makes a [`Kernel`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum KernelChoice {
    /// Gaussian, `gamma = 1/(2σ²)`.
    Gaussian(Sigma),
    /// Laplacian, `gamma = 1/σ`, where `σ̄` is measured in the same `‖·‖₁`.
    Laplacian(Sigma),
    /// Polynomial, `gamma = 1/σ²`, where `σ̄` is the root mean square length of the rows.
    Polynomial {
        /// Width that makes the inner products of order one.
        sigma: Sigma,
        /// Added before the power is taken.
        offset: f64,
        /// The power, 1 to 8.
        degree: u32,
    },
    /// The plain inner product.
    Linear,
    /// Rows are the kernel matrix itself: [`Dataset::into_similarities`].
    Precomputed,
}

impl KernelChoice {
    /// The kernel so many times as wide, if it is one of distances.
    pub(crate) fn wider(self, factor: f64) -> Self {
        match self {
            Self::Gaussian(sigma) => Self::Gaussian(sigma.times(factor)),
            Self::Laplacian(sigma) => Self::Laplacian(sigma.times(factor)),
            Self::Polynomial { .. } | Self::Linear | Self::Precomputed => self,
        }
    }

    /// Refuses widths, offsets and degrees that make no kernel.
    pub(crate) fn check(self) -> Result<(), ParamError> {
        match self {
            Self::Gaussian(sigma) | Self::Laplacian(sigma) => sigma.check(),
            Self::Polynomial { sigma, offset, degree } => {
                ParamError::not_negative("offset", offset)?;
                ParamError::check((1..=8).contains(&degree), "degree", "1 to 8", f64::from(degree))?;
                sigma.check()
            }
            Self::Linear | Self::Precomputed => Ok(()),
        }
    }

    /// The kernel for these training rows, and the lower triangle of its matrix: the distances that a relative
    /// width is measured by are the same that the matrix is made of, and need computing only once.
    pub(crate) fn resolve_with_gram(self, rows: &Mat, threads: usize) -> Result<(Kernel, Mat), FitError> {
        let sigma = match self {
            Self::Gaussian(sigma @ (Sigma::Mean | Sigma::Factor(_))) if rows.nrows() <= gram::DISTANCE_ROWS => sigma,
            _ => {
                let kernel = self.resolve(rows, threads)?;
                return Ok((kernel, gram_lower(kernel, rows, threads)));
            }
        };
        let mut k = squared_distances_lower(rows, threads);
        let sigma = sigma.resolve(|| gram::mean_of_lower(&k, threads));
        if sigma <= 0.0 {
            return Err(FitError::AllRowsEqual { rows: rows.nrows() });
        }
        let gamma = 0.5 / (sigma * sigma);
        gaussian_in_place(gamma, &mut k, threads);
        Ok((Kernel::Gaussian { gamma }, k))
    }

    /// As [`resolve`](Self::resolve), for rows that may be sparse. Only Gaussians, and widths given as such, are known of those.
    pub(crate) fn resolve_for(self, data: &Dataset, threads: usize) -> Result<Kernel, FitError> {
        match (self, data.sparse_rows()) {
            (Self::Gaussian(sigma), Some(rows)) => {
                let sigma = sigma.resolve(|| sparse::mean_distance(rows, threads));
                if sigma <= 0.0 {
                    return Err(FitError::AllRowsEqual { rows: data.len() });
                }
                Ok(Kernel::Gaussian { gamma: 0.5 / (sigma * sigma) })
            }
            _ => self.resolve(data.rows(), threads),
        }
    }

    /// The kernel for these training rows; an error when a width relative to the data is asked for and the data have none.
    pub(crate) fn resolve(self, rows: &Mat, threads: usize) -> Result<Kernel, FitError> {
        let width = |sigma: Sigma, mean: &dyn Fn() -> f64| {
            let value = sigma.resolve(mean);
            if value > 0.0 { Ok(value) } else { Err(FitError::AllRowsEqual { rows: rows.nrows() }) }
        };
        Ok(match self {
            Self::Gaussian(sigma) => {
                let sigma = width(sigma, &|| mean_distance(rows, threads))?;
                Kernel::Gaussian { gamma: 0.5 / (sigma * sigma) }
            }
            Self::Laplacian(sigma) => {
                let sigma = width(sigma, &|| gram::mean_distance_l1(rows, threads))?;
                Kernel::Laplacian { gamma: 1.0 / sigma }
            }
            Self::Polynomial { sigma, offset, degree } => {
                let sigma = width(sigma, &|| (rows.norm_squared() / rows.nrows() as f64).sqrt())?;
                Kernel::Polynomial { gamma: 1.0 / (sigma * sigma), offset, degree }
            }
            Self::Linear => Kernel::Linear,
            Self::Precomputed if rows.is_square() => Kernel::Given,
            Self::Precomputed => {
                return Err(DataError::NotSquare { rows: rows.nrows(), columns: rows.ncols() }.into());
            }
        })
    }
}

impl std::fmt::Display for Sigma {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Mean => write!(f, "mean"),
            Self::Factor(factor) => write!(f, "{factor}x"),
            Self::Value(value) => write!(f, "{value}"),
        }
    }
}

impl std::fmt::Display for KernelChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Gaussian(sigma) => write!(f, "gaussian, sigma {sigma}"),
            Self::Laplacian(sigma) => write!(f, "laplacian, sigma {sigma}"),
            Self::Polynomial { sigma, offset, degree } => {
                write!(f, "polynomial, sigma {sigma}, offset {offset}, degree {degree}")
            }
            Self::Linear => write!(f, "linear"),
            Self::Precomputed => write!(f, "precomputed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_follow_their_rules() -> Result<(), FitError> {
        // Three points on a line: distances 1, 2, 3, mean 2.
        let rows = Mat::from_row_slice(3, 1, &[0.0, 1.0, 3.0]);
        let gamma = |sigma| match KernelChoice::Gaussian(sigma).resolve(&rows, 1) {
            Ok(Kernel::Gaussian { gamma }) => gamma,
            _ => f64::NAN,
        };
        assert!((gamma(Sigma::Mean) - 0.125).abs() < 1e-15);
        assert!((gamma(Sigma::Factor(0.5)) - 0.5).abs() < 1e-15);
        assert!((gamma(Sigma::Value(1.0)) - 0.5).abs() < 1e-15);
        let laplacian = KernelChoice::Laplacian(Sigma::Mean).resolve(&rows, 1)?;
        assert_eq!(laplacian, Kernel::Laplacian { gamma: 0.5 });
        Ok(())
    }

    #[test]
    fn rows_that_are_all_equal_have_no_width() {
        let error = KernelChoice::Gaussian(Sigma::Mean).resolve(&Mat::from_element(4, 2, 1.5), 1);
        assert_eq!(error, Err(FitError::AllRowsEqual { rows: 4 }));
    }
}
