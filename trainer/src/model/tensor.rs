//! Stored numbers as matrices of f64, and back, row by row.

use crate::linalg::Mat;
use nearmark_format::Tensor;

/// Row-major numbers of any stored type, `cols` in a row.
pub(crate) fn matrix(tensor: &Tensor, cols: usize) -> Mat {
    let values: Vec<f64> = match tensor {
        Tensor::F32(values) => values.iter().map(|&v| v.into()).collect(),
        Tensor::I16(values) => values.iter().map(|&v| v.into()).collect(),
        Tensor::I8(values) => values.iter().map(|&v| v.into()).collect(),
        Tensor::U8(values) => values.iter().map(|&v| v.into()).collect(),
    };
    Mat::from_row_slice(values.len() / cols.max(1), cols, &values)
}

/// Stored floats as f64; `len` zeros where none are stored.
pub(crate) fn or_zeros(values: &[f32], len: usize) -> Vec<f64> {
    if values.is_empty() { vec![0.0; len] } else { values.iter().map(|&v| v.into()).collect() }
}

pub(crate) fn to_f32(m: &Mat) -> Tensor {
    Tensor::F32(m.transpose().iter().map(|&v| v as f32).collect())
}

/// Whole numbers; what lies beyond the type is cut, as in the next two.
pub(crate) fn to_i8(m: &Mat) -> Tensor {
    Tensor::I8(m.transpose().iter().map(|&v| v as i8).collect())
}

pub(crate) fn to_u8(m: &Mat) -> Tensor {
    Tensor::U8(m.transpose().iter().map(|&v| v as u8).collect())
}

pub(crate) fn to_i16(m: &Mat) -> Tensor {
    Tensor::I16(m.transpose().iter().map(|&v| v as i16).collect())
}
