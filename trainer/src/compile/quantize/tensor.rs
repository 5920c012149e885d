//! Stored numbers as matrices, and back.

use crate::linalg::Mat;
pub(super) use crate::model::tensor::matrix;
use nearmark_format::Tensor;

/// Whole numbers as i8, row by row; what lies beyond is cut.
pub(super) fn to_i8(m: &Mat) -> Tensor {
    Tensor::I8(m.transpose().iter().map(|v| v.clamp(-128.0, 127.0) as i8).collect())
}

/// Whole numbers as u8, row by row; what lies beyond is cut.
pub(super) fn to_u8(m: &Mat) -> Tensor {
    Tensor::U8(m.transpose().iter().map(|v| v.clamp(0.0, 255.0) as u8).collect())
}

/// Whole numbers as i16, row by row; what lies beyond is cut.
pub(super) fn to_i16(m: &Mat) -> Tensor {
    Tensor::I16(m.transpose().iter().map(|v| v.clamp(-32768.0, 32767.0) as i16).collect())
}
