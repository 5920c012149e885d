//! Principal axes, as a stage before a method and as the method PCA.

use super::Projection;
use crate::error::{FitError, ParamError};
use crate::linalg::{Mat, column_means, gram_tn, mul_tn, scale_columns, shift_columns, sym_eig, top_eig};

/// How many principal axes to keep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Components {
    /// As many as hold this share of the variance, e.g. 0.98.
    Variance(f64),
    /// Just so many.
    Count(usize),
}

impl Components {
    /// Refuses a share outside 0..=1 and a count of zero.
    pub(crate) fn check(self) -> Result<(), ParamError> {
        match self {
            Self::Variance(share) => ParamError::check(share > 0.0 && share <= 1.0, "pca", "in 0..=1", share),
            Self::Count(count) => ParamError::at_least_one("pca", count),
        }
    }
}

/// The mean of the rows, the axes of largest variance, and the variances.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PrincipalAxes {
    /// Mean of every column.
    pub(crate) mean: Vec<f64>,
    /// One column per axis, orthonormal.
    pub(crate) axes: Mat,
    /// Variance along each axis, largest first.
    pub(crate) variances: Vec<f64>,
}

impl PrincipalAxes {
    /// The projection `x ↦ axesᵀ (x − mean)`.
    pub(crate) fn projection(&self) -> Projection {
        let weights = self.axes.transpose();
        let bias = (&weights * nalgebra::DVector::from_column_slice(&self.mean)).iter().map(|b| -b).collect();
        Projection { weights, bias }
    }
}

/// Finds the principal axes, through whichever of the two Gram matrices is smaller.
pub(crate) fn principal_axes(rows: &Mat, components: Components, threads: usize) -> Result<PrincipalAxes, FitError> {
    components.check()?;
    let (count, width) = rows.shape();
    let mean = column_means(rows);
    let centered = shift_columns(rows.clone(), &mean);
    let total = centered.norm_squared();
    if total <= 1e-24 * rows.norm_squared() {
        return Err(FitError::AllRowsEqual { rows: count });
    }
    let wide = width > count;
    let scatter = if wide { gram_tn(&centered.transpose(), threads) } else { gram_tn(&centered, threads) };
    let eig = match components {
        Components::Variance(_) => sym_eig(&scatter),
        Components::Count(k) => top_eig(&scatter, k.min(scatter.nrows()), threads),
    };
    // Below 1e-12 of the largest, a variance is rounding noise and its axis has no direction.
    let eig = eig.map_err(FitError::at("principal axes"))?.above(1e-12);
    let keep = match components {
        Components::Variance(share) => {
            let mut sum = 0.0;
            let below = eig.values.iter().take_while(|&&v| {
                let go_on = sum < share * total * (1.0 - 1e-12);
                sum += v;
                go_on
            });
            below.count()
        }
        Components::Count(k) if k > eig.len() => return Err(FitError::DimTooLarge { dim: k, max: eig.len() }),
        Components::Count(k) => k,
    };
    let eig = eig.truncated(keep);
    let axes = if wide {
        let axes = mul_tn(&centered, &eig.vectors, threads);
        scale_columns(axes, |j| 1.0 / eig.values[j].sqrt())
    } else {
        eig.vectors
    };
    let variances = eig.values.iter().map(|v| v / count as f64).collect();
    Ok(PrincipalAxes { mean, axes, variances })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn points_on_a_line_have_one_axis() -> Result<(), FitError> {
        let rows = Mat::from_row_slice(3, 2, &[0.0, 0.0, 3.0, 4.0, 6.0, 8.0]);
        let pca = principal_axes(&rows, Components::Variance(0.99), 1)?;
        assert_eq!(pca.axes.ncols(), 1);
        assert!((pca.axes[(0, 0)] - 0.6).abs() < 1e-12 && (pca.axes[(1, 0)] - 0.8).abs() < 1e-12);
        let z = pca.projection().apply(&rows, 1);
        assert!((z[(2, 0)] - 5.0).abs() < 1e-12 && z[(1, 0)].abs() < 1e-12);
        let error = principal_axes(&rows, Components::Count(2), 1);
        assert_eq!(error, Err(FitError::DimTooLarge { dim: 2, max: 1 }));
        Ok(())
    }

    #[test]
    fn wide_and_tall_tables_give_orthonormal_axes() -> Result<(), FitError> {
        let mut rng = Rng::new(5);
        for (n, w) in [(20, 50), (50, 20)] {
            let rows = Mat::from_fn(n, w, |_, _| rng.normal());
            let axes = principal_axes(&rows, Components::Count(10), 1)?.axes;
            assert!((axes.transpose() * &axes - Mat::identity(10, 10)).amax() < 1e-10);
        }
        Ok(())
    }
}
