//! Scaling, learned on training rows only.

use super::{auto, check_width};
use crate::error::{DataError, FitError};
use crate::linalg::{Csr, Mat, column, column_means};

/// Which scaling to learn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scaling {
    /// `None` if nearly all columns lie in −1..=1, `Range` if they are integers, else `Standard`; a few columns that vary far
    /// more or far less than the others are kept from mattering more.
    #[default]
    Auto,
    /// Rows as they are.
    None,
    /// One affine map of all values to 0..=1.
    Range,
    /// Every column to 0..=1.
    MinMax,
    /// Every column to mean 0 and variance 1.
    Standard,
    /// Every row to length 1.
    Unit,
}

/// A fitted scaling.
#[derive(Debug, Clone, PartialEq)]
pub enum Scale {
    /// `x·mul + add`, the same for every feature.
    Uniform {
        /// Factor.
        mul: f64,
        /// Offset, added last.
        add: f64,
    },
    /// `x·mul + add` per feature.
    Features {
        /// Factors.
        mul: Vec<f64>,
        /// Offsets, added last.
        add: Vec<f64>,
    },
    /// Divides each row by its length; zero rows stay zero.
    Unit,
}

impl Scaling {
    /// Learns the scaling from training rows and their classes, which tell `Auto` whether a column that hardly varies is
    /// noise; `None` when nothing is to be done.
    pub(crate) fn fit(self, rows: &Mat, labels: &[usize]) -> Option<Scale> {
        match self {
            Self::Auto => auto::fit(rows, labels),
            Self::None => None,
            Self::Range => {
                let (mul, add) = to_unit_interval(rows.min(), rows.max());
                Some(Scale::Uniform { mul, add })
            }
            Self::MinMax => Some(Scale::per_feature(rows, |column, _| {
                let (low, high) =
                    column.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
                to_unit_interval(low, high)
            })),
            Self::Standard => Some(Scale::per_feature(rows, |column, mean| {
                // A constant column carries no information; it becomes zero instead of noise over nothing.
                let spread = auto::spread(column, mean);
                let mul = if spread > 0.0 { 1.0 / spread } else { 1.0 };
                (mul, -mean * mul)
            })),
            Self::Unit => Some(Scale::Unit),
        }
    }

    /// Learns the scaling from sparse rows, whose zeros it must keep; `Auto` is none.
    pub(crate) fn fit_sparse(self, rows: &Csr) -> Result<Option<Scale>, FitError> {
        let refused = || FitError::SparseScale { scaling: self.to_string() };
        let all = rows.nrows();
        match self {
            Self::Auto | Self::None => Ok(None),
            Self::Unit => Ok(Some(Scale::Unit)),
            Self::Standard => Err(refused()),
            Self::Range | Self::MinMax if rows.values().iter().any(|value| *value < 0.0) => Err(refused()),
            Self::Range => {
                let high = rows.values().iter().copied().fold(0.0, f64::max);
                Ok(Some(Scale::Uniform { mul: to_unit_interval(0.0, high).0, add: 0.0 }))
            }
            Self::MinMax => {
                let (mut high, mut count) = (vec![0.0_f64; rows.ncols()], vec![0_usize; rows.ncols()]);
                for (indices, values) in (0..all).map(|i| rows.row(i)) {
                    for (&index, &value) in indices.iter().zip(values) {
                        high[index as usize] = high[index as usize].max(value);
                        count[index as usize] += usize::from(value > 0.0);
                    }
                }
                // A column without any zero would be shifted.
                if count.contains(&all) {
                    return Err(refused());
                }
                let mul = high.into_iter().map(|high| to_unit_interval(0.0, high).0).collect();
                Ok(Some(Scale::Features { mul, add: vec![0.0; rows.ncols()] }))
            }
        }
    }

    /// The rule of `Auto`.
    pub(crate) fn choose(rows: &Mat) -> Self {
        auto::choose(rows)
    }

    /// What the user should know of this scaling of these rows.
    pub(crate) fn notes(self, rows: &Mat, labels: &[usize]) -> Vec<String> {
        if self == Self::Auto { auto::notes(rows, labels) } else { Vec::new() }
    }
}

/// The affine map of `low..=high` to 0..=1; a single point goes to 0.
pub(super) fn to_unit_interval(low: f64, high: f64) -> (f64, f64) {
    let mul = if high > low { 1.0 / (high - low) } else { 1.0 };
    (mul, -low * mul)
}

impl Scale {
    fn per_feature(rows: &Mat, f: impl Fn(&[f64], f64) -> (f64, f64)) -> Self {
        let means = column_means(rows);
        let (mul, add) = means.into_iter().enumerate().map(|(j, mean)| f(column(rows, j), mean)).unzip();
        Self::Features { mul, add }
    }

    /// The scaled sparse rows; for a scaling that keeps zeros.
    pub(crate) fn apply_sparse(&self, rows: Csr) -> Csr {
        match self {
            Self::Uniform { mul, .. } => rows.map(|_, _, value| value * mul),
            Self::Features { mul, .. } => rows.map(|_, column, value| value * mul[column]),
            Self::Unit => {
                let lengths: Vec<f64> = rows.squared_lengths().into_iter().map(f64::sqrt).collect();
                rows.map(|row, _, value| if lengths[row] > 0.0 { value / lengths[row] } else { value })
            }
        }
    }

    /// The scaled rows.
    pub(crate) fn apply(&self, rows: &Mat) -> Result<Mat, DataError> {
        let mut rows = rows.clone();
        match self {
            Self::Uniform { mul, add } => rows.apply(|v| *v = *v * mul + add),
            Self::Features { mul, add } => {
                check_width(&rows, mul.len())?;
                for ((mut column, m), a) in rows.column_iter_mut().zip(mul).zip(add) {
                    column.apply(|v| *v = *v * m + a);
                }
            }
            Self::Unit => {
                for mut row in rows.row_iter_mut() {
                    let length = row.norm();
                    if length > 0.0 {
                        row /= length;
                    }
                }
            }
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scaled(scaling: Scaling, rows: &Mat) -> Result<Mat, DataError> {
        scaling.fit(rows, &[]).map_or_else(|| Ok(rows.clone()), |scale| scale.apply(rows))
    }

    #[test]
    fn each_scaling_does_what_its_name_says() -> Result<(), DataError> {
        let rows = Mat::from_row_slice(2, 2, &[0.0, 10.0, 4.0, 30.0]);
        assert_eq!(scaled(Scaling::MinMax, &rows)?, Mat::from_row_slice(2, 2, &[0.0, 0.0, 1.0, 1.0]));
        assert_eq!(scaled(Scaling::Standard, &rows)?, Mat::from_row_slice(2, 2, &[-1.0, -1.0, 1.0, 1.0]));
        let range = scaled(Scaling::Range, &rows)?;
        assert!((range - rows.clone() / 30.0).amax() < 1e-15);
        let unit = scaled(Scaling::Unit, &rows)?;
        assert!(unit.row_iter().all(|r| (r.norm() - 1.0).abs() < 1e-15));
        assert_eq!(scaled(Scaling::None, &rows)?, rows);
        Ok(())
    }

    #[test]
    fn sparse_rows_are_scaled_as_dense_ones_or_not_at_all() -> Result<(), Box<dyn std::error::Error>> {
        let rows = crate::linalg::csr::tests::sparse(40, 6, 0);
        let all: Vec<usize> = (0..40).collect();
        for scaling in [Scaling::None, Scaling::Unit, Scaling::Range, Scaling::MinMax] {
            let scale = scaling.fit_sparse(&rows)?;
            let found = scale.map_or_else(|| rows.clone(), |scale| scale.apply_sparse(rows.clone()));
            assert!((found.dense(&all) - scaled(scaling, &rows.dense(&all))?).amax() < 1e-12, "{scaling:?}");
        }
        assert_eq!(Scaling::Auto.fit_sparse(&rows)?, None);
        let message = Scaling::Standard.fit_sparse(&rows).map_err(|error| error.to_string()).err();
        assert!(message.is_some_and(|text| text.starts_with("scale standard would fill in the zeros")));
        assert!(Scaling::MinMax.fit_sparse(&rows.map(|_, _, v| -v)).is_err());
        Ok(())
    }

    #[test]
    fn auto_follows_its_rule() {
        let of = |values: &[f64]| Scaling::choose(&Mat::from_column_slice(values.len(), 1, values));
        assert_eq!(of(&[-1.0, 0.5]), Scaling::None);
        assert_eq!(of(&[0.0, 255.0]), Scaling::Range);
        assert_eq!(of(&[0.5, 255.0]), Scaling::Standard);
    }

    #[test]
    fn constant_columns_and_zero_rows_stay_finite() -> Result<(), DataError> {
        let rows = Mat::from_row_slice(2, 2, &[3.0, 0.0, 3.0, 0.0]);
        for scaling in [Scaling::Range, Scaling::MinMax, Scaling::Standard, Scaling::Unit] {
            assert!(scaled(scaling, &rows)?.iter().all(|v| v.is_finite()));
        }
        assert_eq!(scaled(Scaling::Standard, &rows)?, Mat::zeros(2, 2));
        assert_eq!(scaled(Scaling::Unit, &Mat::zeros(2, 2))?, Mat::zeros(2, 2));
        Ok(())
    }
}
