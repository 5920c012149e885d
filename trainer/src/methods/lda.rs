//! LDA: directions along which class means are far apart compared to the scatter within classes.
//!
//! # Idea
//! Fisher's linear discriminant (Fisher 1936; Rao 1948), the linear yardstick.
//!
//! # Steps
//! 1. Center the rows, `Φ`; scaled class indicators `T`.
//! 2. `S_b v = μ (S_T + ridge·I) v` through the C×C matrix `TᵀΦ(S_T + ridge)⁻¹ΦᵀT`, as in KDA.
//!    Of sparse rows by conjugate gradients, [`ridge_regression`], which never forms the scatter.
//! 3. Axes are scaled to unit scatter within classes, `1 − μ` being what is left of the total.
//!
//! # Model shape
//! Linear map.
//!
//! # Where we differ from the textbook
//! The ridge, relative to the mean diagonal of the columns that vary, makes it work with more columns than rows. Columns in
//! another unit, by a variance far above that of most others, are first brought down to it, as in every pairwise method.

use super::discriminant::{best_axes, centered_indicators};
use super::pairwise::{Coordinates, factors};
use super::{Checked, Dataset, Dim, FitError, Fitted, MethodEntry, MethodParams, Run, SettingsParser, raised_ridge};
use crate::linalg::{
    Centered, Csr, Mat, Operator, SparseOperator, gram_tn, mul, mul_tn, ridge_regression, scale_columns, scale_rows,
    solve_spd,
};
use crate::model::map::Map;

/// Parameters of LDA.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// Number of axes; by default one less than classes, which is also the most there are.
    pub dim: Dim,
    /// Added to the total scatter, relative to the mean diagonal of the columns that vary; by default 0.001.
    pub ridge: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self { dim: Dim::Auto, ridge: 1e-3 }
    }
}

/// Linear discriminant analysis.
pub type Lda = Checked<Params>;

pub(super) const LDA: MethodEntry = MethodEntry::of::<Params>("lda", "linear discriminant analysis");

impl MethodParams for Params {
    fn name(&self) -> &'static str {
        LDA.name
    }

    fn settings(&mut self, settings: &mut SettingsParser) {
        settings.dim(&mut self.dim);
        settings.not_negative("ridge", &mut self.ridge);
    }

    fn takes_sparse(&self) -> bool {
        true
    }

    fn fit(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError> {
        let threads = run.thread_count();
        data.require_classes(1)?;
        if let Some(rows) = data.sparse_rows() {
            return self.fit_sparse(data, rows, run);
        }
        let space = Coordinates::new(None, data, run)?;
        let dim = self.dim.resolve(data.classes() - 1, (data.classes() - 1).min(space.len()))?;
        run.step("discriminant", 0, 1)?;
        let t = centered_indicators(data);
        let scatter = gram_tn(&space.phi, threads);
        let ridge = self.ridge * space.typical(scatter.trace(), 1.0);
        let (b, used) = solve_spd(|| scatter.clone(), ridge, &mul_tn(&space.phi, &t, threads))
            .map_err(FitError::at("discriminant"))?;
        let (q, spectrum) = best_axes(&mul(&space.phi, &b, threads), &t, dim, threads)?;
        let v = scale_columns(mul(&b, &q, threads), |j| 1.0 / (1.0 - spectrum[j]).max(1e-12).sqrt());
        let notes = raised_ridge("the total scatter", ridge, used);
        Ok(space.fitted(data, &v, spectrum, threads).with_notes(notes))
    }

    fn nested_axes(&self, fitted: &Fitted, dim: usize) -> Option<Mat> {
        Some(fitted.first_axes(dim))
    }
}

impl Params {
    /// The same without ever forming the scatter: step 2 by conjugate gradients on products with the rows.
    fn fit_sparse(&self, data: &Dataset, rows: &Csr, run: &Run<'_>) -> Result<Fitted, FitError> {
        let threads = run.thread_count();
        let mean = rows.column_means();
        let sums = rows.column_scatter(&mean);
        if sums.iter().sum::<f64>() <= 1e-24 * rows.squared_lengths().iter().sum::<f64>() {
            return Err(FitError::AllRowsEqual { rows: data.len() });
        }
        let (factors, counted) = factors(&sums);
        let scaled = rows.clone().map(|_, column, value| value * factors[column]);
        let operator = SparseOperator::new(&scaled);
        let scatter: f64 = sums.iter().zip(&factors).map(|(sum, factor)| sum * factor * factor).sum();
        let most = (data.classes() - 1).min(data.len() - 1).min(data.width());
        let dim = self.dim.resolve(data.classes() - 1, most)?;
        let scaled_mean = mean.iter().zip(&factors).map(|(mean, factor)| mean * factor).collect();
        let centered = Centered::new(&operator, scaled_mean);
        let t = centered_indicators(data);
        let solved = ridge_regression(&centered, &t, self.ridge * scatter / counted as f64, run)?;
        let fit = centered.times(&solved.weights, threads);
        let (q, spectrum) = best_axes(&fit, &t, dim, threads)?;
        let q = scale_columns(q, |j| 1.0 / (1.0 - spectrum[j]).max(1e-12).sqrt());
        let map = Map::linear(&scale_rows(mul(&solved.weights, &q, threads), &factors), &mean);
        Ok(Fitted::new(data, map, mul(&fit, &q, threads)).with_spectrum(spectrum).with_notes(solved.note()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::synthetic::blobs;
    use crate::linalg::Mat;
    use crate::methods::Method;

    #[test]
    fn scatter_within_classes_becomes_the_identity() -> Result<(), Box<dyn std::error::Error>> {
        let data = blobs(3, 40, 5, 1.0, 0);
        let fitted = Lda::new(Params { ridge: 0.0, ..Params::default() })?.fit(&data)?;
        let z = fitted.embedding();
        let means = data.class_means(z);
        let within = Mat::from_fn(z.nrows(), z.ncols(), |i, j| z[(i, j)] - means[(data.labels()[i], j)]);
        assert!((within.transpose() * within - Mat::identity(2, 2)).amax() < 1e-9);
        Ok(())
    }

    #[test]
    fn sparse_rows_give_the_axes_of_their_dense_form() -> Result<(), Box<dyn std::error::Error>> {
        for (rows, columns) in [(90, 20), (60, 80)] {
            let rows = crate::linalg::csr::tests::sparse(rows, columns, 1);
            let labels: Vec<String> = (0..rows.nrows()).map(|i| (i % 3).to_string()).collect();
            let all: Vec<usize> = (0..rows.nrows()).collect();
            let dense = Lda::default().fit(&Dataset::new(rows.dense(&all), &labels)?)?;
            let sparse = Lda::default().fit(&Dataset::from_sparse(rows.clone(), &labels)?)?;
            // An eigenvector's sign is free.
            let gap = (sparse.embedding().abs() - dense.embedding().abs()).amax();
            assert!(gap < 1e-5 * dense.embedding().amax(), "{gap}");
            assert!((sparse.embed(&rows.dense(&all))? - sparse.embedding()).amax() < 1e-9);
            assert!(sparse.notes().is_empty(), "{:?}", sparse.notes());
        }
        Ok(())
    }

    #[test]
    fn more_columns_than_rows_work() -> Result<(), Box<dyn std::error::Error>> {
        let data = blobs(3, 6, 60, 0.3, 0);
        let fitted = Lda::default().fit(&data)?;
        assert!((fitted.embed(data.rows())? - fitted.embedding()).amax() < 1e-8);
        assert_eq!(fitted.accuracy(&data)?, 1.0);
        Ok(())
    }
}
