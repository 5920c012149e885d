//! The map from a prepared row to its embedding: the form in which every method ends.

pub(crate) mod seeded;

use crate::dataset::Dataset;
use crate::kernel::{Kernel, cross};
use crate::linalg::{Mat, mul, mul_nt, mul_tn};
use crate::parallel;
use crate::preprocess::Projection;
use seeded::Seeded;
use std::borrow::Cow;

/// Rows embedded at a time: bounds the memory for kernel values.
const BLOCK: usize = 4096;

/// What a row is mapped to before the linear readout.
#[derive(Debug, Clone, PartialEq)]
pub enum Basis {
    /// Kernel values `k(x, c_i)`.
    Centers {
        /// The kernel.
        kernel: Kernel,
        /// One row per center.
        centers: Mat,
    },
    /// Random features `cos(w_iᵀx + φ_i)`.
    Random {
        /// One row per feature.
        weights: Mat,
        /// One angle per feature, in radians.
        phases: Vec<f64>,
        /// Where they come from, if a device can make them again instead of storing them.
        seeded: Option<Seeded>,
    },
}

impl Basis {
    /// The mapped rows: one column per center or feature.
    #[must_use]
    pub fn feature_map(&self, rows: &Mat, threads: usize) -> Mat {
        match self {
            Self::Centers { kernel, centers } => cross(*kernel, rows, centers, threads),
            Self::Random { weights, phases, .. } => cosines(mul_nt(rows, weights, threads), phases),
        }
    }

    /// The mapped rows of data, sparse ones never filled in where the features are random.
    pub(crate) fn feature_map_of(&self, data: &Dataset, threads: usize) -> Mat {
        match (data.sparse_rows(), self) {
            // A column of the weights is what one value of a row is multiplied by.
            (Some(rows), Self::Random { weights, phases, .. }) => {
                cosines(rows.weigh(weights, threads).transpose(), phases)
            }
            _ => self.feature_map(data.rows(), threads),
        }
    }

    /// Values per input row.
    #[must_use]
    pub fn inputs(&self) -> usize {
        match self {
            Self::Centers { centers: rows, .. } | Self::Random { weights: rows, .. } => rows.ncols(),
        }
    }
}

/// `cos(product + phase)`, a column per feature.
fn cosines(mut products: Mat, phases: &[f64]) -> Mat {
    for (mut column, phase) in products.column_iter_mut().zip(phases) {
        column.apply(|v| *v = libm::cos(*v + phase));
    }
    products
}

/// The map from a prepared row `x` to its embedding `z`.
#[derive(Debug, Clone, PartialEq)]
pub enum Map {
    /// `z = x`.
    Identity {
        /// Values per row.
        width: usize,
    },
    /// `z = W x + b`.
    Linear(Projection),
    /// `z = Aᵀ feature map(x) + b`.
    Mapped {
        /// Kernel centers or random features.
        basis: Basis,
        /// `A`: mapped values × dim.
        weights: Mat,
        /// `b`.
        bias: Vec<f64>,
    },
}

impl Map {
    /// A mapped map without bias; linear and given kernels fold into one linear map.
    #[must_use]
    pub fn mapped(basis: Basis, weights: Mat) -> Self {
        let bias = vec![0.0; weights.ncols()];
        Self::mapped_with_bias(basis, weights, bias)
    }

    /// A mapped map; linear and given kernels fold into one linear map.
    pub(crate) fn mapped_with_bias(basis: Basis, weights: Mat, bias: Vec<f64>) -> Self {
        match basis {
            Basis::Centers { kernel: Kernel::Linear, centers } => {
                Self::Linear(Projection { weights: mul_tn(&weights, &centers, 1), bias })
            }
            Basis::Centers { kernel: Kernel::Given, .. } => {
                Self::Linear(Projection { weights: weights.transpose(), bias })
            }
            basis => Self::Mapped { basis, weights, bias },
        }
    }

    /// The linear map of rows centered by `mean`: `z = Vᵀ(x − mean)` for `axes = V`.
    #[must_use]
    pub fn linear(axes: &Mat, mean: &[f64]) -> Self {
        let bias = axes.column_iter().map(|v| -v.iter().zip(mean).map(|(a, m)| a * m).sum::<f64>()).collect();
        Self::Linear(Projection { weights: axes.transpose(), bias })
    }

    /// The same map followed by `z ↦ axesᵀ z`.
    pub(crate) fn rotated(self, axes: &Mat) -> Self {
        let turn = |bias: &[f64]| axes.tr_mul(&nalgebra::DVector::from_column_slice(bias)).iter().copied().collect();
        match self {
            Self::Identity { .. } => {
                Self::Linear(Projection { weights: axes.transpose(), bias: vec![0.0; axes.ncols()] })
            }
            Self::Linear(map) => {
                Self::Linear(Projection { weights: mul_tn(axes, &map.weights, 1), bias: turn(&map.bias) })
            }
            Self::Mapped { basis, weights, bias } => {
                Self::Mapped { basis, weights: mul(&weights, axes, 1), bias: turn(&bias) }
            }
        }
    }

    /// Values per input row.
    #[must_use]
    pub fn inputs(&self) -> usize {
        match self {
            Self::Identity { width } => *width,
            Self::Linear(map) => map.weights.ncols(),
            Self::Mapped { basis, .. } => basis.inputs(),
        }
    }

    /// Embeds prepared rows.
    #[must_use]
    pub fn apply(&self, rows: &Mat, threads: usize) -> Mat {
        let Self::Mapped { bias, .. } = self else { return self.read_out(rows, threads) };
        let mut z = Mat::zeros(rows.nrows(), bias.len());
        for (start, count) in parallel::blocks(rows.nrows(), BLOCK) {
            let some = rows.rows(start, count).into_owned();
            z.rows_mut(start, count).copy_from(&self.read_out(&self.map_rows(&some, threads), threads));
        }
        z
    }

    /// What the readout takes: the mapped rows, or without a feature map the rows as they are.
    pub(crate) fn map_rows<'a>(&self, rows: &'a Mat, threads: usize) -> Cow<'a, Mat> {
        match self {
            Self::Identity { .. } | Self::Linear(_) => Cow::Borrowed(rows),
            Self::Mapped { basis, .. } => Cow::Owned(basis.feature_map(rows, threads)),
        }
    }

    /// The embedding of what [`map_rows`](Self::map_rows) gives.
    pub(crate) fn read_out(&self, mapped: &Mat, threads: usize) -> Mat {
        match self {
            Self::Identity { .. } => mapped.clone(),
            Self::Linear(map) => map.apply(mapped, threads),
            Self::Mapped { weights, bias, .. } => {
                let mut z = mul(mapped, weights, threads);
                for (mut column, b) in z.column_iter_mut().zip(bias) {
                    column.add_scalar_mut(*b);
                }
                z
            }
        }
    }
}
