//! From f64 to f32, last of all, refusing what f32 cannot hold.

use super::ExportError;
use crate::linalg::Mat;
use nearmark_format::Tensor;

/// One number.
pub(super) fn number(section: &'static str, value: f64) -> Result<f32, ExportError> {
    let narrow = value as f32;
    if narrow.is_finite() { Ok(narrow) } else { Err(ExportError::Overflow { section, value }) }
}

/// A constant that must not vanish.
pub(super) fn positive(section: &'static str, value: f64) -> Result<f32, ExportError> {
    let narrow = number(section, value)?;
    if narrow > 0.0 { Ok(narrow) } else { Err(ExportError::Overflow { section, value }) }
}

/// A list.
pub(super) fn values(section: &'static str, values: &[f64]) -> Result<Vec<f32>, ExportError> {
    values.iter().map(|v| number(section, *v)).collect()
}

/// A list that need not be stored if it is all zeros.
pub(super) fn unless_zero(section: &'static str, list: &[f64]) -> Result<Vec<f32>, ExportError> {
    if list.iter().all(|v| *v == 0.0) { Ok(Vec::new()) } else { values(section, list) }
}

/// A matrix, row by row.
pub(super) fn matrix(section: &'static str, m: &Mat) -> Result<Tensor, ExportError> {
    // The transpose's columns are the rows, in one piece each.
    values(section, m.transpose().as_slice()).map(Tensor::F32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_f32_cannot_hold_is_refused_by_section() {
        assert_eq!(number("gamma", 0.5), Ok(0.5));
        assert_eq!(number("centers", 1e39), Err(ExportError::Overflow { section: "centers", value: 1e39 }));
        assert_eq!(positive("gamma", 1e-60), Err(ExportError::Overflow { section: "gamma", value: 1e-60 }));
    }

    #[test]
    fn matrices_are_written_row_by_row() {
        let m = Mat::from_row_slice(2, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(matrix("readout", &m), Ok(Tensor::F32(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])));
    }
}
