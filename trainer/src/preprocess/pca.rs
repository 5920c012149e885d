//! Principal axes, as a stage before a method and as the method PCA.

use super::Projection;
use crate::error::{FitError, ParamError};
use crate::linalg::{
    Centered, Csr, Mat, SparseOperator, column_means, gram_tn, mul_tn, scale_columns, shift_columns, sym_eig, top_eig,
    top_svd,
};

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

/// Axes of sparse rows at most, unless their number is given: a share of the variance would take all of them.
const SPARSE_AXES: usize = 20;

/// The principal axes of sparse rows, centered without filling them in; also the rows in their coordinates, and what people
/// should know.
pub(crate) fn sparse_axes(
    rows: &Csr,
    components: Components,
    threads: usize,
) -> Result<(PrincipalAxes, Mat, Vec<String>), FitError> {
    components.check()?;
    let operator = SparseOperator::new(rows);
    let mean = rows.column_means();
    let squares: f64 = rows.squared_lengths().iter().sum();
    let total = squares - rows.nrows() as f64 * mean.iter().map(|m| m * m).sum::<f64>();
    if total <= 1e-12 * squares {
        return Err(FitError::AllRowsEqual { rows: rows.nrows() });
    }
    let asked = if let Components::Count(count) = components { count } else { SPARSE_AXES };
    let centered = Centered::new(&operator, mean.clone());
    let svd = top_svd(&centered, asked, threads).map_err(FitError::at("principal axes"))?;
    let mut notes: Vec<String> = svd.cut_short_note().into_iter().collect();
    let mut sum = 0.0;
    let keep = match components {
        Components::Count(dim) if dim > svd.s.len() => return Err(FitError::DimTooLarge { dim, max: svd.s.len() }),
        Components::Count(count) => count,
        Components::Variance(share) => {
            let below = svd.s.iter().take_while(|s| {
                let go_on = sum < share * total * (1.0 - 1e-12);
                sum += *s * *s;
                go_on
            });
            below.count()
        }
    };
    let held: f64 = svd.s[..keep].iter().map(|s| s * s).sum::<f64>() / total;
    if matches!(components, Components::Variance(share) if held < share * (1.0 - 1e-12)) {
        let percent = 100.0 * held;
        notes.push(format!(
            "sparse rows: {keep} principal axes, which hold {percent:.1} % of the variance; name their number for more"
        ));
    }
    let axes = svd.v.columns(0, keep).into_owned();
    let variances = svd.s[..keep].iter().map(|s| s * s / rows.nrows() as f64).collect();
    let coordinates = scale_columns(svd.u.columns(0, keep).into_owned(), |j| svd.s[j]);
    Ok((PrincipalAxes { mean, axes, variances }, coordinates, notes))
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
    fn sparse_rows_have_the_axes_of_their_dense_form() -> Result<(), FitError> {
        let rows = crate::linalg::csr::tests::sparse(60, 20, 3);
        let dense = rows.dense(&(0..60).collect::<Vec<_>>());
        for components in [Components::Count(5), Components::Variance(0.9)] {
            let (sparse, coordinates, notes) = sparse_axes(&rows, components, 1)?;
            let expected = principal_axes(&dense, components, 1)?;
            assert!((&sparse.axes.abs() - expected.axes.abs()).amax() < 1e-7);
            assert!((sparse.projection().apply(&dense, 1) - coordinates).amax() < 1e-8);
            assert!(sparse.variances.iter().zip(&expected.variances).all(|(a, b)| (a - b).abs() < 1e-9));
            assert!(notes.is_empty(), "{notes:?}");
        }
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
